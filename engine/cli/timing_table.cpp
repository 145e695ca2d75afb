#include "engine/cli/timing_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "engine/cli/compile_cost.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::compile:
      return "waiting for the compiler";
    case Phase::emulate:
      return "waiting for the emulator";
    case Phase::allocate:
      return "loading and allocating";
    case Phase::initialise:
      return "init";
    case Phase::first_launch:
      return "first launch";
    case Phase::verify:
      return "verify";
    case Phase::warm_up:
      return "warm-up";
    case Phase::sample:
      return "samples";
    case Phase::count:
      return "hardware counters";
    case Phase::anchor:
      return "anchor configuration";
    case Phase::compare:
      return "comparing the best";
    case Phase::store:
      return "store";
    case Phase::other:
      break;
  }
  return "other";
}

/// The last column is left out where no point was measured.
std::string row(std::string_view name, double seconds, double wall, double points) {
  constexpr double percent = 100;
  constexpr double milli = 1e3;
  std::string text = fmt::format("  {:<24} {:>9.3f} {:>7.1f}", name, seconds,
                                 wall > 0 ? seconds / wall * percent : 0);
  if (points > 0) text += fmt::format(" {:>11.3f}", seconds / points * milli);
  return text + '\n';
}

std::string describe_compiling(const CompileStatistics& compile) {
  if (compile.configurations + compile.from_cache == 0) return {};
  return "Compiling, beside the measuring: " + describe(compile, "\n  ") + ".\n";
}

}  // namespace

std::string describe_timing(const RunTiming& timing) {
  const double wall = timing.wall_seconds;
  const auto points = static_cast<double>(timing.measured);
  std::string text = fmt::format(
      "Where the wall time went: {} measured in {:.3f} s\n"
      "  {:<24} {:>9} {:>7}{}\n",
      count_of(timing.measured, "point"), wall, "", "seconds", "%",
      timing.measured > 0 ? "  ms a point" : "");
  for (std::size_t i = 0; i < phase_count; ++i) {
    const auto phase = static_cast<Phase>(i);
    if (timing.phases[phase] > 0) text += row(name_of(phase), timing.phases[phase], wall, points);
  }
  text += row("together", wall, wall, points);
  if (timing.busy_seconds > 0) {
    const double counters = timing.phases[Phase::count];
    const double idle = std::max(wall - counters - timing.busy_seconds, 0.0);
    text += row("the device was busy", timing.busy_seconds, wall - counters, points);
    text += row("the engine's own cost", idle, wall - counters, points);
  }
  return text + describe_compiling(timing.compile);
}

}  // namespace sweep
