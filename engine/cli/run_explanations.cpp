#include "engine/cli/run_explanations.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/cli/explain_configuration.h"
#include "engine/explain/listing.h"
#include "engine/run/workload.h"
#include "engine/space/emulator_values.h"
#include "report/best_of_patterns.h"

namespace sweep {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t most_patterns = 12;
constexpr std::chrono::milliseconds most_for_one(1000);
constexpr std::chrono::milliseconds most_for_all(3000);
constexpr std::chrono::milliseconds most_when_interrupted(1000);

/// Sets a flag when the time is over, or when another flag is set; that may be null.
class Deadline {
 public:
  Deadline(SteadyClock::time_point end, const std::atomic<bool>* stop)
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

class RunExplainer {
 public:
  RunExplainer(Store& store, const RunResults& results, const LoadedSweep& loaded,
               const RecentWorkloads& recent, CompileSettings compile, EmulatorSettings settings)
      : store_(store),
        results_(results),
        loaded_(loaded),
        recent_(recent),
        compile_(std::move(compile)),
        settings_(std::move(settings)) {
    const bool is_interrupted = results.run.state != RunState::finished;
    if (is_interrupted) compile_.stop = nullptr;
    end_ = SteadyClock::now() + (is_interrupted ? most_when_interrupted : most_for_all);
    settings_.notes_shapes = true;
    settings_.is_exact = false;
    settings_.print = nullptr;
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
    if (try_to_explain(configuration, ordinal, recent_workload(ordinal))) return;
    const auto smaller = with_emulator_values(configuration, loaded_.sweep);
    if (smaller && !is_over() && try_to_explain(*smaller, ordinal, nullptr)) return;
    throw ExecutionFailure("the emulator takes too long to execute it");
  }

  /// What the run executed, if that is code of the emulated device; null otherwise.
  const Workload* recent_workload(std::int64_t ordinal) const {
    const int capability = results_.run.provenance.device.compute_capability;
    if (capability != EmulatorBackend(settings_).device().compute_capability) return nullptr;
    return recent_.find(static_cast<std::size_t>(ordinal));
  }

  /// False when it takes too long. The run has checked its result. `recent` may be null.
  bool try_to_explain(const Configuration& configuration, std::int64_t ordinal,
                      const Workload* recent) {
    const Deadline deadline(std::min(end_, SteadyClock::now() + most_for_one), compile_.stop);
    EmulatorSettings settings = settings_;
    settings.cancelled = &deadline.passed();
    try {
      const Workload workload =
          recent != nullptr ? *recent
                            : make_workload(configuration, compile_for_emulator(
                                                               configuration, compile_, settings));
      const Explanation explanation = explain_workload(configuration, workload, settings, false);
      PatternExplanation record;
      record.pattern = configuration.pattern->name;
      record.ordinal = ordinal;
      record.parameters = configuration.parameters;
      record.json = write_explanation_json(explanation);
      store_.add_explanation(results_.run.id, record, made_by_);
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
  CompileSettings compile_;
  EmulatorSettings settings_;
  SteadyClock::time_point end_;
  std::string made_by_;
  std::vector<std::string> notes_;
};

}  // namespace

std::vector<std::string> explain_run(Store& store, RunResults& results, const LoadedSweep& loaded,
                                     const RecentWorkloads& recent, CompileSettings compile,
                                     EmulatorSettings settings) {
  std::vector<std::string> notes;
  try {
    RunExplainer explainer(store, results, loaded, recent, std::move(compile), std::move(settings));
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
