#pragma once

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

/// NVIDIA's run-time compiler, opened at run time. Safe to use from several threads.
class Nvrtc {
 public:
  /// Opens libnvrtc. Throws LibraryError that says where it was searched and how to install it.
  Nvrtc();
  ~Nvrtc();
  Nvrtc(const Nvrtc&) = delete;
  Nvrtc& operator=(const Nvrtc&) = delete;

  /// "NVRTC 13.0"
  std::string version() const;
  /// Real architectures it can compile for: major * 10 + minor, rising.
  const std::vector<int>& architectures() const;

  /// Compiles one program. A mistake in `source` is a result that is not ok; anything else that
  /// goes wrong in the library throws LibraryError.
  NvrtcResult compile(const std::string& source, const std::vector<std::string>& options,
                      const std::vector<std::string>& name_expressions) const;

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
};

}  // namespace sweep
