#include "engine/run/count_points.h"

#include <chrono>
#include <optional>

#include "engine/run/counts_beside.h"
#include "engine/run/prepared_points.h"

namespace sweep {
namespace {

/// What the emulator gave, once it has; nothing once it is not wanted any more.
std::optional<PointRecord> wait_for(std::future<PointRecord>& counts,
                                    const std::atomic<bool>* stop) {
  constexpr std::chrono::milliseconds pause(50);
  while (counts.wait_for(pause) != std::future_status::ready) {
    if (stop != nullptr && *stop) return std::nullopt;
  }
  return counts.get();
}

PointRecord failed(std::string reason) {
  PointRecord point;
  point.status = PointStatus::failed;
  point.reason = std::move(reason);
  return point;
}

}  // namespace

void count_points(std::span<const UncountedPoint> points, const CompileSettings& compile,
                  const MeasureRules& rules, const CounterThreads& emulate, Store& store,
                  const std::function<void(const UncountedPoint&, const PointRecord&)>& on_point) {
  std::vector<Configuration> configurations;
  for (const UncountedPoint& point : points) configurations.push_back(point.configuration);
  EmulateAhead emulators(emulate.make_backend, emulate.threads);
  CompilePool compiled(compile);
  PreparedPoints prepared(compiled, configurations, &emulators, rules);
  try {
    for (const UncountedPoint& point : points) {
      PreparedPoint next = prepared.next();
      prepared.take_ready();
      std::optional<PointRecord> counted = failed(next.failure);
      if (next.workload) counted = wait_for(next.counts, compile.stop);
      if (!counted) return;
      record_counts(store, point.id, *counted);
      on_point(point, *counted);
    }
  } catch (const CompilingStopped&) {
    // What was counted until then is recorded.
  }
}

}  // namespace sweep
