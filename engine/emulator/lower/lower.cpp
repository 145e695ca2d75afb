#include "engine/emulator/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "engine/emulator/lower/align_up.h"
#include "engine/emulator/lower/control_flow.h"
#include "engine/emulator/lower/lowering.h"
#include "engine/emulator/lower/reconvergence.h"
#include "engine/emulator/lower/register_uses.h"
#include "engine/emulator/lower/uniform_registers.h"

namespace sweep {
namespace {

using ptx::Operand;

/// The condition code that add.cc and its kin write and addc and its kin read.
bool writes_carry(const ptx::Instruction& instruction) {
  return std::ranges::find(instruction.modifiers, "cc") != instruction.modifiers.end();
}
bool reads_carry(const ptx::Instruction& instruction) {
  return instruction.mnemonic == "addc" || instruction.mnemonic == "subc" ||
         instruction.mnemonic == "madc";
}

/// cvt's narrow types depend on the register that they land in.
AluOperation find_conversion(Lowering& lowering, std::uint32_t& d, unsigned& register_bits) {
  std::vector<std::string_view> modifiers = lowering.instruction().modifiers;
  const Operand& to = lowering.operand(0);
  // A register that is wider than its operation asks for is filled whole.
  modifiers.emplace_back("d32");
  AluOperation operation = lowering.find_alu("cvt", modifiers);
  const unsigned bits = operation.function != nullptr ? operation.d_bits : 32;
  d = lowering.wide_destination(to, bits, register_bits);
  if (register_bits == 1 || register_bits == 128)
    lowering.refuse("the destination has another width");
  modifiers.back() = register_bits == 64 ? "d64" : register_bits == 16 ? "d16" : "d32";
  return lowering.find_alu("cvt", modifiers);
}

void lower_alu(Lowering& lowering) {
  const ptx::Instruction& instruction = lowering.instruction();
  if (instruction.operands.empty()) lowering.refuse();
  const bool is_cvt = instruction.mnemonic == "cvt";
  AluOperands operands;
  AluOperation operation;
  unsigned register_bits = 0;
  if (is_cvt) {
    operation = find_conversion(lowering, operands.d, register_bits);
  } else {
    std::vector<std::string_view> modifiers = instruction.modifiers;
    const bool has_pair = lowering.operand(0).kind == Operand::Kind::list;
    if (instruction.mnemonic == "setp" && has_pair) modifiers.emplace_back("two");
    operation = lowering.find_alu(instruction.mnemonic, modifiers);
  }
  if (operation.function == nullptr) lowering.refuse();
  std::size_t next = 1;
  const Operand& to = lowering.operand(0);
  if (!is_cvt && to.kind == Operand::Kind::list) {
    if (to.elements.size() != 2 || operation.d2_bits == 0) lowering.refuse();
    operands.d = lowering.destination(to.elements[0], operation.d_bits);
    operands.d2 = lowering.destination(to.elements[1], operation.d2_bits);
  } else {
    if (!is_cvt) operands.d = lowering.destination(to, operation.d_bits);
    if (operation.d2_bits != 0) operands.d2 = lowering.temporary(operation.d2_bits);
  }
  if (writes_carry(instruction)) operands.d2 = lowering.carry();
  const std::array<std::uint8_t, 4> widths = {operation.a_bits, operation.b_bits, operation.c_bits,
                                              operation.e_bits};
  const std::array<std::uint32_t*, 4> sources = {&operands.a, &operands.b, &operands.c,
                                                 &operands.e};
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] == 0) continue;
    if (i == 3 && reads_carry(instruction)) {
      *sources[i] = lowering.carry();
      continue;
    }
    const Operand& operand = lowering.operand(next++);
    if (is_cvt && widths[i] > 1) {
      unsigned source_bits = 0;
      *sources[i] = lowering.wide_source(operand, widths[i], source_bits);
      if (source_bits == 64 && widths[i] <= 32) {
        AluOperands narrow;
        narrow.d = lowering.temporary(32);
        narrow.a = *sources[i];
        lowering.emit_alu("cvt", {"u32", "u64", "d32"}, narrow);
        *sources[i] = narrow.d;
      } else if (source_bits == 1 || source_bits == 128 ||
                 (source_bits < widths[i] && widths[i] > 32)) {
        lowering.refuse("an operand has another width");
      }
    } else {
      *sources[i] = lowering.source(operand, widths[i]);
    }
  }
  if (next != lowering.operand_count()) lowering.refuse("it has operands that have no meaning");
  Op op;
  op.alu = operation.function;
  op.operands = operands;
  lowering.emit(op);
}

class KernelBuilder {
 public:
  KernelBuilder(const ptx::Module& module, const std::string& entry, Simd simd)
      : module_(module), flat_(flatten(module, entry)), lowering_(module, flat_, simd, kernel_) {
    const ptx::Function& function = *flat_.frames.front().function;
    kernel_.name = entry;
    kernel_.max_threads = function.max_threads;
    kernel_.static_shared_bytes =
        align_up(flat_.static_shared_bytes, flat_.dynamic_shared_alignment);
    kernel_.shared_variables = flat_.shared_variables;
    kernel_.local_bytes = align_up(flat_.local_bytes, 16);
    for (const ptx::Variable& parameter : function.parameters) {
      const std::uint64_t offset = align_up(kernel_.parameter_bytes, parameter.align);
      kernel_.parameters.push_back(parameter);
      kernel_.parameter_offsets.push_back(offset);
      kernel_.parameter_bytes = offset + parameter.bytes;
      check_parameters();
    }
  }

  Kernel run() {
    const std::vector<CodeBlock> blocks = find_blocks(flat_);
    uses_ = std::make_unique<RegisterUses>(flat_, blocks);
    uniform_ = std::make_unique<UniformRegisters>(flat_, blocks);
    for (const CodeBlock& code : blocks) add_block(code);
    const std::vector<bool> merges = find_merging_blocks(kernel_.blocks);
    for (std::size_t i = 0; i < merges.size(); ++i) kernel_.blocks[i].merges = merges[i];
    for (const InstructionInfo& info : kernel_.instructions) {
      for (const ptx::Place& place : info.places) {
        while (kernel_.file_names.size() <= place.file) {
          const auto file = static_cast<std::uint32_t>(kernel_.file_names.size());
          kernel_.file_names.push_back(module_.file_name(file));
        }
      }
    }
    // A wider alignment lets vector code touch a whole cache line of every slot.
    kernel_.register_bytes = static_cast<std::uint32_t>(align_up(kernel_.register_bytes, 64));
    return std::move(kernel_);
  }

 private:
  /// The limit of CUDA 12.1 and newer (PTX ISA, "Kernel Function Parameter Attributes").
  void check_parameters() const {
    constexpr std::uint64_t most_bytes = 32764;
    if (kernel_.parameter_bytes <= most_bytes) return;
    throw UnsupportedError(
        fmt::format("the kernel's arguments take more than the {} bytes that "
                    "there are for them",
                    most_bytes));
  }

  UniformOperands uniform_operands(std::uint32_t at) const {
    const ptx::Instruction* instruction = flat_.code[at].instruction;
    const bool has_result = instruction != nullptr && instruction->mnemonic == "atom";
    const bool is_atomic = has_result || (instruction != nullptr && instruction->mnemonic == "red");
    const std::size_t address = has_result ? 1 : 0;
    if (!is_atomic || instruction->operands.size() < address + 2) return {};
    return {uniform_->is_uniform(at, instruction->operands[address]),
            uniform_->is_uniform(at, instruction->operands[address + 1])};
  }

  void lower_one(std::uint32_t at) {
    const FlatInstruction& flat = flat_.code[at];
    lowering_.start(flat, uses_->is_result_unused(at), uniform_operands(at));
    const bool is_known = lower_moves(lowering_) || lower_memory(lowering_) ||
                          lower_copies(lowering_) || lower_calls(lowering_);
    if (!is_known) lower_alu(lowering_);
  }

  void add_block(const CodeBlock& code) {
    BasicBlock block;
    block.first_op = static_cast<std::uint32_t>(kernel_.ops.size());
    for (std::uint32_t at = code.begin; at < code.end; ++at) {
      if (!uses_->is_dead(at)) lower_one(at);
    }
    block.end = code.kind;
    block.target = code.target;
    block.targets = code.targets;
    block.next = code.next;
    block.instructions = code.end - code.begin;
    if (code.ender != none) {
      lowering_.start(flat_.code[code.ender]);
      block.instruction = lowering_.note_instruction();
      // What goes around a guarded collective counts with the collective.
      const bool is_counted = !(code.is_guard_inverted && code.kind == EndKind::branch);
      if (is_counted) ++block.instructions;
      lower_end(code, block);
    } else if (code.begin != code.end) {
      lowering_.start(flat_.code[code.begin]);
      block.instruction = lowering_.note_instruction();
    }
    block.op_count = static_cast<std::uint32_t>(kernel_.ops.size()) - block.first_op;
    kernel_.blocks.push_back(std::move(block));
  }

  void lower_end(const CodeBlock& code, BasicBlock& block) {
    if (code.kind == EndKind::collective || code.kind == EndKind::barrier) {
      block.op =
          code.kind == EndKind::barrier ? lower_barrier(lowering_) : lower_collective(lowering_);
      block.op.instruction = block.instruction;
      return;
    }
    block.predicate = lowering_.guard();
    block.is_negated = lowering_.instruction().is_guard_negated != code.is_guard_inverted;
    if (code.kind == EndKind::indexed_branch) {
      block.index = lowering_.source(lowering_.operand(0), 32);
    }
    if (code.kind == EndKind::branch && block.predicate == none) {
      block.end = EndKind::next;
      block.next = code.target;
    }
  }

  const ptx::Module& module_;
  FlatCode flat_;
  Kernel kernel_;
  Lowering lowering_;
  std::unique_ptr<RegisterUses> uses_;
  std::unique_ptr<UniformRegisters> uniform_;
};

}  // namespace

Kernel lower(const ptx::Module& module, const std::string& entry, Simd simd) {
  return KernelBuilder(module, entry, simd).run();
}

}  // namespace sweep
