#include "engine/cli/compile_settings.h"

#include "engine/loader/cuda_home.h"

namespace sweep {

CompileSettings compile_settings(std::shared_ptr<const Nvrtc> nvrtc, int compute_capability,
                                 ProgramCache* cache) {
  CompileSettings settings;
  settings.nvrtc = std::move(nvrtc);
  settings.compute_capability = compute_capability;
  settings.cache = cache;
  settings.process_command = {program_path().string(), "worker", compiler_worker};
  return settings;
}

}  // namespace sweep
