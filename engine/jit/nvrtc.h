#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

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
  /// of other calls throw LibraryError. `name` stands for the source's file, which need not be
  /// there: its folder is searched first for what the source includes with quotes.
  NvrtcResult compile(const std::string& source, const std::vector<std::string>& options,
                      const std::vector<std::string>& name_expressions,
                      const std::string& name = "generated") const;

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
};

}  // namespace sweep
