#include "engine/emulator/alu/comparison.h"
#include "engine/emulator/alu/families.h"
#include "engine/emulator/alu/half_lane.h"

/// set, which writes a comparison as a number, and the comparisons of f16 and bf16.
namespace sweep::alu::baseline {
namespace {

using ptx::Type;

/// The value of `yes` where the comparison holds, 0 elsewhere.
template <class F, class T, Combine combine, class D, u32 yes>
void run_set(const AluOperands& operands, std::byte* registers, u32 mask) {
  const u32 holding = combined(combine, compared<F, T>(operands, registers),
                               other_predicate<combine>(operands, registers));
  SlotOf<D>* const d = slot_at<D>(registers, operands.d);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const u32 bit = lane_bits<u32>.bit[lane];
    const u32 result = (holding & bit) != 0 ? yes : 0;
    d[lane] = (mask & bit) != 0 ? result : d[lane];
  }
}

template <class F, class T, class D, u32 yes>
AluOperation setting(Combine combine_with) {
  return with_combine(combine_with, []<Combine combine>() {
    AluOperation result = operation<D, None, T, T, None, None>(run_set<F, T, combine, D, yes>);
    result.c_bits = combine == Combine::none ? 0 : 1;
    return result;
  });
}

constexpr u32 one_f32 = 0x3f800000;
constexpr u32 one_f16 = 0x3c00;
constexpr u32 one_bf16 = 0x3f80;

AluOperation find_set(const Form& form) {
  return with_comparison(form.second, form.compare, form.flags, [&]<class T>(auto function) {
    using F = decltype(function);
    switch (form.type) {
      case Type::u32:
      case Type::s32:
        return setting<F, T, u32, ~0U>(form.combine);
      case Type::f32:
        return setting<F, T, u32, one_f32>(form.combine);
      default:
        return AluOperation{};
    }
  });
}

/// Calls make(lambda) with the comparison of two 16-bit values by their bits.
template <class Format, class Make>
AluOperation with_half_comparison(const Form& form, Flags flags, Make make) {
  if (flags == flag::ftz && std::is_same_v<Format, F16>)
    return with_float_comparison<f64>(form.compare, [&](auto function) {
      using F = decltype(function);
      return make([](u32 a, u32 b) {
        return F{}(widened<Format>(flushed16<Format>(a)), widened<Format>(flushed16<Format>(b)));
      });
    });
  if (flags != 0) return {};
  return with_float_comparison<f64>(form.compare, [&](auto function) {
    using F = decltype(function);
    return make([](u32 a, u32 b) { return F{}(widened<Format>(a), widened<Format>(b)); });
  });
}

template <class F>
struct Low {
  SWEEP_ALU_INLINE bool operator()(u32 a, u32 b) const { return F{}(a & 0xffff, b & 0xffff); }
};
template <class F>
struct High {
  SWEEP_ALU_INLINE bool operator()(u32 a, u32 b) const { return F{}(a >> 16, b >> 16); }
};

/// p is the comparison and q its opposite; of packed values p is that of the low halves and q that
/// of the high ones.
template <class F, bool packed, Combine combine, bool two>
void run_half_compare(const AluOperands& operands, std::byte* registers, u32 mask) {
  const u32 other = other_predicate<combine>(operands, registers);
  const u32 low = compared<Low<F>, u32>(operands, registers);
  const u32 second = packed ? compared<High<F>, u32>(operands, registers) : ~low;
  set_predicate(registers, operands.d, combined(combine, low, other), mask);
  if constexpr (packed || two)
    set_predicate(registers, operands.d2, combined(combine, second, other), mask);
}

template <class Format, bool packed>
AluOperation find_setp(const Form& form) {
  const bool two = (form.flags & flag::two) != 0;
  return with_half_comparison<Format>(form, form.flags & ~flag::two, [&](auto function) {
    using F = decltype(function);
    using T = HalfRegister<packed>;
    return with_combine(form.combine, [&]<Combine combine>() {
      AluOperation result = operation<bool, None, T, T, None, None>(
          two ? run_half_compare<F, packed, combine, true>
              : run_half_compare<F, packed, combine, false>);
      result.c_bits = combine == Combine::none ? 0 : 1;
      result.d2_bits = packed || two ? 1 : 0;
      return result;
    });
  });
}

template <class F, Combine combine, u32 yes>
void run_packed_set(const AluOperands& operands, std::byte* registers, u32 mask) {
  const u32 other = other_predicate<combine>(operands, registers);
  const u32 low = combined(combine, compared<Low<F>, u32>(operands, registers), other);
  const u32 high = combined(combine, compared<High<F>, u32>(operands, registers), other);
  SlotOf<u32>* const d = slot_at<u32>(registers, operands.d);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const u32 bit = lane_bits<u32>.bit[lane];
    const u32 result = ((low & bit) != 0 ? yes : 0) | ((high & bit) != 0 ? yes << 16 : 0);
    d[lane] = (mask & bit) != 0 ? result : d[lane];
  }
}

template <class Format>
constexpr u32 one_of = std::is_same_v<Format, F16> ? one_f16 : one_bf16;

template <class F, class Format>
AluOperation find_half_set(const Form& form) {
  switch (form.type) {
    case Type::u16:
    case Type::s16:
      return setting<Low<F>, u32, u16, 0xffff>(form.combine);
    case Type::u32:
    case Type::s32:
      return setting<Low<F>, u32, u32, ~0U>(form.combine);
    case Type::f16:
    case Type::bf16:
      return form.type == form.second ? setting<Low<F>, u32, u16, one_of<Format>>(form.combine)
                                      : AluOperation{};
    default:
      return {};
  }
}

template <class Format, bool packed>
AluOperation find_set_of(const Form& form) {
  if (packed && form.type != form.second) return {};
  return with_half_comparison<Format>(form, form.flags, [&](auto function) {
    using F = decltype(function);
    if constexpr (packed) {
      return with_combine(form.combine, []<Combine combine>() {
        AluOperation result =
            operation<u32, None, u32, u32, None, None>(run_packed_set<F, combine, one_of<Format>>);
        result.c_bits = combine == Combine::none ? 0 : 1;
        return result;
      });
    } else {
      AluOperation result = find_half_set<F, Format>(form);
      if (result.function != nullptr) result.a_bits = result.b_bits = 16;
      return result;
    }
  });
}

}  // namespace

AluOperation find_set_family(const Form& form) {
  if (form.rounding != Rounding::none) return {};
  if (form.mnemonic == Mnemonic::setp && form.types == 1)
    return with_half(form.type,
                     [&]<class Format, bool packed>() { return find_setp<Format, packed>(form); });
  if (form.mnemonic != Mnemonic::set || form.types != 2) return {};
  const AluOperation operation = find_set(form);
  if (operation.function != nullptr) return operation;
  return with_half(form.second,
                   [&]<class Format, bool packed>() { return find_set_of<Format, packed>(form); });
}

}  // namespace sweep::alu::baseline
