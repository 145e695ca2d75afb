#include "engine/run/measurer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "engine/run/statistics.h"

namespace sweep {
namespace {

/// For sentences: two significant digits, whole numbers with all theirs: "0.05", "1.2", "45",
/// "120".
std::string two_digits(double value) {
  constexpr double first_whole = 9.95;
  return std::abs(value) < first_whole ? fmt::format("{:.2g}", value)
                                       : fmt::format("{:.0f}", value);
}

/// How many samples of `each` seconds fit into `seconds`.
double fitting(double seconds, double each) {
  return each > 0 ? std::max(seconds, 0.0) / each : std::numeric_limits<double>::infinity();
}

constexpr double mega = 1e6;

/// The clocks that are known of the samples that are part of the figures.
std::vector<double> clocks_of(std::span<const Sample> samples) {
  std::vector<double> clocks;
  for (const Sample& sample : samples) {
    if (sample.mark != SampleMark::low_clock && sample.sm_clock_hz > 0) {
      clocks.push_back(sample.sm_clock_hz);
    }
  }
  return clocks;
}

/// "up to 3.1 times the median"
std::string describe_outliers(std::span<const Sample> samples, double middle) {
  double lowest = 1;
  double highest = 1;
  for (const Sample& sample : samples) {
    if (sample.mark != SampleMark::outlier) continue;
    lowest = std::min(lowest, sample.seconds / middle);
    highest = std::max(highest, sample.seconds / middle);
  }
  // Two digits would turn 1.02 times the median into 1.
  if (lowest == 1) return fmt::format("up to {:.3g} times the median", highest);
  if (highest == 1) return fmt::format("down to {:.3g} times the median", lowest);
  return fmt::format("between {:.3g} and {:.3g} times the median", lowest, highest);
}

/// Warms up and gives the wall time that a sample takes, as far as can be seen.
double warm_up(Execution& execution, CacheState cache, const Clock& clock) {
  // The first launches after a pause find low clocks and cold instruction caches.
  constexpr int samples = 2;
  const double begin = clock();
  execution.warm_up(cache, samples);
  return (clock() - begin) / samples;
}

/// `seconds_per_sample` is a first estimate.
void take_samples(Execution& execution, const MeasureRules& rules, double seconds_per_sample,
                  const Clock& clock, const StepListener& on_step, PointRecord& point) {
  const double begin = clock();
  double elapsed = 0;
  std::vector<double> figures;
  std::optional<Interval> changed_clock;
  std::optional<StopReason> stop;
  while (!stop) {
    on_step("sample");
    const std::vector<Sample> chunk = execution.sample(
        rules.cache, next_chunk_size(rules, figures.size(), elapsed, seconds_per_sample));
    if (chunk.empty()) throw ExecutionFailure("the device gave no samples");
    point.samples.insert(point.samples.end(), chunk.begin(), chunk.end());
    changed_clock = mark_samples(point.samples);
    figures = figures_of(point.samples);
    elapsed = clock() - begin;
    seconds_per_sample = elapsed / static_cast<double>(point.samples.size());
    stop = should_stop(rules, figures, elapsed);
  }
  point.stopped_by = to_string(*stop);
  if (auto note = note_on_stop(*stop, rules, figures, elapsed)) {
    point.notes.push_back(std::move(*note));
  }
  std::ranges::move(notes_on_marks(point.samples, changed_clock), std::back_inserter(point.notes));
}

/// Adds the energy of a launch to the point's metrics, or a note that it is not known.
void add_energy(Backend& backend, Execution& execution, double seconds, const Clock& clock,
                const StepListener& on_step, PointRecord& point) {
  const std::vector<double> figures = figures_of(point.samples);
  const double each = figures.empty() ? 0 : median(figures);
  if (const auto joules = launch_energy(backend, execution, seconds, each, clock, on_step)) {
    constexpr double milli = 1e3;
    point.metrics.push_back({"energy", Origin::measured, *joules * milli});
  } else {
    point.notes.emplace_back(
        "the energy of a launch is not known: the device does not count what it draws, or its "
        "counter stands still");
  }
}

}  // namespace

std::string_view to_string(StopReason reason) {
  constexpr std::array<std::string_view, 4> names = {"noise", "samples", "seconds", "cut-off"};
  return names.at(static_cast<std::size_t>(reason));
}

double noise_of(std::span<const double> samples) {
  const Interval interval = median_interval(samples);
  const double middle = median(samples);
  return middle > 0 ? (interval.high - interval.low) / 2 / middle : 0;
}

std::optional<StopReason> should_stop(const MeasureRules& rules, std::span<const double> samples,
                                      double elapsed) {
  const auto count = static_cast<int>(samples.size());
  if (samples.size() >= samples_to_give_up &&
      std::ranges::all_of(samples, [&](double s) { return s > rules.give_up_seconds; })) {
    return StopReason::cut_off;
  }
  if (count < rules.min_samples) return std::nullopt;
  if (samples.size() >= fewest_for_interval && noise_of(samples) <= rules.noise) {
    return StopReason::noise;
  }
  if (count >= rules.max_samples) return StopReason::samples;
  if (elapsed >= rules.seconds) return StopReason::seconds;
  return std::nullopt;
}

std::optional<std::string> note_on_stop(StopReason reason, const MeasureRules& rules,
                                        std::span<const double> samples, double elapsed) {
  if (reason == StopReason::noise || reason == StopReason::cut_off) return std::nullopt;
  const bool is_over = reason == StopReason::seconds;
  const std::string begin =
      is_over ? fmt::format("sampling stopped after {} s ({} samples)", two_digits(elapsed),
                            samples.size())
              : fmt::format("sampling stopped at {} samples, the most allowed", samples.size());
  if (samples.size() < fewest_for_interval) {
    return fmt::format("{}, too few to know the noise: it takes {}", begin, fewest_for_interval);
  }
  constexpr double percent = 100;
  return fmt::format("{}{} at a noise of {} %, above the {} % asked for", begin, is_over ? "" : ",",
                     two_digits(noise_of(samples) * percent), two_digits(rules.noise * percent));
}

int next_chunk_size(const MeasureRules& rules, std::size_t figures, double elapsed,
                    double seconds_per_sample) {
  constexpr double larger_by = 0.2;
  constexpr double longest = 0.1;
  const auto taken = static_cast<double>(figures);
  const double left_of_fewest = rules.min_samples - taken;
  double size = left_of_fewest;
  const double deciding = std::min<double>(samples_to_give_up, rules.min_samples);
  if (taken < deciding && std::isfinite(rules.give_up_seconds)) {
    size = deciding - taken;
  } else if (left_of_fewest <= 0) {
    size = std::min({larger_by * taken, rules.max_samples - taken,
                     fitting(rules.seconds - elapsed, seconds_per_sample)});
  }
  size = std::min(size, fitting(longest, seconds_per_sample));
  return std::max(static_cast<int>(size), 1);
}

std::optional<Interval> mark_samples(std::vector<Sample>& samples) {
  std::optional<Interval> changed_clock;
  for (Sample& sample : samples) sample.mark = SampleMark::plain;
  if (const std::vector<double> clocks = clocks_of(samples); !clocks.empty()) {
    constexpr double tolerance = 0.02;
    const double middle = median(clocks);
    const auto is_low = [&](double clock) { return clock < middle * (1 - tolerance); };
    const auto is_high = [&](double clock) { return clock > middle * (1 + tolerance); };
    const auto low = static_cast<std::size_t>(std::ranges::count_if(clocks, is_low));
    const auto high = static_cast<std::size_t>(std::ranges::count_if(clocks, is_high));
    if (3 * std::max(low, high) > clocks.size()) {
      changed_clock = {std::ranges::min(clocks), std::ranges::max(clocks)};
    } else {
      for (Sample& sample : samples) {
        if (sample.sm_clock_hz > 0 && is_low(sample.sm_clock_hz)) {
          sample.mark = SampleMark::low_clock;
        }
      }
    }
  }
  const std::vector<double> figures = figures_of(samples);
  if (figures.empty()) return changed_clock;
  const Interval fences = far_fences(figures);
  for (Sample& sample : samples) {
    const bool is_far = sample.seconds < fences.low || sample.seconds > fences.high;
    if (is_far && sample.mark == SampleMark::plain) sample.mark = SampleMark::outlier;
  }
  return changed_clock;
}

std::vector<double> figures_of(std::span<const Sample> samples) {
  std::vector<double> seconds;
  for (const Sample& sample : samples) {
    if (sample.mark != SampleMark::low_clock) seconds.push_back(sample.seconds);
  }
  return seconds;
}

std::vector<std::string> notes_on_marks(std::span<const Sample> samples,
                                        const std::optional<Interval>& changed_clock) {
  constexpr double share_of_outliers = 0.03;
  std::vector<std::string> notes;
  if (changed_clock) {
    notes.push_back(
        fmt::format("the clock changed while sampling, between {:.0f} and {:.0f} MHz: the figures "
                    "mix its speeds",
                    changed_clock->low / mega, changed_clock->high / mega));
  }
  const std::vector<double> figures = figures_of(samples);
  const auto outliers = std::ranges::count(samples, SampleMark::outlier, &Sample::mark);
  const double most = share_of_outliers * static_cast<double>(figures.size());
  if (outliers > 1 && static_cast<double>(outliers) > most) {
    const double middle = median(figures);
    notes.push_back(fmt::format("{} of {} samples lie far from the others{}", outliers,
                                figures.size(),
                                middle > 0 ? ", " + describe_outliers(samples, middle) : ""));
  }
  return notes;
}

std::vector<Metric> timing_metrics(std::span<const Sample> samples, int launches_per_sample,
                                   const UsefulTraffic& useful, const Device& device) {
  constexpr double micro = 1e6;
  constexpr double percent = 100;
  constexpr double bytes_per_gb = 1e9;
  const std::vector<double> figures = figures_of(samples);
  if (figures.empty()) return {};
  std::vector<Metric> metrics;
  const auto add = [&](const char* name, double value) {
    metrics.push_back({name, Origin::measured, value});
  };
  const auto add_marked = [&](const char* name, SampleMark mark) {
    add(name, static_cast<double>(std::ranges::count(samples, mark, &Sample::mark)));
  };
  const double middle = median(figures);
  add("time", middle * micro);
  if (figures.size() >= fewest_for_interval) {
    const Interval interval = median_interval(figures);
    add("time_low", interval.low * micro);
    add("time_high", interval.high * micro);
  }
  add("time_min", std::ranges::min(figures) * micro);
  add("time_q1", quantile(figures, 0.25) * micro);
  add("time_q3", quantile(figures, 0.75) * micro);
  add("noise", noise_of(figures) * percent);
  add("samples", static_cast<double>(figures.size()));
  add_marked("outliers", SampleMark::outlier);
  add_marked("low_clock_samples", SampleMark::low_clock);
  if (launches_per_sample > 1) add("launches_per_sample", launches_per_sample);
  if (useful.device > 0 && middle > 0) {
    const double bandwidth = static_cast<double>(useful.device) / middle;
    add("bandwidth", bandwidth / bytes_per_gb);
    if (is_far(useful.place)) {
      const double peak = link_peak(useful.place, useful.peer, device);
      if (peak > 0) add("link_peak", peak / bytes_per_gb);
      if (peak > 0) add("percent_of_link_peak", bandwidth / peak * percent);
    } else if (const double peak = device.peak_bandwidth(); peak > 0) {
      add("percent_of_peak", bandwidth / peak * percent);
    }
    add("useful_bytes", static_cast<double>(useful.device));
  }
  if (useful.shared > 0 && middle > 0) {
    add("shared_bandwidth", static_cast<double>(useful.shared) / middle / bytes_per_gb);
  }
  return metrics;
}

std::vector<Metric> state_metrics(std::span<const Sample> samples, const DeviceState& state) {
  const std::vector<double> clocks = clocks_of(samples);
  std::vector<Metric> metrics = {
      {"sm_clock", Origin::measured, (clocks.empty() ? state.sm_clock_hz : median(clocks)) / mega},
      {"memory_clock", Origin::measured, state.memory_clock_hz / mega},
      {"temperature", Origin::measured, state.temperature_celsius},
      {"power", Origin::measured, state.power_watts},
  };
  std::erase_if(metrics, [](const Metric& metric) { return !(metric.value > 0); });
  return metrics;
}

std::optional<double> launch_energy(Backend& backend, Execution& execution, double seconds,
                                    double seconds_per_launch, const Clock& clock,
                                    const StepListener& on_step) {
  // So short that a step of the counter, every 20 to 100 ms, is seen soon; so long that what the
  // device waits for the host between two does not count.
  constexpr double piece_seconds = 5e-3;
  constexpr double most_at_once = 1000;
  // A device that was idle draws less at first.
  constexpr double settling_seconds = 0.1;
  constexpr double patience_seconds = 2;
  const auto piece =
      static_cast<int>(std::clamp(fitting(piece_seconds, seconds_per_launch), 1.0, most_at_once));
  auto last = backend.energy_joules();
  if (!last) return std::nullopt;
  const double begin = clock();
  double last_step = begin;
  double first_step = 0;
  std::optional<double> first;
  double launches = 0;
  for (;;) {
    on_step("energy");
    execution.repeat(piece);
    launches += piece;
    const auto joules = backend.energy_joules();
    const double now = clock();
    if (!joules || (*joules == *last && now - last_step > seconds + patience_seconds)) {
      return std::nullopt;
    }
    if (*joules == *last) continue;
    last = joules;
    last_step = now;
    if (!first && now - begin >= settling_seconds) {
      first = joules;
      first_step = now;
      launches = 0;
    } else if (first && now - first_step >= seconds) {
      return (*joules - *first) / launches;
    }
  }
}

std::optional<std::string> note_on_throttling(const DeviceState& state) {
  if (state.throttle_reasons.empty()) return std::nullopt;
  return fmt::format("the device held its clocks back: {}",
                     fmt::join(state.throttle_reasons, ", "));
}

std::string note_on_steps(std::span<const LaunchPlan> launches, std::span<const double> seconds) {
  struct StepTime {
    const std::string& step;
    double seconds;
    int launches;
  };
  std::vector<StepTime> steps;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    // Launches of one step stand together.
    const bool is_next = i == 0 || launches[i].kernel_entry != launches[i - 1].kernel_entry;
    if (is_next) steps.push_back({launches[i].step, 0, 0});
    steps.back().seconds += seconds[i];
    ++steps.back().launches;
  }
  std::vector<std::string> texts;
  for (const StepTime& each : steps) {
    texts.push_back(
        fmt::format("{} {:.2f} us{}", each.step, each.seconds * mega,
                    each.launches > 1 ? fmt::format(" ({} launches)", each.launches) : ""));
  }
  return fmt::format("its steps, timed apart: {}", fmt::join(texts, ", "));
}

Measurement failed_measurement(const std::string& reason) {
  Measurement measurement;
  measurement.point.status = PointStatus::failed;
  measurement.point.reason = reason;
  return measurement;
}

CounterResults failed_counts(std::size_t workloads, const std::string& reason) {
  return {std::vector<Observation>(workloads),
          {"the hardware's counters were not read: " + reason}};
}

Measurement measure(Backend& backend, const Workload& workload, const MeasureRules& rules,
                    const Clock& clock, const StepListener& on_step) {
  Measurement measurement;
  PointRecord& point = measurement.point;
  PhaseStopwatch watch(measurement.times, clock);
  const auto step = [&](Phase phase, std::string_view name, const auto& work) {
    return watch.time(phase, [&] {
      on_step(name);
      return work();
    });
  };
  try {
    if (workload.needs_reference()) {
      step(Phase::verify, "reference", [&] { backend.provide_reference(workload); });
    }
    const std::unique_ptr<Execution> execution =
        step(Phase::allocate, "allocation", [&] { return backend.prepare(workload, rules); });
    step(Phase::initialise, "init", [&] { execution->initialise(); });
    step(Phase::first_launch, "first launch", [&] { execution->launch(); });
    step(Phase::verify, "check", [&] {
      if (auto mismatch = execution->verify()) throw ExecutionFailure(*mismatch);
    });
    Observation observation = step(Phase::emulate, "count", [&] { return execution->observe(); });
    if (backend.can_time()) {
      const double each =
          step(Phase::warm_up, "warm-up", [&] { return warm_up(*execution, rules.cache, clock); });
      watch.time(Phase::sample, [&] {
        take_samples(*execution, rules, each, clock, on_step, point);
        const DeviceState state = backend.state();
        point.metrics = timing_metrics(point.samples, execution->launches_per_sample(),
                                       workload.useful, backend.device());
        std::ranges::move(state_metrics(point.samples, state), std::back_inserter(point.metrics));
        if (auto note = note_on_throttling(state)) point.notes.push_back(std::move(*note));
        if (const auto others = backend.others_computing(); !others.empty()) {
          point.notes.push_back(
              fmt::format("{}{}", fmt::join(others, " and "), computed_meanwhile));
        }
        if (workload.launches.size() > 1) {
          const std::vector<double> seconds = execution->launch_seconds(rules.cache);
          if (!seconds.empty()) point.notes.push_back(note_on_steps(workload.launches, seconds));
        }
      });
      if (rules.energy_seconds > 0 && !is_cut_off(point)) {
        watch.time(Phase::sample, [&] {
          add_energy(backend, *execution, rules.energy_seconds, clock, on_step, point);
        });
      }
      // What can time executes all of the grid, and checks every element.
      if (!workload.verify.empty()) {
        point.metrics.push_back({"verified_share", Origin::measured, 100});
      }
    }
    measurement.busy_seconds = execution->busy_seconds();
    std::ranges::move(observation.metrics, std::back_inserter(point.metrics));
    std::ranges::move(observation.notes, std::back_inserter(point.notes));
  } catch (const ExecutionFailure& failure) {
    point.status = PointStatus::failed;
    point.reason = failure.what();
    point.samples.clear();
    point.metrics.clear();
    point.notes.clear();
    point.stopped_by.clear();
  }
  return measurement;
}

}  // namespace sweep
