#include "engine/run/prepared_points.h"

#include "engine/run/workload.h"

namespace sweep {
namespace {

/// Enough for as many emulators as a large machine has cores.
constexpr std::size_t most_ahead = 256;

PreparedPoint prepare(const Configuration& configuration, const CompileOutcome& outcome) {
  PreparedPoint point;
  if (const auto* failed = std::get_if<CompileFailure>(&outcome)) {
    point.failure = render(failed->errors);
    return point;
  }
  const auto& compiled = std::get<CompiledConfiguration>(outcome);
  point.warnings = compiled.warnings;
  try {
    point.useful = useful_traffic_of(configuration);
    point.workload = make_workload(configuration, compiled);
  } catch (const ExecutionFailure& error) {
    point.failure = error.what();
  } catch (const InputError& error) {
    point.failure = render(error.diagnostics());
  }
  return point;
}

}  // namespace

PreparedPoints::PreparedPoints(CompilePool& compiled, std::span<const Configuration> configurations,
                               EmulateAhead* emulators, const MeasureRules& rules)
    : compiled_(compiled), emulators_(emulators), rules_(rules) {
  add(configurations);
}

void PreparedPoints::add(std::span<const Configuration> configurations) {
  for (const Configuration& configuration : configurations) remaining_.push_back(&configuration);
  compiled_.submit(configurations);
}

void PreparedPoints::take_one() {
  PreparedPoint point = prepare(*remaining_.front(), compiled_.next());
  remaining_.pop_front();
  if (emulators_ != nullptr && point.workload && emulators_->has_room()) {
    point.counts = emulators_->count(*point.workload, rules_, point.useful);
  }
  ahead_.push_back(std::move(point));
}

void PreparedPoints::take_ready() {
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
