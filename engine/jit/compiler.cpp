#include "engine/jit/compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "engine/jit/foreign_headers.h"
#include "engine/spec/compile_rules.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/spec/included_files.h"
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
    options.push_back("--include-path=" + cccl_include(include).string());
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

/// The first errors: most of what comes after them follows from them.
Diagnostics first_of(const Diagnostics& found) {
  constexpr std::size_t most = 10;
  Diagnostics first;
  std::size_t left_out = found.left_out(Severity::error);
  for (const Diagnostic& each : found.list()) {
    const bool is_error = each.severity == Severity::error;
    if (is_error && first.error_count() == most) {
      ++left_out;
    } else {
      first.add(each);
    }
  }
  if (left_out == 0) return first;
  first.add({Severity::note,
             {},
             fmt::format("{} more errors, which may follow from these", left_out),
             {}});
  return first;
}

bool is_out_of_memory(const NvrtcResult& result) {
  return result.log.find("catastrophic error: out of memory") != std::string::npos;
}

/// Whether the compiler found an error in the text, and did not give up.
bool is_mistake(const NvrtcResult& result, const Pattern& pattern) {
  return !is_out_of_memory(result) && read_compiler_log(result.log, pattern).has_errors();
}

CompileFailure failure_of(const ProgramSource& source, const NvrtcResult& result,
                          const Pattern& pattern, ProgramCompiler& programs) {
  const std::string ptx = needs_ptx(result.log) ? ptx_of(source, programs) : std::string();
  const Diagnostics found =
      explain_header_mistakes(read_compiler_log(result.log, pattern, ptx), pattern);
  if (!found.has_errors()) {
    CompileFailure failure{{}, true};
    failure.errors.error({pattern.source, 0, 0, 1}, "the compiler gave up: " + result.log);
    return failure;
  }
  const bool gave_up = is_out_of_memory(result);
  return {gave_up ? found : errors_in(found, pattern), gave_up};
}

}  // namespace

Compiler::Compiler(std::shared_ptr<Nvrtc> nvrtc, int compute_capability)
    : nvrtc_(std::move(nvrtc)),
      compute_capability_(compute_capability),
      options_(base_options(*nvrtc_, compute_capability)),
      toolkit_(find_cuda_include("cuda_fp16.h", nvrtc_->file())),
      identity_(compiler_identity(*nvrtc_, options_)) {}

/// All options but what the pattern's text decides. Throws InputError where a configuration has
/// none.
std::vector<std::string> Compiler::options_for(const Configuration& configuration) const {
  std::vector<std::string> options = options_;
  const CompileRules& rules = configuration.pattern->compile;
  if (rules.architecture != Architecture::plain) {
    const bool is_family = rules.architecture == Architecture::family;
    const int oldest = is_family ? 100 : 90;
    std::string& architecture = options.front();
    if (compute_capability_ < oldest || architecture.find("=sm_") == std::string::npos) {
      throw InputError(rules.architecture_where,
                       fmt::format("{} has no {} architecture for compute capability {}.{}",
                                   nvrtc_->version(), is_family ? "family" : "specific",
                                   compute_capability_ / 10, compute_capability_ % 10),
                       fmt::format("there is one from {}.0 on", oldest / 10));
    }
    architecture += is_family ? 'f' : 'a';
  }
  for (std::string& own : compiler_options(configuration)) options.push_back(std::move(own));
  return options;
}

std::vector<CompileOutcome> Compiler::compile(std::span<const Configuration> configurations,
                                              ProgramCompiler* programs) const {
  struct Group {
    const Pattern* pattern;
    std::vector<std::string> options;
    std::vector<Configuration> configurations = {};
    std::vector<std::size_t> places = {};
  };
  std::vector<CompileOutcome> outcomes(configurations.size());
  std::vector<Group> groups;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const Configuration& one = configurations[i];
    try {
      macro_lines(one);
      std::vector<std::string> options = options_for(one);
      auto group = std::ranges::find_if(groups, [&](const Group& known) {
        return known.pattern == one.pattern.get() && known.options == options;
      });
      if (group == groups.end()) {
        group = groups.insert(group, {one.pattern.get(), std::move(options)});
      }
      group->configurations.push_back(one);
      group->places.push_back(i);
    } catch (const InputError& error) {
      outcomes[i] = CompileFailure{error.diagnostics()};
    }
  }
  for (const Group& group : groups) {
    std::vector<CompileOutcome> compiled;
    compile_program({group.configurations, group.options},
                    programs != nullptr ? *programs : *nvrtc_, compiled);
    for (std::size_t i = 0; i < compiled.size(); ++i) {
      outcomes[group.places[i]] = std::move(compiled[i]);
    }
  }
  add_references(configurations, programs, outcomes);
  return outcomes;
}

void Compiler::add_references(std::span<const Configuration> configurations,
                              ProgramCompiler* programs,
                              std::vector<CompileOutcome>& outcomes) const {
  const auto key_of = [](const Configuration& reference) {
    return std::pair(reference.pattern, to_string(reference.parameters));
  };
  // Those that several threads need are compiled by one, as the others wait.
  std::unique_lock lock(references_mutex_, std::defer_lock);
  std::vector<Configuration> missing;
  for (const Configuration& one : configurations) {
    if (one.pattern->reference == nullptr) continue;
    if (!lock) lock.lock();
    Configuration reference = reference_of(one);
    const bool is_known = references_.contains(key_of(reference)) ||
                          std::ranges::any_of(missing, [&](const Configuration& other) {
                            return key_of(other) == key_of(reference);
                          });
    if (!is_known) missing.push_back(std::move(reference));
  }
  if (!lock) return;
  if (!missing.empty()) {
    std::vector<CompileOutcome> compiled = compile(missing, programs);
    for (std::size_t i = 0; i < missing.size(); ++i) {
      references_.emplace(key_of(missing[i]), std::move(compiled[i]));
    }
  }
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    auto* outcome = std::get_if<CompiledConfiguration>(&outcomes[i]);
    if (outcome == nullptr || configurations[i].pattern->reference == nullptr) continue;
    const CompileOutcome& reference = references_.at(key_of(reference_of(configurations[i])));
    if (const auto* compiled = std::get_if<CompiledConfiguration>(&reference)) {
      outcome->reference = std::make_shared<const CompiledConfiguration>(*compiled);
      continue;
    }
    CompileFailure failure = {{}, std::get<CompileFailure>(reference).gave_up};
    for (Diagnostic each : std::get<CompileFailure>(reference).errors.list()) {
      each.message = "the reference: " + each.message;
      failure.errors.add(std::move(each));
    }
    outcomes[i] = std::move(failure);
  }
}

bool Compiler::must_be_alone(const PatternPtr& pattern) const {
  const std::lock_guard lock(mutex_);
  const auto known = alone_.find(pattern);
  return known != alone_.end() && known->second.is_needed;
}

std::map<std::string, std::size_t> Compiler::compiled_alone() const {
  std::map<std::string, std::size_t> result;
  const std::lock_guard lock(mutex_);
  for (const auto& [pattern, alone] : alone_) {
    if (alone.is_needed) result[pattern->source->name] += alone.configurations;
  }
  return result;
}

/// Compiles each half of a batch that does not compile. `is_mistake`: not for want of time or
/// memory, so that what compiles in halves cannot stand together.
void Compiler::divide(const Batch& batch, bool is_mistake, ProgramCompiler& programs,
                      std::vector<CompileOutcome>& outcomes) const {
  const std::size_t half = batch.configurations.size() / 2;
  const std::size_t begin = outcomes.size();
  compile_program({batch.configurations.first(half), batch.options}, programs, outcomes);
  compile_program({batch.configurations.subspan(half), batch.options}, programs, outcomes);
  const bool all_compile =
      std::all_of(outcomes.begin() + static_cast<std::ptrdiff_t>(begin), outcomes.end(),
                  [](const CompileOutcome& outcome) {
                    return std::holds_alternative<CompiledConfiguration>(outcome);
                  });
  if (!all_compile || !is_mistake) return;
  const std::lock_guard lock(mutex_);
  Alone& alone = alone_[batch.configurations.front().pattern];
  alone.is_needed = true;
  if (batch.configurations.size() == 2) alone.configurations += 2;
}

/// Throws LibraryError where the compiler does not know an option that all patterns have.
NvrtcResult Compiler::run(const ProgramSource& source, const Pattern& pattern,
                          ProgramCompiler& programs) const {
  try {
    return programs.compile(source);
  } catch (const LibraryError& error) {
    if (pattern.compile.options.empty()) throw;
    throw InputError(pattern.compile.options_where, error.what());
  }
}

void Compiler::compile_program(const Batch& batch, ProgramCompiler& programs,
                               std::vector<CompileOutcome>& outcomes) const {
  const std::span<const Configuration> configurations = batch.configurations;
  const PatternPtr& owner = configurations.front().pattern;
  const Pattern& pattern = *owner;
  if (configurations.size() > 1 && must_be_alone(owner)) {
    for (const Configuration& one : configurations) {
      compile_program({{&one, 1}, batch.options}, programs, outcomes);
    }
    const std::lock_guard lock(mutex_);
    alone_[owner].configurations += configurations.size();
    return;
  }
  TranslationUnit unit = write_translation_unit(configurations);
  ProgramSource source = {std::move(unit.text), batch.options, unit.symbols,
                          source_headers(pattern)};
  for (SourceHeader& header : stand_in_headers(pattern, toolkit_)) {
    source.headers.push_back(std::move(header));
  }
  if (minimal_suffices(pattern)) source.options.emplace_back("--minimal");
  if (has_plain_cooperative_groups(pattern)) {
    source.options.emplace_back("--define-macro=_CG_LIMIT_INCLUDED_DEPENDENCIES");
  }
  NvrtcResult result;
  try {
    if (const std::string reason = why_open(source.text, source.headers); !reason.empty()) {
      throw InputError({pattern.source, 0, 0, 1}, "this pattern is not compiled: " + reason);
    }
    result = run(source, pattern, programs);
  } catch (const InputError& error) {
    outcomes.insert(outcomes.end(), configurations.size(), CompileFailure{error.diagnostics()});
    return;
  }
  if (!result.ok && configurations.size() > 1) {
    divide(batch, is_mistake(result, pattern), programs, outcomes);
    return;
  }
  if (!result.ok) {
    CompileFailure failure = failure_of(source, result, pattern, programs);
    // A header that is not there has errors as its consequences.
    Diagnostics messages = missing_headers(pattern, toolkit_);
    messages.add_all(first_of(failure.errors));
    failure.errors = std::move(messages);
    outcomes.emplace_back(std::move(failure));
    return;
  }
  const Diagnostics messages = read_compiler_log(result.log, pattern);
  const auto program =
      std::make_shared<const Program>(Program{std::move(result.cubin), std::move(result.ptx)});
  for (EntryNames& names : unit.entries) {
    const auto lower = [&](std::string& symbol) {
      const auto place = std::ranges::find(unit.symbols, symbol) - unit.symbols.begin();
      symbol = result.lowered_names.at(static_cast<std::size_t>(place));
    };
    for (StepNames& step : names.steps) lower(step.kernel);
    for (ConstantNames& constant : names.constants) lower(constant.symbol);
    for (std::string& size : names.sizes) {
      if (!size.empty()) lower(size);
    }
    outcomes.emplace_back(CompiledConfiguration{program, std::move(names), messages});
  }
}

}  // namespace sweep
