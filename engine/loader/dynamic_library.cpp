#include "engine/loader/dynamic_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace sweep {

std::optional<DynamicLibrary> DynamicLibrary::open(const std::string& name) {
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::nullopt;
  return DynamicLibrary(name, handle);
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
