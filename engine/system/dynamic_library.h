#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace sweep {

/// A library that is needed is not there or is not the one expected.
class LibraryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A shared library opened at run time. It stays loaded for the rest of the process, since CUDA's
/// libraries do not unload cleanly.
class DynamicLibrary {
 public:
  /// Opens a library by path, or by name through the system's search; nothing when that fails.
  static std::optional<DynamicLibrary> open(const std::string& name);

  /// The first of several that opens. When none does, `problems` gets what is wrong with those
  /// that are there but cannot be used, in the loader's words.
  static std::optional<DynamicLibrary> open_first(const std::vector<std::string>& names,
                                                  std::vector<std::string>& problems);

  /// The function called `symbol`. Throws LibraryError when the library does not have it.
  template <class Function>
  Function* function(const char* symbol) const {
    return reinterpret_cast<Function*>(address_of(symbol));
  }

  /// The file that the library with `function` was loaded from, links resolved.
  static std::filesystem::path file_of(const void* function);

 private:
  DynamicLibrary(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}
  void* address_of(const char* symbol) const;

  std::string name_;
  void* handle_;
};

}  // namespace sweep
