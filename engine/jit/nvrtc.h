#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/pattern.h"
#include "engine/system/dynamic_library.h"

namespace sweep {

/// Whether the kernel can take a thread's files away (Landlock, Linux 5.13 and newer).
bool has_file_sandbox();

/// A file that a program includes, handed to the compiler so that it opens none.
struct SourceHeader {
  std::string name;  ///< as the program's #include says it
  std::string text;

  friend bool operator==(const SourceHeader&, const SourceHeader&) = default;
};

/// Source in which #include says the names of the headers. `text` stands at `offset` in the text
/// that `names` was read from; what was blanked in it stays as it is.
std::string with_header_names(std::string text, std::size_t offset,
                              const std::vector<IncludeName>& names);

/// Why a compiler that is given this source and these headers might open a file that is not one of
/// the toolkit's, as a sentence; empty when it cannot.
std::string why_open(std::string_view source, const std::vector<SourceHeader>& headers);

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

/// Compiles one program after the other.
class ProgramCompiler {
 public:
  virtual ~ProgramCompiler() = default;
  /// When that fails the result is not ok; unless the text has a mistake, its log begins with the
  /// compiler's word for the failure. Throws LibraryError for an option that is not known and where
  /// the compiler itself does not work.
  virtual NvrtcResult compile(const ProgramSource& source) = 0;
};

/// NVIDIA's run-time compiler, opened at run time. Safe to use from several threads.
class Nvrtc : public ProgramCompiler {
 public:
  /// Opens libnvrtc. Throws LibraryError that says where it was searched and how to install it, or
  /// that the one found is too old.
  Nvrtc();
  ~Nvrtc() override;
  Nvrtc(const Nvrtc&) = delete;
  Nvrtc& operator=(const Nvrtc&) = delete;

  /// "NVRTC 13.0"
  const std::string& version() const { return version_; }
  /// The library's file.
  const std::filesystem::path& file() const { return file_; }
  /// Real architectures it can compile for: major * 10 + minor, rising.
  const std::vector<int>& architectures() const { return architectures_; }

  /// What the text includes is one of the headers or lies in the folders of the options: the
  /// library searches neither the current folder nor any other, and where the kernel has a sandbox
  /// it cannot open any other file.
  NvrtcResult compile(const ProgramSource& source) override;

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
  std::string version_;
  std::filesystem::path file_;
  std::vector<int> architectures_;
};

}  // namespace sweep
