#include "engine/cuda/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "engine/cuda/cuda_backend.h"

namespace sweep {
namespace {

int seen_alone = 0;

Driver open_driver() try {
  std::vector<std::string> problems;
  const auto library = DynamicLibrary::open_first({"libcuda.so.1"}, problems);
  if (!library) {
    throw DeviceError(problems.empty() ? "no NVIDIA driver: libcuda.so.1 was not found"
                                       : "the NVIDIA driver cannot be loaded: " + problems.front());
  }
  Driver driver{*library};
  const CUresult result = driver.init.result(0);
  if (result == CUDA_ERROR_NO_DEVICE) throw DeviceError("the NVIDIA driver sees no GPU");
  if (result != CUDA_SUCCESS) {
    const char* text = nullptr;
    driver.error_string.result(result, &text);
    throw DeviceError(fmt::format("the NVIDIA driver does not start: {}",
                                  text != nullptr ? text : "unknown error"));
  }
  return driver;
} catch (const LibraryError& error) {
  throw DeviceError(fmt::format("the NVIDIA driver cannot be used: {}", error.what()));
}

}  // namespace

void see_only(std::size_t index) {
  constexpr const char* variable = "CUDA_VISIBLE_DEVICES";
  std::string name = std::to_string(index);
  if (const char* given = std::getenv(variable)) {
    std::istringstream list(given);
    std::vector<std::string> names;
    for (std::string each; std::getline(list, each, ',');) names.push_back(each);
    // One that is not there, as -1, hides those after it.
    const auto is_there = [](const std::string& each) { return !each.starts_with('-'); };
    if (index >= names.size() || !std::ranges::all_of(names, is_there)) return;
    name = names[index];
  }
  if (setenv(variable, name.c_str(), 1) == 0) seen_alone = static_cast<int>(index);
}

int first_seen() {
  return seen_alone;
}

const Driver& Driver::get() {
  static const Driver driver = open_driver();
  return driver;
}

void check_driver(CUresult result, std::string_view symbol) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  const char* text = nullptr;
  Driver::get().error_name.result(result, &name);
  Driver::get().error_string.result(result, &text);
  throw CudaError(result, fmt::format("{}: {} ({})", symbol.substr(0, symbol.rfind("_v")),
                                      text != nullptr ? text : "unknown error",
                                      name != nullptr ? name : "no name"));
}

Module load_module(const void* image) {
  std::array<char, 4096> log{};
  std::array options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size())};
  CUmodule module = nullptr;
  const CUresult result = Driver::get().module_load.result(
      &module, image, static_cast<unsigned>(options.size()), options.data(), values.data());
  if (result != CUDA_SUCCESS && log.front() != '\0') {
    throw CudaError(result, std::string("cuModuleLoadDataEx: ") + log.data());
  }
  check_driver(result, "cuModuleLoadDataEx");
  return Module(module);
}

}  // namespace sweep
