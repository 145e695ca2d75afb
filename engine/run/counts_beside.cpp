#include "engine/run/counts_beside.h"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace sweep {
namespace {

/// Of a run's time so far, that it may wait for counts.
constexpr double waiting_share = 0.05;

bool is_there(const std::future<PointRecord>& counts) {
  return counts.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

Observation counts_of(PointRecord counted) {
  if (counted.status == PointStatus::failed) {
    return {{}, {std::string(not_counted) + counted.reason}};
  }
  return {std::move(counted.metrics), std::move(counted.notes)};
}

CountsBeside::CountsBeside(RunStage& stage) : stage_(stage) {
  const CounterThreads& emulate = stage.request.emulate;
  if (emulate.make_backend) emulators_.emplace(emulate.make_backend, emulate.threads);
}

void CountsBeside::add_to(PointRecord& point, std::future<PointRecord>& counts) {
  if (!counts.valid()) {
    lacks_some_ = true;
  } else if (stage_.request.waits_for_counts || is_there(counts)) {
    wait_for(point, counts);
  }
}

void CountsBeside::wait_for(PointRecord& point, std::future<PointRecord>& counts) {
  Observation counted = counts_of(stage_.watch.time(Phase::emulate, [&] { return counts.get(); }));
  std::ranges::move(counted.metrics, std::back_inserter(point.metrics));
  std::ranges::move(counted.notes, std::back_inserter(point.notes));
}

void CountsBeside::expect(std::int64_t point, std::size_t index, std::future<PointRecord> counts) {
  late_.push_back({point, index, std::move(counts)});
}

void CountsBeside::begin(std::size_t index, const Workload& workload, const UsefulTraffic& useful) {
  if (!emulators_) return;
  const auto stored = stage_.watch.time(Phase::store, [&] {
    return stage_.store.point(stage_.run, static_cast<std::int64_t>(index));
  });
  if (!stored || !lacks_counts(stored->point)) return;
  expect(stored->id, index, emulators_->count(workload, stage_.request.sweep.measure, useful));
}

void CountsBeside::record(Late& late) {
  const Observation counted = counts_of(late.counts.get());
  stage_.watch.time(Phase::store,
                    [&] { stage_.store.add_metrics(late.point, counted.metrics, counted.notes); });
  if (counted.metrics.empty()) return;
  stage_.observer.on_metrics(stage_.request.space.configurations.at(late.index), counted.metrics,
                             counted.notes);
}

void CountsBeside::take_ready() {
  for (auto late = late_.begin(); late != late_.end();) {
    if (!is_there(late->counts)) {
      ++late;
      continue;
    }
    record(*late);
    late = late_.erase(late);
  }
}

/// For so many seconds more the run may wait.
double CountsBeside::patience() const {
  const double allowed = waiting_share * stage_.watch.elapsed();
  return std::max(allowed - stage_.timing.phases[Phase::emulate], 0.0);
}

void CountsBeside::finish() {
  wait();
  const bool is_late = lacks_some_ || !late_.empty();
  late_.clear();
  emulators_.reset();
  if (is_late && !stage_.request.waits_for_counts) stage_.note(std::string(too_late_to_count));
}

void CountsBeside::wait() {
  take_ready();
  const auto is_over = [&] {
    return late_.empty() || stage_.stop || (!stage_.request.waits_for_counts && patience() == 0);
  };
  while (!is_over()) {
    constexpr std::chrono::milliseconds pause(5);
    stage_.watch.time(Phase::emulate, [&] { late_.front().counts.wait_for(pause); });
    take_ready();
  }
}

}  // namespace sweep
