#include "engine/cli/compile_settings.h"

#include "engine/loader/cuda_home.h"

namespace sweep {

std::shared_ptr<CompilerProcesses> compiler_processes(unsigned ahead) {
  auto processes = std::make_shared<CompilerProcesses>(
      std::vector<std::string>{program_path().string(), "worker", compiler_worker});
  processes->start_ahead(ahead);
  return processes;
}

CompileSettings compile_settings(std::shared_ptr<const Nvrtc> nvrtc, int compute_capability,
                                 ProgramCache* cache,
                                 std::shared_ptr<CompilerProcesses> processes) {
  CompileSettings settings;
  settings.nvrtc = std::move(nvrtc);
  settings.compute_capability = compute_capability;
  settings.cache = cache;
  settings.processes = std::move(processes);
  return settings;
}

}  // namespace sweep
