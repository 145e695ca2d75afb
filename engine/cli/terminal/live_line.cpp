#include "engine/cli/terminal/live_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/text/units.h"
#include "report/display_text.h"

namespace sweep {
namespace {

constexpr const char* clear_below = "\r\033[J";
constexpr const char* clear_rest = "\033[K\r";

/// Progress is no result: a full disk or a closed pipe behind it does not end the run.
void write_progress(const std::string& text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

}  // namespace

void LiveLine::show(const std::string& text, std::size_t width) {
  if (text == shown_ && width == width_) return;
  const bool resized = !shown_.empty() && width != width_;
  write_progress((resized ? clear_below : "\r") + text + clear_rest);
  shown_ = text;
  width_ = width;
}

void LiveLine::show_cut(const std::string& text, const Terminal& terminal) {
  const std::size_t width = terminal.width > 0 ? terminal.width - 1 : 0;
  show(cut_to_width(text, width, terminal.unicode), terminal.width);
}

void LiveLine::print(const std::string& text) {
  const bool is_whole = text.ends_with('\n');
  write_progress((shown_.empty() ? "" : clear_below) + text + (is_whole ? "" : "\n"));
  shown_.clear();
}

void LiveLine::clear() {
  if (!shown_.empty()) write_progress(clear_below);
  shown_.clear();
}

Ticker::Ticker(std::chrono::milliseconds interval, std::function<void()> action)
    : thread_([this, interval, action = std::move(action)] {
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, interval, [this] { return ends_; })) action();
      }) {}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Pace::add(double now) {
  if (!has_first_) {
    has_first_ = true;
    first_ = last_ = now;
    return;
  }
  constexpr double shortest_memory = 5;
  constexpr double share_of_run = 0.5;
  const double taken = std::max(now - last_, 0.0);
  const double memory = std::max(shortest_memory, share_of_run * (now - first_));
  const double weight = std::exp(-taken / memory);
  points_ = points_ * weight + 1;
  seconds_ = seconds_ * weight + taken;
  last_ = now;
}

std::optional<double> Pace::rate() const {
  if (seconds_ <= 0) return std::nullopt;
  return points_ / seconds_;
}

std::optional<double> Pace::seconds_left(std::size_t points, double now) const {
  const auto speed = rate();
  if (!speed) return std::nullopt;
  const double left = static_cast<double>(points) / *speed;
  // The point under way has begun with the last one's end, and takes a moment yet.
  return std::max(left - (now - last_), static_cast<double>(points > 0 ? points - 1 : 0) / *speed);
}

std::string describe_left(double seconds) {
  struct Step {
    double from;
    double step;
  };
  if (!(seconds >= 1)) return "a moment left";
  constexpr double minute = 60;
  for (const Step& rounding : {Step{60 * minute, 5 * minute}, Step{10 * minute, minute},
                               Step{2 * minute, 10}, Step{20, 5}}) {
    if (seconds < rounding.from) continue;
    std::string text = format_duration(std::round(seconds / rounding.step) * rounding.step);
    // Whole minutes need no word on seconds.
    if (text.ends_with(" min 0 s")) text.resize(text.size() - 4);
    return fmt::format("about {} left", text);
  }
  return fmt::format("about {:.0f} s left", seconds);
}

}  // namespace sweep
