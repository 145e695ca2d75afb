#include "engine/run/run_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <numeric>
#include <random>

#include "engine/spec/metric.h"
#include "engine/store/record.h"
#include "engine/text/units.h"

namespace sweep {

PointKey RunStage::key_of(const Configuration& configuration, const Device& device) const {
  return {configuration.pattern->name,
          configuration.pattern->identity(),
          configuration.parameters,
          to_string(request.sweep.measure),
          device.backend + " " + device.name + " " + device.uuid,
          (request.replay ? "replay" : request.compile.nvrtc->version()) + ", sweep " +
              request.provenance.engine_version};
}

void RunStage::note(const std::string& text) {
  store.add_note(summary.run, text);
  observer.on_note(text);
}

void RunStage::tell_state(const std::string& state) {
  if (request.further.empty()) return;
  observer.on_device(measurer->device(), summary.measured, state);
}

void RunStage::tell_wait(bool waits) {
  if (request.further.empty()) return observer.on_compiler_wait(waits);
  tell_state(waits ? "waits for the compiler" : "");
}

PointRecord RunStage::measure(const Workload& workload, const MeasureRules& rules, Phase phase,
                              const std::function<void()>& meanwhile) {
  return watch.time(phase, [&] {
    const auto in_turn = [&] { team->in_turn(meanwhile); };
    Measurement measurement = team->aside([&] {
      return measurer->measure(workload, rules, meanwhile ? in_turn : std::function<void()>());
    });
    has_lost_process = measurement.has_lost_process;
    summary.timing.busy_seconds += measurement.busy_seconds;
    if (phase == Phase::other) watch.move(measurement.times);
    return std::move(measurement.point);
  });
}

std::vector<Observation> RunStage::count(std::span<const Workload> workloads) {
  const CounterRequest wanted = {request.counters, request.sweep.measure.cache};
  CounterResults results = watch.time(Phase::count, [&] {
    return team->aside([&] { return measurer->count(workloads, wanted); });
  });
  for (const std::string& problem : results.problems) note(problem);
  return std::move(results.workloads);
}

std::int64_t RunStage::record(std::size_t point_index, PointRecord& point,
                              std::optional<PointKey> key) {
  const Configuration& of = configuration(point_index);
  derive(point_index, point);
  point.key = key ? std::move(*key) : key_of(of);
  const std::int64_t id = watch.time(Phase::store, [&] {
    return store.add_point(summary.run, static_cast<std::int64_t>(point_index), point);
  });
  ++summary.measured;
  ++summary.timing.measured;
  if (point.status == PointStatus::failed) ++summary.failed;
  observer.on_point(of, point);
  tell_state("");
  return id;
}

void note_disturbances(RunStage& stage) {
  const std::vector<std::string> texts =
      stage.team->aside([&] { return stage.measurer->disturbances(); });
  for (const std::string& text : texts) {
    stage.note(stage.request.further.empty()
                   ? text
                   : fmt::format("GPU {}: {}", stage.measurer->device().index, text));
  }
}

std::vector<std::size_t> measuring_order(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  // Fisher and Yates' shuffle: the standard's own gives another order with another library.
  for (std::size_t left = count; left > 1; --left) {
    std::swap(order[left - 1], order[random() % left]);
  }
  return order;
}

namespace {

bool is_there(const std::future<Observation>& counts) {
  return counts.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

std::vector<const Configuration*> configurations_of(std::span<const UncountedPoint> points) {
  std::vector<const Configuration*> configurations;
  for (const UncountedPoint& point : points) configurations.push_back(&point.configuration);
  return configurations;
}

/// Those of a run's points that lack something.
template <class Lacks>
std::vector<UncountedPoint> uncounted_points(const RunStage& stage, const Lacks& lacks) {
  std::vector<UncountedPoint> points;
  stage.store.visit_points(stage.summary.run, [&](const StoredPoint& stored) {
    if (!lacks(stored.point)) return;
    const Configuration& of = stage.configuration(static_cast<std::size_t>(stored.ordinal));
    points.push_back({stored.id, of, stage.deriving(of)});
  });
  return points;
}

void add_counts(PointRecord& point, const Observation& counts) {
  point.metrics.insert(point.metrics.end(), counts.metrics.begin(), counts.metrics.end());
  point.notes.insert(point.notes.end(), counts.notes.begin(), counts.notes.end());
}

bool has_times(const PointRecord& point) {
  return point.status == PointStatus::ok && !point.samples.empty();
}

}  // namespace

void DriftReference::on_reference(const PointRecord& point, double begin) {
  schedule_.on_reference(begin, stage_.watch.elapsed());
  if (!has_times(point)) return;
  const auto figure = [&](std::string_view metric, double unit) {
    return measured_figure(point, metric).value_or(0) * unit;
  };
  const AnchorRecord anchor = {.ordinal = static_cast<std::int64_t>(point_index_),
                               .at = begin,
                               .seconds = figure("time", 1e-6),
                               .seconds_low = figure("time_low", 1e-6),
                               .seconds_high = figure("time_high", 1e-6),
                               .sm_clock_hz = figure("sm_clock", 1e6),
                               .temperature_celsius = figure("temperature", 1)};
  stage_.watch.time(Phase::store, [&] { stage_.store.add_anchor(stage_.summary.run, anchor); });
}

void DriftReference::on_point(std::size_t point_index, const PreparedPoint& prepared,
                              const PointRecord& point, double begin) {
  if (workload_) {
    schedule_.on_point();
  } else if (has_times(point)) {
    point_index_ = point_index;
    workload_ = prepared.workload;
    on_reference(point, begin);
  }
}

void DriftReference::measure_if_due(bool is_end) {
  const double now = stage_.watch.elapsed();
  if (!workload_ || !schedule_.is_due(now, is_end)) return;
  on_reference(stage_.measure(*workload_, stage_.request.sweep.measure, Phase::drift_reference),
               now);
}

PointSource::PointSource(RunStage& stage, bool emulated, bool is_shared)
    : stage_(stage), is_shared_(is_shared) {
  if (stage.request.replay) return;
  const bool counts = emulated && stage.counts != nullptr;
  prepared_.emplace(stage.compile, stage.request.sweep.measure,
                    counts ? &stage.counts->emulators() : stage.emulators);
}

void PointSource::add(const std::vector<std::size_t>& point_indices) {
  std::vector<const Configuration*> configurations;
  for (const std::size_t index : point_indices) {
    configurations.push_back(&stage_.configuration(index));
    point_indices_.push_back(index);
  }
  if (prepared_) prepared_->add(configurations);
}

/// One that another device gave back, of any device where there is no other.
std::optional<SourcedPoint> PointSource::take_returned(const RunStage& by) {
  const auto found = std::ranges::find_if(returned_, [&](const SourcedPoint& point) {
    return point.tried_by != by.number || by.team->devices == 1;
  });
  if (found == returned_.end()) return std::nullopt;
  SourcedPoint point = std::move(*found);
  returned_.erase(found);
  ++under_way_;
  return point;
}

std::optional<SourcedPoint> PointSource::take_ready(RunStage& by) {
  if (auto returned = take_returned(by)) return returned;
  if (point_indices_.empty() || (prepared_ && !prepared_->is_ready())) return std::nullopt;
  SourcedPoint point = {point_indices_.front()};
  point_indices_.pop_front();
  if (prepared_) point.prepared = prepared_->next();
  ++under_way_;
  return point;
}

std::optional<SourcedPoint> PointSource::take(RunStage& by) {
  constexpr int most_lost = 3;
  if (lost_[by.number] >= most_lost && by.team->devices > 1) {
    throw DeviceError(fmt::format(
        "its process ended with {} configurations that others then measured", most_lost));
  }
  for (;;) {
    if (by.team->is_over) return std::nullopt;
    if (auto point = take_ready(by)) return point;
    if (!point_indices_.empty()) {
      by.tell_wait(true);
      by.watch.time(Phase::compile, [&] { await_program(by); });
      by.tell_wait(false);
    } else if (is_shared_ && (under_way_ > 0 || !returned_.empty()) && by.team->devices > 1 &&
               !by.stop) {
      by.watch.time(Phase::other, [&] { by.team->wait(); });
    } else {
      return std::nullopt;
    }
  }
}

/// Waits for the compiler; other devices go on meanwhile, and may take what comes.
void PointSource::await_program(RunStage& by) {
  constexpr std::chrono::milliseconds pause(1);
  if (by.request.further.empty()) return prepared_->wait();
  while (!by.stop && !by.team->is_over && !point_indices_.empty() && prepared_->must_wait()) {
    by.team->aside([&] { std::this_thread::sleep_for(pause); });
  }
  if (by.stop) throw CompilingStopped();
  if (!point_indices_.empty() && !by.team->is_over) prepared_->wait();
}

void PointSource::done(const SourcedPoint& point) {
  if (point.tried_by) ++lost_[*point.tried_by];
  --under_way_;
  if (is_shared_) stage_.team->tell();
}

void PointSource::give_back(SourcedPoint point) {
  returned_.push_back(std::move(point));
  --under_way_;
  stage_.team->tell();
}

void PointSource::look_ahead() {
  if (prepared_) prepared_->take_ready();
}

CompileStatistics PointSource::statistics() const {
  return prepared_ ? prepared_->statistics() : CompileStatistics{};
}

PointMeasurement::PointMeasurement(RunStage& stage, PointSource& source, DriftReference& drift,
                                   Counts counts)
    : stage_(stage), source_(source), drift_(drift), counts_(counts) {
  counts_.emulated = counts.emulated && stage.counts != nullptr;
}

PointMeasurement::~PointMeasurement() {
  if (next_) source_.give_back(std::move(*next_));
}

std::optional<SourcedPoint> PointMeasurement::take() {
  if (stage_.team->is_over) return std::nullopt;
  drift_.measure_if_due();
  return next_ ? std::exchange(next_, std::nullopt) : source_.take(stage_);
}

std::optional<PointMeasurement::Point> PointMeasurement::next(const GiveUp& give_up_seconds) {
  while (auto taken = take()) {
    const double begin = stage_.watch.elapsed();
    Point point = {taken->point_index, {}};
    stage_.has_lost_process = false;
    try {
      point.record = measure(*taken, taken->prepared, give_up_seconds);
    } catch (const DeviceError&) {
      source_.give_back(std::move(*taken));
      throw;
    }
    if (stage_.has_lost_process && source_.is_shared() && !taken->tried_by &&
        stage_.team->devices > 1) {
      taken->tried_by = stage_.number;
      source_.give_back(std::move(*taken));
      continue;
    }
    // The worker loads the next program while this point goes into the store.
    next_ = source_.take_ready(stage_);
    if (next_ && next_->prepared.workload) stage_.measurer->load(*next_->prepared.workload);
    drift_.on_point(taken->point_index, taken->prepared, point.record, begin);
    if (stage_.has_lost_process) taken->tried_by.reset();
    source_.done(*taken);
    return point;
  }
  return std::nullopt;
}

PointRecord PointMeasurement::measure(const SourcedPoint& point, PreparedPoint& prepared,
                                      const GiveUp& give_up_seconds) {
  const std::size_t point_index = point.point_index;
  if (stage_.request.replay) return stage_.request.replay(stage_.configuration(point_index));
  for (const Diagnostic& warning : prepared.warnings.list()) {
    if (stage_.warnings->is_new(render(warning))) stage_.observer.on_warning(warning);
  }
  if (!prepared.workload) return failed_measurement(prepared.failure).point;
  stage_.summary.recent.add(point_index, *prepared.workload);
  // Takes further points from the compiler meanwhile.
  const auto look_ahead = [&] { source_.look_ahead(); };
  if (prepared.measured.valid()) return stage_.await(prepared.measured, look_ahead).point;
  MeasureRules rules = stage_.request.sweep.measure;
  if (give_up_seconds) rules.give_up_seconds = give_up_seconds(*prepared.workload);
  PointRecord measured = stage_.measure(*prepared.workload, rules, Phase::other, look_ahead);
  if (measured.status != PointStatus::ok) return measured;
  if (counts_.emulated) {
    stage_.counts->add_to(stage_, measured, point_index, prepared.counts, counts_.waits);
  }
  if (!counts_.hardware) return measured;
  const std::vector<Observation> counted = stage_.count(std::span(&*prepared.workload, 1));
  if (!counted.empty() && !counted.front().metrics.empty()) {
    add_counts(measured, counted.front());
    measured.collected_counters = counters_text(stage_.request.counters);
    ++stage_.summary.timing.counted;
  }
  return measured;
}

CountsBeside::CountsBeside(const RunRequest& request) {
  emulators_.emplace(request.emulate.make_backend, request.emulate.threads);
}

void CountsBeside::add_to(RunStage& stage, PointRecord& point, std::size_t point_index,
                          std::future<Observation>& counts, bool waits) {
  if (!counts.valid()) {
    lacks_some_ = true;
  } else if (!waits && !stage.request.waits_for_counts && !is_there(counts)) {
    late_.push_back({0, point_index, std::move(counts)});
  } else {
    add_counts(point, stage.watch.time(Phase::emulate, [&] {
      return stage.team->aside([&] { return counts.get(); });
    }));
  }
}

void CountsBeside::recorded(RunStage& stage, std::size_t point_index, std::int64_t id) {
  for (Late& late : late_) {
    if (late.id == 0 && late.point_index == point_index) late.id = id;
  }
  take_ready(stage);
}

void CountsBeside::begin(RunStage& stage, std::size_t point_index, const Workload& workload) {
  const auto stored = stage.watch.time(Phase::store, [&] { return stage.stored(point_index); });
  if (!stored || !lacks_counts(stored->point)) return;
  late_.push_back(
      {stored->id, point_index, emulators_->count(workload, stage.request.sweep.measure)});
}

void CountsBeside::take_ready(RunStage& stage) {
  for (auto late = late_.begin(); late != late_.end();) {
    if (late->id == 0 || !is_there(late->counts)) {
      ++late;
      continue;
    }
    const Observation counted = late->counts.get();
    stage.watch.time(Phase::store, [&] {
      stage.store.add_metrics(late->id, counted.metrics, counted.notes,
                              stage.deriving(stage.configuration(late->point_index)));
    });
    if (!counted.metrics.empty()) {
      stage.observer.on_metrics(stage.configuration(late->point_index), counted.metrics,
                                counted.notes);
    }
    late = late_.erase(late);
  }
}

void CountsBeside::wait(RunStage& stage) {
  // For a share of the run's time so far.
  constexpr double share = 0.05;
  const auto may_wait = [&] {
    return stage.request.waits_for_counts ||
           stage.summary.timing.phases[Phase::emulate] < share * stage.watch.elapsed();
  };
  take_ready(stage);
  while (!late_.empty() && !stage.stop && may_wait()) {
    constexpr std::chrono::milliseconds pause(5);
    stage.watch.time(Phase::emulate, [&] { late_.front().counts.wait_for(pause); });
    take_ready(stage);
  }
}

void CountsBeside::finish(RunStage& stage) {
  wait(stage);
  const bool is_late = lacks_some_ || !late_.empty();
  late_.clear();
  emulators_.reset();
  if (is_late && !stage.request.waits_for_counts) stage.note(std::string(too_late_to_count));
}

void count_points(std::span<const UncountedPoint> points, const CompileSettings& compile,
                  const MeasureRules& rules, const EmulatorThreads& emulate, Store& store,
                  const std::function<void(const UncountedPoint&, const Observation&)>& on_point) {
  EmulateAhead emulators(emulate.make_backend, emulate.threads);
  PreparedPoints prepared(compile, rules, &emulators);
  prepared.add(configurations_of(points));
  try {
    for (const UncountedPoint& point : points) {
      PreparedPoint next = prepared.next();
      prepared.take_ready();
      Observation counted{{}, {std::string(not_counted) + next.failure}};
      if (next.workload) counted = await(next.counts, compile.stop);
      store.add_metrics(point.id, counted.metrics, counted.notes, point.derive);
      on_point(point, counted);
    }
  } catch (const CompilingStopped&) {
    // What was counted until then is recorded.
  }
}

void count_the_rest(RunStage& stage) {
  const std::vector<UncountedPoint> uncounted = uncounted_points(stage, lacks_counts);
  if (uncounted.empty()) return;
  stage.observer.on_stage("counting " + count_of(uncounted.size(), "point"));
  const RunRequest& request = stage.request;
  stage.watch.time(Phase::emulate, [&] {
    count_points(uncounted, stage.compile, request.sweep.measure, request.emulate, stage.store,
                 [&](const UncountedPoint& point, const Observation& counted) {
                   stage.observer.on_metrics(point.configuration, counted.metrics, counted.notes);
                 });
  });
}

void read_counters(RunStage& stage) {
  // The emulator's own counts are all there is to know of it.
  if (stage.request.counters.empty() || !stage.can_time()) return;
  const std::string wanted = counters_text(stage.request.counters);
  const std::vector<UncountedPoint> uncounted =
      uncounted_points(stage, [&](const PointRecord& point) {
        return point.status == PointStatus::ok && point.collected_counters != wanted;
      });
  if (uncounted.empty()) return;
  // In the order that their programs were compiled in.
  std::vector<UncountedPoint> points;
  for (const std::size_t i : measuring_order(uncounted.size(), stage.request.provenance.seed)) {
    points.push_back(uncounted[i]);
  }
  stage.observer.on_stage(fmt::format("reading the hardware's counters of {} point{}",
                                      points.size(), points.size() == 1 ? "" : "s"));
  PreparedPoints prepared(stage.compile, stage.request.sweep.measure);
  prepared.add(configurations_of(points));
  // As many points are counted at once, since the profiler's sessions cost much by themselves. A
  // run that is killed loses so many counts.
  constexpr std::size_t points_at_once = 256;
  const std::size_t devices = stage.team->devices;
  const std::size_t at_once = std::min(points_at_once, (points.size() + devices - 1) / devices);
  std::span<const UncountedPoint> rest(points);
  bool counts_nothing = false;
  on_every_device(stage, [&](RunStage& own) {
    while (!rest.empty() && !own.stop && !own.team->is_over && !counts_nothing) {
      const auto some = rest.first(std::min(at_once, rest.size()));
      rest = rest.subspan(some.size());
      std::vector<Workload> workloads;
      std::vector<const UncountedPoint*> counted;
      for (const UncountedPoint& point : some) {
        PreparedPoint next = own.watch.time(Phase::compile, [&] { return prepared.next(); });
        if (!next.workload) continue;
        workloads.push_back(std::move(*next.workload));
        counted.push_back(&point);
      }
      std::vector<Observation> all_counts;
      try {
        all_counts = own.count(workloads);
      } catch (const DeviceError&) {
        own.note("the counters of " + count_of(counted.size(), "point") +
                 " were not read; the same command again reads them");
        throw;
      }
      std::size_t with_counts = 0;
      for (std::size_t i = 0; i < counted.size(); ++i) {
        const Observation& counts = all_counts.at(i);
        if (counts.metrics.empty()) continue;
        ++with_counts;
        own.watch.time(Phase::store, [&] {
          own.store.add_counts(counted[i]->id, wanted, counts.metrics, counts.notes,
                               counted[i]->derive);
        });
        own.observer.on_metrics(counted[i]->configuration, counts.metrics, counts.notes);
      }
      own.summary.timing.counted += with_counts;
      counts_nothing = counts_nothing || with_counts == 0;
    }
  });
}

}  // namespace sweep
