#include "engine/emulator/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "engine/emulator/lower/align_up.h"
#include "engine/emulator/lower/control_flow.h"
#include "engine/emulator/lower/instruction_table.h"
#include "engine/emulator/lower/lowering.h"
#include "engine/emulator/lower/reconvergence.h"
#include "engine/emulator/lower/register_uses.h"
#include "engine/emulator/lower/shared_bases.h"
#include "engine/emulator/lower/uniform_slots.h"

namespace sweep {
namespace {

using ptx::Operand;

/// PTX ISA, "Kernel Function Parameters".
constexpr std::uint64_t most_parameter_bytes = 32764;

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
      if (kernel_.parameter_bytes > most_parameter_bytes) {
        throw UnsupportedError(
            fmt::format("'{}' takes more than {} bytes of arguments", entry, most_parameter_bytes));
      }
    }
  }

  Kernel run() {
    const std::vector<CodeBlock> blocks = find_blocks(flat_);
    uses_ = std::make_unique<RegisterUses>(flat_, blocks);
    shared_bases_ = std::make_unique<SharedBases>(module_, flat_, blocks);
    for (const CodeBlock& code : blocks) add_block(code);
    const std::vector<bool> merges = find_merging_blocks(kernel_.blocks);
    for (std::size_t i = 0; i < merges.size(); ++i) kernel_.blocks[i].merges = merges[i];
    mark_aggregated_atomics(kernel_);
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
  void lower_one(std::uint32_t at) {
    lowering_.start(flat_.code[at], uses_->is_result_unused(at));
    const std::size_t first = kernel_.memory.size();
    row_of(lowering_.instruction()).lower(lowering_);
    if (kernel_.memory.size() == first) return;
    const auto address =
        std::ranges::find(lowering_.instruction().operands, Operand::Kind::address, &Operand::kind);
    kernel_.memory.back().shared_base = shared_bases_->base_of(at, *address);
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
      block.op = row_of(lowering_.instruction()).lower_end(lowering_);
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
  std::unique_ptr<SharedBases> shared_bases_;
};

}  // namespace

Kernel lower(const ptx::Module& module, const std::string& entry, Simd simd) {
  return KernelBuilder(module, entry, simd).run();
}

}  // namespace sweep
