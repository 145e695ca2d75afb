#include "engine/emulator/lower/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <sstream>

namespace sweep {
namespace {

using ptx::Operand;
using Kind = ConstantSlot::Kind;

constexpr std::uint32_t predicate_bytes = 4;
constexpr std::uint32_t predicate_slot_bytes = 64;

constexpr unsigned slot_bytes(unsigned bits) {
  return bits <= 32 ? warp_size * 4 : bits == 64 ? warp_size * 8 : warp_size * 16;
}

/// Whether registers of these widths have slots of one shape.
bool same_slot(unsigned a, unsigned b) {
  return a == b || (a > 1 && b > 1 && a <= 32 && b <= 32);
}

/// Of a warp. A compiler's PTX names a register for nearly every instruction.
constexpr std::uint32_t most_register_bytes = 1U << 28U;

/// In the order of their kinds.
constexpr auto special_registers = std::to_array<std::string_view>({"%tid.x",
                                                                    "%tid.y",
                                                                    "%tid.z",
                                                                    "%ntid.x",
                                                                    "%ntid.y",
                                                                    "%ntid.z",
                                                                    "%ctaid.x",
                                                                    "%ctaid.y",
                                                                    "%ctaid.z",
                                                                    "%nctaid.x",
                                                                    "%nctaid.y",
                                                                    "%nctaid.z",
                                                                    "%laneid",
                                                                    "%warpid",
                                                                    "%nwarpid",
                                                                    "%smid",
                                                                    "%nsmid",
                                                                    "%gridid",
                                                                    "%lanemask_eq",
                                                                    "%lanemask_le",
                                                                    "%lanemask_lt",
                                                                    "%lanemask_ge",
                                                                    "%lanemask_gt",
                                                                    "%dynamic_smem_size",
                                                                    "%total_smem_size",
                                                                    "%aggr_smem_size",
                                                                    "%reserved_smem_offset_begin",
                                                                    "%reserved_smem_offset_end",
                                                                    "%reserved_smem_offset_cap",
                                                                    "%reserved_smem_offset_0",
                                                                    "%reserved_smem_offset_1",
                                                                    "%nclusterid.x",
                                                                    "%nclusterid.y",
                                                                    "%nclusterid.z",
                                                                    "%cluster_nctaid.x",
                                                                    "%cluster_nctaid.y",
                                                                    "%cluster_nctaid.z",
                                                                    "%cluster_nctarank",
                                                                    "%is_explicit_cluster",
                                                                    "%envreg1",
                                                                    "%envreg2",
                                                                    "%clusterid.x",
                                                                    "%clusterid.y",
                                                                    "%clusterid.z",
                                                                    "%cluster_ctaid.x",
                                                                    "%cluster_ctaid.y",
                                                                    "%cluster_ctaid.z",
                                                                    "%cluster_ctarank"});
static_assert(special_registers.size() == static_cast<std::size_t>(Kind::shared_address) -
                                              static_cast<std::size_t>(Kind::tid_x));

/// Compilers read others as if they varied.
bool is_uniform(Kind special) {
  return (special >= Kind::ntid_x && special <= Kind::nctaid_z) || special == Kind::smid ||
         special >= Kind::nclusterid_x;
}

Blend blend_of(std::string_view mnemonic) {
  static constexpr std::array<std::string_view, 8> bitwise = {"and",  "bfi",  "lop3", "or",
                                                              "pack", "prmt", "shf",  "slct"};
  if (mnemonic == "selp") return Blend::select;
  return std::ranges::find(bitwise, mnemonic) == bitwise.end() ? Blend::any : Blend::bitwise;
}

std::uint64_t truncated(std::uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

/// " of compute capability 9.0" for "sm_90a"; empty where the target says none.
std::string capability_of(const std::string& target) {
  constexpr std::string_view prefix = "sm_";
  const std::size_t end = target.find_first_not_of("0123456789", prefix.size());
  const std::string digits = target.substr(std::min(prefix.size(), target.size()),
                                           end == std::string::npos ? end : end - prefix.size());
  if (!target.starts_with(prefix) || digits.size() < 2) return {};
  return fmt::format(" of compute capability {}.{}", digits.substr(0, digits.size() - 1),
                     digits.back());
}

/// Why no GPU of a target executes an instruction, or none that a pattern runs on.
struct Limit {
  std::string_view mnemonic;
  unsigned capability = 0;  ///< the first that has it, 100 for 10.0
  std::string_view why;
};
constexpr Limit limits[] = {
    {"tcgen05", 100, ""},
    {"clusterlaunchcontrol", 100, ""},
    {"wgmma", 90, ""},
    {"multimem", 90, "it needs memory that several GPUs share"},
    {"suld", 0, "a pattern passes no surface"},
    {"sust", 0, "a pattern passes no surface"},
    {"sured", 0, "a pattern passes no surface"},
    {"suq", 0, "a pattern passes no surface"},
    {"istypep", 0, "a pattern passes no reference to a texture or surface"},
};

/// 90 for " of compute capability 9.0"; the highest where none is said.
unsigned number_of(std::string_view capability) {
  unsigned number = 0;
  for (const char letter : capability) {
    if (letter >= '0' && letter <= '9') number = 10 * number + static_cast<unsigned>(letter - '0');
  }
  return number == 0 ? ~0U : number;
}

constexpr InstructionRow register_operation = {"", lower_alu};

constexpr InstructionRow rows[] = {
    {"activemask", lower_activemask},
    {"alloca stackrestore stacksave", lower_stack},
    {"applypriority discard griddepcontrol pmevent prefetchu", lower_hint},
    {"atom red", lower_atomic},
    {"bar barrier", lower_barrier, EndKind::barrier},
    {"barrier.cluster", lower_cluster_barrier, EndKind::barrier},
    {"bar.warp elect match movmatrix redux shfl vote", lower_collective, EndKind::collective},
    {"bra", nullptr, EndKind::branch},
    {"brkpt trap", nullptr, EndKind::trap},
    {"brx", nullptr, EndKind::indexed_branch},
    {"call", lower_system_call},
    {call_step_name, lower_call_step},
    {"cp", lower_copy},
    {"createpolicy", lower_createpolicy},
    {"cvta", lower_cvta},
    {"exit ret", nullptr, EndKind::exit},
    {"fence membar", lower_fence},
    {"isspacep", lower_isspacep},
    {"ld ldu", lower_load, EndKind::next, false},
    {"ldmatrix stmatrix", lower_matrix},
    {"lop3", lower_lop3},
    {"getctarank mapa", lower_cluster_address},
    {"mbarrier", lower_mbarrier},
    {"mma wmma", lower_matrix_product},
    {"mov", lower_mov},
    {"prefetch", lower_prefetch},
    {"nanosleep", lower_nanosleep},
    {"set", lower_set},
    {"setmaxnreg", lower_setmaxnreg},
    {"setp", lower_setp},
    {"st", lower_store},
    {"tex tld4 txq", lower_texture, EndKind::next, false},
    {"vabsdiff4", lower_vabsdiff4},
    {"vadd vadd2 vadd4 vabsdiff vabsdiff2 vmax vmax2 vmax4 vmin vmin2 vmin4 vset vset2 vset4 vsub "
     "vsub2 vsub4",
     lower_video},
    {"wgmma", lower_wgmma},
    {"wgmma.wait_group", lower_wgmma, EndKind::barrier},
};

}  // namespace

std::vector<const Operand*> elements_of(const Operand& operand) {
  if (operand.kind != Operand::Kind::list) return {&operand};
  std::vector<const Operand*> list;
  for (const Operand& element : operand.elements) list.push_back(&element);
  return list;
}

std::string_view word_type(unsigned bits) {
  return bits == 1 ? "pred" : bits == 16 ? "b16" : bits == 32 ? "b32" : "b64";
}

Lowering::Lowering(const ptx::Module& module, const FlatCode& flat, Simd simd, Kernel& kernel)
    : module_(module),
      flat_(flat),
      simd_(simd),
      kernel_(kernel),
      register_slots_(flat.registers.size(), none) {}

void Lowering::start(const FlatInstruction& flat, bool is_result_unused) {
  current_ = &flat;
  is_result_unused_ = is_result_unused;
}

bool Lowering::has_modifier(std::string_view name) const {
  return std::ranges::find(instruction().modifiers, name) != instruction().modifiers.end();
}

void Lowering::refuse(const std::string& why) const {
  const ptx::Instruction& ins = instruction();
  const std::vector<ptx::Place> places = flat_.places_of(current_->frame, ins);
  const std::string capability = capability_of(module_.target());
  const auto* const limit = std::ranges::find(limits, ins.mnemonic, &Limit::mnemonic);
  std::string rest = why.empty() ? "" : " (" + why + ")";
  if (limit != std::end(limits) && number_of(capability) < limit->capability) {
    rest += fmt::format(", nor does a GPU{}: it is of {}.{} and newer", capability,
                        limit->capability / 10, limit->capability % 10);
  } else if (limit != std::end(limits) && !limit->why.empty()) {
    rest += fmt::format(": {}", limit->why);
  } else {
    rest += fmt::format("; a GPU{} does (sweep run --device 0)", capability);
  }
  const std::string message =
      fmt::format("the emulator does not execute the instruction {}{}", ins.opcode(), rest);
  if (!places.empty()) throw unsupported_at(module_, places.back(), message);
  throw UnsupportedError(fmt::format("line {} of the PTX", ins.ptx_line), message);
}

ptx::Type Lowering::last_type() const {
  const std::vector<std::string_view>& modifiers = instruction().modifiers;
  const auto type = modifiers.empty() ? std::nullopt : ptx::find_type(modifiers.back());
  if (!type) refuse();
  return *type;
}

const Operand& Lowering::operand(std::size_t index) const {
  if (index >= operand_count()) refuse("it has too few operands");
  return instruction().operands[index];
}

std::uint32_t Lowering::temporary(unsigned bits) {
  // Predicates share slots, of which each begins at a multiple of its bytes.
  if (bits == 1 && next_predicate_ % predicate_slot_bytes != 0) {
    return std::exchange(next_predicate_, next_predicate_ + predicate_bytes);
  }
  const std::uint32_t slot = kernel_.register_bytes;
  const std::uint32_t bytes = bits == 1 ? predicate_slot_bytes : slot_bytes(bits);
  if (bytes > most_register_bytes - slot) {
    throw unsupported("'{}' needs too many registers", kernel_.name);
  }
  kernel_.register_bytes += bytes;
  if (bits == 1) next_predicate_ = slot + predicate_bytes;
  return slot;
}

std::uint32_t Lowering::carry() {
  if (carry_ == none) carry_ = temporary(32);
  return carry_;
}

Lowering::SizedSlot Lowering::register_slot(ptx::RegisterId id) {
  return slot_at(flat_.register_index(current_->frame, id));
}

Lowering::SizedSlot Lowering::slot_at(std::uint32_t index) {
  const unsigned bits = ptx::bits_of(flat_.registers[index]);
  if (register_slots_[index] == none) register_slots_[index] = temporary(bits);
  return {register_slots_[index], bits};
}

std::uint32_t Lowering::add_constant(ConstantSlot slot) {
  // A number's bits are what they are; other values are cut or extended to the slot's width.
  const bool is_of_any_width = slot.kind == Kind::immediate && slot.bits <= 32 && slot.bits > 1;
  const auto key =
      std::make_tuple(static_cast<int>(slot.kind) * 64 + static_cast<int>(slot.type), slot.value,
                      slot.offset, is_of_any_width ? 32U : unsigned{slot.bits});
  const auto [known, is_new] = constants_.try_emplace(key, 0);
  if (is_new) {
    known->second = slot.slot = temporary(slot.bits);
    kernel_.constants.push_back(slot);
  }
  return known->second;
}

std::uint32_t Lowering::constant(std::uint64_t value, unsigned bits) {
  return add_constant({.bits = static_cast<std::uint8_t>(bits), .value = truncated(value, bits)});
}

std::uint32_t Lowering::special(std::string_view name, unsigned bits) {
  if (name == "%clock" || name == "%clock64" || name == "%globaltimer" || name == "%clock_hi" ||
      name == "%globaltimer_lo" || name == "%globaltimer_hi") {
    const std::uint32_t clock = temporary(64);
    emit(OpKind::read_clock, clock);
    if (bits == 64) return clock;
    const std::uint32_t low = temporary(32);
    const std::uint32_t high = temporary(32);
    emit_alu("unpack", {"b64"}, {.d = low, .d2 = high, .a = clock});
    return name.ends_with("_hi") ? high : low;
  }
  const bool is_zero = name.ends_with(".w") || name.starts_with("%pm") ||
                       name.starts_with("%envreg") || name == "%current_graph_exec";
  const auto known = std::ranges::find(special_registers, name);
  if (known == special_registers.end() && is_zero) return constant(0, bits);
  if (known != special_registers.end()) {
    const auto kind =
        static_cast<Kind>(static_cast<int>(Kind::tid_x) + (known - special_registers.begin()));
    kernel_.has_grid_barrier |= kind == Kind::envreg1 || kind == Kind::envreg2;
    kernel_.has_reserved_shared |=
        kind >= Kind::reserved_shared_begin && kind <= Kind::reserved_shared_1;
    return add_constant({.kind = kind,
                         .varies_by_lane = !is_uniform(kind),
                         .bits = static_cast<std::uint8_t>(bits)});
  }
  refuse(fmt::format("the special register {} is not known", name));
}

std::uint32_t Lowering::immediate(const Operand& operand, unsigned bits) {
  if (operand.kind == Operand::Kind::f64 && bits == 32) {
    const auto value = static_cast<float>(std::bit_cast<double>(operand.value));
    return constant(std::bit_cast<std::uint32_t>(value), 32);
  }
  if (bits == 128) {
    const std::uint32_t pair = temporary(128);
    emit_copy(pair, constant(static_cast<std::uint64_t>(operand.value), 64), 64);
    emit_copy(pair + upper_half, constant(operand.value < 0 ? ~std::uint64_t{0} : 0, 64), 64);
    return pair;
  }
  return constant(static_cast<std::uint64_t>(operand.value), bits);
}

Lowering::SizedSlot Lowering::wide_source(const Operand& operand, unsigned bits) {
  const bool is_narrow =
      operand.kind == Operand::Kind::special || operand.kind == Operand::Kind::variable;
  if (bits == 128 && is_narrow) refuse("an operand has another width");
  switch (operand.kind) {
    case Operand::Kind::reg:
      return register_slot(operand.reg);
    case Operand::Kind::special:
      return {special(operand.name, bits), bits};
    case Operand::Kind::integer:
    case Operand::Kind::f32:
    case Operand::Kind::f64:
      return {immediate(operand, bits), bits};
    case Operand::Kind::variable:
      return {address_of(operand.variable, operand.value, bits), bits};
    default:
      refuse("an operand is of a kind it cannot have");
  }
}

std::uint32_t Lowering::source(const Operand& operand, unsigned bits) {
  if (bits == 1) return predicate(operand);
  const SizedSlot found = wide_source(operand, bits);
  if (!same_slot(found.bits, bits)) refuse("an operand has another width");
  return found.slot;
}

Lowering::SizedSlot Lowering::wide_destination(const Operand& operand, unsigned bits) {
  if (operand.kind == Operand::Kind::sink) return {temporary(bits), bits};
  if (operand.kind != Operand::Kind::reg) refuse("the destination is not a register");
  return register_slot(operand.reg);
}

std::uint32_t Lowering::destination(const Operand& operand, unsigned bits) {
  const SizedSlot found = wide_destination(operand, bits);
  if (!same_slot(found.bits, bits)) refuse("the destination has another width");
  return found.slot;
}

std::uint32_t Lowering::predicate(const Operand& operand) {
  if (operand.kind == Operand::Kind::integer) {
    const bool holds = (operand.value != 0) != operand.is_negated;
    return constant(holds ? 1 : 0, 1);
  }
  if (operand.kind == Operand::Kind::special && operand.name == "%is_explicit_cluster") {
    return special(operand.name, 1);
  }
  if (operand.kind != Operand::Kind::reg) refuse("an operand is not a predicate");
  const auto [slot, bits] = register_slot(operand.reg);
  if (bits != 1) refuse("an operand is not a predicate");
  if (!operand.is_negated) return slot;
  const std::uint32_t opposite = temporary(1);
  emit_alu("not", {"pred"}, {.d = opposite, .a = slot});
  return opposite;
}

std::uint32_t Lowering::guard() {
  return instruction().guard ? register_slot(*instruction().guard).slot : none;
}

AddressOperand Lowering::address(const Operand& operand) {
  AddressOperand address;
  if (operand.kind != Operand::Kind::address) refuse("it has no address");
  if (operand.base == Operand::Base::reg) {
    const auto [slot, bits] = register_slot(operand.reg);
    if (bits != 32 && bits != 64) refuse("its address has another width");
    address = {slot, bits == 64, operand.value};
  } else if (operand.base == Operand::Base::variable) {
    address.slot = address_of(operand.variable, operand.value, 64);
  } else {
    address.slot = constant(static_cast<std::uint64_t>(operand.value), 64);
  }
  return address;
}

void Lowering::emit(Op op) {
  op.guard = guard();
  op.is_guard_negated = instruction().is_guard_negated;
  kernel_.ops.push_back(op);
}

void Lowering::emit(OpKind kind, std::uint32_t d) {
  Op op;
  op.kind = kind;
  op.operands.d = d;
  emit(op);
}

void Lowering::emit_memory(OpKind kind, MemoryOp memory) {
  const bool may_wait = kind == OpKind::atomic || memory.is_volatile;
  Op op = detailed(kind, kernel_.memory, std::move(memory));
  op.may_wait = may_wait;
  emit(op);
}

void Lowering::emit_copy(std::uint32_t to, std::uint32_t from, unsigned bits) {
  emit_alu("mov", {word_type(bits)}, {.d = to, .a = from});
  if (bits == 128) emit_copy(to + upper_half, from + upper_half, 64);
}

AluOperation Lowering::find_alu(std::string_view mnemonic,
                                const std::vector<std::string_view>& modifiers) const {
  return find_alu_operation(simd_, mnemonic, modifiers);
}

void Lowering::emit_alu(std::string_view mnemonic, const std::vector<std::string_view>& modifiers,
                        const AluOperands& operands) {
  emit_alu(mnemonic, find_alu(mnemonic, modifiers), operands);
}

void Lowering::emit_alu(std::string_view mnemonic, const AluOperation& operation,
                        const AluOperands& operands) {
  if (operation.function == nullptr) refuse();
  Op op;
  op.alu = operation.function;
  op.operands = operands;
  if (operation.e_bits == 0) op.operands.e = operation.variant;
  op.reads_a = operation.a_bits != 0;
  op.reads_b = operation.b_bits != 0;
  op.reads_c = operation.c_bits != 0;
  op.reads_e = operation.e_bits != 0;
  op.writes_d2 = operation.d2_bits != 0;
  op.blend = blend_of(mnemonic);
  op.is_copy = mnemonic == "mov";
  if (notes_all_) op.instruction = note_instruction();
  emit(op);
}

std::uint32_t Lowering::note_instruction() {
  const ptx::Instruction& ins = instruction();
  if (std::exchange(noted_, current_) != current_) {
    kernel_.instructions.push_back(
        {ins.opcode(), ins.ptx_line, flat_.places_of(current_->frame, ins)});
  }
  return static_cast<std::uint32_t>(kernel_.instructions.size() - 1);
}

FrameMove Lowering::frame_move() {
  const CallStep& step = flat_.steps[current_->step];
  const CallRegion& region = flat_.regions[step.region];
  FrameMove move = {.kind = step.kind,
                    .base = slot_at(region.base).slot,
                    .size = region.size(),
                    .kept_at = align_up(region.bytes, 16),
                    .copies = step.copies};
  const auto keep = [&](std::uint32_t slot, unsigned bits) {
    move.kept.push_back({slot, static_cast<std::uint8_t>(bits)});
  };
  for (const std::uint32_t index : step.registers) {
    const auto [slot, bits] = slot_at(index);
    keep(slot, bits == 1 ? 1 : std::clamp(bits, 32U, 64U));
    if (bits == 128) keep(slot + upper_half, 64);
  }
  return move;
}

Lowering::VariablePlace Lowering::place_of(const ptx::VariableRef& ref) {
  const ptx::Variable& variable = flat_.variable(module_, current_->frame, ref);
  const Frame& frame = flat_.frames[current_->frame];
  if (variable.space == ptx::Space::shared && variable.is_extern) {
    // Dynamic shared memory begins behind the static.
    return {ptx::Space::shared, kernel_.static_shared_bytes, none, false};
  }
  if (!ref.is_local_to_function) {
    if (variable.space != ptx::Space::shared) return {variable.space, 0, ref.index, false};
    const std::uint32_t index = flat_.shared_indices.at(&variable);
    return {ptx::Space::shared, flat_.shared_variables[index].offset, none, false};
  }
  if (current_->frame == 0 && ref.index < frame.function->parameter_count) {
    return {ptx::Space::param, kernel_.parameter_offsets[ref.index], none, true};
  }
  const ptx::Space space =
      variable.space == ptx::Space::shared ? ptx::Space::shared : ptx::Space::local;
  const bool is_based = space == ptx::Space::local && frame.base != none;
  return {space, frame.variable_offsets[ref.index], none, false,
          is_based ? slot_at(frame.base).slot : none};
}

std::uint32_t Lowering::address_of(const ptx::VariableRef& ref, std::int64_t offset,
                                   unsigned bits) {
  const VariablePlace place = place_of(ref);
  if (place.module_variable != none) {
    if (place.space != ptx::Space::global && place.space != ptx::Space::constant) {
      refuse("a variable of the module lies in neither global, constant nor shared memory");
    }
    std::vector<std::uint32_t>& used = kernel_.variables;
    if (std::ranges::find(used, place.module_variable) == used.end()) {
      used.push_back(place.module_variable);
    }
    return add_constant({.kind = Kind::variable,
                         .bits = static_cast<std::uint8_t>(bits),
                         .value = place.module_variable,
                         .offset = offset});
  }
  const std::uint64_t address = place.offset + static_cast<std::uint64_t>(offset);
  if (place.space == ptx::Space::shared) return shared_address(address, bits);
  if (place.base != none) {
    std::uint32_t sum = temporary(64);
    emit_alu("add", {"u64"}, {.d = sum, .a = place.base, .b = constant(address, 64)});
    if (bits == 64) return sum;
    const std::uint32_t low = temporary(32);
    emit_alu("cvt", {"u32", "u64", "d32"}, {.d = low, .a = sum});
    return low;
  }
  if (!place.is_kernel_parameter) return constant(address, bits);
  return add_constant(
      {.kind = Kind::parameter_base, .bits = static_cast<std::uint8_t>(bits), .value = address});
}

std::uint32_t Lowering::shared_address(std::uint64_t value, unsigned bits) {
  return add_constant(
      {.kind = Kind::shared_address, .bits = static_cast<std::uint8_t>(bits), .value = value});
}

const InstructionRow& row_of(const ptx::Instruction& instruction) {
  static const auto row_of_name = [] {
    std::map<std::string, const InstructionRow*, std::less<>> known;
    for (const InstructionRow& row : rows) {
      std::istringstream names{std::string(row.mnemonics)};
      for (std::string name; names >> name;) known[name] = &row;
    }
    return known;
  }();
  const auto has = [&](std::string_view mnemonic, std::string_view modifier) {
    return instruction.mnemonic == mnemonic &&
           std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
  };
  const std::string_view name = has("bar", "warp")           ? "bar.warp"
                                : has("barrier", "cluster")  ? "barrier.cluster"
                                : has("wgmma", "wait_group") ? "wgmma.wait_group"
                                                             : instruction.mnemonic;
  const auto found = row_of_name.find(name);
  return found != row_of_name.end() ? *found->second : register_operation;
}

}  // namespace sweep
