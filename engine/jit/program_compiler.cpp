#include "engine/jit/program_compiler.h"

namespace sweep {

NvrtcResult LocalCompiler::compile(const ProgramSource& source) {
  return nvrtc_->compile(source.text, source.options, source.name_expressions, source.headers);
}

}  // namespace sweep
