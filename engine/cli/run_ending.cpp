#include "engine/cli/run_ending.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "engine/cli/report_files.h"
#include "engine/cli/stop_signal.h"
#include "engine/cli/terminal.h"
#include "engine/cli/timing_table.h"
#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/partly_verified.h"
#include "report/terminal_table.h"
#include "report/tuning_lines.h"

namespace sweep {
namespace {

void show_tables(const RunAnalysis& run) {
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  Drawing drawing = Drawing::plain;
  if (terminal.is_terminal) drawing = terminal.unicode ? Drawing::unicode : Drawing::ascii;
  std::cout << write_terminal(run, terminal.width_or(file_width), terminal.color, drawing)
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
  if (is_silent_ || !terminal.live || terminal.width == 0) return;
  line_.show(cut_to_width(text, terminal.width - 1, terminal.unicode), terminal.width);
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
    show_tables(run);
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
