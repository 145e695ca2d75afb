#include "engine/cli/commands/explanations.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>

#include "engine/explain/listing.h"
#include "engine/run/compile_pool.h"
#include "engine/run/workload.h"
#include "engine/space/enumerate.h"
#include "report/best_of_patterns.h"

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

using SteadyClock = std::chrono::steady_clock;

/// Sets a flag when the time is over, or when another flag is set; that may be null.
class ExplanationDeadline {
 public:
  ExplanationDeadline(SteadyClock::time_point end, const std::atomic<bool>* stop)
      : thread_([this, end, stop](const std::stop_token& token) { wait(token, end, stop); }) {}

  const std::atomic<bool>& passed() const { return passed_; }

 private:
  void wait(const std::stop_token& token, SteadyClock::time_point end,
            const std::atomic<bool>* stop) {
    constexpr std::chrono::milliseconds pause(20);
    std::unique_lock lock(mutex_);
    while (!token.stop_requested() && SteadyClock::now() < end && (stop == nullptr || !*stop)) {
      const auto wake = std::min(end, SteadyClock::now() + pause);
      changed_.wait_until(lock, token, wake, [] { return false; });
    }
    passed_ = true;
  }

  std::atomic<bool> passed_ = false;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;  ///< begins last
};

namespace {

constexpr std::size_t most_patterns = 12;
constexpr std::chrono::milliseconds most_for_one(1000);
constexpr std::chrono::milliseconds most_for_all(3000);
constexpr std::chrono::milliseconds most_when_interrupted(1000);

/// As a run is explained with.
EmulatorSettings explaining(EmulatorSettings settings) {
  settings.notes_shapes = true;
  settings.is_exact = false;
  settings.print = nullptr;
  return settings;
}

/// What the run executed, if that is code of the emulated device; null otherwise.
const Workload* recent_workload(const RecentWorkloads& recent, const RunResults& results,
                                const EmulatorSettings& settings, std::int64_t ordinal) {
  const int capability = results.run.provenance.device.compute_capability;
  if (capability != EmulatorBackend(settings).device().compute_capability) return nullptr;
  return recent.find(static_cast<std::size_t>(ordinal));
}

class RunExplainer {
 public:
  RunExplainer(Store& store, const RunResults& results, const LoadedSweep& loaded,
               const RecentWorkloads& recent, ExplanationsAhead& ahead, CompileSettings compile,
               const EmulatorSettings& settings)
      : store_(store),
        results_(results),
        loaded_(loaded),
        recent_(recent),
        ahead_(ahead),
        compile_(std::move(compile)),
        settings_(explaining(settings)) {
    const bool is_interrupted = results.run.state != RunState::finished;
    if (is_interrupted) compile_.stop = nullptr;
    end_ = SteadyClock::now() + (is_interrupted ? most_when_interrupted : most_for_all);
    made_by_ = fmt::format("{}, {}, sweep {}", EmulatorBackend(settings_).device().name,
                           compile_.nvrtc->version(), results.run.provenance.engine_version);
  }

  void explain_all() {
    std::vector<std::size_t> places = best_of_patterns(results_);
    places.resize(std::min(places.size(), most_patterns));
    for (const std::size_t place : places) {
      const std::int64_t ordinal = results_.points[place].ordinal;
      const Configuration& configuration =
          loaded_.space.configurations.at(static_cast<std::size_t>(ordinal));
      if (store_.reuse_explanation(results_.run.id, ordinal, made_by_)) continue;
      if (is_over()) return;
      try {
        explain_one(configuration, ordinal);
      } catch (const std::exception& error) {
        if (is_stopped()) return;
        notes_.push_back(fmt::format("{}: what its accesses cost is not shown: {}",
                                     configuration.pattern->name, error.what()));
      }
    }
  }

  const std::vector<std::string>& notes() const { return notes_; }

 private:
  bool is_stopped() const { return compile_.stop != nullptr && *compile_.stop; }
  bool is_over() const { return SteadyClock::now() >= end_ || is_stopped(); }

  void explain_one(const Configuration& configuration, std::int64_t ordinal) {
    if (const auto json = ahead_.take(ordinal)) {
      record(configuration, ordinal, *json);
      return;
    }
    const Workload* recent = recent_workload(recent_, results_, settings_, ordinal);
    if (try_to_explain(configuration, ordinal, recent)) return;
    const auto smaller = with_emulator_values(configuration, loaded_.sweep);
    if (smaller && !is_over() && try_to_explain(*smaller, ordinal, nullptr)) return;
    throw ExecutionFailure("the emulator takes too long to execute it");
  }

  void record(const Configuration& configuration, std::int64_t ordinal, const std::string& json) {
    PatternExplanation explanation;
    explanation.pattern = configuration.pattern->name;
    explanation.ordinal = ordinal;
    explanation.parameters = configuration.parameters;
    explanation.json = json;
    store_.add_explanation(results_.run.id, explanation, made_by_);
  }

  /// False when it takes too long. The run has checked its result. `recent` may be null.
  bool try_to_explain(const Configuration& configuration, std::int64_t ordinal,
                      const Workload* recent) {
    const ExplanationDeadline deadline(std::min(end_, SteadyClock::now() + most_for_one),
                                       compile_.stop);
    EmulatorSettings settings = settings_;
    settings.cancelled = &deadline.passed();
    try {
      const Workload workload =
          recent != nullptr ? *recent
                            : make_workload(configuration, compile_for_emulator(
                                                               configuration, compile_, settings));
      const Explanation explanation = explain_workload(configuration, workload, settings, false);
      record(configuration, ordinal, write_explanation_json(explanation));
      return true;
    } catch (const ExecutionFailure&) {
      if (deadline.passed()) return false;
      throw;
    }
  }

  Store& store_;
  const RunResults& results_;
  const LoadedSweep& loaded_;
  const RecentWorkloads& recent_;
  ExplanationsAhead& ahead_;
  CompileSettings compile_;
  EmulatorSettings settings_;
  SteadyClock::time_point end_;
  std::string made_by_;
  std::vector<std::string> notes_;
};

}  // namespace

/// The thread, and what it has worked out.
class ExplanationsAhead::Work {
 public:
  struct Job {
    std::int64_t ordinal = 0;
    const Configuration* configuration = nullptr;
    Workload workload;
  };

  Work(std::vector<Job> jobs, EmulatorSettings settings)
      : deadline_(SteadyClock::now() + most_for_all, &stopped_),
        thread_([this, jobs = std::move(jobs), settings = std::move(settings)]() mutable {
          settings.cancelled = &deadline_.passed();
          for (const Job& job : jobs) explain(job, settings);
        }) {}
  ~Work() { stopped_ = true; }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  std::optional<std::string> take(std::int64_t ordinal) {
    if (thread_.joinable()) thread_.join();
    const auto found = texts_.find(ordinal);
    return found != texts_.end() ? std::optional(found->second) : std::nullopt;
  }

 private:
  void explain(const Job& job, const EmulatorSettings& settings) {
    try {
      texts_[job.ordinal] = write_explanation_json(
          explain_workload(*job.configuration, job.workload, settings, false));
    } catch (const std::exception&) {
      // It is tried again, and said, where it is needed.
    }
  }

  std::atomic<bool> stopped_ = false;
  std::map<std::int64_t, std::string> texts_;  ///< the thread's until it ends
  ExplanationDeadline deadline_;
  std::jthread thread_;  ///< begins last
};

ExplanationsAhead::ExplanationsAhead(const LoadedSweep& loaded, const EmulatorSettings& settings)
    : loaded_(loaded), settings_(explaining(settings)) {}

ExplanationsAhead::~ExplanationsAhead() = default;

void ExplanationsAhead::begin(const Store& store, std::int64_t run, const RecentWorkloads& recent) {
  constexpr std::size_t most_points = 1000;
  if (loaded_.space.configurations.size() > most_points) return;
  const RunResults results = load_results(store, run);
  std::vector<Work::Job> jobs;
  for (const std::size_t place : best_of_patterns(results)) {
    const std::int64_t ordinal = results.points[place].ordinal;
    const Workload* workload = recent_workload(recent, results, settings_, ordinal);
    if (workload == nullptr || jobs.size() == most_patterns) continue;
    jobs.push_back(
        {ordinal, &loaded_.space.configurations.at(static_cast<std::size_t>(ordinal)), *workload});
  }
  work_ = std::make_unique<Work>(std::move(jobs), settings_);
}

std::optional<std::string> ExplanationsAhead::take(std::int64_t ordinal) {
  return work_ != nullptr ? work_->take(ordinal) : std::nullopt;
}

std::vector<std::string> explain_run(Store& store, RunResults& results, const LoadedSweep& loaded,
                                     const RecentWorkloads& recent, ExplanationsAhead& ahead,
                                     CompileSettings compile, const EmulatorSettings& settings) {
  std::vector<std::string> notes;
  try {
    RunExplainer explainer(store, results, loaded, recent, ahead, std::move(compile), settings);
    explainer.explain_all();
    notes = explainer.notes();
    for (RunRecord& run : store.runs()) {
      if (run.id == results.run.id) results.run.explanations = std::move(run.explanations);
    }
  } catch (const std::exception& error) {
    notes.push_back(fmt::format("what the accesses cost is not shown: {}", error.what()));
  }
  return notes;
}

}  // namespace sweep
