#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/counter_formula.h"

namespace sweep {

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
