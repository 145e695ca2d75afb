#include "engine/run/run_stage.h"

#include <iterator>
#include <numeric>
#include <random>
#include <utility>

#include "engine/run/counting.h"
#include "engine/spec/counters.h"
#include "engine/store/ranking.h"

namespace sweep {

PointKey RunStage::key_of(const Configuration& configuration) const {
  const Device& device = measurer.device();
  return {configuration.pattern->name,
          configuration.pattern->source->text + configuration.pattern->included_text,
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

PointRecord RunStage::measure(const Workload& workload, const MeasureRules& rules, Phase phase,
                              const std::function<void()>& meanwhile) {
  return watch.time(phase, [&] {
    Measurement measurement = measurer.measure(workload, rules, meanwhile);
    summary.timing.busy_seconds += measurement.busy_seconds;
    if (phase == Phase::other) watch.move(measurement.times);
    return std::move(measurement.point);
  });
}

std::vector<Observation> RunStage::count(std::span<const Workload> workloads) {
  const CounterRequest wanted = {request.counters, request.sweep.measure.cache};
  CounterResults results =
      watch.time(Phase::count, [&] { return measurer.count(workloads, wanted); });
  for (const std::string& problem : results.problems) note(problem);
  return std::move(results.workloads);
}

std::int64_t RunStage::record(std::size_t point_index, PointRecord& point,
                              std::optional<PointKey> key) {
  const Configuration& of = configuration(point_index);
  point.key = key ? std::move(*key) : key_of(of);
  const std::int64_t id = watch.time(Phase::store, [&] {
    return store.add_point(summary.run, static_cast<std::int64_t>(point_index), point);
  });
  ++summary.measured;
  ++summary.timing.measured;
  if (point.status == PointStatus::failed) ++summary.failed;
  observer.on_point(of, point);
  return id;
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

void DriftReference::record(const PointRecord& point, double at) {
  const auto figure = [&](std::string_view metric, double unit) {
    return measured_figure(point, metric).value_or(0) * unit;
  };
  const AnchorRecord anchor = {.ordinal = static_cast<std::int64_t>(point_index_),
                               .at = at,
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
  } else if (point.status == PointStatus::ok && !point.samples.empty()) {
    point_index_ = point_index;
    workload_ = prepared.workload;
    schedule_.on_reference(begin, stage_.watch.elapsed());
    record(point, begin);
  }
}

void DriftReference::measure() {
  const double begin = stage_.watch.elapsed();
  const PointRecord point =
      stage_.measure(*workload_, stage_.request.sweep.measure, Phase::drift_reference);
  schedule_.on_reference(begin, stage_.watch.elapsed());
  if (point.status == PointStatus::ok && !point.samples.empty()) record(point, begin);
}

void DriftReference::measure_if_due() {
  if (workload_ && schedule_.is_due(stage_.watch.elapsed())) measure();
}

void DriftReference::measure_at_end() {
  if (workload_ && schedule_.is_due_at_end(stage_.watch.elapsed())) measure();
}

PointSource::PointSource(RunStage& stage, DriftReference& drift, Counts counts)
    : stage_(stage), drift_(drift), counts_(counts) {
  counts_.emulated = counts.emulated && stage.counts != nullptr;
  if (stage.request.replay) return;
  prepared_.emplace(stage.compile, stage.request.sweep.measure,
                    counts_.emulated ? &stage.counts->emulators() : nullptr);
}

void PointSource::add(const std::vector<std::size_t>& point_indices) {
  std::vector<const Configuration*> configurations;
  for (const std::size_t index : point_indices) {
    configurations.push_back(&stage_.configuration(index));
    point_indices_.push_back(index);
  }
  if (prepared_) prepared_->add(configurations);
}

PointRecord PointSource::next(const GiveUp& give_up_seconds) {
  const std::size_t index = point_indices_.front();
  point_indices_.pop_front();
  if (!prepared_) return stage_.request.replay(stage_.configuration(index));
  drift_.measure_if_due();
  const bool waits = !prepared_->is_ready();
  if (waits) stage_.observer.on_compiler_wait(true);
  PreparedPoint prepared = stage_.watch.time(Phase::compile, [&] { return prepared_->next(); });
  if (waits) stage_.observer.on_compiler_wait(false);
  MeasureRules rules = stage_.request.sweep.measure;
  if (give_up_seconds && prepared.workload)
    rules.give_up_seconds = give_up_seconds(*prepared.workload);
  const double begin = stage_.watch.elapsed();
  PointRecord point = execute(index, prepared, rules);
  if (point.status == PointStatus::ok) {
    if (counts_.emulated) stage_.counts->add_to(point, index, prepared.counts, counts_.waits);
    if (counts_.hardware) read_counters(*prepared.workload, point);
  }
  // The worker loads the next program while this point goes into the store.
  if (const PreparedPoint* next = prepared_->peek(); next != nullptr && next->workload) {
    stage_.measurer.load(*next->workload);
  }
  drift_.on_point(index, prepared, point, begin);
  return point;
}

/// Takes further points from the compiler while the device is at it.
PointRecord PointSource::execute(std::size_t point_index, const PreparedPoint& prepared,
                                 const MeasureRules& rules) {
  for (const Diagnostic& warning : prepared.warnings.list()) {
    if (stage_.warnings.is_new(render(warning))) stage_.observer.on_warning(warning);
  }
  if (!prepared.workload) {
    PointRecord failure;
    failure.status = PointStatus::failed;
    failure.reason = prepared.failure;
    return failure;
  }
  stage_.summary.recent.add(point_index, *prepared.workload);
  return stage_.measure(*prepared.workload, rules, Phase::other, [&] { prepared_->take_ready(); });
}

void PointSource::read_counters(const Workload& workload, PointRecord& point) {
  std::vector<Observation> counts = stage_.count(std::span(&workload, 1));
  if (counts.empty() || counts.front().metrics.empty()) return;
  std::ranges::move(counts.front().metrics, std::back_inserter(point.metrics));
  std::ranges::move(counts.front().notes, std::back_inserter(point.notes));
  point.collected_counters = counters_text(stage_.request.counters);
  ++stage_.summary.timing.counted;
}

CompileStatistics PointSource::statistics() const {
  return prepared_ ? prepared_->statistics() : CompileStatistics{};
}

}  // namespace sweep
