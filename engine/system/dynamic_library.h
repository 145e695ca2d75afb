#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace sweep {

/// The running program's file.
std::filesystem::path program_path();

/// Where a CUDA toolkit may be, in the order to look: $SWEEP_CUDA_HOME, $CUDA_HOME, $CUDA_PATH,
/// /usr/local/cuda, the one found when building, where packages of NVIDIA's, of systems' and of
/// conda's put it, and what NVIDIA's wheels installed with pip: nvidia/cu13, or nvidia/cuda_nvrtc
/// and others of CUDA 12, in the packages of Python's environment, of the user and of the system.
std::vector<std::filesystem::path> cuda_homes();

/// The names under which to open one of the toolkit's libraries, best first: in the homes that
/// the environment names, beside the program, by the system's search, then in the other homes.
/// `names` are file names such as "libnvrtc.so.13".
std::vector<std::string> library_candidates(const std::vector<std::string>& names);

/// A toolkit's include folder that has `header`, or an empty path: best the toolkit that has
/// `library`, then the homes in their order.
std::filesystem::path find_cuda_include(const std::string& header,
                                        const std::filesystem::path& library);

/// Where the toolkit with this include folder has the headers of CUB and libcu++, unless they lie
/// in it.
std::filesystem::path cccl_include(const std::filesystem::path& include);

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
