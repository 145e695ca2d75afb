#pragma once

#include <bit>
#include <cstdint>

namespace sweep {

/// Calls `work(lane)` for every lane of a mask, the lowest first.
template <class Work>
void for_each_lane(std::uint32_t mask, Work work) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    work(static_cast<unsigned>(std::countr_zero(rest)));
  }
}

}  // namespace sweep
