#include "engine/cli/terminal/best_so_far.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/store/ranking.h"
#include "engine/text/units.h"
#include "report/metric_column.h"

namespace sweep {
namespace {

void add_metric(std::vector<TuneObjective>& by, const std::string& name) {
  const Better better = better_of(name);
  if (better != Better::neither) by.push_back({name, better});
}

/// "2738 GB/s", "98.21 % efficiency", "4.000 load_sectors_per_request"
std::string describe_figure(const std::string& metric, double figure) {
  const std::string unit = unit_of(metric);
  std::string text = format_figure(figure);
  if (!unit.empty()) text += " " + unit;
  const bool unit_says_it = unit == "GB/s" || metric == "time";
  return unit_says_it ? text : text + " " + metric;
}

std::vector<TuneObjective> best_by(const Sweep& sweep) {
  if (sweep.tune) return sweep.tune->objectives;
  std::vector<TuneObjective> by;
  for (const char* timed : {"bandwidth", "shared_bandwidth", "time"}) add_metric(by, timed);
  for (const TableLayout& table : sweep.report.tables) {
    for (const std::string& value : table.values) add_metric(by, value);
  }
  for (const char* counted :
       {"load_sectors_per_request", "store_sectors_per_request", "shared_conflicts"}) {
    add_metric(by, counted);
  }
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

}  // namespace

BestSoFar::BestSoFar(std::vector<TuneObjective> by, std::vector<std::string> telling,
                     std::vector<std::string> for_each)
    : by_(std::move(by)), telling_(std::move(telling)), for_each_(std::move(for_each)) {}

BestSoFar::BestSoFar(const Sweep& sweep)
    : BestSoFar(best_by(sweep), varying_names(sweep),
                sweep.tune ? sweep.tune->for_each : std::vector<std::string>()) {}

const Metric* BestSoFar::metric_of(const PointRecord& point) {
  const auto find = [&](const TuneObjective& by) -> const Metric* {
    const auto found = std::ranges::find(point.metrics, by.metric, &Metric::name);
    return found != point.metrics.end() && std::isfinite(found->value) ? &*found : nullptr;
  };
  if (chosen_) return find(*chosen_);
  for (const TuneObjective& by : by_) {
    const Metric* metric = find(by);
    if (metric == nullptr) continue;
    chosen_ = by;
    return metric;
  }
  return nullptr;
}

void BestSoFar::add(const PointRecord& point) {
  if (point.status == PointStatus::failed || is_cut_off(point)) return;
  const Metric* metric = metric_of(point);
  if (metric == nullptr) return;
  const Bindings group = group_of(point.key, for_each_);
  newest_ =
      static_cast<std::size_t>(std::ranges::find(bests_, group, &Best::group) - bests_.begin());
  const bool is_first = newest_ == bests_.size();
  if (is_first) bests_.push_back({group, 0, {}});
  Best& best = bests_[newest_];
  const bool is_higher = chosen_->better == Better::higher;
  if (!is_first && !(is_higher ? metric->value > best.figure : metric->value < best.figure)) return;
  best.figure = metric->value;
  best.parameters = words_of(with_pattern(point.key.pattern_name, point.key.parameters));
}

/// "transpose STRIDE=1 T=float"
std::string BestSoFar::words_of(const Bindings& environment) const {
  std::string text;
  for (const std::string& name : telling_) {
    const Value* value = environment.find(name);
    const bool is_of_group = std::ranges::find(for_each_, name) != for_each_.end();
    if (value == nullptr || is_of_group) continue;
    if (!text.empty()) text += ' ';
    text += name == "pattern" ? to_string(*value) : name + "=" + to_string(*value);
  }
  return text;
}

std::string BestSoFar::describe(bool with_names) const {
  if (bests_.empty()) return "";
  const Best& best = bests_[newest_];
  const std::string group = best.group.empty() ? "" : "of " + to_string(best.group) + " ";
  std::string text = fmt::format("best {}{}", group, describe_figure(chosen_->metric, best.figure));
  if (with_names && !best.parameters.empty()) text += ": " + best.parameters;
  return text;
}

}  // namespace sweep
