#include "engine/run/count_points.h"

#include <chrono>
#include <optional>

#include "engine/run/counts_beside.h"
#include "engine/run/prepared_points.h"

namespace sweep {
namespace {

/// What the emulator gave, once it has; nothing once it is not wanted any more.
std::optional<Observation> wait_for(PreparedPoint& point, const std::atomic<bool>* stop) {
  constexpr std::chrono::milliseconds pause(50);
  if (!point.workload) return Observation{{}, {std::string(not_counted) + point.failure}};
  while (point.counts.wait_for(pause) != std::future_status::ready) {
    if (stop != nullptr && *stop) return std::nullopt;
  }
  return counts_of(point.counts.get());
}

}  // namespace

void count_points(std::span<const UncountedPoint> points, const CompileSettings& compile,
                  const MeasureRules& rules, const CounterThreads& emulate, Store& store,
                  const std::function<void(const UncountedPoint&, const Observation&)>& on_point) {
  std::vector<Configuration> configurations;
  for (const UncountedPoint& point : points) configurations.push_back(point.configuration);
  EmulateAhead emulators(emulate.make_backend, emulate.threads);
  CompilePool compiled(compile);
  PreparedPoints prepared(compiled, configurations, &emulators, rules);
  try {
    for (const UncountedPoint& point : points) {
      PreparedPoint next = prepared.next();
      prepared.take_ready();
      const std::optional<Observation> counted = wait_for(next, compile.stop);
      if (!counted) return;
      store.add_metrics(point.id, counted->metrics, counted->notes);
      on_point(point, *counted);
    }
  } catch (const CompilingStopped&) {
    // What was counted until then is recorded.
  }
}

}  // namespace sweep
