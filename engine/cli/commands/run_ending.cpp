#include "engine/cli/commands/run_ending.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string_view>

#include "engine/cli/commands/report_files.h"
#include "engine/cli/options/compile_options.h"
#include "engine/cli/terminal/stop_signal.h"
#include "engine/cli/terminal/terminal.h"
#include "engine/run/runner.h"
#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/notes.h"
#include "report/terminal_table.h"
#include "report/tuning.h"

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
    case Phase::drift_reference:
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

/// What `--timing` shows: where a run's wall time went, how busy the device was, and what compiling
/// took beside it.
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

/// Where all of a table is, and how to get it if it could not be written.
std::string whole_tables(const RunEnd& end) {
  const auto is_markdown = [](const std::filesystem::path& file) {
    return file.extension() == ".md";
  };
  const auto found = std::ranges::find_if(end.files, is_markdown);
  return found != end.files.end() ? found->string()
                                  : fmt::format("sweep report {}", end.files.back().string());
}

void show_tables(const RunAnalysis& run, const RunEnd& end) {
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  Drawing drawing = Drawing::plain;
  if (terminal.is_terminal) drawing = terminal.unicode ? Drawing::unicode : Drawing::ascii;
  std::cout << write_terminal(run, terminal.width_or(file_width), terminal.color, drawing,
                              {terminal.height, whole_tables(end)})
            << std::flush;
}

void show_best(const RunAnalysis& run) {
  for (const std::string& line : describe_tuning(run)) std::cout << printable(line) << '\n';
  for (const std::string& line : describe_best(run)) std::cout << printable(line) << '\n';
  std::cout << std::flush;
}

}  // namespace

void EndingStage::begin(const std::string& text) {
  if (events_ != nullptr) events_->on_stage(text);
  const Terminal terminal = terminal_of(STDERR_FILENO);
  if (!is_silent_ && terminal.live) line_.show_cut(text, terminal);
}

void EndingStage::say(const std::string& lines) {
  if (!is_silent_) line_.print(lines);
}

int exit_code_of(const RunSummary& summary, std::span<const ExpectationResult> expectations) {
  if (summary.interrupted) return stopped_exit_code();
  const bool kept = std::ranges::all_of(expectations, &ExpectationResult::kept);
  return summary.failed > 0 || !kept ? exit_points_failed : exit_done;
}

void conclude(const RunSummary& summary, const RunAnalysis& run, const RunEnd& end,
              const RunOptions& options) {
  if (!options.is_silent()) {
    show_tables(run, end);
  } else if (!options.json) {
    show_best(run);
  }
  if (options.timing) {
    (options.json ? std::cerr : std::cout) << '\n' << describe_timing(summary.timing) << std::flush;
  }
  std::cerr << describe_broken(end.expectations, run.results.points,
                               terminal_of(STDERR_FILENO).color);
  if (options.is_silent() && !options.json) {
    const std::string note = note_on_verification(run.results.points);
    if (!note.empty()) std::cerr << note << '\n';
  } else if (!options.is_silent()) {
    const bool is_replay = run.results.run.provenance.device.backend == "replay";
    std::cerr << fmt::format("{} {}, {} failed{}; {} reused\n{}{}",
                             count_of(summary.measured, "point"),
                             is_replay ? "taken from the recording" : "measured", summary.failed,
                             count_partly_verified(run.results.points), summary.reused, end.charts,
                             describe_files(end.files));
  }
  if (summary.interrupted) {
    std::cerr << fmt::format("Stopped. To go on where it stopped: {}\n", end.resume);
  }
}

}  // namespace sweep
