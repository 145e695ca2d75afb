
#include <algorithm>
#include <chrono>
#include <iostream>
#include <variant>

#include "engine/cli/commands.h"
#include "engine/cli/commands/executor.h"
#include "engine/cli/commands/run_ending.h"
#include "engine/predict/gains.h"

namespace sweep {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t most_patterns = 12;
constexpr std::chrono::milliseconds most_for_one(1000);
constexpr std::chrono::milliseconds most_for_all(3000);
constexpr std::chrono::milliseconds most_when_interrupted(1000);

/// Compiles one configuration so that the emulator can execute it: for another compute capability
/// than `compile` may say. Throws InputError with the compiler's messages, and what CompilePool
/// does.
CompiledConfiguration compile_for_emulator(const Configuration& configuration,
                                           CompileSettings compile,
                                           const EmulatorSettings& settings) {
  const EmulatorBackend backend(settings);
  compile.compute_capability = code_capability(backend.device(), *compile.nvrtc);
  CompileOutcome outcome = CompilePool(compile, {&configuration, 1}).next();
  if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
    throw InputError(failure->errors);
  }
  return std::get<CompiledConfiguration>(std::move(outcome));
}

/// Executes it and says what its accesses cost; `verifies`: after checking its result. The settings
/// are to have `notes_shapes`. Throws InputError and ExecutionFailure.
Explanation explain_workload(const Configuration& configuration, const Workload& workload,
                             const EmulatorSettings& settings, bool verifies,
                             const std::optional<TimingProfile>& gpu = {}) {
  EmulatorBackend backend(settings);
  const auto execution = backend.prepare_emulated(workload);
  execution->initialise();
  execution->launch();
  if (verifies) {
    if (const auto mismatch = execution->verify()) throw ExecutionFailure(*mismatch);
  }
  Explanation explanation =
      explain(configuration, backend.device().name, settings.model, *execution);
  if (gpu) explanation.prediction = describe_prediction(execution->observe().metrics, *gpu);
  return explanation;
}

/// Sets `passed` when the time is over, or when another flag is set; that may be null.
struct ExplanationDeadline {
  ExplanationDeadline(SteadyClock::time_point end, const std::atomic<bool>* stop)
      : thread(repeat_every(std::chrono::milliseconds(20), [this, end, stop] {
          if (SteadyClock::now() >= end || (stop != nullptr && *stop)) passed = true;
        })) {}

  std::atomic<bool> passed = false;
  std::jthread thread;
};

/// What the run executed, if that is code of the emulated device; null otherwise.
const Workload* recent_workload(const RecentWorkloads& recent, const RunResults& results,
                                const EmulatorSettings& settings, std::int64_t ordinal) {
  const int capability = results.run.provenance.device.compute_capability;
  if (capability != EmulatorBackend(settings).device().compute_capability) return nullptr;
  return recent.find(static_cast<std::size_t>(ordinal));
}

/// The explanation as JSON; nothing when it takes too long. The run has checked its result.
/// `recent` is what it executed, and may be null.
std::optional<std::string> explain_until(SteadyClock::time_point end,
                                         const Configuration& configuration, const Workload* recent,
                                         EmulatorSettings settings,
                                         const CompileSettings& compile) {
  const ExplanationDeadline deadline(std::min(end, SteadyClock::now() + most_for_one),
                                     compile.stop);
  settings.cancelled = &deadline.passed;
  try {
    const Workload workload =
        recent != nullptr
            ? *recent
            : make_workload(configuration, compile_for_emulator(configuration, compile, settings));
    return write_explanation_json(explain_workload(configuration, workload, settings, false));
  } catch (const ExecutionFailure&) {
    if (deadline.passed) return std::nullopt;
    throw;
  }
}

CommandLine explain_line() {
  CommandLine line(
      "sweep explain [OPTIONS] PATTERN",
      "Executes one configuration of a pattern on the emulator and shows, line by line,\n"
      "what its memory accesses cost and what would make them cheaper. Needs no GPU.\n"
      "PATTERN is a file, or the name of one that 'sweep list patterns' shows.");
  line.repeatable("set", "NAME=VALUE",
                  "replace a parameter's default; may be given for several names");
  add_patterns_option(line);
  line.flag("exact", "execute every block, however long it takes");
  line.flag("json", "write one JSON object instead of text");
  add_emulator_options(line);
  line.operands({"PATTERN"}, 1, "explain what? for example: sweep explain stride --set STRIDE=8");
  return line;
}

int explain_main(const GivenOptions& given) {
  check_operand("explain", Operand::pattern, given.operands().front());
  const std::vector<SourcePtr> set = given_set(given);
  EmulatorSettings settings = given_emulator_settings(given);
  settings.notes_shapes = true;
  const auto gpu = predicted_gpu(given, settings);
  auto compilers = compiler_processes(1);
  const PatternPtr pattern = find_pattern(given.operands().front(), given_folders(given));
  const Configuration configuration = configuration_of(pattern, set, "explained");
  const CompiledConfiguration compiled = compile_for_emulator(
      configuration, {.nvrtc = std::make_shared<Nvrtc>(), .processes = std::move(compilers)},
      settings);
  std::cerr << render(compiled.warnings, terminal_of(STDERR_FILENO).color);
  try {
    const Explanation explanation = explain_workload(
        configuration, make_workload(configuration, compiled), settings, true, gpu);
    std::cout << (given.has("json") ? write_explanation_json(explanation)
                                    : write_listing(explanation, terminal_of(STDOUT_FILENO).color));
    return exit_done;
  } catch (const ExecutionFailure& failure) {
    throw CommandError(exit_points_failed, "{}: {}", to_string(configuration), failure.what());
  }
}

}  // namespace

Explanation explain_unchecked(const Configuration& configuration, const CompileSettings& compile,
                              EmulatorSettings settings) {
  settings.notes_shapes = true;
  settings.print = nullptr;
  const CompiledConfiguration compiled = compile_for_emulator(configuration, compile, settings);
  return explain_workload(configuration, make_workload(configuration, compiled), settings, false);
}

RunExplanations::RunExplanations(const LoadedSweep& loaded, const EmulatorSettings& settings)
    : loaded_(loaded), settings_(settings) {
  settings_.notes_shapes = true;
  settings_.is_exact = false;
  settings_.print = nullptr;
}

void RunExplanations::begin(const Store& store, std::int64_t run, const RecentWorkloads& recent) {
  constexpr std::size_t most_points = 1000;
  if (loaded_.space.configurations.size() > most_points) return;
  const RunResults results = load_results(store, run);
  std::map<std::int64_t, Workload> jobs;
  for (const std::size_t place : best_of_patterns(results)) {
    const std::int64_t ordinal = results.points[place].ordinal;
    const Workload* workload = recent_workload(recent, results, settings_, ordinal);
    if (workload != nullptr && jobs.size() < most_patterns) jobs.emplace(ordinal, *workload);
  }
  begun_ = std::async([this, jobs = std::move(jobs)] {
    const ExplanationDeadline deadline(SteadyClock::now() + most_for_all, &is_given_up_);
    EmulatorSettings settings = settings_;
    settings.cancelled = &deadline.passed;
    std::map<std::int64_t, std::string> texts;
    for (const auto& [ordinal, workload] : jobs) {
      try {
        texts[ordinal] = write_explanation_json(
            explain_workload(configuration_of(ordinal), workload, settings, false));
      } catch (const std::exception&) {
        // It is tried again, and said, where it is needed.
      }
    }
    return texts;
  });
}

std::vector<std::string> RunExplanations::add_to(Store& store, RunResults& results,
                                                 const RunAnalysis& analysis,
                                                 const RecentWorkloads& recent,
                                                 CompileSettings compile) {
  const std::int64_t run = results.run.id;
  const bool is_interrupted = results.run.state != RunState::finished;
  if (is_interrupted) compile.stop = nullptr;
  const auto end = SteadyClock::now() + (is_interrupted ? most_when_interrupted : most_for_all);
  const auto is_stopped = [&] { return compile.stop != nullptr && *compile.stop; };
  const auto is_over = [&] { return SteadyClock::now() >= end || is_stopped(); };
  const auto explain_now = [&](std::int64_t ordinal) {
    const Configuration& configuration = configuration_of(ordinal);
    const Workload* workload = recent_workload(recent, results, settings_, ordinal);
    auto text = explain_until(end, configuration, workload, settings_, compile);
    if (text) return *text;
    const auto smaller = with_emulator_values(configuration, loaded_.sweep);
    if (smaller && !is_over()) text = explain_until(end, *smaller, nullptr, settings_, compile);
    if (!text) throw ExecutionFailure("the emulator takes too long to execute it");
    return *text;
  };
  std::vector<std::string> notes;
  try {
    const std::string made_by =
        fmt::format("{}, {}, sweep {}", EmulatorBackend(settings_).device().name,
                    compile.nvrtc->version(), results.run.provenance.engine_version);
    std::vector<std::size_t> places = best_of_patterns(analysis);
    places.resize(std::min(places.size(), most_patterns));
    std::map<std::int64_t, std::string> texts;
    for (const std::size_t place : places) {
      const std::int64_t ordinal = results.points[place].ordinal;
      if (store.reuse_explanation(run, ordinal, made_by)) continue;
      if (is_over()) break;
      const Configuration& configuration = configuration_of(ordinal);
      const std::string& pattern = configuration.pattern->name;
      try {
        if (begun_.valid()) texts = begun_.get();
        if (!texts.contains(ordinal)) texts[ordinal] = explain_now(ordinal);
        store.add_explanation(run, {pattern, ordinal, configuration.parameters, texts[ordinal]},
                              made_by);
      } catch (const std::exception& error) {
        if (is_stopped()) break;
        notes.push_back(
            fmt::format("{}: what its accesses cost is not shown: {}", pattern, error.what()));
      }
    }
    for (RunRecord& record : store.runs()) {
      if (record.id == run) results.run.explanations = std::move(record.explanations);
    }
  } catch (const std::exception& error) {
    notes.push_back(fmt::format("what the accesses cost is not shown: {}", error.what()));
  }
  return notes;
}

const Command explain_command = {"explain",
                                 "show what lines of a pattern cost in memory; needs no GPU",
                                 explain_line, explain_main};

}  // namespace sweep
