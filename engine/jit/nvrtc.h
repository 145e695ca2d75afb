#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/jit/readable_files.h"
#include "engine/system/dynamic_library.h"

namespace sweep {

/// What one compiler run is given.
struct ProgramSource {
  std::string text;
  std::vector<std::string> options;
  std::vector<std::string> name_expressions;
  std::vector<SourceHeader> headers = {};

  friend bool operator==(const ProgramSource&, const ProgramSource&) = default;
};

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

  /// Compiles one program. When that fails the result is not ok; unless the text has a mistake, its
  /// log begins with the library's word for the failure. An option that is not known and failures
  /// of other calls throw LibraryError. What the text includes is one of the headers or lies in the
  /// folders of the options: the library searches neither the current folder nor any other, and
  /// where the kernel has a sandbox it cannot open any other file.
  NvrtcResult compile(const ProgramSource& source) const;

 private:
  struct Functions;
  NvrtcResult compile_here(const ProgramSource& source) const;
  std::unique_ptr<Functions> functions_;
};

/// Compiles one program after the other.
class ProgramCompiler {
 public:
  virtual ~ProgramCompiler() = default;
  /// See Nvrtc::compile; throws LibraryError as it does.
  virtual NvrtcResult compile(const ProgramSource& source) = 0;
};

/// NVRTC in this process. Safe to use from several threads.
class LocalCompiler : public ProgramCompiler {
 public:
  explicit LocalCompiler(std::shared_ptr<const Nvrtc> nvrtc) : nvrtc_(std::move(nvrtc)) {}
  NvrtcResult compile(const ProgramSource& source) override { return nvrtc_->compile(source); }

 private:
  std::shared_ptr<const Nvrtc> nvrtc_;
};

}  // namespace sweep
