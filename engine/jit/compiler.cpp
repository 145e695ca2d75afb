#include "engine/jit/compiler.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/jit/compiler_messages.h"
#include "engine/jit/translation_unit.h"
#include "engine/loader/cuda_home.h"
#include "engine/loader/dynamic_library.h"

namespace sweep {
namespace {

std::string architecture_option(const Nvrtc& nvrtc, int compute_capability) {
  const std::vector<int>& known = nvrtc.architectures();
  if (std::ranges::find(known, compute_capability) != known.end()) {
    return fmt::format("--gpu-architecture=sm_{}", compute_capability);
  }
  const auto above = std::ranges::upper_bound(known, compute_capability);
  if (above == known.begin()) {
    throw LibraryError(
        fmt::format("{} cannot compile for compute capability {}.{}: the oldest it "
                    "knows is {}.{}; an older CUDA toolkit can, see SWEEP_CUDA_HOME",
                    nvrtc.version(), compute_capability / 10, compute_capability % 10,
                    known.front() / 10, known.front() % 10));
  }
  return fmt::format("--gpu-architecture=compute_{}", *std::prev(above));
}

std::vector<std::string> base_options(const Nvrtc& nvrtc, int compute_capability) {
  std::vector<std::string> options = {
      architecture_option(nvrtc, compute_capability),
      "--std=c++20",
      "--minimal",
      "--device-as-default-execution-space",
      "--generate-line-info",
      // Baked-in constants make code unreachable, comparisons pointless and names unused.
      "--diag-suppress=111,128,177,179,186",
      // CUDA 13 deprecates the vector types whose alignment will change; sweeps measure them.
      "--define-macro=__NV_NO_VECTOR_DEPRECATION_DIAG",
  };
  const std::filesystem::path include = find_cuda_include("cuda_fp16.h", nvrtc.file());
  if (!include.empty()) {
    options.push_back("--include-path=" + include.string());
    options.push_back("--include-path=" + (include / "cccl").string());
  }
  return options;
}

}  // namespace

Compiler::Compiler(std::shared_ptr<const Nvrtc> nvrtc, int compute_capability)
    : nvrtc_(std::move(nvrtc)), options_(base_options(*nvrtc_, compute_capability)) {}

std::vector<CompileOutcome> Compiler::compile(std::span<const Configuration> configurations) const {
  std::vector<CompileOutcome> outcomes;
  outcomes.reserve(configurations.size());
  for (std::size_t begin = 0; begin < configurations.size();) {
    std::size_t end = begin + 1;
    while (end < configurations.size() &&
           configurations[end].pattern == configurations[begin].pattern) {
      ++end;
    }
    std::vector<CompileOutcome> batch = compile_program(configurations.subspan(begin, end - begin));
    std::ranges::move(batch, std::back_inserter(outcomes));
    begin = end;
  }
  return outcomes;
}

std::vector<CompileOutcome> Compiler::compile_program(std::span<const Configuration> batch) const {
  const Pattern& pattern = *batch.front().pattern;
  const TranslationUnit unit = write_translation_unit(batch);
  std::vector<std::string> options = options_;
  options.push_back("--include-path=" + pattern.path.parent_path().string());
  std::vector<std::string> expressions;
  for (const UnitEntries& entries : unit.entries) expressions.push_back(entries.kernel_expression);
  NvrtcResult result = nvrtc_->compile(unit.text, options, expressions);

  std::vector<CompileOutcome> outcomes;
  Diagnostics messages = read_compiler_log(result.log, pattern.source);
  if (!result.ok && batch.size() == 1) {
    if (!messages.has_errors()) {
      messages.error({pattern.source, 0, 0, 1}, "the compiler gave up: " + result.log);
    }
    outcomes.emplace_back(CompileFailure{std::move(messages)});
    return outcomes;
  }
  if (!result.ok) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      std::vector<CompileOutcome> one = compile_program(batch.subspan(i, 1));
      outcomes.push_back(std::move(one.front()));
    }
    return outcomes;
  }
  const auto program =
      std::make_shared<const Program>(Program{std::move(result.cubin), std::move(result.ptx)});
  for (std::size_t i = 0; i < batch.size(); ++i) {
    outcomes.emplace_back(CompiledConfiguration{
        program, result.lowered_names[i], unit.entries[i].init, unit.entries[i].check, messages});
  }
  return outcomes;
}

}  // namespace sweep
