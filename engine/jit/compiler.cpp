#include "engine/jit/compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "engine/spec/cuda_scanner.h"
#include "engine/system/dynamic_library.h"

namespace sweep {
namespace {

/// What tells two builds of one version apart.
std::string build_of(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  const auto changed = std::filesystem::last_write_time(file, error);
  return fmt::format("{} bytes of {}", error ? 0 : size, changed.time_since_epoch().count());
}

/// Everything besides a configuration that decides what compiling it gives, in one line: NVRTC's
/// version and build, the options, and the build of this program, which adds to a pattern's text
/// and reads the compiler's log.
std::string compiler_identity(const Nvrtc& nvrtc, const std::vector<std::string>& options) {
  return fmt::format("{}, {}, {}, engine {}", nvrtc.version(), build_of(nvrtc.file()),
                     fmt::join(options, " "), build_of("/proc/self/exe"));
}

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

/// The program again without the assembler, whose errors have places in the PTX.
std::string ptx_of(ProgramSource source, ProgramCompiler& programs) {
  constexpr std::string_view real = "--gpu-architecture=sm_";
  for (std::string& option : source.options) {
    if (!option.starts_with(real)) continue;
    option = "--gpu-architecture=compute_" + option.substr(real.size());
  }
  return programs.compile(source).ptx;
}

/// The errors of one configuration: a bracket without its partner explains all that come after it.
Diagnostics errors_in(const Diagnostics& found, const Pattern& pattern) {
  Diagnostics errors;
  const std::size_t body = pattern.source->text.size() - pattern.body.size();
  if (check_brackets(pattern.source, body, errors)) {
    for (const IncludedFile& file : pattern.included.files) {
      const auto source = std::make_shared<const Source>(Source{file.name, file.text});
      if (!check_brackets(source, 0, errors)) break;
    }
  }
  if (!errors.has_errors()) return found;
  const Location unpaired = errors.list().front().where;
  for (const Diagnostic& each : found.list()) {
    // The compiler sees the header's expressions behind the body.
    const bool is_of_header =
        each.where.source == pattern.source && each.where.line < pattern.body_line;
    const bool is_before = each.where.source != nullptr && !is_of_header &&
                           each.where.source->name == unpaired.source->name &&
                           each.where.line < unpaired.line;
    if (is_before) errors.add(each);
  }
  return errors;
}

CompileFailure failure_of(const ProgramSource& source, const NvrtcResult& result,
                          const Pattern& pattern, ProgramCompiler& programs) {
  const std::string ptx = needs_ptx(result.log) ? ptx_of(source, programs) : std::string();
  const Diagnostics found = read_compiler_log(result.log, pattern, ptx);
  if (!found.has_errors()) {
    CompileFailure failure{{}, true};
    failure.errors.error({pattern.source, 0, 0, 1}, "the compiler gave up: " + result.log);
    return failure;
  }
  const bool is_out_of_memory =
      result.log.find("catastrophic error: out of memory") != std::string::npos;
  return {is_out_of_memory ? found : errors_in(found, pattern), is_out_of_memory};
}

}  // namespace

Compiler::Compiler(std::shared_ptr<Nvrtc> nvrtc, int compute_capability)
    : nvrtc_(std::move(nvrtc)),
      options_(base_options(*nvrtc_, compute_capability)),
      identity_(compiler_identity(*nvrtc_, options_)) {}

std::vector<CompileOutcome> Compiler::compile(std::span<const Configuration> configurations) const {
  return compile(configurations, *nvrtc_);
}

std::vector<CompileOutcome> Compiler::compile(std::span<const Configuration> configurations,
                                              ProgramCompiler& programs) const {
  std::vector<CompileOutcome> outcomes;
  outcomes.reserve(configurations.size());
  while (!configurations.empty()) {
    const PatternPtr& pattern = configurations.front().pattern;
    const auto end = std::ranges::find_if(
        configurations, [&](const Configuration& each) { return each.pattern != pattern; });
    const auto size = static_cast<std::size_t>(end - configurations.begin());
    compile_program(configurations.first(size), programs, outcomes);
    configurations = configurations.subspan(size);
  }
  return outcomes;
}

void Compiler::compile_program(std::span<const Configuration> batch, ProgramCompiler& programs,
                               std::vector<CompileOutcome>& outcomes) const {
  const Pattern& pattern = *batch.front().pattern;
  TranslationUnit unit = write_translation_unit(batch);
  const ProgramSource source = {std::move(unit.text), options_, unit.kernels,
                                source_headers(pattern)};
  if (const std::string reason = why_open(source.text, source.headers); !reason.empty()) {
    CompileFailure refused;
    refused.errors.error({pattern.source, 0, 0, 1}, "this pattern is not compiled: " + reason);
    outcomes.insert(outcomes.end(), batch.size(), refused);
    return;
  }
  NvrtcResult result = programs.compile(source);
  if (!result.ok && batch.size() > 1) {
    const std::size_t half = batch.size() / 2;
    compile_program(batch.first(half), programs, outcomes);
    compile_program(batch.subspan(half), programs, outcomes);
    return;
  }
  if (!result.ok) {
    outcomes.emplace_back(failure_of(source, result, pattern, programs));
    return;
  }
  const Diagnostics messages = read_compiler_log(result.log, pattern);
  const auto program =
      std::make_shared<const Program>(Program{std::move(result.cubin), std::move(result.ptx)});
  for (EntryNames& names : unit.entries) {
    const auto kernel = std::ranges::find(unit.kernels, names.kernel) - unit.kernels.begin();
    names.kernel = result.lowered_names.at(static_cast<std::size_t>(kernel));
    outcomes.emplace_back(CompiledConfiguration{program, std::move(names), messages});
  }
}

}  // namespace sweep
