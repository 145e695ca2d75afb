#pragma once

#include <span>
#include <string>

#include "engine/cli/commands/run_events.h"
#include "engine/cli/commands/run_options.h"
#include "engine/cli/terminal/live_line.h"

namespace sweep {

/// What a run's end means for scripts. A stop by a signal counts before points that failed, and
/// these before expectations that are not kept.
int exit_code_of(const RunSummary& summary, std::span<const ExpectationResult> expectations);

/// What a run is at between its last point and its results: in a live terminal on the line that its
/// progress had, and as an event for programs.
class EndingStage {
 public:
  /// `events` may be null, and must outlive it.
  EndingStage(bool is_silent, RunEvents* events) : is_silent_(is_silent), events_(events) {}
  ~EndingStage() { end(); }
  EndingStage(const EndingStage&) = delete;
  EndingStage& operator=(const EndingStage&) = delete;

  void begin(const std::string& text);
  /// Lines for people that stay.
  void say(const std::string& lines);
  void end() { line_.clear(); }

 private:
  bool is_silent_;
  RunEvents* events_;
  LiveLine line_;
};

/// Shows a run's results on standard output, in the way that the options ask for, and on standard
/// error what breaks an expectation, what was written, and how to go on after a stop.
void conclude(const RunSummary& summary, const RunAnalysis& run, const RunEnd& end,
              const RunOptions& options);

}  // namespace sweep
