#include "engine/run/program_slots.h"

#include <algorithm>
#include <stdexcept>

namespace sweep {

SentPrograms::Place SentPrograms::place_of(const std::shared_ptr<const Program>& program) {
  auto slot = std::ranges::find_if(slots_, [&](const Slot& candidate) {
    return candidate.last_use > 0 && candidate.program == program;
  });
  const bool is_new = slot == slots_.end();
  if (is_new) slot = std::ranges::min_element(slots_, {}, &Slot::last_use);
  slot->program = program;
  slot->last_use = ++uses_;
  return {static_cast<std::uint32_t>(slot - slots_.begin()), is_new};
}

void KeptPrograms::put(std::uint32_t slot, std::shared_ptr<const Program> program) {
  if (slot >= slots_.size()) throw std::runtime_error("a program for a slot that there is not");
  slots_.at(slot) = std::move(program);
}

std::shared_ptr<const Program> KeptPrograms::get(std::uint32_t slot) const {
  if (slot >= slots_.size() || slots_.at(slot) == nullptr) {
    throw std::runtime_error("a job without a program");
  }
  return slots_.at(slot);
}

}  // namespace sweep
