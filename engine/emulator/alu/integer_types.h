#pragma once

#include "engine/emulator/alu/form.h"
#include "engine/emulator/alu/lanes.h"

/// From the integer types of PTX, and the registers that conversions write, to those of C++.
namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

inline constexpr Flags register_flags = flag::d16 | flag::d32 | flag::d64;

/// The width in bits of the register that a conversion writes; the type's own if none is given,
/// 16 at least; 0 if more than one is.
SWEEP_ALU_INLINE unsigned register_bits(const Form& form) {
  switch (form.flags & register_flags) {
    case 0:
      return ptx::bits_of(form.type) < 16 ? 16 : ptx::bits_of(form.type);
    case flag::d16:
      return 16;
    case flag::d32:
      return 32;
    case flag::d64:
      return 64;
    default:
      return 0;
  }
}

/// Calls make with the integer of a conversion's source.
template <class Make>
AluOperation with_source(ptx::Type type, Make make) {
  switch (type) {
    case ptx::Type::u8:
      return make.template operator()<u8>();
    case ptx::Type::s8:
      return make.template operator()<s8>();
    case ptx::Type::u16:
      return make.template operator()<u16>();
    case ptx::Type::s16:
      return make.template operator()<s16>();
    case ptx::Type::u32:
      return make.template operator()<u32>();
    case ptx::Type::s32:
      return make.template operator()<s32>();
    case ptx::Type::u64:
      return make.template operator()<u64>();
    case ptx::Type::s64:
      return make.template operator()<s64>();
    default:
      return {};
  }
}

/// Calls make with the integer of a conversion's destination and the unsigned one of its register,
/// if the form has no other flags than `allowed`.
template <class Make>
AluOperation with_destination(const Form& form, Flags allowed, Make make) {
  if ((form.flags & ~register_flags & ~allowed) != 0) return {};
  const unsigned bits = register_bits(form);
  return with_source(form.type, [&]<class D>() {
    if constexpr (sizeof(D) <= 2)
      if (bits == 16) return make.template operator()<D, u16>();
    if constexpr (sizeof(D) <= 4)
      if (bits == 32) return make.template operator()<D, u32>();
    return bits == 64 ? make.template operator()<D, u64>() : AluOperation{};
  });
}

}  // namespace
}  // namespace sweep::alu::SWEEP_ALU_LEVEL
