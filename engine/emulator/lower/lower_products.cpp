// Tensor cores: mma; wmma.mma, and wmma.load and wmma.store as the loads and stores of registers
// that they come to.

#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <charconv>
#include <map>
#include <span>

#include "engine/emulator/lower/lowering.h"

namespace sweep {
namespace {

using Element = MatrixElement;
using ptx::Operand;
using ptx::Space;

constexpr std::pair<std::string_view, Element> matrix_elements[] = {
    {"f16", Element::f16},   {"bf16", Element::bf16}, {"tf32", Element::tf32},
    {"e4m3", Element::e4m3}, {"e5m2", Element::e5m2}, {"f32", Element::f32},
    {"f64", Element::f64},   {"s8", Element::s8},     {"u8", Element::u8},
    {"s4", Element::s4},     {"u4", Element::u4},     {"b1", Element::b1},
    {"s32", Element::s32}};

/// Words that say nothing beyond what the shape and the types do, or that are read elsewhere.
constexpr std::array<std::string_view, 13> plain_words = {
    "sync",  "aligned", "and", "xor", "popc",         "satfinite",           "load",
    "store", "mma",     "rn",  "sp",  "kind::f8f6f4", "sp::ordered_metadata"};

constexpr std::pair<std::string_view, int> directed_roundings[] = {
    {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

struct MatrixForm {
  unsigned m = 0;
  unsigned n = 0;
  unsigned k = 0;
  std::vector<Element> types;
  std::vector<std::string_view> layouts;  ///< "row", "col"
  Space space = Space::generic;           ///< of wmma.load and wmma.store
  char matrix = 'd';                      ///< that these move
  int rounding = FE_TONEAREST;
};

/// "m16n8k16"
bool read_shape(std::string_view word, MatrixForm& form) {
  const char* at = word.data();
  const char* const end = at + word.size();
  const auto read = [&](char letter, unsigned& to) {
    if (at == end || *at != letter) return false;
    const auto [next, error] = std::from_chars(at + 1, end, to);
    at = next;
    return error == std::errc();
  };
  return read('m', form.m) && read('n', form.n) && read('k', form.k) && at == end;
}

MatrixForm matrix_form(const Lowering& lowering) {
  MatrixForm form;
  for (const std::string_view word : lowering.instruction().modifiers) {
    const auto element =
        std::ranges::find(matrix_elements, word, &std::pair<std::string_view, Element>::first);
    const auto space = ptx::find_space(word.substr(0, word.find("::")));
    const auto* const rounding =
        std::ranges::find(directed_roundings, word, &std::pair<std::string_view, int>::first);
    if (element != std::end(matrix_elements)) {
      form.types.push_back(element->second);
    } else if (rounding != std::end(directed_roundings)) {
      form.rounding = rounding->second;
    } else if (word == "row" || word == "col") {
      form.layouts.push_back(word);
    } else if (space) {
      form.space = *space;
    } else if (word == "a" || word == "b" || word == "c" || word == "d") {
      form.matrix = word[0];
    } else if (!read_shape(word, form) &&
               std::ranges::find(plain_words, word) == plain_words.end()) {
      lowering.refuse();
    }
  }
  const auto is_extent = [](unsigned extent) {
    return extent == 8 || extent == 16 || extent == 32;
  };
  if (!is_extent(form.m) || !is_extent(form.n) || form.types.empty()) lowering.refuse();
  return form;
}

bool is_one_of(Element element, std::initializer_list<Element> list) {
  return std::ranges::find(list, element) != list.end();
}

/// Whether tensor cores take a factor with k such elements to a line: four lanes share a line, each
/// with whole registers. PTX's largest k is 256.
bool is_factor(unsigned lines, unsigned k, Element element) {
  if (!std::has_single_bit(k) || k > 256) return false;
  const unsigned words = k * element_bits(element) / 32;
  return (words >= 4 || element == Element::f64) &&
         lines * (element == Element::b1 ? words : k) <= most_matrix_elements;
}

bool is_accumulator(Element element) {
  return is_one_of(element, {Element::f16, Element::f32, Element::f64, Element::s32});
}

/// Whether they add products of a and b to c and make d of it.
bool is_product(Element d, Element a, Element b, Element c) {
  const auto both_are = [&](std::initializer_list<Element> list) {
    return is_one_of(a, list) && is_one_of(b, list);
  };
  if (both_are({Element::f64})) return d == Element::f64 && c == Element::f64;
  if (both_are({Element::f16}) || both_are({Element::bf16}) || both_are({Element::tf32}) ||
      both_are({Element::e4m3, Element::e5m2})) {
    return is_one_of(d, {Element::f16, Element::f32}) && is_one_of(c, {Element::f16, Element::f32});
  }
  const bool is_integer = both_are({Element::s8, Element::u8}) ||
                          both_are({Element::s4, Element::u4}) || both_are({Element::b1});
  return is_integer && d == Element::s32 && c == Element::s32;
}

/// The slots of a matrix's registers. wmma gives some matrices of halves more registers than their
/// elements fill: those behind hold the same once more.
SlotList slots_of(Lowering& lowering, const Operand& operand, Element element, unsigned elements,
                  bool is_destination) {
  const unsigned bits = element_bits(element) == 64 ? 64 : 32;
  SlotList slots;
  for (const Operand* each : elements_of(operand)) {
    slots.push_back(is_destination ? lowering.destination(*each, bits)
                                   : lowering.source(*each, bits));
  }
  const unsigned needed = elements * element_bits(element) / bits / warp_size;
  if (needed == 0 || slots.size() < needed || slots.size() % needed != 0) {
    lowering.refuse("its registers are not those of its shape");
  }
  return slots;
}

/// Whether rows of a sparse a are what tensor cores take: 16 or 32 bytes, of 8-bit floats 32.
bool is_sparse_shape(const MatrixForm& form, Element a) {
  const unsigned bits = element_bits(a);
  const unsigned least = is_one_of(a, {Element::e4m3, Element::e5m2}) ? 256 : 128;
  const unsigned row = form.k / 2 * bits;
  return form.m == 16 && form.n == 8 && bits >= 4 && bits <= 32 && (row == 256 || row == least);
}

/// Reads the registers that all products have and appends the product.
void emit_product(Lowering& lowering, MatrixOp op, unsigned a_elements, unsigned b_elements) {
  const MatrixProduct& product = op.product;
  const unsigned sums = product.m * product.n;
  op.d = slots_of(lowering, lowering.operand(0), product.d_type, sums, true);
  op.a = slots_of(lowering, lowering.operand(1), product.a_type, a_elements, false);
  op.b = slots_of(lowering, lowering.operand(2), product.b_type, b_elements, false);
  op.c = slots_of(lowering, lowering.operand(3), product.c_type, sums, false);
  lowering.emit(lowering.detailed(OpKind::multiply_matrices, lowering.kernel().matrix_products,
                                  std::move(op)));
}

/// mma.m8n8k4 of f16: four products, each of eight lanes.
void lower_quad_product(Lowering& lowering, const MatrixForm& form, MatrixOp op) {
  MatrixProduct& product = op.product;
  const bool are_sums = product.c_type == product.d_type || product.d_type == Element::f32;
  if (form.n != 8 || product.b_type != Element::f16 || form.layouts.size() != 2 || !are_sums) {
    lowering.refuse();
  }
  op.multiply = find_quad_function(form.layouts[0] == "col", form.layouts[1] == "row");
  product.m *= 4;
  emit_product(lowering, std::move(op), product.m * form.k, product.m * form.k);
}

void lower_product(Lowering& lowering) {
  MatrixForm form = matrix_form(lowering);
  std::vector<Element>& types = form.types;
  const bool is_wmma = lowering.instruction().mnemonic == "wmma";
  // wmma says the types of the factors where they are not halves.
  if (is_wmma && types.size() == 2) types = {types[0], Element::f16, Element::f16, types[1]};
  if (types.size() != 4) lowering.refuse();
  const auto [d, a, b, c] = std::array{types[0], types[1], types[2], types[3]};
  const bool is_saturating = lowering.has_modifier("satfinite");
  if (is_saturating && d != Element::s32) lowering.refuse(".satfinite of halves is deprecated");
  const bool is_rounded = form.rounding == FE_TONEAREST || d == Element::f64;
  if (!is_product(d, a, b, c) || !is_rounded) lowering.refuse();
  MatrixOp op;
  op.product = {.m = form.m,
                .n = form.n,
                .k = form.k,
                .a_type = a,
                .b_type = b,
                .c_type = c,
                .d_type = d,
                .is_saturating = is_saturating,
                .is_and = lowering.has_modifier("and"),
                .is_by_halves = is_one_of(a, {Element::e4m3, Element::e5m2}) && d == Element::f32 &&
                                c == Element::f32,
                .rounding = form.rounding};
  if (form.m == 8 && form.k == 4 && a == Element::f16) {
    return lower_quad_product(lowering, form, std::move(op));
  }
  const bool is_row_by_column = form.layouts == std::vector<std::string_view>{"row", "col"};
  const bool is_sparse =
      lowering.has_modifier("sp") || lowering.has_modifier("sp::ordered_metadata");
  const bool fits = is_sparse ? is_sparse_shape(form, a) : is_factor(form.m, form.k, a);
  if (!fits || !is_factor(form.n, form.k, b) || (!is_wmma && !is_row_by_column)) lowering.refuse();
  op.multiply = lowering.matrix_function();
  if (is_sparse) read_metadata(lowering, 4, op);
  emit_product(lowering, std::move(op), form.m * form.k / (is_sparse ? 2 : 1), form.k * form.n);
}

/// Loads or stores a matrix of wmma, a register of all lanes at a time; factors of 16 bits come
/// from shared memory by ldmatrix, as ptxas has it.
class FragmentAccess {
 public:
  FragmentAccess(Lowering& lowering, const MatrixForm& form, bool is_load)
      : lowering_(lowering),
        form_(form),
        is_load_(is_load),
        element_(form.types[0]),
        bits_(element_bits(element_)) {
    const bool is_factor = form.matrix == 'a' || form.matrix == 'b';
    const bool is_by_rows = form.layouts.size() == 1 && form.layouts[0] == "row";
    // Lines of b are its columns.
    is_along_near_ = is_by_rows != (form.matrix == 'b');
    parts_ = !is_factor ? (bits_ == 16 ? 2 : 1) : bits_ >= 32 ? 1 : 32 / bits_;
    lane_step_ = is_factor ? parts_ : 2;
    const unsigned line_elements = is_along_near_ ? (form.matrix == 'b' ? form.k : columns())
                                                  : (form.matrix == 'b' ? form.n : rows());
    read_operands(line_elements);
  }

  void emit() {
    const unsigned elements = rows() * columns();
    const unsigned register_bits = bits_ == 64 ? 64 : 32;
    const Operand& list = lowering_.operand(is_load_ ? 0 : 1);
    const SlotList slots = slots_of(lowering_, list, element_, elements, is_load_);
    const std::size_t needed = std::size_t{elements} * bits_ / register_bits / warp_size;
    if (form_.space == Space::shared && is_load_ && form_.matrix < 'c' && bits_ == 16) {
      constexpr std::size_t most = 4;
      for (std::size_t i = 0; i < needed; i += most) {
        load_matrices(static_cast<unsigned>(i),
                      std::span(slots).subspan(i, std::min(most, needed - i)));
      }
      return copy_rest(slots, needed, register_bits);
    }
    is_turned_ = is_load_ && form_.matrix < 'c' && bits_ == 16 && !is_along_near_;
    step_to_lanes();
    const bool is_pair = form_.matrix >= 'c' && parts_ == 1 && is_along_near_;
    for (std::size_t i = 0; i < needed; i += is_pair ? 2 : 1) {
      const RegisterOrigin origin = origin_of(static_cast<unsigned>(i));
      const AddressOperand address = address_at(origin.line, origin.along);
      if (is_pair) {
        access(address, {slots[i], slots[i + 1]}, bits_);
      } else if (parts_ == 1 || is_along_near_ || is_turned_) {
        access(address, {slots[i]}, register_bits);
      } else {
        access_parts(origin, slots[i]);
      }
    }
    copy_rest(slots, needed, register_bits);
  }

 private:
  unsigned rows() const { return form_.matrix == 'b' ? form_.k : form_.m; }
  unsigned columns() const { return form_.matrix == 'a' ? form_.k : form_.n; }

  RegisterOrigin origin_of(unsigned number) const {
    if (form_.matrix == 'a') return factor_origin(tile_rows(form_.m), form_.k, bits_, number);
    if (form_.matrix == 'b') return factor_origin(8, form_.k, bits_, number);
    return accumulator_origin(form_.m, form_.n, bits_, number);
  }

  void copy_rest(const SlotList& slots, std::size_t needed, unsigned register_bits) {
    for (std::size_t i = needed; i < slots.size() && is_load_; ++i) {
      lowering_.emit_copy(slots[i], slots[i % needed], register_bits);
    }
  }

  /// ldmatrix of two or four registers from `first` on: lane 8 * i + r has the address of row r of
  /// matrix i, which is that of register first + i.
  void load_matrices(unsigned first, std::span<const std::uint32_t> slots) {
    const RegisterOrigin origin = origin_of(first);
    MemoryOp memory;
    memory.space = Space::shared;
    memory.type = ptx::Type::b16;
    memory.matrices = static_cast<std::uint32_t>(slots.size());
    memory.is_transposed = !is_along_near_;
    memory.values.assign(slots.begin(), slots.end());
    memory.address = address_at(origin.line, origin.along);
    std::uint32_t& address = memory.address.slot;
    const auto bits_of_lane = [&](unsigned shift, unsigned mask) {
      return operation("and", {"b32"},
                       operation("shr", {"u32"}, lane_, lowering_.constant(shift, 32)),
                       lowering_.constant(mask, 32));
    };
    address = advanced(address, bits_of_lane(0, 7), stride_);
    for (unsigned bit = 0; 1U << bit < slots.size(); ++bit) {
      const RegisterOrigin next = origin_of(first + (1U << bit));
      const unsigned lines = next.line - origin.line;
      const unsigned along = next.along - origin.along;
      const std::uint32_t which = bits_of_lane(3 + bit, 1);
      const unsigned near = is_along_near_ ? along : lines;
      const unsigned far = is_along_near_ ? lines : along;
      if (near != 0) address = advanced(address, which, lowering_.constant(near * bits_ / 8, 32));
      if (far != 0) {
        address = advanced(
            address, operation("mul", {"lo", "u32"}, which, lowering_.constant(far, 32)), stride_);
      }
    }
    lowering_.emit_memory(OpKind::load_matrix, std::move(memory));
  }

  void read_operands(unsigned line_elements) {
    base_ = lowering_.address(is_load_ ? 1 : 0);
    lane_ = lowering_.add_constant(
        {.kind = ConstantSlot::Kind::laneid, .varies_by_lane = true, .bits = 32});
    if (lowering_.operand_count() <= 2) {
      stride_ = lowering_.constant(line_elements * bits_ / 8, 32);
      return;
    }
    const bool is_of_bytes = bits_ >= 8;
    stride_ = operation("mul", {"lo", "u32"}, lowering_.source(2, 32),
                        lowering_.constant(is_of_bytes ? bits_ / 8 : bits_, 32));
    if (!is_of_bytes) stride_ = operation("shr", {"u32"}, stride_, lowering_.constant(3, 32));
  }
  /// From the matrix to lane t's first element, t / 4 lines and t % 4 steps behind; where registers
  /// are turned, t / 4 and t % 4 of the transposed matrix.
  void step_to_lanes() {
    const bool are_steps_near = is_along_near_ || is_turned_;
    const std::uint32_t line = operation("shr", {"u32"}, lane_, lowering_.constant(2, 32));
    const std::uint32_t step = operation("and", {"b32"}, lane_, lowering_.constant(3, 32));
    const std::uint32_t near_bytes =
        lowering_.constant(bits_ * (are_steps_near ? lane_step_ : 1) / 8, 32);
    std::uint32_t far = are_steps_near ? line : step;
    if (!are_steps_near && lane_step_ != 1) {
      far = operation("mul", {"lo", "u32"}, far, lowering_.constant(lane_step_, 32));
    }
    base_.slot = advanced(base_.slot, far, stride_);
    base_.slot = advanced(base_.slot, are_steps_near ? step : line, near_bytes);
  }

  std::uint32_t operation(std::string_view name, const std::vector<std::string_view>& modifiers,
                          std::uint32_t a, std::uint32_t b, unsigned bits = 32) {
    const std::uint32_t d = lowering_.temporary(bits);
    lowering_.emit_alu(name, modifiers, {.d = d, .a = a, .b = b});
    return d;
  }
  /// An address plus count * bytes.
  std::uint32_t advanced(std::uint32_t from, std::uint32_t count, std::uint32_t bytes) {
    const unsigned bits = base_.is_64 ? 64 : 32;
    const std::uint32_t distance = base_.is_64
                                       ? operation("mul", {"wide", "u32"}, count, bytes, bits)
                                       : operation("mul", {"lo", "u32"}, count, bytes, bits);
    return operation("add", {base_.is_64 ? "u64" : "u32"}, from, distance, bits);
  }
  /// Of an element so many lines and so far along behind the lane's first.
  AddressOperand address_at(unsigned line, unsigned along) {
    const unsigned near = is_along_near_ ? along : line;
    const unsigned far = is_along_near_ ? line : along;
    AddressOperand address = base_;
    if (far != 0) {
      const auto [known, is_new] = far_slots_.try_emplace(far, none);
      if (is_new) known->second = advanced(base_.slot, lowering_.constant(far, 32), stride_);
      address.slot = known->second;
    }
    address.offset += std::int64_t{near} * bits_ / 8;
    return address;
  }

  void access(const AddressOperand& address, const SlotList& slots, unsigned bits) {
    MemoryOp memory;
    memory.space = form_.space;
    memory.type = bits == 8    ? ptx::Type::b8
                  : bits == 16 ? ptx::Type::b16
                  : bits == 64 ? ptx::Type::b64
                               : ptx::Type::b32;
    memory.elements = static_cast<std::uint32_t>(slots.size());
    memory.address = address;
    memory.values = slots;
    memory.bits.assign(slots.size(), static_cast<std::uint8_t>(bits == 64 ? 64 : 32));
    memory.is_transposed = is_turned_;
    lowering_.emit_memory(is_load_ ? OpKind::load : OpKind::store, std::move(memory));
  }
  /// A register whose elements lie apart in memory.
  void access_parts(const RegisterOrigin& origin, std::uint32_t slot) {
    if (bits_ < 8) lowering_.refuse();
    const std::uint32_t width = lowering_.constant(bits_, 32);
    for (unsigned part = 0; part < parts_; ++part) {
      const AddressOperand address = address_at(origin.line, origin.along + part);
      const std::uint32_t begin = lowering_.constant(std::uint64_t{part} * bits_, 32);
      if (!is_load_) {
        access(address, {operation("shr", {"u32"}, slot, begin)}, bits_);
        continue;
      }
      const std::uint32_t loaded = lowering_.temporary(32);
      access(address, {loaded}, bits_);
      lowering_.emit_alu("bfi", {"b32"},
                         {.d = slot, .a = loaded, .b = slot, .c = begin, .e = width});
    }
  }

  Lowering& lowering_;
  const MatrixForm& form_;
  bool is_load_;
  Element element_;
  unsigned bits_;
  bool is_along_near_ = true;  ///< neighbours in a line of lanes lie side by side in memory
  /// Registers are loaded as those of the transposed matrix, and turned, as ptxas has it.
  bool is_turned_ = false;
  unsigned parts_ = 1;           ///< elements of a register
  unsigned lane_step_ = 1;       ///< elements from a lane's first to the next lane's
  AddressOperand base_;          ///< of the matrix, then of a lane's first element
  std::uint32_t lane_ = none;    ///< the lane's number
  std::uint32_t stride_ = none;  ///< bytes from one line of memory to the next
  std::map<unsigned, std::uint32_t> far_slots_;  ///< addresses so many lines behind `base_`
};

}  // namespace

void read_metadata(Lowering& lowering, std::size_t index, MatrixOp& op) {
  MatrixProduct& product = op.product;
  const Operand& selector = lowering.operand(index + 1);
  const unsigned choices = 4 / metadata_lanes(product.k, element_bits(product.a_type));
  if (selector.kind != Operand::Kind::integer || selector.value < 0 || selector.value >= choices) {
    lowering.refuse("its sparsity selector is not one of its shape");
  }
  product.is_sparse = true;
  product.metadata = lowering.source(index, 32);
  product.selector = static_cast<std::uint32_t>(selector.value);
  op.is_ordered = lowering.has_modifier("sp::ordered_metadata");
}

void lower_matrix_product(Lowering& lowering) {
  const bool is_load = lowering.has_modifier("load");
  if (!is_load && !lowering.has_modifier("store")) return lower_product(lowering);
  const MatrixForm form = matrix_form(lowering);
  const bool fits = form.matrix == 'a'   ? is_factor(form.m, form.k, form.types[0])
                    : form.matrix == 'b' ? is_factor(form.n, form.k, form.types[0])
                                         : is_accumulator(form.types[0]);
  if (!fits) lowering.refuse();
  FragmentAccess(lowering, form, is_load).emit();
}

}  // namespace sweep
