#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "engine/text/characters.h"
#include "engine/text/units.h"
#include "report/charts/chart.h"
#include "report/display_text.h"
#include "report/document.h"
#include "report/findings.h"
#include "report/html/page_parts.h"
#include "report/index/run_index.h"

namespace sweep {
namespace {

/// "2025-01-31"
std::string day_of(const std::string& time) {
  constexpr std::size_t length = 10;
  return time.substr(0, length);
}

/// A level or a gain as a share: "97.2 % (97.0 to 97.4 %)".
std::string describe_level(const Estimate& level) {
  const auto percent = [](double share) { return fmt::format("{:.4g}", share * 100); };
  std::string text = percent(level.value) + " %";
  if (level.interval && level.interval->low < level.interval->high) {
    text +=
        fmt::format(" ({} to {} %)", percent(level.interval->low), percent(level.interval->high));
  }
  return text;
}

const char* word_of(Course course) {
  constexpr std::array words = {"first run",       "not finished", "nothing to compare",
                                "no change found", "better",       "worse"};
  return words.at(static_cast<std::size_t>(course));
}

const char* class_of(Course course) {
  constexpr std::array classes = {"first", "unfinished", "apart", "same", "better", "worse"};
  return classes.at(static_cast<std::size_t>(course));
}

/// The place of the newest run that finished.
std::size_t newest_of(const IndexedSeries& series) {
  std::size_t newest = series.steps.size() - 1;
  while (newest > 0 && series.steps[newest].course == Course::unfinished) --newest;
  return newest;
}

/// The last run that was told from the one before it; nothing where none was.
std::optional<std::size_t> last_change_of(const IndexedSeries& series) {
  for (std::size_t i = series.steps.size(); i-- > 0;) {
    const Course course = series.steps[i].course;
    if (course == Course::better || course == Course::worse || course == Course::apart) return i;
  }
  return std::nullopt;
}

/// "worse since 2025-01-31", "better since 2025-01-31", "no change found"
std::string describe_course(const IndexedSeries& series) {
  if (series.regression)
    return "worse since " + day_of(series.steps[series.regression->since].started);
  const auto last = last_change_of(series);
  if (!last) return series.finished() > 1 ? word_of(Course::same) : word_of(Course::first);
  const HistoryStep& step = series.steps[*last];
  if (step.course == Course::apart) return "begun anew on " + day_of(step.started);
  const bool is_as_before = step.course == Course::worse || step.is_made_good;
  return (is_as_before ? "as good as before since " : "better since ") + day_of(step.started);
}

Course course_now(const IndexedSeries& series) {
  if (series.regression) return Course::worse;
  const auto last = last_change_of(series);
  if (!last) return Course::same;
  const HistoryStep& step = series.steps[*last];
  return step.course == Course::better && !step.is_made_good ? Course::better : Course::same;
}

/// The worst first, then what got better, then the others; within these as they came.
std::vector<const IndexedSeries*> by_weight(const RunIndex& index) {
  std::vector<const IndexedSeries*> sorted;
  for (const IndexedSeries& series : index.series) sorted.push_back(&series);
  std::ranges::stable_sort(sorted, std::greater(), [](const IndexedSeries* series) {
    const double lost =
        series->regression ? 1 - series->regression->step.level.value_or(Estimate{1, {}}).value : 0;
    return std::pair(course_now(*series), lost);
  });
  return sorted;
}

/// "2025-01-31 to 2025-03-31"
std::string describe_span(const std::string& first, const std::string& last) {
  const std::string from = day_of(first);
  const std::string to = day_of(last);
  return from == to ? from : from + " to " + to;
}

/// "4254 GB/s"
std::string figure_text(const IndexedRun& run) {
  return run.unit.empty() ? run.figure : run.figure + ' ' + run.unit;
}

/// "36 configurations, 2 failed"
std::string describe_configurations(const IndexedRun& run) {
  std::string text = count_of(run.configurations, "configuration");
  if (run.failed > 0) text += fmt::format(", {} failed", format_thousands(run.failed));
  if (run.broken > 0) text += fmt::format(", {} broken", count_of(run.broken, "expectation"));
  return text;
}

std::string title_of(const RunIndex& index) {
  return "Runs in " + index.folder;
}

/// "312 runs of 12 sweeps on NVIDIA H200 and NVIDIA H100, 2025-01-31 to 2025-03-31."
std::string describe_index(const RunIndex& index) {
  constexpr std::size_t most_devices = 3;
  std::set<std::string> sweeps;
  std::set<std::string> devices;
  std::string first;
  std::string last;
  for (const IndexedSeries& series : index.series) {
    sweeps.insert(series.sweep);
    devices.insert(series.device);
    for (const IndexedRun& run : series.runs) {
      if (first.empty() || run.started < first) first = run.started;
      last = std::max(last, run.started);
    }
  }
  const std::string on = devices.size() <= most_devices ? in_words({devices.begin(), devices.end()})
                                                        : count_of(devices.size(), "device");
  return fmt::format("{} of {} on {}, {}.", count_of(index.count_runs(), "run"),
                     count_of(sweeps.size(), "sweep"), on, describe_span(first, last));
}

/// "8.31 % worse (8.28 to 8.34 %)" of a level of less than 1, "2.00 times worse" of a low one.
std::string describe_average(const Estimate& level) {
  constexpr double lowest_in_percent = 0.6;
  const bool is_worse = level.value < 1;
  if (level.value < lowest_in_percent) return times_text(1 / level.value) + " times worse";
  const auto percent = [&](double share) {
    return fmt::format("{:.3g}", (is_worse ? 1 - share : share - 1) * 100);
  };
  std::string text = percent(level.value) + (is_worse ? " % worse" : " % better");
  if (const Interval ends = level.ends(); ends.low < ends.high) {
    text += fmt::format(" ({} to {} %)", percent(is_worse ? ends.high : ends.low),
                        percent(is_worse ? ends.low : ends.high));
  }
  return text;
}

/// What became worse and by how much, as sentences: the verdict, the largest change, the mean.
std::vector<std::string> describe_regression(const Regression& regression) {
  std::vector<std::string> lines = {regression.step.verdict};
  if (!regression.step.largest.empty()) lines.push_back("most: " + regression.step.largest);
  if (regression.step.level)
    lines.push_back("on average " + describe_average(*regression.step.level));
  return lines;
}

// Markdown.

void add_changes(const RunIndex& index, Document& document) {
  DocumentTable table = {{"sweep", "device", "since", "verdict", "most", "before", "after"}};
  for (const IndexedSeries* series : by_weight(index)) {
    if (!series->regression) continue;
    const Regression& regression = *series->regression;
    if (!series->regression_comparison.empty())
      table.links[{table.rows.size(), 0}] = series->regression_comparison;
    table.rows.push_back({series->sweep, series->device,
                          readable_time(series->steps[regression.since].started),
                          regression.step.verdict, regression.step.largest,
                          series->steps[regression.good].label, regression.step.label});
  }
  if (table.rows.empty()) return;
  document.emplace_back(Heading{2, "What got worse"});
  document.emplace_back(std::move(table));
}

void add_courses(const RunIndex& index, Document& document) {
  DocumentTable table = {
      {"sweep", "device", figure_column("runs"), figure_column("of the first"), "now"}};
  for (const IndexedSeries* series : by_weight(index)) {
    if (series->finished() < 2) continue;
    const std::size_t newest = newest_of(*series);
    const auto& level = series->steps[newest].level;
    if (!series->runs[newest].page.empty())
      table.links[{table.rows.size(), 0}] = series->runs[newest].page;
    table.rows.push_back({series->sweep, series->device, format_thousands(series->runs.size()),
                          level ? describe_level({level->value, {}}) : std::string(no_figure),
                          describe_course(*series)});
  }
  if (table.rows.empty()) return;
  document.emplace_back(Heading{2, "History"});
  document.emplace_back(
      Paragraph{"How good the newest run is beside the first: the geometric mean over the "
                "configurations of both, of a search over its winners."});
  document.emplace_back(std::move(table));
}

void add_runs(const RunIndex& index, Document& document) {
  DocumentTable table = {{"sweep", "device", "started", figure_column("best"), "at",
                          "configurations", "beside earlier runs", "run"}};
  for (const IndexedSeries* series : by_weight(index)) {
    for (std::size_t i = series->runs.size(); i-- > 0;) {
      const IndexedRun& run = series->runs[i];
      if (!run.page.empty()) table.links[{table.rows.size(), 0}] = run.page;
      if (!run.comparison.empty()) table.links[{table.rows.size(), 6}] = run.comparison;
      table.rows.push_back({series->sweep, series->device, readable_time(run.started),
                            figure_text(run), run.best, describe_configurations(run),
                            word_of(series->steps[i].course), series->steps[i].label});
    }
  }
  document.emplace_back(Heading{2, "Runs"});
  document.emplace_back(std::move(table));
}

void add_unread(const RunIndex& index, Document& document) {
  if (index.unread.empty()) return;
  document.emplace_back(Heading{2, "Skipped files"});
  document.emplace_back(list_first(index.unread, index.unread.size(), [](const Unread& unread) {
    return unread.file + ": " + unread.why;
  }));
}

// The page.

/// The levels of a series over its runs.
class CoursePicture {
 public:
  explicit CoursePicture(const IndexedSeries& series) : steps_(series.steps) {
    constexpr double least_span = 0.06;
    for (const HistoryStep& step : steps_) {
      if (!step.level) continue;
      const Interval ends = step.level->ends();
      if (ends.low > 0) low_ = std::min(low_, std::log(ends.low));
      if (std::isfinite(ends.high)) high_ = std::max(high_, std::log(ends.high));
    }
    const double room = std::max(least_span - (high_ - low_), 0.0) / 2;
    low_ -= room;
    high_ += room;
  }

  std::string draw(const std::string& label) const {
    constexpr std::size_t most_hints = 120;
    std::string line;
    std::string upper;
    std::string lower;
    std::string marks;
    std::string hints;
    std::size_t last = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const HistoryStep& step = steps_[i];
      if (!step.level) continue;
      last = i;
      const double x = x_at(i);
      const double y = y_at(step.level->value);
      line += fmt::format("{}{:.0f} {:.0f}", line.empty() ? 'M' : 'L', x, y);
      const Interval ends = step.level->ends();
      upper += fmt::format("L{:.0f} {:.0f}", x, y_at(ends.high));
      lower.insert(0, fmt::format("L{:.0f} {:.0f}", x, y_at(ends.low)));
      const std::string hint = escape_html(fmt::format(
          "{}: {} of the first run{}", day_of(step.started), describe_level(*step.level),
          is_change(step) ? "; " + step.verdict : std::string()));
      if (is_change(step)) {
        const bool is_worse = step.course == Course::worse;
        marks += fmt::format(
            "<path class=\"{}\" d=\"M{:.0f} {:.0f}l-9 {}h18z\"><title>{}</title></path>",
            class_of(step.course), x, is_worse ? y + 12 : y - 12, is_worse ? "-15" : "15", hint);
      } else if (steps_.size() <= most_hints) {
        hints += fmt::format("<path class=\"hint\" d=\"M{:.0f} {:.0f}h0\"><title>{}</title></path>",
                             x, y, hint);
      }
    }
    std::string svg = fmt::format(
        "<svg class=\"course\" viewBox=\"0 0 {:g} {:g}\" role=\"img\" aria-label=\"{}\">", width,
        height, escape_html(label));
    svg += fmt::format("<path class=\"one\" d=\"M0 {0:.0f}H{1:g}\"/>", y_at(1), width);
    if (!upper.empty()) {
      svg += fmt::format("<path class=\"band\" d=\"M{}{}z\"/>", upper.substr(1), lower);
    }
    svg += fmt::format("<path class=\"line\" d=\"{}\"/>{}{}", line, marks, hints);
    if (steps_[last].level && !is_change(steps_[last])) {
      svg += fmt::format("<path class=\"end\" d=\"M{:.0f} {:.0f}h0\"/>", x_at(last),
                         y_at(steps_[last].level->value));
    }
    return svg + "</svg>";
  }

 private:
  static constexpr double width = 480;
  static constexpr double height = 96;
  static constexpr double edge = 16;

  static bool is_change(const HistoryStep& step) {
    return step.course == Course::worse || step.course == Course::better;
  }
  double x_at(std::size_t place) const {
    const auto all = static_cast<double>(std::max<std::size_t>(steps_.size() - 1, 1));
    return edge + static_cast<double>(place) / all * (width - 2 * edge);
  }
  double y_at(double level) const {
    const double at = level > 0 ? std::clamp(std::log(level), low_, high_) : low_;
    return height - edge - (at - low_) / (high_ - low_) * (height - 2 * edge);
  }

  const std::vector<HistoryStep>& steps_;
  double low_ = 0;  ///< logarithms; 0 is the first run
  double high_ = 0;
};

std::string link_to(const std::string& file, const std::string& text) {
  if (file.empty()) return escape_html(text);
  return fmt::format("<a href=\"{}\">{}</a>", escape_link(file), escape_html(text));
}

/// What the page's script filters by.
std::string filter_attributes(const IndexedSeries& series, const std::string& words) {
  std::string text;
  for (const char c : series.sweep + ' ' + series.device + ' ' + words)
    text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return fmt::format(" data-device=\"{}\" data-words=\"{}\"", escape_html(series.device),
                     escape_html(text));
}

/// The runs that were told from those before, the newest first.
std::string changes_fold(const IndexedSeries& series) {
  constexpr std::size_t most = 20;
  std::vector<std::size_t> changes;
  for (std::size_t i = series.steps.size(); i-- > 0;) {
    const Course course = series.steps[i].course;
    if (course != Course::first && course != Course::same && course != Course::unfinished)
      changes.push_back(i);
  }
  if (changes.empty()) return {};
  std::string html = fmt::format("<details><summary>{}</summary>\n<ul class=\"changes\">\n",
                                 count_of(changes.size(), "change"));
  for (const std::size_t i : std::span(changes).first(std::min(changes.size(), most))) {
    const HistoryStep& step = series.steps[i];
    html += fmt::format("<li class=\"{}\"><strong>{}</strong> {}", class_of(step.course),
                        escape_html(readable_time(step.started)),
                        link_to(series.runs[i].page, step.label));
    if (step.against) {
      html +=
          " against " + link_to(series.runs[*step.against].page, series.steps[*step.against].label);
    }
    html += ": " + escape_html(step.verdict);
    if (!step.largest.empty()) html += "; most: " + escape_html(step.largest);
    if (!series.runs[i].comparison.empty())
      html += ". " + link_to(series.runs[i].comparison, "Compare");
    for (const RunDifference& difference : step.differences) {
      html += "<br><span class=\"dim\">" + escape_html(difference.text) + "</span>";
    }
    html += "</li>\n";
  }
  html += "</ul>\n";
  if (changes.size() > most) {
    html += fmt::format("<p class=\"dim\">and {} earlier ones</p>\n", changes.size() - most);
  }
  return html + "</details>\n";
}

/// A sweep's course, and what there is to say about it.
std::string series_row(const IndexedSeries& series) {
  const std::size_t newest = newest_of(series);
  const IndexedRun& run = series.runs[newest];
  const Course now = course_now(series);
  const std::string course = describe_course(series);
  const auto& level = series.steps[newest].level;
  std::string html = fmt::format("<article class=\"series {}\"{}>\n", class_of(now),
                                 filter_attributes(series, course + ' ' + run.patterns));
  html += fmt::format(
      "<div class=\"name\"><h3>{}</h3><p class=\"dim\">{}<br>{}, <span class=\"whole\">{}</span>"
      "</p></div>\n",
      link_to(run.page, series.sweep), escape_html(series.device),
      count_of(series.runs.size(), "run"),
      escape_html(describe_span(series.runs.front().started, series.runs.back().started)));
  html += "<div>" +
          CoursePicture(series).draw(
              fmt::format("{} over {}", series.sweep, count_of(series.runs.size(), "run"))) +
          "</div>\n<div class=\"told\">";
  html += fmt::format("<p><strong class=\"tone\">{}</strong>", escape_html(course));
  if (level && !series.regression) {
    html += fmt::format(" <span class=\"dim\">{} of the first run</span>",
                        describe_level({level->value, {}}));
  }
  html += "</p>\n";
  if (series.regression) {
    for (const std::string& line : describe_regression(*series.regression)) {
      html += "<p>" + escape_html(as_sentence(line)) + "</p>\n";
    }
    const auto& differences = series.steps[series.regression->since].differences;
    if (!differences.empty()) {
      html += "<p class=\"dim\">What else changed then:</p>\n<ul class=\"dim\">\n";
      for (const RunDifference& difference : differences) {
        html += "<li>" + escape_html(difference.text) + "</li>\n";
      }
      html += "</ul>\n";
    }
    html += "<p>" +
            link_to(series.regression_comparison,
                    fmt::format("Compare {} (A) with {} (B)",
                                series.steps[series.regression->good].label,
                                series.regression->step.label)) +
            "</p>\n";
  }
  if (!run.figure.empty()) {
    std::string label = run.figure_label;
    label.front() = to_capital(label.front());
    html += fmt::format("<p>{}: <strong>{}</strong> <span class=\"dim\">{}</span></p>\n",
                        escape_html(label), escape_html(figure_text(run)), escape_html(run.best));
  }
  return html + changes_fold(series) + "</div>\n</article>\n";
}

/// A run, at its place in its series.
std::string run_card(const IndexedSeries& series, std::size_t place) {
  const IndexedRun& run = series.runs[place];
  const HistoryStep& step = series.steps[place];
  const bool is_newest = place + 1 == series.runs.size();
  const bool is_still_worse = series.regression && place == newest_of(series);
  const Course course = is_still_worse ? Course::worse : step.course;
  std::string badges;
  const auto add_badge = [&](const char* kind, const std::string& text) {
    badges += fmt::format("<span class=\"badge {}\">{}</span>", kind, escape_html(text));
  };
  if (run.state != RunState::finished) add_badge("worse", std::string(to_string(run.state)));
  if (is_still_worse) {
    add_badge("worse", describe_course(series));
  } else if (course != Course::first && course != Course::unfinished) {
    add_badge(class_of(course), word_of(course));
  }
  if (run.failed > 0) add_badge("worse", format_thousands(run.failed) + " failed");
  if (run.broken > 0) add_badge("worse", count_of(run.broken, "expectation") + " broken");
  const std::string time = readable_time(run.started);
  std::string html =
      fmt::format("<article class=\"card\"{}{}>\n", is_newest ? " data-newest" : "",
                  filter_attributes(series, fmt::format("{} {} {} {} {}{}{}", time, step.label,
                                                        run.patterns, run.best, word_of(course),
                                                        run.failed > 0 ? " failed" : "",
                                                        run.broken > 0 ? " broken" : "")));
  if (!run.picture.empty()) {
    html += fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", run.picture,
                        escape_html(run.caption));
  }
  html +=
      fmt::format("<h3>{}</h3>\n<p class=\"dim where\">{}<br>{}</p>\n",
                  link_to(run.page, series.sweep), escape_html(series.device), escape_html(time));
  if (!series.summary.empty()) {
    html += "<p class=\"dim about\">" + escape_html(series.summary) + "</p>\n";
  }
  if (!badges.empty()) html += "<p class=\"badges\">" + badges + "</p>\n";
  if (!run.figure.empty()) {
    html += fmt::format(
        "<p class=\"figures\"><span class=\"large\">{}</span> {}<span "
        "class=\"dim\">{}{}</span></p>\n",
        escape_html(run.figure), escape_html(run.unit), escape_html(run.figure_label),
        run.share.empty() ? "" : ", " + escape_html(run.share));
  }
  if (!run.best.empty()) {
    html += fmt::format("<p class=\"best\" title=\"{0}\">{0}</p>\n", escape_html(run.best));
  }
  html += fmt::format("<p class=\"dim end\">{}<br>{}", escape_html(describe_configurations(run)),
                      escape_html(step.label));
  if (!run.comparison.empty()) html += ", " + link_to(run.comparison, "compare");
  return html + "</p>\n</article>\n";
}

std::string filter_bar(const RunIndex& index) {
  std::set<std::string> devices;
  for (const IndexedSeries& series : index.series) devices.insert(series.device);
  std::string html =
      "<div class=\"controls\" id=\"find\" hidden>\n<label for=\"words\">Find</label>\n"
      "<input id=\"words\" type=\"search\" spellcheck=\"false\" autocomplete=\"off\" "
      "placeholder=\"sweep, pattern, T = float, 2025-01, worse, failed\">\n";
  if (devices.size() > 1) {
    html += "<select id=\"device\" aria-label=\"Device\"><option value=\"\">All devices</option>";
    for (const std::string& device : devices)
      html += fmt::format("<option>{}</option>", escape_html(device));
    html += "</select>\n";
  }
  if (index.count_runs() > index.series.size()) {
    html +=
        "<label><input type=\"checkbox\" id=\"every\"> every run, not the newest alone</label>\n";
  }
  return html + "<output id=\"found\" aria-live=\"polite\"></output>\n</div>\n";
}

Document index_page(const RunIndex& index) {
  const std::vector<const IndexedSeries*> sorted = by_weight(index);
  const bool has_worse = !index.worse().empty();
  const bool has_history = std::ranges::any_of(
      sorted, [](const IndexedSeries* series) { return series->finished() > 1; });
  Document document = {
      Section{"summary",
              title_of(index),
              {Paragraph{describe_index(index), Tone::quiet},
               Paragraph{as_sentence(describe_verdict(index)), has_worse     ? Tone::worse
                                                               : has_history ? Tone::better
                                                                             : Tone::usual},
               PageBlock{filter_bar(index)}},
              1}};
  std::string rows;
  for (const IndexedSeries* series : sorted) {
    if (series->finished() > 1) rows += series_row(*series);
  }
  if (!rows.empty()) {
    document.emplace_back(Section{
        "history",
        "History",
        {Paragraph{"How good each run is beside the first: the geometric mean over the "
                   "configurations of both, of a search over its winners. ▼ got worse, ▲ got "
                   "better, told by the 95 % intervals and the threshold of sweep compare.",
                   Tone::quiet},
         PageBlock{rows}}});
  }
  std::string cards;
  for (const IndexedSeries* series : sorted) {
    for (std::size_t i = series->runs.size(); i-- > 0;) cards += run_card(*series, i);
  }
  document.emplace_back(
      Section{"runs", "Runs", {PageBlock{"<div class=\"cards\">\n" + cards + "</div>\n"}}});
  if (!index.unread.empty()) {
    List list;
    for (const Unread& unread : index.unread)
      list.items.push_back({unread.file, Tone::usual, unread.why});
    document.emplace_back(Section{"skipped", "Skipped files", {std::move(list)}});
  }
  return document;
}

}  // namespace

std::size_t IndexedSeries::finished() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      steps, [](const HistoryStep& step) { return step.course != Course::unfinished; }));
}

std::size_t RunIndex::count_runs() const {
  std::size_t count = 0;
  for (const IndexedSeries& each : series) count += each.runs.size();
  return count;
}

std::vector<const IndexedSeries*> RunIndex::worse() const {
  std::vector<const IndexedSeries*> found;
  for (const IndexedSeries& each : series) {
    if (each.regression) found.push_back(&each);
  }
  return found;
}

IndexedRun indexed_run(const RunAnalysis& run) {
  const RunResults& results = run.results;
  IndexedRun indexed;
  indexed.started = results.run.started;
  indexed.state = results.run.state;
  indexed.configurations = results.points.size();
  indexed.failed = results.count_failed();
  const auto expectations = check_expectations_on(results.expectations, results.points, true);
  indexed.broken = static_cast<std::size_t>(std::ranges::count_if(
      expectations, [](const ExpectationResult& result) { return !result.kept(); }));
  if (const auto headline = headline_of(run)) {
    const PointRecord& point = *run.points[headline->place];
    indexed.figure_label = headline->label;
    if (headline->metric.origin != Origin::measured)
      indexed.figure_label += fmt::format(", {}", to_string(headline->metric.origin));
    indexed.figure = format_figure(figure_of(point, headline->metric).value());
    indexed.unit = unit_of(headline->metric.name);
    indexed.best = describe(point, run.told);
    if (headline->share_of_peak) {
      indexed.share = format_figure(*headline->share_of_peak) + " % of the peak";
    }
  }
  std::set<std::string> patterns;
  for (const PointRecord* point : run.points) patterns.insert(point->key.pattern_name);
  indexed.patterns = fmt::format("{}", fmt::join(patterns, " "));
  if (const std::vector<Chart> charts = charts_of(results); !charts.empty()) {
    const Chart& chart = charts.front();
    indexed.picture = draw_small_chart(chart);
    indexed.caption = chart.figure_label + (chart.x.label.empty() ? "" : " over " + chart.x.label);
  }
  return indexed;
}

std::string describe_verdict(const RunIndex& index) {
  const std::size_t worse = index.worse().size();
  const auto compared = static_cast<std::size_t>(std::ranges::count_if(
      index.series, [](const IndexedSeries& series) { return series.finished() > 1; }));
  if (worse > 0) {
    std::vector<std::string> names;
    for (const IndexedSeries* series : index.worse())
      names.push_back(series->sweep + " on " + series->device);
    constexpr std::size_t most_named = 6;
    const bool are_named = names.size() <= most_named;
    return fmt::format("{} of {} with several runs got worse{}", worse, count_of(compared, "sweep"),
                       are_named ? ": " + in_words(names) : "");
  }
  if (compared == 0) return "no sweep has two runs on one device yet that could be compared";
  return compared == 1 ? "the sweep with several runs did not get worse"
                       : fmt::format("none of the {} sweeps with several runs got worse", compared);
}

std::string write_index_markdown(const RunIndex& index) {
  Document document = {Heading{1, title_of(index)}, Paragraph{describe_index(index)},
                       Paragraph{as_sentence(describe_verdict(index)),
                                 index.worse().empty() ? Tone::usual : Tone::worse}};
  add_changes(index, document);
  add_courses(index, document);
  add_runs(index, document);
  add_unread(index, document);
  std::string text = render_markdown(document);
  text.pop_back();  // the empty line at the end
  return text;
}

std::string write_index_html(const RunIndex& index) {
  const std::array scripts = {index_script()};
  const Document document = index_page(index);
  return page_head(title_of(index), index_style(), scripts) + "<body>\n" +
         page_navigation(document) + "<main>\n" + render_html(document) + "</main>\n<script>" +
         std::string(index_script().text) + "</script>\n</body>\n</html>\n";
}

}  // namespace sweep
