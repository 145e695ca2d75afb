#include "engine/cli/terminal/progress.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "engine/cli/options/command_line.h"
#include "engine/store/record.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/point_columns.h"

namespace sweep {
namespace {

std::vector<TuneObjective> best_by(const Sweep& sweep) {
  if (sweep.tune) return sweep.tune->objectives;
  std::vector<std::string> names = {"bandwidth", "shared_bandwidth", "time"};
  for (const TableLayout& table : sweep.report.tables) {
    names.insert(names.end(), table.values.begin(), table.values.end());
  }
  names.insert(names.end(),
               {"load_sectors_per_request", "store_sectors_per_request", "shared_conflicts"});
  std::vector<TuneObjective> by;
  for (const std::string& name : names) by.push_back({name, better_of(name)});
  std::erase_if(by, [](const TuneObjective& each) { return each.better == Better::neither; });
  return by;
}

/// The axes that have more than one value, "pattern" among them.
std::vector<std::string> varying_names(const Sweep& sweep) {
  std::vector<std::string> names;
  if (sweep.patterns.size() > 1) names.emplace_back("pattern");
  for (const Axis& axis : sweep.axes) {
    for (std::size_t i = 0; i < axis.names.size(); ++i) {
      const bool varies = std::ranges::any_of(axis.rows, [&](const std::vector<Value>& row) {
        return row.at(i) != axis.rows.front().at(i);
      });
      if (varies) names.push_back(axis.names[i]);
    }
  }
  return names;
}

constexpr std::string_view separator = " | ";

std::string indented(std::string text) {
  text.erase(text.find_last_not_of('\n') + 1);
  return fmt::format("  {}", fmt::join(split(text, '\n'), "\n  "));
}

/// "5.2/s", "3.1/min"
std::string describe_rate(double rate) {
  constexpr double slow = 0.2;
  constexpr double seconds_a_minute = 60;
  return rate < slow ? fmt::format("{:.1f}/min", rate * seconds_a_minute)
                     : fmt::format("{:.{}f}/s", rate, rate < 100 ? 1 : 0);
}

}  // namespace

BestSoFar::BestSoFar(const Sweep& sweep)
    : BestSoFar(best_by(sweep), varying_names(sweep),
                sweep.tune ? sweep.tune->for_each : std::vector<std::string>()) {}

void BestSoFar::add(const PointRecord& point) {
  if (point.status == PointStatus::failed || is_cut_off(point)) return;
  std::optional<double> figure;
  for (std::size_t i = 0; i < by_.size() && !figure; ++i) {
    const auto found = std::ranges::find(point.metrics, by_[i].metric, &Metric::name);
    if (found == point.metrics.end() || !std::isfinite(found->value)) continue;
    figure = found->value;
    by_ = {TuneObjective(by_[i])};
  }
  if (!figure) return;
  const Bindings group = group_of(point.key, for_each_);
  newest_ =
      static_cast<std::size_t>(std::ranges::find(bests_, group, &Best::group) - bests_.begin());
  const bool is_first = newest_ == bests_.size();
  if (is_first) bests_.push_back({group, 0, {}});
  Best& best = bests_[newest_];
  const bool is_higher = by_.front().better == Better::higher;
  if (!is_first && !(is_higher ? *figure > best.figure : *figure < best.figure)) return;
  best = {group, *figure, {}};  // then with "transpose STRIDE=1 T=float"
  const Bindings environment = with_pattern(point.key.pattern_name, point.key.parameters);
  for (const std::string& name : telling_) {
    const Value* value = environment.find(name);
    if (value == nullptr || is_among(for_each_, name)) continue;
    if (!best.parameters.empty()) best.parameters += ' ';
    best.parameters += name == "pattern" ? to_string(*value) : name + "=" + to_string(*value);
  }
}

std::string BestSoFar::describe(bool with_names) const {
  if (bests_.empty()) return "";
  const Best& best = bests_[newest_];
  const std::string& metric = by_.front().metric;
  const std::string unit = unit_of(metric);
  std::string text = "best ";
  if (!best.group.empty()) text += "of " + to_string(best.group) + " ";
  text += format_figure(best.figure);
  if (!unit.empty()) text += " " + unit;
  const bool unit_says_it = unit == "GB/s" || metric == "time";
  if (!unit_says_it) text += " " + metric;
  return with_names && !best.parameters.empty() ? text + ": " + best.parameters : text;
}

void Pace::add(double now) {
  if (!first_) {
    first_ = last_ = now;
    return;
  }
  constexpr double shortest_memory = 5;
  constexpr double share_of_run = 0.5;
  const double taken = std::max(now - last_, 0.0);
  const double memory = std::max(shortest_memory, share_of_run * (now - *first_));
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
  if (!(seconds >= 1)) return "a moment left";
  constexpr double minute = 60;
  using Rounding = std::pair<double, double>;  // from so many seconds on, to so many
  for (const auto& [from, step] : {Rounding{60 * minute, 5 * minute}, Rounding{10 * minute, minute},
                                   Rounding{2 * minute, 10}, Rounding{20, 5}}) {
    if (seconds < from) continue;
    std::string text = format_duration(std::round(seconds / step) * step);
    // Whole minutes need no word on seconds.
    if (text.ends_with(" min 0 s")) text.resize(text.size() - 4);
    return fmt::format("about {} left", text);
  }
  return fmt::format("about {:.0f} s left", seconds);
}

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

void Progress::on_device(const Device& device, std::size_t points, const std::string& state) {
  const std::lock_guard lock(mutex_);
  devices_[device.index] =
      fmt::format("GPU {} {}{}{}", device.index, points, state.empty() ? "" : " ", state);
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
  const bool is_due = now - last_shown_ >= (live ? 0.1 : 10) || (live && done_ >= total_);
  if (!is_due) return;
  last_shown_ = now;
  if (live) {
    draw();
  } else {
    print_line(line_text(settings_.terminal(), now));
  }
}

void Progress::show_failure(const Configuration& configuration, const PointRecord& point) {
  constexpr std::size_t most_shown = 10;
  ++failed_;
  const std::string name = to_string(configuration);
  const auto [known, is_new] = mistakes_.try_emplace(mistake_of(point.reason), failures_.size());
  if (is_new) {
    failures_.push_back({point.reason.substr(0, point.reason.find('\n')), {}, 0});
    if (failures_.size() <= most_shown) {
      print_line(fmt::format("failed: {}\n{}", name, indented(shown_message(point.reason))));
    } else if (failures_.size() == most_shown + 1) {
      print_line("points failed for other reasons too; the report lists them all");
    }
  }
  Failures& failures = failures_[known->second];
  if (++failures.points <= 2) failures.first.push_back(name);
}

/// How many points each mistake stopped of those that are done, where they were several.
void Progress::show_repeated_failures() {
  constexpr std::size_t most_shown = 10;
  for (const Failures& each : std::span(failures_).first(std::min(failures_.size(), most_shown))) {
    if (each.points < 2) continue;
    print_line(fmt::format("{} of {} failed, as {} and {}: {}", format_thousands(each.points),
                           count_of(done_, "configuration"), each.first[0], each.first[1],
                           shown_message(each.message)));
  }
  failures_.clear();
  mistakes_.clear();
}

std::vector<Progress::Part> Progress::parts(double now) const {
  std::vector<Part> parts = {{fmt::format("{}/{} points", done_, total_), PartKind::count}};
  const auto left = pace_.seconds_left(total_ - std::min(done_, total_), now);
  if (left && done_ < total_) parts.push_back({describe_left(*left), PartKind::time_left});
  if (!stage_.empty()) parts.push_back({stage_, PartKind::stage});
  if (failed_ > 0) parts.push_back({fmt::format("{} failed", failed_), PartKind::failures});
  if (!devices_.empty()) {
    std::vector<std::string> texts;
    for (const auto& [index, text] : devices_) texts.push_back(text);
    parts.push_back({fmt::format("{}", fmt::join(texts, ", ")), PartKind::devices});
  }
  const auto rate = pace_.rate();
  const bool is_at_points = stage_.empty() || done_ < total_;
  if (rate && is_at_points) parts.push_back({describe_rate(*rate), PartKind::rate});
  // The last one, since it is the one that can be cut.
  const std::string best = settings_.best.describe();
  if (!best.empty()) parts.push_back({best, PartKind::best});
  return parts;
}

std::string Progress::line_text(const Terminal& terminal, double now) const {
  const std::size_t width = !terminal.live ? unbroken : terminal.width > 0 ? terminal.width - 1 : 0;
  std::vector<Part> shown = parts(now);
  for (Part& part : shown) part.text = printable(part.text);
  const auto taken = [&] {
    std::size_t columns = separator.size() * (shown.size() - 1);
    for (const Part& part : shown) columns += columns_of(part.text);
    return columns;
  };
  const std::size_t figure_width = columns_of(settings_.best.describe(false));
  while (shown.size() > 1 && taken() > width) {
    const auto victim = std::ranges::max_element(shown, {}, &Part::kind);
    const std::size_t excess = taken() - width;
    const std::size_t own = columns_of(victim->text);
    if (victim->kind == PartKind::best && own >= excess + figure_width) {
      victim->text = cut_to_width(victim->text, own - excess, terminal.unicode);
    } else {
      shown.erase(victim);
    }
  }
  if (shown.size() == 1) return cut_to_width(shown.front().text, width, terminal.unicode);
  std::vector<std::string> texts;
  for (const Part& part : shown) {
    const bool is_red = part.kind == PartKind::failures && terminal.live && terminal.color;
    texts.push_back(painted(part.text, red, is_red));
  }
  return fmt::format("{}", fmt::join(texts, separator));
}

void Progress::draw() {
  if (is_over_ || settings_.is_quiet || !has_started_) return;
  const Terminal terminal = settings_.terminal();
  if (!terminal.live) return;
  line_.show(line_text(terminal, settings_.clock()), terminal.width);
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
  if (!settings_.is_quiet && !settings_.terminal().live) print_line(stage);
  draw();
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  line_.clear();
  is_over_ = true;
  show_repeated_failures();
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
  if (!is_quiet) ticker_ = repeat_every(interval, [this] { tick(); });
}

void StepProgress::step() {
  const std::lock_guard lock(mutex_);
  ++done_;
  pace_.add(clock_());
}

void StepProgress::tick() {
  constexpr double plain_interval = 10;
  const std::lock_guard lock(mutex_);
  const double now = clock_();
  const Terminal terminal = terminal_of(STDERR_FILENO);
  if (!terminal.live && now - last_shown_ < plain_interval) return;
  const auto left = pace_.seconds_left(steps_ - done_, now);
  const std::string text = printable(
      fmt::format("{}: {} of {} | {}", job_, format_thousands(done_), format_thousands(steps_),
                  left ? describe_left(*left) : fmt::format("for {:.0f} s", now - begin_)));
  if (terminal.live) return line_.show_cut(text, terminal);
  last_shown_ = now;
  line_.print(text);
}

}  // namespace sweep
