#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/jit/source_headers.h"

namespace sweep {

/// What a compiler run gave.
struct NvrtcResult {
  bool ok = false;
  std::string log;  ///< the compiler's messages
  std::string ptx;
  std::vector<char> cubin;                 ///< empty when the target was a virtual architecture
  std::vector<std::string> lowered_names;  ///< of the name expressions, in their order
};

/// Throws LibraryError unless this version of NVRTC, found at `file`, is new enough.
void require_supported_version(const std::filesystem::path& file, int major, int minor);

/// NVIDIA's run-time compiler, opened at run time. Safe to use from several threads.
class Nvrtc {
 public:
  /// Opens libnvrtc. Throws LibraryError that says where it was searched and how to install it, or
  /// that the one found is too old.
  Nvrtc();
  ~Nvrtc();
  Nvrtc(const Nvrtc&) = delete;
  Nvrtc& operator=(const Nvrtc&) = delete;

  /// "NVRTC 13.0"
  std::string version() const;
  /// The library's file.
  const std::filesystem::path& file() const;
  /// Real architectures it can compile for: major * 10 + minor, rising.
  const std::vector<int>& architectures() const;

  /// Compiles one program. When that fails the result is not ok; unless `source` has a mistake, its
  /// log begins with the library's word for the failure. An option that is not known and failures
  /// of other calls throw LibraryError. What the source includes is one of `headers` or lies in the
  /// folders of the options: the library searches neither the current folder nor any other, and
  /// where the kernel has a sandbox it cannot open any other file.
  NvrtcResult compile(const std::string& source, const std::vector<std::string>& options,
                      const std::vector<std::string>& name_expressions,
                      const std::vector<SourceHeader>& headers = {}) const;

 private:
  struct Functions;
  NvrtcResult compile_here(const std::string& source, const std::vector<std::string>& options,
                           const std::vector<std::string>& name_expressions,
                           const std::vector<SourceHeader>& headers) const;
  std::unique_ptr<Functions> functions_;
};

}  // namespace sweep
