#include "engine/cli/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/units.h"
#include "report/display_text.h"

namespace sweep {
namespace {

const std::string clear_line = "\r\033[K";

/// Progress is no result: a full disk behind it must not end the run.
void show(const std::string& text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

/// The first characters of a text, at most `width` columns of them.
std::string cut(std::string text, std::size_t width) {
  // Taking bytes away lowers the width with a character's first byte, which is the last to go.
  while (display_width(text) > width) text.pop_back();
  return text;
}

/// "2738 GB/s", "4 sectors per load request", or "failed"
std::string outcome_of(const PointRecord& point) {
  if (point.status == PointStatus::failed) return "failed";
  struct Shown {
    std::string_view metric;
    std::string_view unit;
  };
  for (const Shown& shown : {Shown{"bandwidth", "GB/s"}, Shown{"time", "us"},
                             Shown{"load_sectors_per_request", "sectors per load request"},
                             Shown{"store_sectors_per_request", "sectors per store request"},
                             Shown{"shared_conflicts", "bank conflicts"}}) {
    const auto found = std::ranges::find(point.metrics, shown.metric, &Metric::name);
    if (found != point.metrics.end()) {
      return fmt::format("{} {}", format_figure(found->value), shown.unit);
    }
  }
  return "ok";
}

std::string indented(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  std::string result = "  ";
  for (const char c : text) {
    result += c;
    if (c == '\n') result += "  ";
  }
  return result;
}

}  // namespace

Progress::Progress(const Terminal& terminal, Clock clock)
    : terminal_(terminal), clock_(std::move(clock)) {}

void Progress::on_start(std::size_t points, std::size_t reused) {
  total_ = points - reused;
  begin_ = clock_();
  last_shown_ = begin_;
  if (reused > 0) {
    print_line(fmt::format("{} of {} points are there from earlier runs (--fresh measures anew)",
                           reused, points));
  }
}

void Progress::on_reuse() {
  if (total_ > 0) --total_;
}

void Progress::on_point(const Configuration& configuration, const PointRecord& point) {
  ++done_;
  if (point.status == PointStatus::failed) {
    constexpr std::size_t most_shown = 10;
    if (++failures_shown_ <= most_shown) {
      print_line(fmt::format("failed: {}\n{}", to_string(configuration), indented(point.reason)));
    } else if (failures_shown_ == most_shown + 1) {
      print_line("more points failed; the report lists them all");
    }
  }
  const double interval = terminal_.live ? 0.1 : 10;
  const double now = clock_();
  if (now - last_shown_ < interval && (done_ < total_ || !terminal_.live)) return;
  last_shown_ = now;
  std::string line = status(configuration, point);
  if (terminal_.live) {
    show(clear_line + cut(printable(line), terminal_.width - 1));
  } else {
    print_line(line);
  }
}

std::string Progress::status(const Configuration& configuration, const PointRecord& point) const {
  const double elapsed = clock_() - begin_;
  const double rate = elapsed > 0 ? static_cast<double>(done_) / elapsed : 0;
  const double left = rate > 0 ? static_cast<double>(total_ - done_) / rate : 0;
  return fmt::format("{}/{} points, {:.1f}/s, {} left | {}: {}", done_, total_, rate,
                     format_duration(left), outcome_of(point), to_string(configuration));
}

void Progress::on_warning(const Diagnostic& warning) {
  print_line(render(warning, terminal_.color));
}

void Progress::on_note(const std::string& note) {
  print_line("note: " + note);
}

void Progress::on_stage(const std::string& stage) {
  if (terminal_.live) {
    show(clear_line + cut(printable(stage), terminal_.width - 1));
  } else {
    print_line(stage);
  }
}

void Progress::finish() {
  if (terminal_.live) show(clear_line);
}

void Progress::print_line(const std::string& text) {
  show((terminal_.live ? clear_line : "") + text + (text.ends_with('\n') ? "" : "\n"));
}

}  // namespace sweep
