#include "engine/emulator/lower/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>

#include "engine/emulator/lower/lower.h"

namespace sweep {
namespace {

using ptx::Operand;
using Kind = ConstantSlot::Kind;

constexpr unsigned predicate_bytes = 4;

constexpr unsigned slot_bytes(unsigned bits) {
  return bits <= 32 ? warp_size * 4 : bits == 64 ? warp_size * 8 : warp_size * 16;
}

/// Whether registers of these widths have slots of one shape.
bool same_slot(unsigned a, unsigned b) {
  return a == b || (a > 1 && b > 1 && a <= 32 && b <= 32);
}

/// Of a warp. A compiler's PTX names a register for nearly every instruction.
constexpr std::uint32_t most_register_bytes = 1U << 28U;

struct SpecialRegister {
  std::string_view name;
  Kind kind;
};

constexpr SpecialRegister special_registers[] = {
    {"%tid.x", Kind::tid_x},
    {"%tid.y", Kind::tid_y},
    {"%tid.z", Kind::tid_z},
    {"%ntid.x", Kind::ntid_x},
    {"%ntid.y", Kind::ntid_y},
    {"%ntid.z", Kind::ntid_z},
    {"%ctaid.x", Kind::ctaid_x},
    {"%ctaid.y", Kind::ctaid_y},
    {"%ctaid.z", Kind::ctaid_z},
    {"%nctaid.x", Kind::nctaid_x},
    {"%nctaid.y", Kind::nctaid_y},
    {"%nctaid.z", Kind::nctaid_z},
    {"%laneid", Kind::laneid},
    {"%warpid", Kind::warpid},
    {"%nwarpid", Kind::nwarpid},
    {"%smid", Kind::smid},
    {"%nsmid", Kind::nsmid},
    {"%gridid", Kind::gridid},
    {"%lanemask_eq", Kind::lanemask_eq},
    {"%lanemask_le", Kind::lanemask_le},
    {"%lanemask_lt", Kind::lanemask_lt},
    {"%lanemask_ge", Kind::lanemask_ge},
    {"%lanemask_gt", Kind::lanemask_gt},
    {"%dynamic_smem_size", Kind::dynamic_shared_size},
    {"%total_smem_size", Kind::total_shared_size},
};

Blend blend_of(std::string_view mnemonic) {
  static constexpr std::array<std::string_view, 8> bitwise = {"and",  "bfi",  "lop3", "or",
                                                              "pack", "prmt", "shf",  "slct"};
  if (mnemonic == "selp") return Blend::select;
  return std::ranges::find(bitwise, mnemonic) == bitwise.end() ? Blend::any : Blend::bitwise;
}

std::uint64_t truncated(std::uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace

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
  const Frame& frame = flat_.frames[current_->frame];
  std::vector<ptx::Place> places = frame.function->places[ins.place];
  places.insert(places.end(), frame.called_from.begin(), frame.called_from.end());
  const std::string message =
      fmt::format("the emulator does not execute the instruction {}{}; a GPU does (--device 0)",
                  ins.opcode(), why.empty() ? "" : " (" + why + ")");
  if (places.empty()) {
    throw UnsupportedError({}, 0, fmt::format("line {} of the PTX", ins.ptx_line), message);
  }
  const std::filesystem::path file = module_.file_name(places.back().file);
  const std::uint32_t line = places.back().line;
  throw UnsupportedError(file.string(), line, fmt::format("{}:{}", file.filename().string(), line),
                         message);
}

const Operand& Lowering::operand(std::size_t index) const {
  if (index >= operand_count()) refuse("it has too few operands");
  return instruction().operands[index];
}

std::uint32_t Lowering::allocate_bytes(std::uint32_t bytes) {
  const std::uint32_t slot = kernel_.register_bytes;
  if (bytes > most_register_bytes - slot) {
    throw UnsupportedError(fmt::format("'{}' needs too many registers", kernel_.name));
  }
  kernel_.register_bytes += bytes;
  return slot;
}

std::uint32_t Lowering::allocate(unsigned bits) {
  if (bits != 1) return allocate_bytes(slot_bytes(bits));
  if (predicate_room_ == 0) {
    constexpr std::uint32_t predicates = 16;
    next_predicate_ = allocate_bytes(predicates * predicate_bytes);
    predicate_room_ = predicates;
  }
  --predicate_room_;
  next_predicate_ += predicate_bytes;
  return next_predicate_ - predicate_bytes;
}

std::uint32_t Lowering::temporary(unsigned bits) {
  return allocate(bits);
}

std::uint32_t Lowering::carry() {
  if (carry_ == none) carry_ = allocate(32);
  return carry_;
}

std::uint32_t Lowering::register_slot(ptx::RegisterId id, unsigned& bits) {
  const std::uint32_t index = flat_.frames[current_->frame].first_register + id;
  bits = ptx::bits_of(flat_.registers[index]);
  if (register_slots_[index] == none) register_slots_[index] = allocate(bits);
  return register_slots_[index];
}

std::uint32_t Lowering::add_constant(ConstantSlot slot) {
  // A number's bits are what they are; other values are cut or extended to the slot's width.
  const bool is_of_any_width = slot.kind == Kind::immediate && slot.bits <= 32 && slot.bits > 1;
  const auto key =
      std::make_tuple(static_cast<int>(slot.kind) * 64 + static_cast<int>(slot.type), slot.value,
                      slot.offset, is_of_any_width ? 32U : unsigned{slot.bits});
  const auto [known, is_new] = constants_.try_emplace(key, 0);
  if (is_new) {
    known->second = slot.slot = allocate(slot.bits);
    kernel_.constants.push_back(slot);
  }
  return known->second;
}

std::uint32_t Lowering::constant(std::uint64_t value, unsigned bits) {
  ConstantSlot slot;
  slot.bits = static_cast<std::uint8_t>(bits);
  slot.value = truncated(value, bits);
  return add_constant(slot);
}

std::uint32_t Lowering::special(std::string_view name, unsigned bits) {
  if (name == "%clock" || name == "%clock64" || name == "%globaltimer" || name == "%clock_hi" ||
      name == "%globaltimer_lo" || name == "%globaltimer_hi") {
    Op op;
    op.kind = OpKind::read_clock;
    op.operands.d = allocate(64);
    emit(op);
    if (bits == 64) return op.operands.d;
    const std::uint32_t low = allocate(32);
    const std::uint32_t high = allocate(32);
    AluOperands halves;
    halves.d = low;
    halves.d2 = high;
    halves.a = op.operands.d;
    emit_alu("unpack", {"b64"}, halves);
    return name.ends_with("_hi") ? high : low;
  }
  for (const SpecialRegister& known : special_registers) {
    if (known.name != name) continue;
    ConstantSlot slot;
    slot.kind = known.kind;
    slot.bits = static_cast<std::uint8_t>(bits);
    return add_constant(slot);
  }
  refuse(fmt::format("the special register {} is not known", name));
}

std::uint32_t Lowering::immediate(const Operand& operand, unsigned bits) {
  if (operand.kind == Operand::Kind::f64 && bits == 32) {
    const auto value = static_cast<float>(std::bit_cast<double>(operand.value));
    return constant(std::bit_cast<std::uint32_t>(value), 32);
  }
  if (bits == 128) {
    const std::uint32_t slot = constant(static_cast<std::uint64_t>(operand.value), 64);
    const std::uint32_t pair = allocate(128);
    const std::uint32_t high = constant(operand.value < 0 ? ~std::uint64_t{0} : 0, 64);
    AluOperands copy;
    copy.d = pair;
    copy.a = slot;
    emit_alu("mov", {"b64"}, copy);
    copy.d = pair + warp_size * 8;
    copy.a = high;
    emit_alu("mov", {"b64"}, copy);
    return pair;
  }
  return constant(static_cast<std::uint64_t>(operand.value), bits);
}

std::uint32_t Lowering::wide_source(const Operand& operand, unsigned bits,
                                    unsigned& register_bits) {
  register_bits = bits;
  const bool is_narrow =
      operand.kind == Operand::Kind::special || operand.kind == Operand::Kind::variable;
  if (bits == 128 && is_narrow) refuse("an operand has another width");
  switch (operand.kind) {
    case Operand::Kind::reg:
      return register_slot(operand.reg, register_bits);
    case Operand::Kind::special:
      return special(operand.name, bits);
    case Operand::Kind::integer:
    case Operand::Kind::f32:
    case Operand::Kind::f64:
      return immediate(operand, bits);
    case Operand::Kind::variable:
      return address_of(operand.variable, operand.value, bits);
    default:
      refuse("an operand is of a kind it cannot have");
  }
}

std::uint32_t Lowering::source(const Operand& operand, unsigned bits) {
  if (bits == 1) return predicate(operand);
  unsigned register_bits = 0;
  const std::uint32_t slot = wide_source(operand, bits, register_bits);
  if (!same_slot(register_bits, bits)) refuse("an operand has another width");
  return slot;
}

std::uint32_t Lowering::wide_destination(const Operand& operand, unsigned bits,
                                         unsigned& register_bits) {
  register_bits = bits;
  if (operand.kind == Operand::Kind::sink) return allocate(bits);
  if (operand.kind != Operand::Kind::reg) refuse("the destination is not a register");
  return register_slot(operand.reg, register_bits);
}

std::uint32_t Lowering::destination(const Operand& operand, unsigned bits) {
  unsigned register_bits = 0;
  const std::uint32_t slot = wide_destination(operand, bits, register_bits);
  if (!same_slot(register_bits, bits)) refuse("the destination has another width");
  return slot;
}

std::uint32_t Lowering::predicate(const Operand& operand) {
  if (operand.kind == Operand::Kind::integer) {
    const bool holds = (operand.value != 0) != operand.is_negated;
    return constant(holds ? 1 : 0, 1);
  }
  if (operand.kind != Operand::Kind::reg) refuse("an operand is not a predicate");
  unsigned bits = 0;
  const std::uint32_t slot = register_slot(operand.reg, bits);
  if (bits != 1) refuse("an operand is not a predicate");
  if (!operand.is_negated) return slot;
  AluOperands operands;
  operands.d = allocate(1);
  operands.a = slot;
  emit_alu("not", {"pred"}, operands);
  return operands.d;
}

std::uint32_t Lowering::guard() {
  if (!instruction().guard) return none;
  unsigned bits = 0;
  const std::uint32_t slot = register_slot(*instruction().guard, bits);
  if (bits != 1) refuse("its guard is not a predicate");
  return slot;
}

void Lowering::emit(Op op) {
  op.guard = guard();
  op.is_guard_negated = instruction().is_guard_negated;
  kernel_.ops.push_back(op);
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
  op.reads_a = operation.a_bits != 0;
  op.reads_b = operation.b_bits != 0;
  op.reads_c = operation.c_bits != 0;
  op.reads_e = operation.e_bits != 0;
  op.writes_d2 = operation.d2_bits != 0;
  op.blend = blend_of(mnemonic);
  emit(op);
}

std::uint32_t Lowering::note_instruction() {
  const ptx::Instruction& ins = instruction();
  if (noted_ == &ins && noted_frame_ == current_->frame) {
    return static_cast<std::uint32_t>(kernel_.instructions.size() - 1);
  }
  noted_ = &ins;
  noted_frame_ = current_->frame;
  const Frame& frame = flat_.frames[current_->frame];
  InstructionInfo info;
  info.opcode = ins.opcode();
  info.ptx_line = ins.ptx_line;
  info.places = frame.function->places[ins.place];
  info.places.insert(info.places.end(), frame.called_from.begin(), frame.called_from.end());
  kernel_.instructions.push_back(std::move(info));
  return static_cast<std::uint32_t>(kernel_.instructions.size() - 1);
}

const ptx::Variable& Lowering::variable_of(const ptx::VariableRef& variable) const {
  return variable.is_local_to_function
             ? flat_.frames[current_->frame].function->variables[variable.index]
             : module_.variables()[variable.index];
}

Lowering::VariablePlace Lowering::place_of(const ptx::VariableRef& ref) const {
  const ptx::Variable& variable = variable_of(ref);
  const Frame& frame = flat_.frames[current_->frame];
  if (variable.space == ptx::Space::shared && variable.is_extern) {
    // Dynamic shared memory begins behind the static.
    return {ptx::Space::shared, kernel_.static_shared_bytes, none, false};
  }
  if (!ref.is_local_to_function) {
    if (variable.space != ptx::Space::shared) return {variable.space, 0, ref.index, false};
    const auto found = flat_.module_shared_offsets.find(variable.name);
    return {ptx::Space::shared, found->second, none, false};
  }
  if (current_->frame == 0 && ref.index < frame.function->parameters.size()) {
    return {ptx::Space::param, kernel_.parameter_offsets[ref.index], none, true};
  }
  const ptx::Space space =
      variable.space == ptx::Space::shared ? ptx::Space::shared : ptx::Space::local;
  return {space, frame.variable_offsets[ref.index], none, false};
}

std::uint32_t Lowering::address_of(const ptx::VariableRef& ref, std::int64_t offset,
                                   unsigned bits) {
  const VariablePlace place = place_of(ref);
  if (place.module_variable != none) {
    if (place.space != ptx::Space::global && place.space != ptx::Space::constant) {
      refuse("a variable of the module lies in neither global, constant nor shared memory");
    }
    ConstantSlot slot;
    slot.kind = Kind::variable;
    slot.bits = static_cast<std::uint8_t>(bits);
    slot.value = place.module_variable;
    slot.offset = offset;
    std::vector<std::uint32_t>& used = kernel_.variables;
    if (std::ranges::find(used, place.module_variable) == used.end()) {
      used.push_back(place.module_variable);
    }
    return add_constant(slot);
  }
  const std::uint64_t address = place.offset + static_cast<std::uint64_t>(offset);
  if (!place.is_kernel_parameter) return constant(address, bits);
  ConstantSlot slot;
  slot.kind = Kind::parameter_base;
  slot.bits = static_cast<std::uint8_t>(bits);
  slot.value = address;
  return add_constant(slot);
}

}  // namespace sweep
