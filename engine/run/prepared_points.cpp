#include "engine/run/prepared_points.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "engine/run/workload.h"

namespace sweep {

EmulateAhead::EmulateAhead(const MakeBackend& make_backend, unsigned threads) {
  for (unsigned i = 0; i < std::max(threads, 1U); ++i) {
    try {
      threads_.emplace_back([this, make_backend] { work(make_backend); });
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;
      break;  // fewer will do
    }
  }
}

EmulateAhead::~EmulateAhead() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    jobs_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::future<Observation> EmulateAhead::count(const Workload& workload, const MeasureRules& rules) {
  Job job([counted = workload, rules](const OwnBackend& own) mutable -> Observation {
    // What is timed is verified there, and all of it.
    counted.verify.clear();
    const auto on_step = [](std::string_view /*step*/) {};
    PointRecord point = measure(own(), counted, rules, steady_clock(), on_step).point;
    if (point.status == PointStatus::failed) {
      return {{}, {std::string(not_counted) + point.reason}};
    }
    return {std::move(point.metrics), std::move(point.notes)};
  });
  std::future<Observation> result = job.get_future();
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
  return result;
}

bool EmulateAhead::has_room() {
  constexpr std::size_t most_waiting = 1024;
  const std::lock_guard lock(mutex_);
  return jobs_.size() < most_waiting;
}

void EmulateAhead::work(const MakeBackend& make_backend) {
  std::unique_ptr<Backend> backend;
  // Within a job, so that its future hears why there is none.
  const OwnBackend own = [&]() -> Backend& {
    if (backend == nullptr) backend = make_backend(cancelled_);
    return *backend;
  };
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return cancelled_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job(own);
  }
}

namespace {

PreparedPoint prepare(const Configuration& configuration, const CompileOutcome& outcome) {
  PreparedPoint point;
  if (const auto* failed = std::get_if<CompileFailure>(&outcome)) {
    point.failure = render(failed->errors);
    return point;
  }
  const auto& compiled = std::get<CompiledConfiguration>(outcome);
  point.warnings = compiled.warnings;
  try {
    const UsefulTraffic useful = useful_traffic_of(configuration);
    point.workload = make_workload(configuration, compiled);
    point.workload->useful = useful;
  } catch (const ExecutionFailure& error) {
    point.failure = error.what();
  } catch (const InputError& error) {
    point.failure = render(error.diagnostics());
  }
  return point;
}

}  // namespace

void PreparedPoints::add(std::span<const Configuration* const> configurations) {
  remaining_.insert(remaining_.end(), configurations.begin(), configurations.end());
  compiled_.submit(configurations);
}

void PreparedPoints::take_one() {
  PreparedPoint point = prepare(*remaining_.front(), compiled_.next());
  remaining_.pop_front();
  if (emulators_ != nullptr && point.workload && emulators_->has_room()) {
    point.counts = emulators_->count(*point.workload, rules_);
  }
  ahead_.push_back(std::move(point));
}

void PreparedPoints::take_ready() {
  constexpr std::size_t most_ahead = 256;  // for as many emulators as a large machine has cores
  while (ahead_.size() < most_ahead && !remaining_.empty() && compiled_.is_ready()) take_one();
}

PreparedPoint PreparedPoints::next() {
  if (ahead_.empty()) take_ready();
  if (ahead_.empty()) take_one();
  PreparedPoint point = std::move(ahead_.front());
  ahead_.pop_front();
  return point;
}

}  // namespace sweep
