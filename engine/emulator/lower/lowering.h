#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/emulator/lower/code_analysis.h"
#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// What words among an instruction's modifiers stand for.
template <class Value>
using ModifierTable = std::span<const std::pair<std::string_view, Value>>;

/// The kernel under construction, with what turns operands into slots.
class Lowering {
 public:
  Lowering(const ptx::Module& module, const FlatCode& flat, Simd simd, Kernel& kernel);

  /// The instruction that the functions below are about, for messages and registers.
  void start(const FlatInstruction& flat, bool is_result_unused = false);
  /// Whether nothing reads the instruction's result.
  bool is_result_unused() const { return is_result_unused_; }
  const ptx::Instruction& instruction() const { return *current_->instruction; }
  bool has_modifier(std::string_view name) const;
  /// What the first modifier that the table has stands for; refuses an instruction without one.
  template <class Value>
  Value modifier(ModifierTable<Value> table) const {
    for (const std::string_view word : instruction().modifiers) {
      const auto row = std::ranges::find(table, word, &std::pair<std::string_view, Value>::first);
      if (row != table.end()) return row->second;
    }
    refuse();
  }
  /// The type that ends the modifiers.
  ptx::Type last_type() const;
  /// Whether it stands in the kernel itself, not in a function that it calls.
  bool is_in_kernel_frame() const { return current_->frame == 0; }
  /// Throws UnsupportedError about the instruction: what is wrong in a few words, or nothing.
  [[noreturn]] void refuse(const std::string& why = {}) const;
  /// The operand; refuses an instruction that has too few.
  const ptx::Operand& operand(std::size_t index) const;
  std::size_t operand_count() const { return instruction().operands.size(); }

  struct SizedSlot {
    std::uint32_t slot = none;
    unsigned bits = 0;  ///< of the register
  };
  /// The slot that holds an operand's value in so many bits (1, 16, 32, 64, or 128 for two slots of
  /// 64): a register of that width class, or a constant.
  std::uint32_t source(const ptx::Operand& operand, unsigned bits);
  /// As `source`, but a register may be wider or narrower.
  SizedSlot wide_source(const ptx::Operand& operand, unsigned bits);
  /// The slot of a destination register; a throw-away one for `_`.
  std::uint32_t destination(const ptx::Operand& operand, unsigned bits);
  SizedSlot wide_destination(const ptx::Operand& operand, unsigned bits);
  MatrixFunction matrix_function() const { return find_matrix_function(simd_); }
  AddressOperand address(const ptx::Operand& operand);
  // The same of the operand with an index.
  std::uint32_t source(std::size_t index, unsigned bits) { return source(operand(index), bits); }
  std::uint32_t destination(std::size_t index, unsigned bits) {
    return destination(operand(index), bits);
  }
  AddressOperand address(std::size_t index) { return address(operand(index)); }
  std::uint32_t constant(std::uint64_t value, unsigned bits);
  std::uint32_t temporary(unsigned bits);
  std::uint32_t carry();
  /// A predicate operand, `!p` too.
  std::uint32_t predicate(const ptx::Operand& operand);
  /// The guard's slot, or none.
  std::uint32_t guard();

  /// Register operations know their instructions from now on: where their places are asked for.
  void note_register_operations() { notes_all_ = true; }
  /// Appends an operation under the instruction's guard.
  void emit(Op op);
  void emit(OpKind kind, std::uint32_t d = 0);
  /// An operation with what the kernel's table for its kind says of it.
  template <class Detail>
  Op detailed(OpKind kind, std::vector<Detail>& table, Detail detail) {
    Op op;
    op.kind = kind;
    op.detail = static_cast<std::uint32_t>(table.size());
    op.instruction = note_instruction();
    table.push_back(std::move(detail));
    return op;
  }
  void emit_memory(OpKind kind, MemoryOp memory);
  /// Sets the operation that the block ends with.
  void end_block(const Op& op) { end_op_ = op; }
  const Op& end_op() const { return end_op_; }
  /// Appends a register operation; refuses one that does not exist.
  void emit_alu(std::string_view mnemonic, const std::vector<std::string_view>& modifiers,
                const AluOperands& operands);
  void emit_alu(std::string_view mnemonic, const AluOperation& operation,
                const AluOperands& operands);
  /// Copies a register: 128 bits as two halves, 1 as a predicate.
  void emit_copy(std::uint32_t to, std::uint32_t from, unsigned bits);
  AluOperation find_alu(std::string_view mnemonic,
                        const std::vector<std::string_view>& modifiers) const;
  /// An index into Kernel::instructions for the instruction.
  std::uint32_t note_instruction();

  /// The space and offset of a variable that lies in shared or local memory or the parameters.
  struct VariablePlace {
    ptx::Space space = ptx::Space::generic;
    std::uint64_t offset = 0;
    std::uint32_t module_variable = none;  ///< for global and constant space
    bool is_kernel_parameter = false;
    std::uint32_t base = none;  ///< the slot that it lies behind
  };
  VariablePlace place_of(const ptx::VariableRef& variable);
  /// The constant slot with a variable's address plus an offset.
  std::uint32_t address_of(const ptx::VariableRef& variable, std::int64_t offset, unsigned bits);
  /// The same with how far it lies from the beginning of the block's shared memory.
  std::uint32_t shared_address(std::uint64_t value, unsigned bits);
  std::uint32_t add_constant(ConstantSlot slot);
  /// Of a register by its index in FlatCode::registers.
  SizedSlot slot_at(std::uint32_t index);
  /// What the call that the instruction belongs to does.
  FrameMove frame_move();

  Kernel& kernel() { return kernel_; }

 private:
  SizedSlot register_slot(ptx::RegisterId id);
  std::uint32_t special(std::string_view name, unsigned bits);
  std::uint32_t immediate(const ptx::Operand& operand, unsigned bits);

  const ptx::Module& module_;
  const FlatCode& flat_;
  Simd simd_;
  Kernel& kernel_;
  const FlatInstruction* current_ = nullptr;
  bool is_result_unused_ = false;
  bool notes_all_ = false;
  Op end_op_;
  const FlatInstruction* noted_ = nullptr;  ///< the last of Kernel::instructions
  std::vector<std::uint32_t> register_slots_;
  std::map<std::tuple<int, std::uint64_t, std::int64_t, unsigned>, std::uint32_t> constants_;
  std::uint32_t carry_ = none;
  std::uint32_t next_predicate_ = 0;  ///< a multiple of a slot: there is no room for one
};

/// The operations of atom, red and cp.reduce.
inline constexpr std::pair<std::string_view, AtomicOperation> atomic_operations[] = {
    {"add", AtomicOperation::add},       {"min", AtomicOperation::minimum},
    {"max", AtomicOperation::maximum},   {"inc", AtomicOperation::increment},
    {"dec", AtomicOperation::decrement}, {"and", AtomicOperation::bit_and},
    {"or", AtomicOperation::bit_or},     {"xor", AtomicOperation::bit_xor},
    {"exch", AtomicOperation::exchange}, {"cas", AtomicOperation::compare_exchange},
};

/// The elements of `{a, b}`, or the operand itself.
std::vector<const ptx::Operand*> elements_of(const ptx::Operand& operand);
/// "b16", "b32", "b64"; "pred" for 1.
std::string_view word_type(unsigned bits);
/// The mnemonic of instructions that are CallSteps.
inline constexpr std::string_view call_step_name = "call.recursive";
/// Whether a memory instruction with the modifier is volatile or orders memory.
bool is_ordering(std::string_view modifier);

/// What the rows of the instruction table name: each adds an instruction's ops.
using LowerFunction = void(Lowering& lowering);
LowerFunction lower_activemask, lower_alu, lower_atomic, lower_barrier, lower_call_step,
    lower_cluster_address, lower_cluster_barrier, lower_collective, lower_copy, lower_createpolicy,
    lower_cvta, lower_fence, lower_hint, lower_isspacep, lower_load, lower_lop3, lower_matrix,
    lower_matrix_product, lower_mbarrier, lower_mov, lower_nanosleep, lower_prefetch, lower_set,
    lower_setmaxnreg, lower_setp, lower_stack, lower_store, lower_system_call, lower_texture,
    lower_vabsdiff4, lower_video, lower_wgmma;
/// A copy of a tensor's box, of lower_copy's.
void lower_tensor_copy(Lowering& lowering, bool is_reduction);
/// The operands of a product with a sparse a, at `index` and behind it: metadata and selector.
void read_metadata(Lowering& lowering, std::size_t index, MatrixOp& op);

/// All that is known of the instructions of some mnemonics before they are lowered.
struct InstructionRow {
  std::string_view mnemonics;  ///< "bar.warp", "barrier.cluster": not the block's barriers
  /// Adds its ops, or the one that ends its block. Null where there is nothing to add.
  LowerFunction* lower = nullptr;
  /// How the basic block ends that it ends; `next`: it ends none.
  EndKind end = EndKind::next;
  /// Whether it stays where nothing reads its result.
  bool has_effects = true;
};

/// Mnemonics without a row of their own are register operations.
const InstructionRow& row_of(const ptx::Instruction& instruction);

}  // namespace sweep
