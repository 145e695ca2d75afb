// wgmma, which the four warps of a warpgroup execute together, and setmaxnreg.

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/emulator/lower/lowering.h"

namespace sweep {
namespace {

using Element = MatrixElement;
using ptx::Operand;

constexpr unsigned warps_of_group = 4;
/// Of m64, those that one warp has.
constexpr unsigned rows_of_warp = 16;

/// Factors that can meet; k elements of a line are 32 bytes, or 64 of which a sparse a has half.
struct FactorRow {
  std::string_view name;
  Element element;
  unsigned family;  ///< the other factor is of the same
};
constexpr FactorRow factor_rows[] = {{"f16", Element::f16, 0},   {"bf16", Element::bf16, 1},
                                     {"tf32", Element::tf32, 2}, {"e4m3", Element::e4m3, 3},
                                     {"e5m2", Element::e5m2, 3}, {"s8", Element::s8, 4},
                                     {"u8", Element::u8, 4},     {"b1", Element::b1, 5}};

const FactorRow* find_factor(std::string_view name) {
  const auto* const found = std::ranges::find(factor_rows, name, &FactorRow::name);
  return found == std::end(factor_rows) ? nullptr : found;
}

struct WarpgroupForm {
  unsigned columns = 0;
  unsigned k = 0;
  bool is_sparse = false;
  const FactorRow* a = nullptr;
  const FactorRow* b = nullptr;
  Element sum = Element::f32;
};

/// "m64n256k16"
bool read_extents(std::string_view word, WarpgroupForm& form) {
  constexpr std::string_view rows = "m64n";
  const char* const end = word.data() + word.size();
  if (!word.starts_with(rows)) return false;
  const auto columns = std::from_chars(word.data() + rows.size(), end, form.columns);
  if (columns.ec != std::errc() || columns.ptr == end || *columns.ptr != 'k') return false;
  const auto along = std::from_chars(columns.ptr + 1, end, form.k);
  return along.ec == std::errc() && along.ptr == end;
}

/// The modifiers begin with mma_async, sync and aligned; shape, the type of d, of a and of b
/// follow.
WarpgroupForm warpgroup_form(const Lowering& lowering) {
  WarpgroupForm form;
  std::vector<std::string_view> types;
  for (const std::string_view word : lowering.instruction().modifiers) {
    static constexpr std::array<std::string_view, 6> plain = {"mma_async", "sync", "aligned",
                                                              "satfinite", "and",  "popc"};
    const bool is_type = word == "f32" || word == "s32" || find_factor(word) != nullptr;
    if (is_type) {
      types.push_back(word);
    } else if (word == "sp") {
      form.is_sparse = true;
    } else if (!read_extents(word, form) && std::ranges::find(plain, word) == plain.end()) {
      lowering.refuse();
    }
  }
  if (types.size() != 3) lowering.refuse();
  form.a = find_factor(types[1]);
  form.b = find_factor(types[2]);
  if (form.a == nullptr || form.b == nullptr || form.a->family != form.b->family) lowering.refuse();
  const bool is_integer = form.a->family >= 4;
  const bool may_be_half = form.a->family == 0 || form.a->family == 3;
  form.sum = types[0] == "f16" ? Element::f16 : is_integer ? Element::s32 : Element::f32;
  const std::string_view wide = is_integer ? "s32" : "f32";
  if (types[0] != wide && !(may_be_half && types[0] == "f16")) lowering.refuse();
  // Integers have fewer shapes.
  const bool is_small = form.columns == 8 || form.columns == 24;
  const unsigned step = is_integer && !is_small ? 16 : 8;
  const unsigned row = form.k * element_bits(form.a->element);
  const bool is_row = form.is_sparse ? row == 512 && form.a->element != Element::b1 : row == 256;
  const bool is_shape = form.columns >= 8 && form.columns <= most_matrix_columns &&
                        form.columns % step == 0 && is_row;
  if (!is_shape) lowering.refuse("PTX has no such shape");
  return form;
}

SlotList register_slots(Lowering& lowering, const Operand& operand, std::size_t count,
                        bool is_destination) {
  SlotList slots;
  for (const Operand* each : elements_of(operand)) {
    slots.push_back(is_destination ? lowering.destination(*each, 32) : lowering.source(*each, 32));
  }
  if (slots.size() != count) lowering.refuse("its registers are not those of its shape");
  return slots;
}

/// An immediate operand that has one of two values: whether it is the second.
bool second_of(const Lowering& lowering, std::size_t index, std::int64_t first,
               std::int64_t second) {
  const Operand& operand = lowering.operand(index);
  const bool is_valid =
      operand.kind == Operand::Kind::integer && (operand.value == first || operand.value == second);
  if (!is_valid) lowering.refuse("an operand is not one of its two constants");
  return operand.value == second;
}

/// wgmma.mma_async d, a, b{, metadata, selector}, scale-d{, scale-a, scale-b{, transposes}}: a is
/// registers or, as b, a descriptor.
void lower_warpgroup_product(Lowering& lowering) {
  const WarpgroupForm form = warpgroup_form(lowering);
  const bool is_integer = form.sum == Element::s32;
  if (lowering.has_modifier("satfinite") && !is_integer) lowering.refuse();
  if ((form.a->element == Element::b1) != lowering.has_modifier("and")) lowering.refuse();
  MatrixOp op;
  op.product = {.m = rows_of_warp,
                .n = form.columns,
                .k = form.k,
                .a_type = form.a->element,
                .b_type = form.b->element,
                .c_type = form.sum,
                .d_type = form.sum,
                .is_saturating = lowering.has_modifier("satfinite"),
                .is_and = true};
  op.multiply = lowering.matrix_function();
  const std::size_t sums = form.columns / (form.sum == Element::f16 ? 4U : 2U);
  op.d = register_slots(lowering, lowering.operand(0), sums, true);
  op.c = op.d;
  const Operand& a = lowering.operand(1);
  const bool has_registers = a.kind == Operand::Kind::list;
  if (has_registers) {
    op.a = register_slots(lowering, a, 4, false);
  } else {
    op.a_descriptor = lowering.source(a, 64);
  }
  op.b_descriptor = lowering.source(2, 64);
  std::size_t next = 3;
  if (form.is_sparse) {
    read_metadata(lowering, next, op);
    next += 2;
  }
  op.scale_d = lowering.predicate(lowering.operand(next++));
  if (!is_integer) {
    const bool is_a_negated = second_of(lowering, next++, 1, -1);
    const bool is_b_negated = second_of(lowering, next++, 1, -1);
    op.product.is_negated = is_a_negated != is_b_negated;
  }
  // Only elements of 16 bits may lie across the lines.
  const bool is_16 = form.a->element == Element::f16 || form.a->element == Element::bf16;
  if (is_16 && !has_registers) op.is_a_across = second_of(lowering, next++, 0, 1);
  if (is_16) op.is_b_across = second_of(lowering, next++, 0, 1);
  if (next != lowering.operand_count()) {
    lowering.refuse("it has operands that have no meaning");
  }
  lowering.emit(lowering.detailed(OpKind::multiply_warpgroup, lowering.kernel().matrix_products,
                                  std::move(op)));
}

std::uint32_t constant_operand(const Lowering& lowering, std::int64_t most) {
  const Operand& operand = lowering.operand(0);
  const bool is_valid =
      operand.kind == Operand::Kind::integer && operand.value >= 0 && operand.value <= most;
  if (!is_valid) lowering.refuse("its operand is not a constant that it can have");
  return static_cast<std::uint32_t>(operand.value);
}

constexpr std::pair<std::string_view, WarpgroupMode> warpgroup_modes[] = {
    {"fence", WarpgroupMode::fence},
    {"commit_group", WarpgroupMode::commit},
    {"wait_group", WarpgroupMode::wait}};

Op order_op(Lowering& lowering, WarpgroupOrder order) {
  return lowering.detailed(OpKind::order_warpgroup, lowering.kernel().warpgroup_orders, order);
}

}  // namespace

void lower_wgmma(Lowering& lowering) {
  if (lowering.has_modifier("mma_async")) return lower_warpgroup_product(lowering);
  WarpgroupOrder order = {.mode = lowering.modifier<WarpgroupMode>(warpgroup_modes)};
  constexpr std::int64_t most_groups = 7;
  if (order.mode != WarpgroupMode::wait) return lowering.emit(order_op(lowering, order));
  order.groups = constant_operand(lowering, most_groups);
  lowering.end_block(order_op(lowering, order));
}

/// setmaxnreg.inc.sync.aligned.u32 N
void lower_setmaxnreg(Lowering& lowering) {
  constexpr std::int64_t most = 256;
  constexpr std::int64_t least = 24;
  const std::uint32_t registers = constant_operand(lowering, most);
  if (registers % 8 != 0 || registers < least) {
    lowering.refuse("its count is a multiple of 8 from 24 to 256");
  }
  lowering.emit(order_op(lowering, {.mode = WarpgroupMode::registers}));
}

}  // namespace sweep
