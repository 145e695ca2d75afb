// atom and red: the lanes update memory one after the other, the lowest first, which is one of the
// orders that hardware may choose.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/emulator/machine/access_unit.h"

namespace sweep {
namespace {

template <class T>
T integer_result(AtomicOperation operation, T old, T b, T c) {
  using Unsigned = std::make_unsigned_t<T>;
  switch (operation) {
    case AtomicOperation::add:
      return static_cast<T>(static_cast<Unsigned>(old) + static_cast<Unsigned>(b));
    case AtomicOperation::minimum:
      return std::min(old, b);
    case AtomicOperation::maximum:
      return std::max(old, b);
    case AtomicOperation::increment:
      return old >= b ? T{0} : static_cast<T>(static_cast<Unsigned>(old) + 1);
    case AtomicOperation::decrement:
      return old == 0 || old > b ? b : static_cast<T>(static_cast<Unsigned>(old) - 1);
    case AtomicOperation::bit_and:
      return static_cast<T>(old & b);
    case AtomicOperation::bit_or:
      return static_cast<T>(old | b);
    case AtomicOperation::bit_xor:
      return static_cast<T>(old ^ b);
    case AtomicOperation::exchange:
      return b;
    case AtomicOperation::compare_exchange:
      return old == b ? c : old;
  }
  return old;
}

/// Global memory's units flush subnormal floats, shared memory's do not (PTX ISA, `atom`).
float flushed(float value, bool flushes) {
  return flushes && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
}

template <class T>
T floating_result(AtomicOperation operation, T old, T b, bool flushes) {
  if (operation == AtomicOperation::minimum) return std::fmin(old, b);
  if (operation == AtomicOperation::maximum) return std::fmax(old, b);
  if constexpr (std::is_same_v<T, float>) {
    const float sum = flushed(flushed(old, flushes) + flushed(b, flushes), flushes);
    return std::isnan(sum) ? std::bit_cast<float>(0x7fffffffU) : sum;
  } else {
    return old + b;
  }
}

struct Operands {
  const MemoryOp& memory;
  std::byte* registers;
  const std::uint64_t* address;
  std::uintptr_t bias;
  std::uint32_t mask;
  bool flushes;
};

template <class T>
T* place_of(const Operands& o, unsigned lane) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): emulated addresses are integers
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(o.address[lane]) + o.bias);
}

template <class T, class Update>
void update_lanes(const Operands& o, Update update) {
  // Values of up to 32 bits lie in slots of 32.
  using Slot = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
  const auto value = [&](std::size_t index, unsigned lane) {
    const auto* slot = reinterpret_cast<const Slot*>(o.registers + o.memory.values[index]);
    return std::bit_cast<T>(static_cast<Bits>(slot[lane]));
  };
  const bool has_second = o.memory.values.size() > 1;
  for_each_lane(o.mask, [&](unsigned lane) {
    T* place = place_of<T>(o, lane);
    const T old = *place;
    *place = update(old, value(0, lane), has_second ? value(1, lane) : T{});
    if (o.memory.result == none) return;
    reinterpret_cast<Slot*>(o.registers + o.memory.result)[lane] =
        static_cast<Slot>(std::bit_cast<Bits>(old));
  });
}

template <class T>
void number_lanes(const Operands& o) {
  const AtomicOperation operation = o.memory.operation;
  const bool flushes = o.flushes;
  if constexpr (std::is_integral_v<T>) {
    update_lanes<T>(o, [=](T old, T b, T c) { return integer_result<T>(operation, old, b, c); });
  } else {
    update_lanes<T>(o,
                    [=](T old, T b, T) { return floating_result<T>(operation, old, b, flushes); });
  }
}

/// Half types are added by the instructions' own arithmetic, on a scratch warp of one lane.
template <class Bits>
void half_lanes(const Operands& o) {
  const std::string_view name = o.memory.operation == AtomicOperation::minimum   ? "min"
                                : o.memory.operation == AtomicOperation::maximum ? "max"
                                                                                 : "add";
  const std::array<std::string_view, 1> type = {ptx::to_string(o.memory.type)};
  const AluFunction function = find_alu_operation(Simd::baseline, name, type).function;
  alignas(64) std::array<std::byte, 3 * warp_size * 4> scratch{};
  AluOperands operands;
  operands.d = 0;
  operands.a = warp_size * 4;
  operands.b = 2 * warp_size * 4;
  update_lanes<Bits>(o, [&](Bits old, Bits b, Bits) {
    const std::uint32_t wide_old = old;
    const std::uint32_t wide_b = b;
    std::memcpy(scratch.data() + operands.a, &wide_old, sizeof wide_old);
    std::memcpy(scratch.data() + operands.b, &wide_b, sizeof wide_b);
    function(operands, scratch.data(), 1);
    Bits result = 0;
    std::memcpy(&result, scratch.data(), sizeof result);
    return result;
  });
}

/// exch and cas of 128 bits; the slots hold the low half first.
void wide_lanes(const Operands& o) {
  using Pair = std::array<std::uint64_t, 2>;
  const auto at = [&](std::uint32_t slot, unsigned half, unsigned lane) -> std::uint64_t& {
    return reinterpret_cast<std::uint64_t*>(o.registers + slot)[half * warp_size + lane];
  };
  const bool compares = o.memory.operation == AtomicOperation::compare_exchange;
  for_each_lane(o.mask, [&](unsigned lane) {
    auto* place = place_of<std::byte>(o, lane);
    Pair old{};
    std::memcpy(old.data(), place, sizeof old);
    const auto value = [&](std::size_t index) {
      const std::uint32_t slot = o.memory.values[index];
      return Pair{at(slot, 0, lane), at(slot, 1, lane)};
    };
    const Pair next = !compares ? value(0) : old == value(0) ? value(1) : old;
    std::memcpy(place, next.data(), sizeof next);
    if (o.memory.result == none) return;
    for (unsigned half = 0; half < 2; ++half) at(o.memory.result, half, lane) = old.at(half);
  });
}

}  // namespace

void AccessUnit::atomic_lanes(Warp& warp, const MemoryOp& memory, const WarpAccess& access,
                              std::uintptr_t bias, bool is_global) {
  const Operands operands = {memory, warp.registers, access.address.data(),
                             bias,   access.active,  is_global};
  switch (memory.type) {
    case ptx::Type::f32:
      return number_lanes<float>(operands);
    case ptx::Type::f64:
      return number_lanes<double>(operands);
    case ptx::Type::f16:
    case ptx::Type::bf16:
      return half_lanes<std::uint16_t>(operands);
    case ptx::Type::f16x2:
    case ptx::Type::bf16x2:
      return half_lanes<std::uint32_t>(operands);
    case ptx::Type::s32:
      return number_lanes<std::int32_t>(operands);
    case ptx::Type::s64:
      return number_lanes<std::int64_t>(operands);
    case ptx::Type::b128:
      return wide_lanes(operands);
    default:
      break;
  }
  switch (ptx::bytes_of(memory.type)) {
    case 2:
      return number_lanes<std::uint16_t>(operands);
    case 4:
      return number_lanes<std::uint32_t>(operands);
    default:
      return number_lanes<std::uint64_t>(operands);
  }
}

}  // namespace sweep
