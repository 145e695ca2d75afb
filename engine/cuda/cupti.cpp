#include "engine/cuda/cupti.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/cuda/counter_failure.h"
#include "engine/system/cuda_home.h"

namespace sweep {
namespace {

/// A toolkit may keep CUPTI in a folder of its own.
std::vector<std::string> candidates() {
  const std::vector<std::string> files = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
  std::vector<std::string> names = library_candidates(files);
  for (const auto& home : cuda_homes()) {
    for (const std::string& file : files) {
      names.push_back((home / "extras/CUPTI/lib64" / file).string());
    }
  }
  return names;
}

Cupti open_cupti() {
  std::string too_old;
  std::vector<std::string> problems;
  for (const std::string& name : candidates()) {
    const auto library = DynamicLibrary::open_first({name}, problems);
    if (!library) continue;
    try {
      return Cupti{*library};
    } catch (const LibraryError& error) {
      if (too_old.empty()) too_old = error.what();
    }
  }
  if (!too_old.empty()) {
    throw CounterFailure(
        CounterFailure::Kind::lasting,
        fmt::format("the hardware's counters cannot be read: {}; use the libcupti of CUDA 12.6 or "
                    "newer (SWEEP_CUDA_HOME says which)",
                    too_old));
  }
  if (!problems.empty()) {
    throw CounterFailure(CounterFailure::Kind::lasting,
                         fmt::format("the hardware's counters cannot be read, since libcupti "
                                     "cannot be loaded: {}",
                                     problems.front()));
  }
  throw CounterFailure(
      CounterFailure::Kind::lasting,
      "the hardware's counters cannot be read, since libcupti was not found; it comes with the "
      "CUDA "
      "Toolkit (on Debian and Ubuntu NVIDIA's package cuda-cupti-13-0 or cuda-cupti-12-6), and "
      "SWEEP_CUDA_HOME says where that is");
}

}  // namespace

const Cupti& Cupti::get() {
  static const Cupti cupti = open_cupti();
  return cupti;
}

void Cupti::check(CUptiResult result, const char* call) const {
  if (result == CUPTI_SUCCESS) return;
  const char* name = nullptr;
  GetResultString(result, &name);
  throw cupti_failure(static_cast<int>(result), call,
                      name != nullptr ? name : fmt::format("error {}", static_cast<int>(result)));
}

}  // namespace sweep
