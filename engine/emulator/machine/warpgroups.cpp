#include "engine/emulator/machine/warpgroups.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/emulator/lower/code_analysis.h"
#include "engine/emulator/machine/launch.h"

namespace sweep {
namespace {

constexpr std::uint32_t register_step = 4;  ///< bytes: slots of predicates have no more

bool is_of_warpgroup(const MatrixOp& product) {
  return product.b_descriptor != none;
}

}  // namespace

Warpgroups::Warpgroups(const Kernel& kernel, std::uint32_t warps, bool follows_registers)
    : kernel_(kernel), states_(warps), groups_((warps + warps_of_group - 1) / warps_of_group) {
  if (follows_registers) number_registers();
}

/// Numbers the registers of products and, as often as there are more, what is copied to them; then
/// notes for each op which of them it touches.
void Warpgroups::number_registers() {
  numbers_.assign(kernel_.register_bytes / register_step + 1, none);
  const auto number = [&](std::uint32_t slot) {
    std::uint32_t& known = numbers_[slot / register_step];
    if (known != none) return false;
    known = register_count_++;
    return true;
  };
  for (const MatrixOp& product : kernel_.matrix_products) {
    if (!is_of_warpgroup(product)) continue;
    for (const SlotList* list : {&product.a, &product.d}) {
      for (const std::uint32_t slot : *list) number(slot);
    }
  }
  std::vector<bool> is_constant(numbers_.size(), false);
  for (const ConstantSlot& constant : kernel_.constants) {
    is_constant[constant.slot / register_step] = true;
  }
  bool has_more = true;
  while (has_more) {
    has_more = false;
    for (const Op& op : kernel_.ops) {
      const bool is_source = op.is_copy && number_of(op.operands.d) != none &&
                             !is_constant[op.operands.a / register_step];
      if (is_source) has_more |= number(op.operands.a);
    }
  }
  touch_of_op_.assign(kernel_.ops.size(), none);
  for (std::size_t place = 0; place < kernel_.ops.size(); ++place) {
    const Op& op = kernel_.ops[place];
    if (op.kind == OpKind::multiply_warpgroup) continue;
    Touch touch = touch_of(op);
    if (touch.reads.empty() && touch.writes.empty()) continue;
    touch_of_op_[place] = static_cast<std::uint32_t>(touches_.size());
    touches_.push_back(std::move(touch));
  }
  for (WarpState& state : states_) state.registers.resize(register_count_);
}

std::uint32_t Warpgroups::number_of(std::uint32_t slot) const {
  return numbers_[slot / register_step];
}

Warpgroups::Touch Warpgroups::touch_of(const Op& op) const {
  const OpFacts facts = facts_of(kernel_, op);
  Touch touch;
  touch.is_copy = op.is_copy;
  for (const std::uint32_t slot : facts.reads) {
    if (number_of(slot) != none) touch.reads.push_back(number_of(slot));
  }
  for (const std::uint32_t slot : facts.writes) {
    if (number_of(slot) != none) touch.writes.push_back(number_of(slot));
  }
  return touch;
}

void Warpgroups::reset() {
  for (Group& group : groups_) group = {};
  for (WarpState& state : states_) {
    state = {.registers = std::move(state.registers)};
    std::ranges::fill(state.registers, Register{});
  }
}

std::optional<Warpgroups::Mistake> Warpgroups::join(std::uint32_t warp, std::uint32_t instruction,
                                                    const Descriptors& descriptors) {
  Group& group = groups_[warp / warps_of_group];
  const auto place = static_cast<std::size_t>(states_[warp].steps++ - group.forgotten);
  if (place == group.steps.size()) {
    constexpr std::size_t most_steps = 1U << 22U;
    group.steps.push_back({instruction, warp, descriptors});
    forget_old_steps(warp);
    if (group.steps.size() < most_steps) return {};
    return Mistake{
        fmt::format("a warp of its warpgroup is {} such instructions behind", most_steps)};
  }
  const Step& first = group.steps[place];
  if (first.instruction != instruction) {
    return Mistake{
        fmt::format("the warps of a warpgroup execute it together, but warp {} has "
                    "executed {} in its stead",
                    first.warp, describe_instruction(kernel_, first.instruction))};
  }
  if (first.descriptors == descriptors) return {};
  return Mistake{
      fmt::format("its descriptors are not those of warp {} of its warpgroup", first.warp)};
}

/// Those that all warps have executed.
void Warpgroups::forget_old_steps(std::uint32_t warp) {
  constexpr std::size_t many = 1U << 14U;
  Group& group = groups_[warp / warps_of_group];
  if (group.steps.size() < many) return;
  std::uint64_t least = states_[warp].steps;
  const std::uint32_t first = warp / warps_of_group * warps_of_group;
  for (std::uint32_t i = 0; i < warps_of_group && first + i < states_.size(); ++i) {
    least = std::min(least, states_[first + i].steps);
  }
  group.steps.erase(group.steps.begin(),
                    group.steps.begin() + static_cast<std::ptrdiff_t>(least - group.forgotten));
  group.forgotten = least;
}

std::optional<Warpgroups::Absence> Warpgroups::find_absence() const {
  for (std::uint32_t warp = 0; warp < states_.size(); ++warp) {
    const Group& group = groups_[warp / warps_of_group];
    const std::uint64_t missed = states_[warp].steps - group.forgotten;
    if (missed >= group.steps.size()) continue;
    const Step& step = group.steps[static_cast<std::size_t>(missed)];
    return Absence{warp,
                   {fmt::format("it has ended without executing it, but warp {} of its warpgroup "
                                "has executed it",
                                step.warp),
                    step.instruction}};
  }
  return {};
}

void Warpgroups::order(std::uint32_t warp, const WarpgroupOrder& order) {
  WarpState& state = states_[warp];
  if (order.mode == WarpgroupMode::fence) ++state.fences;
  if (order.mode == WarpgroupMode::commit) ++state.committed;
  if (order.mode != WarpgroupMode::wait || state.committed < order.groups) return;
  state.completed = std::max(state.completed, state.committed - order.groups);
}

std::optional<Warpgroups::Mistake> Warpgroups::issue(std::uint32_t warp, const Op& op) {
  WarpState& state = states_[warp];
  if (!follows_registers()) return {};
  if (state.fences == 0) return Mistake{"no wgmma.fence comes before it"};
  const MatrixOp& product = kernel_.matrix_products[op.detail];
  const std::uint32_t shape =
      product.product.n * 16 + static_cast<std::uint32_t>(product.product.d_type);
  std::optional<Mistake> mistake;
  const auto take = [&](std::uint32_t slot, bool is_sum) {
    Register& one = state.registers[number_of(slot)];
    const char* const matrix = is_sum ? "accumulator" : "matrix a";
    const bool is_same = is_sum && one.is_sum && one.shape == shape;
    if (one.written == state.fences + 1) {
      mistake = Mistake{fmt::format("no wgmma.fence orders it behind {}, which writes its {}",
                                    describe_instruction(kernel_, one.writer), matrix)};
    } else if (is_under_way(state, one) && (one.is_sum || is_sum) && !is_same) {
      mistake = Mistake{fmt::format("its {} is a register of {}, {}", matrix,
                                    describe_instruction(kernel_, one.product), why(state, one))};
    }
    one = {
        .group = state.committed + 1, .product = op.instruction, .shape = shape, .is_sum = is_sum};
  };
  for (const std::uint32_t slot : product.a) take(slot, false);
  for (const std::uint32_t slot : product.d) take(slot, true);
  return mistake;
}

std::string Warpgroups::why(const WarpState& state, const Register& one) {
  return one.group > state.committed ? "which no wgmma.commit_group has committed"
                                     : "for which no wgmma.wait_group has waited";
}

std::optional<Warpgroups::Mistake> Warpgroups::judge(const WarpState& state,
                                                     const Touch& touch) const {
  const auto mistake = [&](const char* does, const Register& one) {
    return Mistake{fmt::format("{} {}, {}", does, describe_instruction(kernel_, one.product),
                               why(state, one))};
  };
  for (const std::uint32_t number : touch.reads) {
    const Register& one = state.registers[number];
    if (is_under_way(state, one) && one.is_sum && !touch.is_copy) {
      return mistake("it reads an accumulator of", one);
    }
  }
  // A copy of what is under way may take the place of an older copy.
  if (touch.is_copy && !touch.reads.empty()) return {};
  for (const std::uint32_t number : touch.writes) {
    const Register& one = state.registers[number];
    if (is_under_way(state, one)) return mistake("it overwrites a register of", one);
  }
  return {};
}

std::optional<Warpgroups::Mistake> Warpgroups::touch(std::uint32_t warp, std::size_t place) {
  if (touch_of_op_[place] == none) return {};
  const Touch& touch = touches_[touch_of_op_[place]];
  WarpState& state = states_[warp];
  if (auto mistake = judge(state, touch)) return mistake;
  for (std::size_t i = 0; i < touch.writes.size(); ++i) {
    Register& one = state.registers[touch.writes[i]];
    if (touch.is_copy) {
      one = i < touch.reads.size() ? state.registers[touch.reads[i]] : Register{};
    } else {
      one = {.written = state.fences + 1, .writer = kernel_.ops[place].instruction};
    }
  }
  return {};
}

std::optional<Warpgroups::Mistake> Warpgroups::touch(std::uint32_t warp, const Op& op) const {
  return judge(states_[warp], touch_of(op));
}

}  // namespace sweep
