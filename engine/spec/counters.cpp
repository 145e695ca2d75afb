#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/spec/metric.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"

namespace sweep {
namespace {

/// Of each part the first counter that has a value.
std::optional<double> sum_of(std::span<const CounterNames> parts, const CounterValues& values) {
  double sum = 0;
  for (const CounterNames& names : parts) {
    if (names.front() == no_counter) continue;
    auto found = values.end();
    for (auto name = names.begin(); name != names.end() && found == values.end(); ++name) {
      found = values.find(*name);
      if (found != values.end() && !std::isfinite(found->second)) found = values.end();
    }
    if (found == values.end()) return std::nullopt;
    sum += found->second;
  }
  return sum;
}

const CounterSet* find_set(std::string_view name) {
  const auto sets = counter_sets();
  const auto found = std::ranges::find(sets, name, &CounterSet::name);
  return found != sets.end() ? &*found : nullptr;
}

std::string sets_there_are() {
  std::vector<std::string> names;
  for (const CounterSet& set : counter_sets()) names.push_back(set.name);
  return fmt::format("the sets are: {}; 'sweep list metrics' shows what they give",
                     fmt::join(names, ", "));
}

/// The metrics that a name stands for.
std::vector<std::string> metrics_of(const std::string& name) {
  if (const CounterSet* set = find_set(name)) return set->metrics;
  const MetricDefinition* metric = find_metric(name);
  if (metric == nullptr || metric->counters.empty()) return {};
  return {metric->name};
}

void add_once(std::vector<std::string>& list, const std::string& name) {
  if (std::ranges::find(list, name) == list.end()) list.push_back(name);
}

}  // namespace

std::optional<double> evaluate(const CounterFormula& formula, const CounterValues& values) {
  const auto sum = sum_of(formula.parts, values);
  const auto less = sum_of(formula.less, values);
  if (!sum || !less) return std::nullopt;
  const double difference = *sum - *less;
  const double dividend =
      formula.factor * (formula.less.empty() ? difference : std::max(difference, 0.0));
  if (formula.over.empty()) return dividend;
  const auto divisor = sum_of(formula.over, values);
  if (!divisor || *divisor == 0) return std::nullopt;
  return dividend / *divisor;
}

std::span<const CounterSet> counter_sets() {
  static const std::vector<CounterSet> sets = {
      {"memory",
       "loads from and stores to global memory",
       {"load_requests", "load_sectors", "load_sectors_per_request", "store_requests",
        "store_sectors", "store_sectors_per_request"}},
      {"shared",
       "shared memory and its bank conflicts",
       {"shared_load_requests", "shared_load_wavefronts", "shared_load_ideal_wavefronts",
        "shared_load_wavefronts_per_request", "shared_load_conflicts", "shared_store_requests",
        "shared_store_wavefronts", "shared_store_ideal_wavefronts",
        "shared_store_wavefronts_per_request", "shared_store_conflicts", "shared_conflicts"}},
      {"cache",
       "hits in the caches, and the traffic between them",
       {"l1_hit_rate", "l2_hit_rate", "l2_read_sectors", "l2_write_sectors"}},
      {"dram",
       "what device memory moves",
       {"dram_read_bytes", "dram_write_bytes", "dram_throughput"}},
      {"instructions",
       "warp instructions, and the same by active threads",
       {"instructions", "thread_instructions"}}};
  return sets;
}

bool is_counter_name(std::string_view name) {
  const auto may_have = [](char c) { return is_word(c) || c == '.'; };
  const std::size_t mark = name.find("__");
  return mark != std::string_view::npos && mark > 0 && mark + 2 < name.size() &&
         std::ranges::all_of(name, may_have);
}

std::optional<CounterMistake> find_counter_mistake(std::string_view name) {
  const std::string text(name);
  if (is_counter_name(name) || !metrics_of(text).empty()) return std::nullopt;
  if (const MetricDefinition* metric = find_metric(name)) {
    return CounterMistake{fmt::format("no hardware counter gives '{}'", metric->name),
                          sets_there_are()};
  }
  if (text.find("__") != std::string::npos) {
    return CounterMistake{fmt::format("'{}' is not the name of a counter", name),
                          "NVIDIA's names look like l1tex__t_sectors.sum"};
  }
  std::vector<std::string> known;
  for (const CounterSet& set : counter_sets()) known.push_back(set.name);
  for (const MetricDefinition& metric : metric_definitions()) {
    if (metric.counters.empty()) continue;
    known.push_back(metric.name);
    if (!metric.old_name.empty()) known.push_back(metric.old_name);
  }
  const std::string meant = did_you_mean(name, known);
  return CounterMistake{fmt::format("'{}' is neither a set of counters nor a counter", name),
                        meant.empty() ? sets_there_are() : meant};
}

std::vector<std::string> check_counters(std::span<const std::string> names) {
  std::vector<std::string> sentences;
  for (const std::string& name : names) {
    if (const auto mistake = find_counter_mistake(name)) {
      sentences.push_back(fmt::format("{}; {}", mistake->message, mistake->help));
    }
  }
  return sentences;
}

std::vector<std::string> split_counters(std::string_view list) {
  std::vector<std::string> names;
  for (std::size_t at = 0, end = 0; at < list.size(); at = end + 1) {
    end = std::min(list.find_first_of(", ", at), list.size());
    if (end > at) names.emplace_back(list.substr(at, end - at));
  }
  return names;
}

std::vector<std::string> canonical_counters(std::span<const std::string> names) {
  std::set<std::string> wanted;
  for (const std::string& name : names) {
    const MetricDefinition* metric = find_set(name) == nullptr ? find_metric(name) : nullptr;
    wanted.insert(metric != nullptr ? metric->name : name);
  }
  std::vector<std::string> ordered;
  const auto take = [&](const std::string& name) {
    if (wanted.erase(name) > 0) ordered.push_back(name);
  };
  for (const CounterSet& set : counter_sets()) take(set.name);
  for (const MetricDefinition& metric : metric_definitions()) take(metric.name);
  ordered.insert(ordered.end(), wanted.begin(), wanted.end());
  return ordered;
}

std::string counters_text(std::span<const std::string> names) {
  return fmt::format("{}", fmt::join(canonical_counters(names), ", "));
}

std::vector<CounterFormula> formulas_of(std::span<const std::string> names) {
  std::set<std::string> wanted;
  std::set<std::string> counters;
  for (const std::string& name : names) {
    const std::vector<std::string> metrics = metrics_of(name);
    wanted.insert(metrics.begin(), metrics.end());
    if (metrics.empty() && is_counter_name(name)) counters.insert(name);
  }
  std::vector<CounterFormula> formulas;
  for (const MetricDefinition& metric : metric_definitions()) {
    if (wanted.contains(metric.name)) formulas.push_back(metric.formula);
  }
  for (const std::string& counter : counters) formulas.push_back({counter, {{counter}}});
  return formulas;
}

std::vector<std::string> counters_of(std::span<const CounterFormula> formulas) {
  std::vector<std::string> counters;
  for (const CounterFormula& formula : formulas) {
    for (const auto* parts : formula.sums()) {
      for (const CounterNames& names : *parts) {
        for (const std::string& name : names) {
          if (name != no_counter) add_once(counters, name);
        }
      }
    }
  }
  return counters;
}

bool depends_on_cache(std::string_view counter) {
  constexpr std::string_view of_warps[] = {"sm__sass_",
                                           "smsp__sass_",
                                           "smsp__inst_executed",
                                           "smsp__thread_inst_executed",
                                           "l1tex__t_requests_pipe_lsu",
                                           "l1tex__t_sectors_pipe_lsu",
                                           "l1tex__data_pipe_lsu_wavefronts_mem_shared",
                                           "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"};
  return counter.find("_lookup_") != std::string_view::npos || !counter.ends_with(".sum") ||
         std::ranges::none_of(of_warps,
                              [&](std::string_view begin) { return counter.starts_with(begin); });
}

}  // namespace sweep
