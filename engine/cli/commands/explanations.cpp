#include "engine/cli/commands/explanations.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <variant>

#include "engine/cli/terminal/live_line.h"
#include "engine/emulator/execution/emulator_backend.h"
#include "engine/explain/explanation.h"
#include "engine/run/compile_pool.h"
#include "engine/run/workload.h"
#include "engine/space/enumerate.h"
#include "report/run_analysis.h"

namespace sweep {

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

Explanation explain_workload(const Configuration& configuration, const Workload& workload,
                             const EmulatorSettings& settings, bool verifies) {
  EmulatorBackend backend(settings);
  const auto execution = backend.prepare_emulated(workload, false);
  execution->initialise();
  execution->launch();
  if (verifies) {
    if (const auto mismatch = execution->verify()) throw ExecutionFailure(*mismatch);
  }
  return explain(configuration, backend.device().name, settings.model, *execution);
}

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t most_patterns = 12;
constexpr std::chrono::milliseconds most_for_one(1000);
constexpr std::chrono::milliseconds most_for_all(3000);
constexpr std::chrono::milliseconds most_when_interrupted(1000);

/// Sets a flag when the time is over, or when another flag is set; that may be null.
class ExplanationDeadline {
 public:
  ExplanationDeadline(SteadyClock::time_point end, const std::atomic<bool>* stop)
      : ticker_(std::chrono::milliseconds(20), [this, end, stop] {
          if (SteadyClock::now() >= end || (stop != nullptr && *stop)) passed_ = true;
        }) {}

  const std::atomic<bool>& passed() const { return passed_; }

 private:
  std::atomic<bool> passed_ = false;
  Ticker ticker_;
};

/// What the run executed, if that is code of the emulated device; null otherwise.
const Workload* recent_workload(const RecentWorkloads& recent, const RunResults& results,
                                const EmulatorSettings& settings, std::int64_t ordinal) {
  const int capability = results.run.provenance.device.compute_capability;
  if (capability != EmulatorBackend(settings).device().compute_capability) return nullptr;
  return recent.find(static_cast<std::size_t>(ordinal));
}

}  // namespace

struct RunExplanations::Job {
  std::int64_t ordinal = 0;
  Workload workload;
};

/// What it may take, and to compile with.
struct RunExplanations::Budget {
  CompileSettings compile;
  SteadyClock::time_point end;

  bool is_stopped() const { return compile.stop != nullptr && *compile.stop; }
  bool is_over() const { return SteadyClock::now() >= end || is_stopped(); }
};

RunExplanations::RunExplanations(const LoadedSweep& loaded, const EmulatorSettings& settings)
    : loaded_(loaded), settings_(settings) {
  settings_.notes_shapes = true;
  settings_.is_exact = false;
  settings_.print = nullptr;
}

RunExplanations::~RunExplanations() {
  is_given_up_ = true;
}

const Configuration& RunExplanations::configuration_of(std::int64_t ordinal) const {
  return loaded_.space.configurations.at(static_cast<std::size_t>(ordinal));
}

void RunExplanations::begin(const Store& store, std::int64_t run, const RecentWorkloads& recent) {
  constexpr std::size_t most_points = 1000;
  if (loaded_.space.configurations.size() > most_points) return;
  const RunResults results = load_results(store, run);
  std::vector<Job> jobs;
  for (const std::size_t place : best_of_patterns(results)) {
    const std::int64_t ordinal = results.points[place].ordinal;
    const Workload* workload = recent_workload(recent, results, settings_, ordinal);
    if (workload != nullptr && jobs.size() < most_patterns) jobs.push_back({ordinal, *workload});
  }
  begun_ = std::async([this, jobs = std::move(jobs)] { return explain_all(jobs); });
}

RunExplanations::Texts RunExplanations::explain_all(const std::vector<Job>& jobs) const {
  const ExplanationDeadline deadline(SteadyClock::now() + most_for_all, &is_given_up_);
  EmulatorSettings settings = settings_;
  settings.cancelled = &deadline.passed();
  Texts texts;
  for (const Job& job : jobs) {
    try {
      texts[job.ordinal] = write_explanation_json(
          explain_workload(configuration_of(job.ordinal), job.workload, settings, false));
    } catch (const std::exception&) {
      // It is tried again, and said, where it is needed.
    }
  }
  return texts;
}

std::vector<std::string> RunExplanations::add_to(Store& store, RunResults& results,
                                                 const RunAnalysis& analysis,
                                                 const RecentWorkloads& recent,
                                                 CompileSettings compile) {
  const std::int64_t run = results.run.id;
  const bool is_interrupted = results.run.state != RunState::finished;
  if (is_interrupted) compile.stop = nullptr;
  const Budget budget = {
      std::move(compile),
      SteadyClock::now() + (is_interrupted ? most_when_interrupted : most_for_all)};
  std::vector<std::string> notes;
  try {
    const std::string made_by =
        fmt::format("{}, {}, sweep {}", EmulatorBackend(settings_).device().name,
                    budget.compile.nvrtc->version(), results.run.provenance.engine_version);
    std::vector<std::size_t> places = best_of_patterns(analysis);
    places.resize(std::min(places.size(), most_patterns));
    Texts texts;
    for (const std::size_t place : places) {
      const std::int64_t ordinal = results.points[place].ordinal;
      if (store.reuse_explanation(run, ordinal, made_by)) continue;
      if (budget.is_over()) break;
      const Configuration& configuration = configuration_of(ordinal);
      try {
        if (begun_.valid()) texts = begun_.get();
        if (!texts.contains(ordinal)) {
          texts[ordinal] =
              explain(configuration, recent_workload(recent, results, settings_, ordinal), budget);
        }
        PatternExplanation explanation;
        explanation.pattern = configuration.pattern->name;
        explanation.ordinal = ordinal;
        explanation.parameters = configuration.parameters;
        explanation.json = texts[ordinal];
        store.add_explanation(run, explanation, made_by);
      } catch (const std::exception& error) {
        if (budget.is_stopped()) break;
        notes.push_back(fmt::format("{}: what its accesses cost is not shown: {}",
                                    configuration.pattern->name, error.what()));
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

/// `recent` may be null.
std::string RunExplanations::explain(const Configuration& configuration, const Workload* recent,
                                     const Budget& budget) const {
  if (auto text = try_to_explain(configuration, recent, budget)) return std::move(*text);
  const auto smaller = with_emulator_values(configuration, loaded_.sweep);
  if (smaller && !budget.is_over()) {
    if (auto text = try_to_explain(*smaller, nullptr, budget)) return std::move(*text);
  }
  throw ExecutionFailure("the emulator takes too long to execute it");
}

/// Nothing when it takes too long. The run has checked its result.
std::optional<std::string> RunExplanations::try_to_explain(const Configuration& configuration,
                                                           const Workload* recent,
                                                           const Budget& budget) const {
  const ExplanationDeadline deadline(std::min(budget.end, SteadyClock::now() + most_for_one),
                                     budget.compile.stop);
  EmulatorSettings settings = settings_;
  settings.cancelled = &deadline.passed();
  try {
    const Workload workload =
        recent != nullptr
            ? *recent
            : make_workload(configuration,
                            compile_for_emulator(configuration, budget.compile, settings));
    return write_explanation_json(explain_workload(configuration, workload, settings, false));
  } catch (const ExecutionFailure&) {
    if (deadline.passed()) return std::nullopt;
    throw;
  }
}

}  // namespace sweep
