#include "engine/loader/dynamic_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace sweep {

std::optional<DynamicLibrary> DynamicLibrary::open(const std::string& name) {
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::nullopt;
  return DynamicLibrary(name, handle);
}

std::filesystem::path DynamicLibrary::file_of(const void* function) {
  Dl_info info{};
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(info.dli_fname, error);
  return error ? info.dli_fname : file;
}

void* DynamicLibrary::address_of(const char* symbol) const {
  void* address = dlsym(handle_, symbol);
  if (address == nullptr) {
    throw LibraryError(
        fmt::format("{} has no function {}: it is too old or not the library that "
                    "was expected",
                    name_, symbol));
  }
  return address;
}

}  // namespace sweep
