#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/cli/terminal/terminal.h"

namespace sweep {

/// The last line of the terminal behind standard error, written over again and again; other lines
/// scroll above it. The cursor rests at its beginning: where a terminal that became narrower breaks
/// the line anew, nothing is left behind, and a shell's prompt finds its place. What cannot be
/// written is lost.
class LiveLine {
 public:
  /// Shows a text of less than `width` columns; escapes for colours may be in it.
  void show(const std::string& text, std::size_t width);
  /// Shows as much of a text as the terminal's width has place for.
  void show_cut(const std::string& text, const Terminal& terminal);
  /// Prints lines that stay, and takes the live one away until it is shown again.
  void print(const std::string& text);
  void clear();

 private:
  std::string shown_;
  std::size_t width_ = 0;
};

/// Does something again and again, in a thread of its own, while it lives.
class Ticker {
 public:
  Ticker(std::chrono::milliseconds interval, std::function<void()> action);
  /// Waits for an action under way.
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;
};

/// How fast a run gets on, and how long the rest takes. Recent points count more than old ones, by
/// an exponential weight whose time grows with the run, so that the estimate follows a change
/// without jumping. The time to the first point, in which compilers and devices start, is left out.
class Pace {
 public:
  /// Another point is done at this time, in seconds.
  void add(double now);

  /// Points a second; nothing before the second point.
  std::optional<double> rate() const;
  /// Seconds until so many more points are done, seen from `now`; nothing before the second point.
  std::optional<double> seconds_left(std::size_t points, double now) const;

 private:
  bool has_first_ = false;
  double first_ = 0;
  double last_ = 0;
  double points_ = 0;   ///< weighted, those after the first
  double seconds_ = 0;  ///< that they took, weighted alike
};

/// "about 3 min 20 s left", rounded so that it does not flicker; "a moment left" below a second.
std::string describe_left(double seconds);

}  // namespace sweep
