#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "engine/emulator/lower/flatten.h"
#include "engine/emulator/lower/kernel.h"

namespace sweep {

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
  /// Whether it stands in the kernel itself, not in a function that it calls.
  bool is_in_kernel_frame() const { return current_->frame == 0; }
  /// Throws UnsupportedError about the instruction: what is wrong in a few words, or nothing.
  [[noreturn]] void refuse(const std::string& why = {}) const;
  /// The operand; refuses an instruction that has too few.
  const ptx::Operand& operand(std::size_t index) const;
  std::size_t operand_count() const { return instruction().operands.size(); }

  /// The slot that holds an operand's value in so many bits (1, 16, 32, 64, or 128 for two slots of
  /// 64): a register of that width class, or a constant.
  std::uint32_t source(const ptx::Operand& operand, unsigned bits);
  /// As `source`, but a register may be wider or narrower; says how wide it is.
  std::uint32_t wide_source(const ptx::Operand& operand, unsigned bits, unsigned& register_bits);
  /// The slot of a destination register; a throw-away one for `_`.
  std::uint32_t destination(const ptx::Operand& operand, unsigned bits);
  std::uint32_t wide_destination(const ptx::Operand& operand, unsigned bits,
                                 unsigned& register_bits);
  std::uint32_t constant(std::uint64_t value, unsigned bits);
  std::uint32_t temporary(unsigned bits);
  std::uint32_t carry();
  /// A predicate operand, `!p` too.
  std::uint32_t predicate(const ptx::Operand& operand);
  /// The guard's slot, or none.
  std::uint32_t guard();

  /// Appends an operation under the instruction's guard.
  void emit(Op op);
  /// Appends a register operation; refuses one that does not exist.
  void emit_alu(std::string_view mnemonic, const std::vector<std::string_view>& modifiers,
                const AluOperands& operands);
  void emit_alu(std::string_view mnemonic, const AluOperation& operation,
                const AluOperands& operands);
  AluOperation find_alu(std::string_view mnemonic,
                        const std::vector<std::string_view>& modifiers) const;
  /// An index into Kernel::instructions for the instruction.
  std::uint32_t note_instruction();

  /// The space and offset of a variable that lies in shared or local memory or the parameters.
  struct VariablePlace {
    ptx::Space space;
    std::uint64_t offset;
    std::uint32_t module_variable;  ///< for global and constant space, else none
    bool is_kernel_parameter;
  };
  VariablePlace place_of(const ptx::VariableRef& variable) const;
  const ptx::Variable& variable_of(const ptx::VariableRef& variable) const;
  /// The constant slot with a variable's address plus an offset.
  std::uint32_t address_of(const ptx::VariableRef& variable, std::int64_t offset, unsigned bits);
  std::uint32_t add_constant(ConstantSlot slot);

  Kernel& kernel() { return kernel_; }
  const ptx::Module& module() const { return module_; }

 private:
  std::uint32_t register_slot(ptx::RegisterId id, unsigned& bits);
  std::uint32_t allocate(unsigned bits);
  std::uint32_t allocate_bytes(std::uint32_t bytes);
  std::uint32_t special(std::string_view name, unsigned bits);
  std::uint32_t immediate(const ptx::Operand& operand, unsigned bits);

  const ptx::Module& module_;
  const FlatCode& flat_;
  Simd simd_;
  Kernel& kernel_;
  const FlatInstruction* current_ = nullptr;
  bool is_result_unused_ = false;
  const ptx::Instruction* noted_ = nullptr;
  std::uint32_t noted_frame_ = none;
  std::vector<std::uint32_t> register_slots_;
  std::map<std::tuple<int, std::uint64_t, std::int64_t, unsigned>, std::uint32_t> constants_;
  std::uint32_t carry_ = none;
  std::uint32_t predicate_room_ = 0;  ///< predicates that still fit into the last slot of them
  std::uint32_t next_predicate_ = 0;
};

// What the rows of the instruction table name.
void lower_activemask(Lowering& lowering);
void lower_alu(Lowering& lowering);
void lower_atom(Lowering& lowering);
void lower_copy(Lowering& lowering);  ///< cp and all its kin
void lower_createpolicy(Lowering& lowering);
void lower_cvta(Lowering& lowering);
void lower_fence(Lowering& lowering);
void lower_hint(Lowering& lowering);
void lower_isspacep(Lowering& lowering);
void lower_ldmatrix(Lowering& lowering);
void lower_load(Lowering& lowering);
void lower_mbarrier(Lowering& lowering);
void lower_mov(Lowering& lowering);
void lower_nanosleep(Lowering& lowering);
void lower_prefetch(Lowering& lowering);
void lower_red(Lowering& lowering);
void lower_stack(Lowering& lowering);  ///< alloca, stacksave, stackrestore
void lower_stmatrix(Lowering& lowering);
void lower_store(Lowering& lowering);
void lower_system_call(Lowering& lowering);
Op lower_barrier(Lowering& lowering);
Op lower_elect(Lowering& lowering);
Op lower_match(Lowering& lowering);
Op lower_movmatrix(Lowering& lowering);
Op lower_redux(Lowering& lowering);
Op lower_shuffle(Lowering& lowering);
Op lower_vote(Lowering& lowering);
Op lower_warp_barrier(Lowering& lowering);

}  // namespace sweep
