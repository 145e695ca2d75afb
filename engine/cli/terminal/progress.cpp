#include "engine/cli/terminal/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "engine/text/diagnostic.h"
#include "engine/text/units.h"
#include "report/display_text.h"

namespace sweep {
namespace {

constexpr std::string_view separator = " | ";

std::string indented(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  std::string result = "  ";
  for (const char c : text) {
    result += c;
    if (c == '\n') result += "  ";
  }
  return result;
}

/// "5.2/s", "3.1/min"
std::string describe_rate(double rate) {
  constexpr double slow = 0.2;
  constexpr double seconds_a_minute = 60;
  return rate < slow ? fmt::format("{:.1f}/min", rate * seconds_a_minute)
                     : fmt::format("{:.{}f}/s", rate, rate < 100 ? 1 : 0);
}

}  // namespace

Progress::Progress(ProgressSettings settings) : settings_(std::move(settings)) {}

void Progress::on_start(std::size_t points, std::size_t reused) {
  const std::lock_guard lock(mutex_);
  total_ = points - reused;
  announced_reused_ = reused;
  last_shown_ = settings_.clock();
  has_started_ = true;
  if (reused > 0 && !settings_.is_quiet) {
    print_line(fmt::format("{} of {} points are there from earlier runs (--fresh measures anew)",
                           reused, points));
  }
}

void Progress::on_reuse(const PointRecord& point) {
  const std::lock_guard lock(mutex_);
  settings_.best.add(point);
  if (announced_reused_ > 0) {
    --announced_reused_;
  } else if (total_ > done_) {
    --total_;
  }
}

void Progress::on_compiler_wait(bool waits) {
  const std::lock_guard lock(mutex_);
  stage_ = waits ? "waiting for the compiler" : "";
  // Most waits are too short to show; the first is not.
  if (done_ == 0) draw();
}

void Progress::on_point(const Configuration& configuration, const PointRecord& point) {
  const std::lock_guard lock(mutex_);
  ++done_;
  stage_.clear();
  const double now = settings_.clock();
  pace_.add(now);
  settings_.best.add(point);
  if (point.status == PointStatus::failed) show_failure(configuration, point);
  if (settings_.is_quiet) return;
  const bool live = settings_.terminal().live;
  const double interval = live ? 0.1 : 10;
  const bool is_last = done_ >= total_;
  if (now - last_shown_ < interval && !(live && is_last)) return;
  last_shown_ = now;
  if (live) {
    draw();
  } else {
    print_line(printable(plain_text(now)));
  }
}

void Progress::show_failure(const Configuration& configuration, const PointRecord& point) {
  constexpr std::size_t most_shown = 10;
  ++failed_;
  if (failed_ <= most_shown) {
    const std::string name = to_string(configuration);
    print_line(reasons_.insert(point.reason).second
                   ? fmt::format("failed: {}\n{}", name, indented(shown_message(point.reason)))
                   : fmt::format("failed for a reason given above: {}", name));
  } else if (failed_ == most_shown + 1) {
    print_line("more points failed; the report lists them all");
  }
}

std::vector<Progress::Part> Progress::parts(double now) const {
  std::vector<Part> parts = {{fmt::format("{}/{} points", done_, total_), PartKind::count}};
  const bool is_at_points = stage_.empty() || done_ < total_;
  if (const auto left = pace_.seconds_left(total_ - std::min(done_, total_), now);
      left && is_at_points && done_ < total_) {
    parts.push_back({describe_left(*left), PartKind::time_left});
  }
  if (!stage_.empty()) parts.push_back({stage_, PartKind::stage});
  if (failed_ > 0) parts.push_back({fmt::format("{} failed", failed_), PartKind::failures});
  if (const auto rate = pace_.rate(); rate && is_at_points) {
    parts.push_back({describe_rate(*rate), PartKind::rate});
  }
  // The last one, since it is the one that can be cut.
  if (std::string best = settings_.best.describe(); !best.empty()) {
    parts.push_back({std::move(best), PartKind::best});
  }
  return parts;
}

std::string Progress::live_text(const Terminal& terminal, double now) const {
  const std::size_t width = terminal.width > 0 ? terminal.width - 1 : 0;
  std::vector<Part> shown = parts(now);
  for (Part& part : shown) part.text = printable(part.text);
  const auto taken = [&] {
    std::size_t columns = separator.size() * (shown.size() - 1);
    for (const Part& part : shown) columns += display_width(part.text);
    return columns;
  };
  const std::size_t figure_width = display_width(settings_.best.describe(false));
  while (shown.size() > 1 && taken() > width) {
    const auto victim = std::ranges::max_element(shown, {}, &Part::kind);
    const std::size_t excess = taken() - width;
    const std::size_t own = display_width(victim->text);
    if (victim->kind == PartKind::best && own >= excess + figure_width) {
      victim->text = cut_to_width(victim->text, own - excess, terminal.unicode);
    } else {
      shown.erase(victim);
    }
  }
  if (shown.size() == 1) return cut_to_width(shown.front().text, width, terminal.unicode);
  std::string text;
  for (const Part& part : shown) {
    if (!text.empty()) text += separator;
    text += painted(part.text, part.kind == PartKind::failures ? red : std::string_view(),
                    terminal.color);
  }
  return text;
}

std::string Progress::plain_text(double now) const {
  std::string text;
  for (const Part& part : parts(now)) {
    if (!text.empty()) text += separator;
    text += part.text;
  }
  return text;
}

void Progress::draw() {
  if (is_over_ || settings_.is_quiet || !has_started_) return;
  const Terminal terminal = settings_.terminal();
  if (!terminal.live) return;
  line_.show(live_text(terminal, settings_.clock()), terminal.width);
}

void Progress::tick() {
  const std::lock_guard lock(mutex_);
  if (is_over_ || settings_.stop == nullptr || !*settings_.stop) {
    draw();
    return;
  }
  is_over_ = true;
  if (!settings_.is_quiet && settings_.terminal().live) {
    print_line("Stopping when the point under way is done; Ctrl-C again ends at once, without it");
  }
  line_.clear();
}

void Progress::on_warning(const Diagnostic& warning) {
  const std::lock_guard lock(mutex_);
  print_line(render(warning, settings_.terminal().color));
}

void Progress::on_note(const std::string& note) {
  const std::lock_guard lock(mutex_);
  if (!settings_.is_quiet) print_line("note: " + note);
}

void Progress::on_stage(const std::string& stage) {
  const std::lock_guard lock(mutex_);
  stage_ = stage;
  if (settings_.is_quiet) return;
  if (settings_.terminal().live) {
    draw();
  } else {
    print_line(stage);
  }
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  line_.clear();
  is_over_ = true;
}

void Progress::print_line(const std::string& text) {
  line_.print(text);
  draw();
}

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
    line_.show_cut(text(now), terminal);
  } else if (now - last_shown_ >= plain_interval) {
    last_shown_ = now;
    line_.print(text(now));
  }
}

}  // namespace sweep
