#include "engine/explain/explanation.h"

#include <algorithm>

#include "engine/emulator/count/model.h"
#include "engine/explain/advice.h"

namespace sweep {

std::optional<double> Explanation::efficiency(AccessVerb verb) const {
  GlobalCount sum;
  for (const AccessCost& access : accesses) {
    const bool is_copied = verb == AccessVerb::load && access.verb == AccessVerb::copy;
    if (access.space == AccessSpace::global && (access.verb == verb || is_copied)) {
      sum += access.memory;
    }
  }
  if (sum.sectors == 0) return std::nullopt;
  return 100 * static_cast<double>(sum.bytes_wanted) /
         static_cast<double>(sector_bytes * sum.sectors);
}

std::uint64_t Explanation::conflicts() const {
  std::uint64_t conflicts = 0;
  for (const AccessCost& access : accesses) conflicts += access.shared.conflicts();
  return conflicts;
}

bool Explanation::uses(AccessSpace space) const {
  return std::ranges::find(accesses, space, &AccessCost::space) != accesses.end();
}

std::vector<std::size_t> Explanation::worst_first() const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (!advice[i].empty()) order.push_back(i);
  }
  // Without excess: atomics and local memory cost more than their sectors tell.
  const auto rank = [&](std::size_t index) {
    const AccessCost& access = accesses[index];
    const bool is_slow = access.verb == AccessVerb::atomic || access.space != AccessSpace::global;
    return std::pair(access.excess(), is_slow);
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
  return order;
}

Explanation explain(const Configuration& configuration, const std::string& device,
                    const MemoryModel& model, const EmulatorExecution& execution) {
  Explanation explanation;
  explanation.configuration = configuration;
  explanation.device = device;
  explanation.model = model;
  explanation.notes = execution.notes();
  explanation.are_totals = execution.counted().are_totals;
  explanation.executed_share = execution.counted().executed_share;
  explanation.accesses = access_costs(*configuration.pattern, execution);
  for (const AccessCost& access : explanation.accesses) {
    explanation.advice.push_back(advise(access, explanation.accesses, model));
  }
  return explanation;
}

}  // namespace sweep
