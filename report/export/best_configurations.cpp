#include "report/export/best_configurations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/findings.h"

namespace sweep {
namespace {

void find_tuned(ExportedRun& run) {
  const TuningRecord& tuning = *run.results.run.tuning;
  const std::vector<StoredPoint>& points = run.results.points;
  for (const TunedGroup& group : tuning.groups) {
    const auto winner = group.winner
                            ? std::ranges::find(points, *group.winner, &StoredPoint::ordinal)
                            : points.end();
    if (winner == points.end() || !std::isfinite(group.figure)) {
      run.without_best.push_back(
          fmt::format("{}: none of the {} configurations tried succeeded",
                      group.group.empty() ? "the run" : to_string(group.group), group.tried));
      continue;
    }
    run.best.push_back(
        {group, static_cast<std::size_t>(winner - points.begin()), column_of(tuning)});
  }
}

/// The best of each pattern: the verdict's, but a pattern's only point has none.
void find_judged(ExportedRun& run) {
  const std::vector<StoredPoint>& points = run.results.points;
  const RunAnalysis analysis(run.results);
  const Verdicts& verdicts = analysis.verdicts;
  const std::vector<RankedGroup> groups = ranked_groups(points);
  const ParameterValues* patterns = find_parameter(analysis.parameters, "pattern");
  if (patterns == nullptr) return;
  for (const Value& value : patterns->values()) {
    const std::string pattern = to_string(value);
    const auto ranked = std::ranges::find(groups, pattern, &RankedGroup::pattern);
    if (ranked == groups.end()) {
      run.without_best.push_back(fmt::format("pattern={}: none of its points has a time", pattern));
      continue;
    }
    BestConfiguration& best = run.best.emplace_back();
    best.group.set("pattern", pattern);
    best.column = {ranked->ranked_by.metric, Origin::measured};
    best.place = ranked->places.front();
    const auto judged = std::ranges::find(verdicts.groups, pattern, &VerdictGroup::pattern);
    if (judged != verdicts.groups.end()) {
      best.place = judged->best;
      best.rounds = verdicts.of_points[best.place]->rounds;
    }
    const PointRecord& point = points[best.place].point;
    best.figure = figure_of(point, ranked->ranked_by).value();
    const Interval interval = interval_of(point, ranked->ranked_by).value_or(Interval{});
    best.figure_low = interval.low;
    best.figure_high = interval.high;
    best.tried = std::ranges::count(analysis.points, pattern,
                                    [](const PointRecord* each) { return each->key.pattern_name; });
    best.configurations = best.tried;
  }
}

/// What tells a run's device from others.
auto device_of(const RunRecord& run) {
  const Device& device = run.provenance.device;
  return std::tuple(device.backend, device.name, device.uuid, device.compute_capability);
}

/// Compilers warn of characters that turn the direction of writing, which can hide code.
std::string comment_line(std::string_view mark, std::string text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  std::string line(mark);
  if (!text.empty()) line += ' ' + text;
  // A backslash, which "??/" once stood for, would take the next line into the comment.
  if (line.ends_with('\\') || line.ends_with("?\?/")) line += " .";
  return line + '\n';
}

/// Four digits are plenty, but a ratio near 1 needs its decimals.
std::string show_ratio(double ratio) {
  return fmt::format("{:.{}f}", ratio, ratio < 2 ? 3 : 2);
}

std::string describe_tried(const ExportedRun& run, const BestConfiguration& best) {
  const auto thousands = [](std::int64_t count) {
    return format_thousands(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0)));
  };
  const std::string tried = thousands(best.tried);
  const bool is_search = run.results.run.tuning.has_value();
  if (is_search && best.tried != best.configurations) {
    return fmt::format("{} of {} configurations tried", tried, thousands(best.configurations));
  }
  if (!is_search && run.results.run.state != RunState::finished) {
    return tried + " configurations tried in a run that did not finish";
  }
  return best.tried == 1 ? "the only configuration" : "all " + tried + " configurations tried";
}

/// "BYTES = 1048576 and N = 65536 or 262144"
std::string describe_emulators_own(const ExportedRun& run) {
  std::vector<std::string> texts;
  for (const std::string& name : run.emulators_own) {
    std::vector<std::string> values;
    for (const BestConfiguration& best : run.best) {
      const Value* value = point_of(run, best).key.parameters.find(name);
      if (value == nullptr) continue;
      std::string text = to_string(*value);
      if (std::ranges::find(values, text) == values.end()) values.push_back(std::move(text));
    }
    if (!values.empty()) texts.push_back(name + " = " + in_words(values, "or"));
  }
  return in_words(texts);
}

}  // namespace

bool ExportedRun::is_ranked_by_counts() const {
  const auto& tuning = results.run.tuning;
  return tuning && tuning->origin == Origin::emulated;
}

ExportedRun find_best(RunResults results) {
  ExportedRun run = {std::move(results)};
  if (run.results.run.tuning) {
    find_tuned(run);
  } else {
    find_judged(run);
  }
  return run;
}

const PointRecord& point_of(const ExportedRun& run, const BestConfiguration& best) {
  return run.results.points[best.place].point;
}

std::vector<RunRecord> newest_runs(const std::vector<RunRecord>& runs) {
  std::vector<RunRecord> newest;
  for (const RunRecord& run : runs) {
    const bool is_part = std::ranges::any_of(
        runs, [&](const RunRecord& merged) { return merged.was_merged_from(run.id); });
    if (is_part) continue;
    const auto known = std::ranges::find(newest, device_of(run), device_of);
    if (known == newest.end()) {
      newest.push_back(run);
    } else if (run.state == RunState::finished || known->state != RunState::finished) {
      *known = run;
    }
  }
  return newest;
}

std::string comment_lines(std::string_view mark, std::string_view text, std::size_t width) {
  std::string clean(text);
  std::ranges::replace_if(
      clean, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  clean = printable(clean);
  if (width == 0 || clean.empty()) return comment_line(mark, std::move(clean));
  std::string lines;
  for (std::string& line : wrap(clean, width - std::min(width, mark.size() + 1))) {
    lines += comment_line(mark, std::move(line));
  }
  return lines;
}

std::string title_of(std::span<const ExportedRun> runs) {
  const bool is_counted = std::ranges::any_of(runs, &ExportedRun::is_ranked_by_counts);
  return is_counted ? "Configurations ranked by counts, not by speed," : "The best configurations";
}

std::vector<std::string> describe_origin(const ExportedRun& run) {
  constexpr std::array<std::string_view, 6> told = {"device", "driver",    "compiler",
                                                    "engine", "measuring", "run"};
  std::vector<std::string> lines;
  const bool is_counted = run.is_ranked_by_counts();
  if (is_counted) {
    lines.push_back("NOT MEASURED: " + describe_ranking(*run.results.run.tuning));
    const std::string own = describe_emulators_own(run);
    if (!own.empty()) {
      lines.push_back("counted with the emulator's own values, not tuned for them: " + own);
    }
  }
  const DocumentTable provenance = provenance_table(run.results.run);
  for (const std::vector<std::string>& row : provenance.rows) {
    const std::string& what = row[0];
    if (std::ranges::find(told, what) == told.end()) continue;
    // The emulator has a device's rules and is none.
    const Device& device = run.results.run.provenance.device;
    const bool is_no_device = is_counted && what == "device" && device.backend != "cuda";
    lines.push_back(is_no_device ? "counted by: " + device.name
                                 : fmt::format("{}: {}", what, row[1]));
  }
  std::vector<std::string> metrics;
  for (const BestConfiguration& best : run.best) {
    std::string heading = heading_of(best.column);
    if (std::ranges::find(metrics, heading) == metrics.end()) metrics.push_back(std::move(heading));
  }
  if (!metrics.empty()) lines.push_back("best by: " + in_words(metrics));
  if (const auto& tuning = run.results.run.tuning) {
    lines.push_back("search: strategy " + tuning->strategy);
    if (tuning->seed != 0) lines.back() += fmt::format(", seed {}", tuning->seed);
  }
  const std::string& command = run.results.run.provenance.command;
  if (!command.empty()) lines.push_back("made by: " + command);
  return lines;
}

std::string describe_best(const ExportedRun& run, const BestConfiguration& best) {
  std::string text = describe_figure(best.column, best.figure);
  while (text.ends_with(' ')) text.pop_back();
  const auto is_interval = [](double low, double high) {
    return std::isfinite(low) && std::isfinite(high) && low > 0 && low <= high;
  };
  std::string known;
  // A count is exact.
  if (is_interval(best.figure_low, best.figure_high) && best.figure_low < best.figure_high) {
    known = fmt::format("95 % interval {} to {}", format_figure(best.figure_low),
                        format_figure(best.figure_high));
  }
  if (best.rounds > 0) {
    known += fmt::format("{}compared in {} rounds", known.empty() ? "" : ", ", best.rounds);
  }
  if (!known.empty()) text += " (" + known + ")";
  if (best.gain > 0 && std::isfinite(best.gain)) {
    text += fmt::format(", {} times as good as the default{}", show_ratio(best.gain),
                        run.is_ranked_by_counts() ? " by this count" : "");
    if (best.rounds > 0 && is_interval(best.gain_low, best.gain_high)) {
      text += fmt::format(" ({} to {})", show_ratio(best.gain_low), show_ratio(best.gain_high));
    }
  }
  return text + "; " + describe_tried(run, best);
}

}  // namespace sweep
