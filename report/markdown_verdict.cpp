#include "report/markdown_verdict.h"

#include <fmt/format.h>

#include "engine/text/units.h"
#include "report/markdown_text.h"

namespace sweep {
namespace {

constexpr std::size_t most_compared = 10;

std::string describe_rounds(const PointVerdict& verdict) {
  if (verdict.rounds <= 0) return {};
  return count_of(static_cast<std::uint64_t>(verdict.rounds), "round");
}

std::string describe_interval(const PointVerdict& verdict) {
  if (!verdict.interval) return "–";
  return format_figure(verdict.interval->low) + "–" + format_figure(verdict.interval->high);
}

std::string write_group(const VerdictGroup& group, const RunAnalysis& run, bool is_unfinished) {
  std::vector<std::size_t> shown = {group.best};
  for (const std::size_t i : group.same) {
    if (shown.size() < most_compared) shown.push_back(i);
  }
  const std::size_t left_out = group.same.size() + 1 - shown.size();
  if (group.slowest) shown.push_back(*group.slowest);
  std::vector<std::vector<std::string>> rows;
  for (const std::size_t i : shown) {
    const PointVerdict& verdict = *run.verdicts.of_points[i];
    rows.push_back(
        {escape_markdown(describe(environment_of(*run.points[i]), run.told)),
         format_figure(verdict.figure), describe_interval(verdict),
         (i == group.slowest ? std::string(word_for_slowest(group.metric)) + ": " : std::string()) +
             to_string(verdict) + (is_unfinished && i == group.best ? " so far" : ""),
         describe_rounds(verdict)});
  }
  std::string text = markdown_table({{"configuration", false},
                                     {escape_markdown(heading_of(group.metric)), true},
                                     {"95 % interval", true},
                                     {"verdict", false},
                                     {"compared in", false}},
                                    rows) +
                     '\n';
  if (left_out > 0) {
    text += fmt::format("{} more {} the same as the best.\n\n", format_thousands(left_out),
                        left_out == 1 ? "is" : "are");
  }
  if (group.not_compared > 0) {
    text +=
        fmt::format("{} {} not compared, for want of an interval.\n\n",
                    format_thousands(group.not_compared), group.not_compared == 1 ? "is" : "are");
  }
  return text;
}

}  // namespace

std::string write_verdict(const RunAnalysis& run) {
  const RunResults& results = run.results;
  std::vector<VerdictGroup> groups = run.verdicts.groups;
  std::erase_if(groups, [&](const VerdictGroup& group) { return is_won(results, group); });
  if (groups.empty()) return {};
  std::string text =
      "## Verdict\n\n"
      "A configuration is the same as the best where the measuring cannot tell them apart: by "
      "rounds in turn where there were any, else by intervals that overlap.\n\n";
  if (results.run.tuning) text += "The search in these groups has not come to an end.\n\n";
  for (const VerdictGroup& group : groups) {
    if (!group.label.empty()) text += "### " + escape_markdown(group.label) + "\n\n";
    text += write_group(group, run, results.run.tuning && !group.tuned);
  }
  return text;
}

}  // namespace sweep
