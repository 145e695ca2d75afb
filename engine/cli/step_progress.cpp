#include "engine/cli/step_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "engine/cli/terminal.h"
#include "engine/text/units.h"
#include "report/display_text.h"

namespace sweep {

StepProgress::StepProgress(std::string job, std::size_t steps, bool is_quiet)
    : job_(std::move(job)),
      steps_(steps),
      clock_(steady_clock()),
      begin_(clock_()),
      last_shown_(begin_) {
  constexpr std::chrono::milliseconds interval(100);
  if (!is_quiet) ticker_.emplace(interval, [this] { tick(); });
}

StepProgress::~StepProgress() {
  ticker_.reset();
  line_.clear();
}

void StepProgress::step() {
  const std::lock_guard lock(mutex_);
  ++done_;
  pace_.add(clock_());
}

std::string StepProgress::text(double now) const {
  std::string text =
      fmt::format("{}: {} of {}", job_, format_thousands(done_), format_thousands(steps_));
  const auto left = pace_.seconds_left(steps_ - done_, now);
  text += " | " + (left ? describe_left(*left) : fmt::format("for {:.0f} s", now - begin_));
  return printable(text);
}

void StepProgress::tick() {
  constexpr double plain_interval = 10;
  const std::lock_guard lock(mutex_);
  const double now = clock_();
  const Terminal terminal = terminal_of(STDERR_FILENO);
  if (terminal.live) {
    const std::size_t width = terminal.width > 0 ? terminal.width - 1 : 0;
    line_.show(cut_to_width(text(now), width, terminal.unicode), terminal.width);
  } else if (now - last_shown_ >= plain_interval) {
    last_shown_ = now;
    line_.print(text(now));
  }
}

}  // namespace sweep
