#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/jit/nvrtc.h"
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
  NvrtcResult compile(const ProgramSource& source) override;

 private:
  std::shared_ptr<const Nvrtc> nvrtc_;
};

}  // namespace sweep
