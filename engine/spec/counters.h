#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/metric.h"

namespace sweep {

/// What one launch gave, by NVIDIA's names.
using CounterValues = std::map<std::string, double, std::less<>>;

/// Nothing where a counter has no value, or nothing was counted to divide by.
std::optional<double> evaluate(const CounterFormula& formula, const CounterValues& values);

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

/// A counter that gives another one's value in a pass that it shares with more counters, under a
/// condition that can be checked.
struct CounterSubstitute {
  std::string counter;                 ///< whose value is meant, by NVIDIA's name
  std::string stand_in;                ///< has the same value where
  std::vector<std::string> witnesses;  ///< none of these has counted anything
  std::string instruction;             ///< and no instruction of the PTX begins like this
};

/// What to count: `first` of every launch, and `second` of those that the substitutes do not fit.
struct CounterPlan {
  std::vector<std::string> first;
  std::vector<std::string> second;
  std::vector<CounterSubstitute> substitutes;
};

/// Whether a GPU has a counter.
using HasCounter = std::function<bool(const std::string&)>;

/// The counters of the formulas, each once, with as many substitutes as the GPU has. A counter
/// that is asked for by NVIDIA's name has none. Of a counter's names the formulas have one.
CounterPlan plan_counters(std::span<const CounterFormula> formulas, const HasCounter& has);
/// The same without substitutes.
CounterPlan plan_exact_counters(std::span<const CounterFormula> formulas);

/// Whether the program's instructions, as PTX, let the substitutes stand in.
bool may_substitute(const CounterPlan& plan, std::string_view ptx);
/// Gives what was substituted its values, from those of `first`; where one does not fit, false and
/// none.
bool apply_substitutes(const CounterPlan& plan, CounterValues& values);

/// Whether a counter's value may depend on what the L2 cache holds when the kernel starts. What
/// only warps and their instructions decide does not.
bool depends_on_cache(std::string_view counter);

}  // namespace sweep
