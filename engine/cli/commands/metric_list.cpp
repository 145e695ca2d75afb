#include "engine/cli/commands/metric_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "engine/spec/counters.h"
#include "report/display_text.h"
#include "report/document.h"

namespace sweep {

std::string hanging_text(std::string_view text, std::size_t column, std::size_t width) {
  constexpr std::size_t narrowest = 20;
  const std::size_t rest = width > column + narrowest ? width - column : narrowest;
  return fmt::format("{}", fmt::join(wrap(text, rest), fmt::format("\n{:{}}", "", column)));
}

namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> origin_words(const MetricDefinition& metric) {
  std::vector<std::string> words;
  for (const Origin origin : metric.origins) words.emplace_back(to_string(origin));
  return words;
}

/// "higher", "lower", or empty where neither is better.
std::string better_word(Better better) {
  return better == Better::neither ? "" : std::string(to_string(better));
}

/// `text` behind a margin, in whole lines.
std::string with_margin(std::string_view text, std::size_t margin, std::size_t width) {
  return fmt::format("{:{}}{}\n", "", margin, hanging_text(text, margin, width));
}

/// "load_sectors [1]: hardware, emulated; lower is better", and below it what it means.
std::string entry_of(const MetricDefinition& metric, std::size_t margin, std::size_t width) {
  constexpr std::size_t step = 4;
  std::string head =
      fmt::format("{} [{}]: {}", metric.name, metric.unit, fmt::join(origin_words(metric), ", "));
  const std::string better = better_word(metric.better);
  if (!better.empty()) head += "; " + better + " is better";
  std::string text = metric.meaning;
  if (!metric.old_name.empty()) text += fmt::format(" (nvprof: {})", metric.old_name);
  return with_margin(head, margin, width) + with_margin(text, margin + step, width);
}

std::vector<std::string> sets_with(const std::string& metric) {
  std::vector<std::string> names;
  for (const CounterSet& set : counter_sets()) {
    if (std::ranges::find(set.metrics, metric) != set.metrics.end()) names.push_back(set.name);
  }
  return names;
}

constexpr const char* about_origins =
    "measured: timed on the GPU. hardware: counted by the GPU where a sweep or --counters asks for "
    "it. emulated: counted by the emulator, with a GPU too. 'sweep show metric NAME' shows the "
    "counters behind one.";

constexpr const char* about_sets =
    "Sets of hardware counters, for measure: {counters: memory}; single metrics of them and "
    "counters by NVIDIA's names can stand there too:";

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

}  // namespace

std::string list_metrics(std::size_t width) {
  constexpr std::size_t margin = 2;
  constexpr std::size_t set_column = 14;
  std::string text = fmt::format("{}\n", fmt::join(wrap(about_origins, width), "\n"));
  for (const MetricGroup& group : metric_groups()) {
    text += fmt::format("\n{}\n", group.name);
    for (const MetricDefinition& metric : group.metrics) text += entry_of(metric, margin, width);
  }
  text += fmt::format("\n{}\n", fmt::join(wrap(about_sets, width), "\n"));
  for (const CounterSet& set : counter_sets()) {
    const std::string meaning = fmt::format("{}: {}", set.meaning, fmt::join(set.metrics, ", "));
    text += fmt::format("{}{}\n", pad_right(set.name, set_column),
                        hanging_text(meaning, set_column, width));
  }
  return text;
}

std::string describe_metric(const MetricDefinition& metric, std::size_t width) {
  std::string text = fmt::format("{} [{}]\n", metric.name, metric.unit);
  text += with_margin(metric.meaning, 0, width) + '\n';
  const auto line = [&](std::string_view what, const std::string& value) {
    constexpr std::size_t column = 12;
    if (value.empty()) return;
    text += fmt::format("{}{}\n", pad_right(what, column), hanging_text(value, column, width));
  };
  line("group", std::string(metric.group));
  line("origins", fmt::format("{}", fmt::join(origin_words(metric), ", ")));
  line("better", better_word(metric.better));
  line("nvprof", metric.old_name);
  line("counters", metric.counters);
  if (!metric.counters.empty()) {
    line("sets", fmt::format("{}", fmt::join(sets_with(metric.name), ", ")));
  }
  return text;
}

std::string metric_page() {
  std::string page = fmt::format(
      "# Metrics\n\n{}\n\n`sweep list metrics --format md` writes this page.\n", about_origins);
  for (const MetricGroup& group : metric_groups()) {
    std::vector<std::vector<std::string>> rows;
    for (const MetricDefinition& metric : group.metrics) {
      rows.push_back({escape_markdown(metric.name), metric.unit,
                      fmt::format("{}", fmt::join(origin_words(metric), ", ")),
                      better_word(metric.better), escape_markdown(metric.meaning),
                      escape_markdown(metric.old_name), escape_markdown(metric.counters)});
    }
    page += fmt::format("\n## {}\n\n", group.name);
    page += markdown_table({"metric", "unit", "origins", "better", "meaning", "nvprof", "counters"},
                           rows);
  }
  page += fmt::format("\n## Sets of counters\n\n{}\n\n", escape_markdown(about_sets));
  std::vector<std::vector<std::string>> rows;
  for (const CounterSet& set : counter_sets()) {
    rows.push_back({set.name, escape_markdown(set.meaning),
                    escape_markdown(fmt::format("{}", fmt::join(set.metrics, ", ")))});
  }
  return page + markdown_table({"set", "meaning", "metrics"}, rows);
}

std::string metrics_json() {
  Json metrics = Json::array();
  for (const MetricDefinition& metric : metric_definitions()) {
    metrics.push_back({{"name", metric.name},
                       {"unit", metric.unit},
                       {"group", std::string(metric.group)},
                       {"origins", origin_words(metric)},
                       {"meaning", metric.meaning},
                       {"better", text_or_null(better_word(metric.better))},
                       {"nvprof", text_or_null(metric.old_name)},
                       {"counters", text_or_null(metric.counters)}});
  }
  Json sets = Json::array();
  for (const CounterSet& set : counter_sets()) {
    sets.push_back({{"name", set.name}, {"meaning", set.meaning}, {"metrics", set.metrics}});
  }
  constexpr int indent = 2;
  return Json{{"metrics", std::move(metrics)}, {"counter_sets", std::move(sets)}}.dump(indent) +
         '\n';
}

}  // namespace sweep
