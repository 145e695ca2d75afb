#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/counter_formula.h"

namespace sweep {

/// Metrics that hardware counters give together, under one name.
struct CounterSet {
  std::string name;
  std::string meaning;
  std::vector<std::string> metrics;
};

std::span<const CounterSet> counter_sets();
/// What `counters: true` means.
constexpr std::string_view default_counter_set = "memory";

/// Whether this is a counter in NVIDIA's own words, "l1tex__t_sectors.sum", as far as its form
/// goes: which a GPU has is only known there. It becomes a metric of that name.
bool is_counter_name(std::string_view name);

/// What is wrong with a name, and a way out.
struct CounterMistake {
  std::string message;
  std::string help;
};

/// Nothing when `name` is a set, a metric that counters give, or a counter in NVIDIA's words.
std::optional<CounterMistake> find_counter_mistake(std::string_view name);
/// A sentence for each name that cannot be counted.
std::vector<std::string> check_counters(std::span<const std::string> names);

/// The names in a list with commas, as the command line has it: "memory,dram".
std::vector<std::string> split_counters(std::string_view list);
/// The names in one order, each once, metrics by today's names: equal for equal requests.
std::vector<std::string> canonical_counters(std::span<const std::string> names);
/// Those in one line: "memory, dram"; empty for none.
std::string counters_text(std::span<const std::string> names);

/// What to compute for these names, each metric once, in the order of the table of metrics and
/// then NVIDIA's names. Names that find_counter_mistake refuses give nothing.
std::vector<CounterFormula> formulas_of(std::span<const std::string> names);

}  // namespace sweep
