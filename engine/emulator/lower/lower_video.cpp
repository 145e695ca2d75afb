// The video instructions: on whole registers, as vadd, and on their halves and bytes, as vadd2 and
// vadd4. All are computed in 64 bits, which hold every value before it is saturated.

#include <algorithm>

#include "engine/emulator/lower/lowering.h"

namespace sweep {
namespace {

using Modifiers = std::vector<std::string_view>;

struct VideoOperation {
  std::string_view name;  ///< without the number of its lanes
  std::string_view computed;
};
constexpr VideoOperation operations[] = {{"vadd", "add"}, {"vsub", "sub"}, {"vabsdiff", "sub"},
                                         {"vmin", "min"}, {"vmax", "max"}, {"vset", "setp"}};

class VideoInstruction {
 public:
  explicit VideoInstruction(Lowering& lowering) : lowering_(lowering), name_(mnemonic()) {
    if (name_.ends_with('2') || name_.ends_with('4')) {
      lanes_ = static_cast<unsigned>(name_.back() - '0');
      name_.remove_suffix(1);
    }
    bits_ = 32 / lanes_;
    const auto* const found = std::ranges::find(operations, name_, &VideoOperation::name);
    if (found == std::end(operations)) lowering.refuse();
    computed_ = found->computed;
    read_modifiers(lowering.instruction().modifiers);
  }

  void emit() {
    const std::size_t operands = second_.empty() && lanes_ == 1 ? 3 : 4;
    if (lowering_.operand_count() != operands) lowering_.refuse("its operands are not known");
    const std::uint32_t d = lowering_.destination(0, 32);
    const std::uint32_t a = lowering_.source(1, 32);
    const std::uint32_t b = lowering_.source(2, 32);
    // Of lanes that all are written c is no part.
    std::uint32_t result = second_.empty() ? number(0, 32) : lowering_.source(3, 32);
    for (unsigned i = 0; i < lanes_; ++i) {
      const std::uint32_t value =
          narrow(saturated(compute(lane(a, i, a_type_), lane(b, i, b_type_))));
      const std::uint32_t next = lowering_.temporary(32);
      if (!second_.empty()) {
        lowering_.emit_alu(second_, {d_type_}, {.d = next, .a = value, .b = result});
      } else {
        lowering_.emit_alu("bfi", {"b32"},
                           {.d = next,
                            .a = value,
                            .b = result,
                            .c = number(std::int64_t{i} * bits_, 32),
                            .e = number(bits_, 32)});
      }
      result = next;
    }
    lowering_.emit_copy(d, result, 32);
  }

 private:
  std::string_view mnemonic() const { return lowering_.instruction().mnemonic; }

  void read_modifiers(Modifiers words) {
    if (!words.empty() &&
        (words.back() == "add" || words.back() == "min" || words.back() == "max")) {
      second_ = words.back();
      words.pop_back();
    }
    if (lanes_ > 1 && second_ != "add" && !second_.empty()) lowering_.refuse();
    is_saturating_ = std::erase(words, "sat") != 0;
    // What hardware compares of a value that wraps around is not known.
    const bool may_wrap = !is_saturating_ && (computed_ == "add" || computed_ == "sub");
    if (may_wrap && (second_ == "min" || second_ == "max")) lowering_.refuse();
    if (name_ == "vset") words.insert(words.begin(), "u32");
    const std::size_t types = 3;
    if (words.size() != types + (name_ == "vset" ? 1 : 0)) lowering_.refuse();
    for (std::size_t i = 0; i < types; ++i) {
      if (words[i] != "u32" && words[i] != "s32") lowering_.refuse();
    }
    d_type_ = words[0];
    a_type_ = words[1];
    b_type_ = words[2];
    if (name_ == "vset") comparison_ = words.back();
  }

  std::uint32_t number(std::int64_t value, unsigned bits) {
    return lowering_.constant(static_cast<std::uint64_t>(value), bits);
  }

  /// In 64 bits.
  std::uint32_t lane(std::uint32_t whole, unsigned index, std::string_view type) {
    std::uint32_t part = whole;
    if (lanes_ > 1) {
      part = lowering_.temporary(32);
      lowering_.emit_alu("bfe", {type},
                         {.d = part,
                          .a = whole,
                          .b = number(std::int64_t{index} * bits_, 32),
                          .c = number(bits_, 32)});
    }
    const std::uint32_t wide = lowering_.temporary(64);
    lowering_.emit_alu("cvt", {"s64", type, "d64"}, {.d = wide, .a = part});
    return wide;
  }

  std::uint32_t compute(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t d = lowering_.temporary(64);
    if (computed_ == "setp") {
      const std::uint32_t holds = lowering_.temporary(1);
      lowering_.emit_alu("setp", {comparison_, "s64"}, {.d = holds, .a = a, .b = b});
      lowering_.emit_alu("selp", {"b64"},
                         {.d = d, .a = number(1, 64), .b = number(0, 64), .c = holds});
      return d;
    }
    lowering_.emit_alu(computed_, {"s64"}, {.d = d, .a = a, .b = b});
    if (name_ == "vabsdiff") lowering_.emit_alu("abs", {"s64"}, {.d = d, .a = d});
    return d;
  }

  /// To what a lane of the result's type holds.
  std::uint32_t saturated(std::uint32_t value) {
    if (!is_saturating_) return value;
    const bool is_signed = d_type_ == "s32";
    const std::int64_t top = std::int64_t{1} << (bits_ - (is_signed ? 1 : 0));
    const std::uint32_t d = lowering_.temporary(64);
    lowering_.emit_alu("max", {"s64"}, {.d = d, .a = value, .b = number(is_signed ? -top : 0, 64)});
    lowering_.emit_alu("min", {"s64"}, {.d = d, .a = d, .b = number(top - 1, 64)});
    return d;
  }

  std::uint32_t narrow(std::uint32_t value) {
    const std::uint32_t low = lowering_.temporary(32);
    lowering_.emit_alu("cvt", {"u32", "u64", "d32"}, {.d = low, .a = value});
    return low;
  }

  Lowering& lowering_;
  std::string_view name_;
  std::string_view computed_;
  std::string_view comparison_;
  std::string_view second_;  ///< what takes in the last operand
  std::string_view d_type_;
  std::string_view a_type_;
  std::string_view b_type_;
  unsigned lanes_ = 1;
  unsigned bits_ = 32;  ///< of a lane
  bool is_saturating_ = false;
};

}  // namespace

void lower_video(Lowering& lowering) {
  VideoInstruction(lowering).emit();
}

}  // namespace sweep
