#include "engine/spec/counter_plan.h"

#include <algorithm>
#include <array>

#include "engine/spec/counter_set.h"

namespace sweep {
namespace {

void add_once(std::vector<std::string>& list, const std::string& name) {
  if (std::ranges::find(list, name) == list.end()) list.push_back(name);
}

/// A warp's instruction that loads from or stores to global memory is one request if a lane of it
/// is active. Those on generic addresses may reach global memory too, and cp.async counts as a
/// load, but as another instruction. The requests need a pass for each kind.
std::vector<CounterSubstitute> make_substitutes() {
  std::vector<CounterSubstitute> substitutes;
  for (const std::string op : {"ld", "st"}) {
    const CounterSubstitute substitute{
        "l1tex__t_requests_pipe_lsu_mem_global_op_" + op + ".sum",
        "smsp__inst_executed_op_global_" + op + "_pred_on_any.sum",
        {"smsp__inst_executed_op_generic_" + op + "_pred_on_any.sum"},
        op == "ld" ? "cp.async.c" : ""};
    substitutes.push_back(substitute);
  }
  return substitutes;
}

const std::vector<CounterSubstitute>& all_substitutes() {
  static const std::vector<CounterSubstitute> substitutes = make_substitutes();
  return substitutes;
}

std::vector<std::string> counters_of(std::span<const CounterFormula> formulas) {
  std::vector<std::string> counters;
  for (const CounterFormula& formula : formulas) {
    for (const auto* parts : {&formula.parts, &formula.over}) {
      for (const CounterNames& names : *parts) {
        for (const std::string& name : names) add_once(counters, name);
      }
    }
  }
  return counters;
}

}  // namespace

CounterPlan plan_exact_counters(std::span<const CounterFormula> formulas) {
  CounterPlan plan;
  plan.first = counters_of(formulas);
  return plan;
}

CounterPlan plan_counters(std::span<const CounterFormula> formulas, const HasCounter& has) {
  CounterPlan plan = plan_exact_counters(formulas);
  for (const CounterSubstitute& substitute : all_substitutes()) {
    const bool is_wanted_itself =
        std::ranges::find(formulas, substitute.counter, &CounterFormula::metric) != formulas.end();
    if (is_wanted_itself || !has(substitute.stand_in) ||
        !std::ranges::all_of(substitute.witnesses, has) ||
        std::erase(plan.first, substitute.counter) == 0) {
      continue;
    }
    plan.substitutes.push_back(substitute);
    plan.second.push_back(substitute.counter);
  }
  for (const CounterSubstitute& substitute : plan.substitutes) {
    add_once(plan.first, substitute.stand_in);
    for (const std::string& witness : substitute.witnesses) add_once(plan.first, witness);
  }
  return plan;
}

bool may_substitute(const CounterPlan& plan, std::string_view ptx) {
  return std::ranges::all_of(plan.substitutes, [&](const CounterSubstitute& substitute) {
    const std::string& instruction = substitute.instruction;
    return instruction.empty() || (!ptx.empty() && ptx.find(instruction) == std::string_view::npos);
  });
}

bool apply_substitutes(const CounterPlan& plan, CounterValues& values) {
  const auto is_zero = [&](const std::string& witness) {
    const auto found = values.find(witness);
    return found != values.end() && found->second == 0;
  };
  const bool fits = std::ranges::all_of(plan.substitutes, [&](const CounterSubstitute& one) {
    return values.contains(one.stand_in) && std::ranges::all_of(one.witnesses, is_zero);
  });
  if (!fits) return false;
  for (const CounterSubstitute& one : plan.substitutes) {
    values[one.counter] = values[one.stand_in];
  }
  return true;
}

bool depends_on_cache(std::string_view counter) {
  constexpr std::array<std::string_view, 5> of_warps = {
      "smsp__inst_executed", "smsp__thread_inst_executed", "l1tex__t_requests_pipe_lsu",
      "l1tex__t_sectors_pipe_lsu", "l1tex__data_pipe_lsu_wavefronts_mem_shared"};
  return counter.find("_lookup_") != std::string_view::npos || !counter.ends_with(".sum") ||
         std::ranges::none_of(of_warps,
                              [&](std::string_view begin) { return counter.starts_with(begin); });
}

}  // namespace sweep
