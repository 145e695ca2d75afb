#include "engine/emulator/lower/kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/emulator/lower/code_analysis.h"
#include "engine/emulator/lower/lowering.h"

namespace sweep {
namespace {

using ptx::Operand;

/// PTX ISA, "Kernel Function Parameters".
constexpr std::uint64_t most_parameter_bytes = 32764;

bool is_removable_load(const ptx::Instruction& instruction) {
  return !row_of(instruction).has_effects &&
         std::ranges::none_of(instruction.modifiers, is_ordering);
}

/// Calls `work(at)` for every flat instruction of blocks.
template <class Work>
void for_each_instruction(const std::vector<CodeBlock>& blocks, const Work& work) {
  for (const CodeBlock& block : blocks) {
    const std::uint32_t end = block.ender == none ? block.end : block.ender + 1;
    for (std::uint32_t at = block.begin; at < end; ++at) work(at);
  }
}

/// How often each register of flat code is named in what the kernel reaches. Loads whose values
/// nothing reads are left out, as ptxas leaves them out: a volatile one stays.
class RegisterUses {
 public:
  RegisterUses(const FlatCode& flat, const std::vector<CodeBlock>& blocks)
      : flat_(flat), uses_(flat.registers.size(), 0), is_dead_(flat.code.size(), false) {
    std::vector<std::uint32_t> loads;
    for_each_instruction(blocks, [&](std::uint32_t at) {
      count(at, 1);
      if (is_removable_load(*flat.code[at].instruction)) loads.push_back(at);
    });
    // Without one load, what computed its address from another may be unused too.
    std::ranges::reverse(loads);
    const auto leave_out = [&](std::uint32_t load) {
      is_dead_[load] = is_result_unused(load);
      if (is_dead_[load]) count(load, -1);
      return is_dead_[load];
    };
    while (std::erase_if(loads, leave_out) != 0) {
    }
  }

  /// Whether the flat instruction is a load that nothing needs.
  bool is_dead(std::uint32_t at) const { return is_dead_[at]; }

  /// Whether nothing but this instruction names its first operand.
  bool is_result_unused(std::uint32_t at) const {
    const FlatInstruction& flat = flat_.code[at];
    if (flat.instruction->operands.empty()) return false;
    const Operand& result = flat.instruction->operands.front();
    const auto is_unused = [&](const Operand& operand) {
      return operand.kind == Operand::Kind::sink ||
             (operand.kind == Operand::Kind::reg &&
              uses_[flat_.register_index(flat.frame, operand.reg)] == 1);
    };
    return result.kind == Operand::Kind::list ? std::ranges::all_of(result.elements, is_unused)
                                              : is_unused(result);
  }

 private:
  void count_operand(std::uint32_t frame, const Operand& operand, int change) {
    if (operand.names_register()) uses_[flat_.register_index(frame, operand.reg)] += change;
    for (const Operand& element : operand.elements) count_operand(frame, element, change);
  }

  void count(std::uint32_t at, int change) {
    const auto& [instruction, frame, target, step] = flat_.code[at];
    for (const Operand& operand : instruction->operands) count_operand(frame, operand, change);
    if (instruction->guard) uses_[flat_.register_index(frame, *instruction->guard)] += change;
  }

  const FlatCode& flat_;
  std::vector<int> uses_;
  std::vector<bool> is_dead_;
};

/// Which variable in shared memory an address is computed from: known where exactly one variable's
/// address flows into it, whatever is added. What comes out of memory or a function's parameter has
/// no known base.
class SharedBases {
 public:
  SharedBases(const ptx::Module& module, const FlatCode& flat, const std::vector<CodeBlock>& blocks)
      : module_(module), flat_(flat), bases_(flat.registers.size(), unknown) {
    if (flat.shared_variables.empty()) return;
    while (flow(blocks)) {
    }
  }

  /// Of an address operand of the flat instruction: an index into FlatCode::shared_variables, or
  /// none.
  std::uint32_t base_of(std::uint32_t at, const Operand& address) const {
    const Base base = value(flat_.code[at].frame, address);
    return base < flat_.shared_variables.size() ? base : none;
  }

  /// Whether a generic address is known to be one of shared memory.
  bool is_shared(std::uint32_t at, const Operand& address) const {
    const Base base = value(flat_.code[at].frame, address);
    return base < flat_.shared_variables.size() || base == dynamic;
  }

 private:
  /// An index of a variable, or one of these.
  using Base = std::uint32_t;
  static constexpr Base unknown = none;      ///< nothing has been computed yet
  static constexpr Base number = none - 1;   ///< no variable's address
  static constexpr Base several = none - 2;  ///< more than one's, or one's in a way unknown
  static constexpr Base dynamic = none - 3;  ///< dynamic shared memory

  /// Goes over the code once; whether it has found anything new.
  bool flow(const std::vector<CodeBlock>& blocks) {
    bool has_changed = false;
    const auto add = [&](std::uint32_t frame, const Operand& to, Base base) {
      if (to.kind != Operand::Kind::reg) return;
      Base& known = bases_[flat_.register_index(frame, to.reg)];
      const Base joined = either(known, base);
      has_changed |= joined != known;
      known = joined;
    };
    for_each_instruction(blocks, [&](std::uint32_t at) {
      const auto& [instruction, frame, target, step] = flat_.code[at];
      if (instruction->operands.empty()) return;
      const Operand& to = instruction->operands.front();
      const Base base = result(*instruction, frame);
      add(frame, to, base);
      for (const Operand& element : to.elements) add(frame, element, base);
    });
    return has_changed;
  }

  Base variable(std::uint32_t frame, const ptx::VariableRef& ref) const {
    const ptx::Variable& named = flat_.variable(module_, frame, ref);
    if (named.space != ptx::Space::shared) return number;
    return named.is_extern ? dynamic : flat_.shared_indices.at(&named);
  }

  Base value(std::uint32_t frame, const Operand& operand) const {
    if (operand.names_register()) return bases_[flat_.register_index(frame, operand.reg)];
    if (operand.names_variable()) return variable(frame, operand.variable);
    const bool has_base = operand.kind == Operand::Kind::list &&
                          std::ranges::any_of(operand.elements, [&](const Operand& each) {
                            return value(frame, each) != number;
                          });
    return has_base ? several : number;
  }

  /// Of two values of one register.
  static Base either(Base a, Base b) {
    if (a == unknown || a == b) return b;
    return b == unknown ? a : several;
  }

  static Base sum(Base a, Base b) {
    if (a == unknown || b == unknown) return unknown;
    if (a == number) return b;
    return b == number ? a : several;
  }

  Base result(const ptx::Instruction& instruction, std::uint32_t frame) const {
    const std::string_view name = instruction.mnemonic;
    if (name == "ld" || name == "ldu") return number;
    const std::vector<Operand>& operands = instruction.operands;
    const auto source = [&](std::size_t index) {
      return index < operands.size() ? value(frame, operands[index]) : number;
    };
    if (name == "getctarank") return number;
    if (name == "mov" || name == "cvta" || name == "cvt" || name == "mapa") return source(1);
    if (name == "add" || name == "or") return sum(source(1), source(2));
    if (name == "selp") return either(source(1), source(2));
    if (name == "sub" && source(2) == number) return source(1);
    if (name == "mad" && source(1) == number && source(2) == number) return source(3);
    // Anything else made of an address is one of which nothing is known.
    Base base = number;
    for (std::size_t i = 1; i < operands.size(); ++i) {
      const Base part = source(i);
      if (part == unknown) return unknown;
      if (part != number) base = several;
    }
    return base;
  }

  const ptx::Module& module_;
  const FlatCode& flat_;
  std::vector<Base> bases_;  ///< of the registers
};

/// What a kernel is before it has code.
Kernel kernel_of(const FlatCode& flat, const std::string& entry) {
  const ptx::Function& function = *flat.frames.front().function;
  Kernel kernel;
  kernel.name = entry;
  kernel.has_calls = flat.frames.size() > 1;
  kernel.max_threads = function.max_threads;
  kernel.cluster = function.cluster;
  kernel.max_cluster_blocks = function.max_cluster_blocks;
  kernel.needs_cluster = function.needs_cluster;
  if (function.has_grid_of_clusters) {
    throw unsupported(
        "the emulator does not execute kernels whose grid counts clusters, as that of '{}' does; a "
        "GPU does (sweep run --device 0)",
        entry);
  }
  kernel.static_shared_bytes = align_up(flat.static_shared_bytes, flat.dynamic_shared_alignment);
  kernel.shared_variables = flat.shared_variables;
  kernel.local_bytes = kernel.call_stack = align_up(flat.local_bytes, 16);
  if (!flat.regions.empty()) kernel.local_bytes += call_stack_bytes;
  for (std::size_t i = 0; i < function.parameter_count; ++i) {
    const ptx::Variable& parameter = function.variables[i];
    kernel.parameter_sizes.push_back(parameter.bytes);
    kernel.parameter_offsets.push_back(align_up(kernel.parameter_bytes, parameter.align));
    kernel.parameter_bytes = kernel.parameter_offsets.back() + parameter.bytes;
    if (kernel.parameter_bytes > most_parameter_bytes) {
      throw unsupported("'{}' takes more than {} bytes of arguments", entry, most_parameter_bytes);
    }
  }
  return kernel;
}

void lower_end(Lowering& lowering, const CodeBlock& code, BasicBlock& block) {
  if (code.kind == EndKind::collective || code.kind == EndKind::barrier) {
    row_of(lowering.instruction()).lower(lowering);
    block.op = lowering.end_op();
    return;
  }
  block.predicate = lowering.guard();
  block.is_negated = lowering.instruction().is_guard_negated != code.is_guard_inverted;
  if (code.kind == EndKind::indexed_branch) block.index = lowering.source(0, 32);
  if (code.kind == EndKind::branch && block.predicate == none) {
    block.end = EndKind::next;
    block.next = code.target;
  }
}

}  // namespace

namespace {

/// Floating-point additions and multiplications: one fused is two, and a pair of halves twice that.
std::uint32_t float_operations_of(const ptx::Instruction& instruction) {
  const auto has = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(instruction.modifiers, [&](std::string_view modifier) {
      return std::ranges::find(words, modifier) != words.end();
    });
  };
  const std::string_view name = instruction.mnemonic;
  const bool is_fused = name == "fma" || name == "mad";
  if (!is_fused && name != "add" && name != "sub" && name != "mul") return 0;
  const std::uint32_t each = is_fused ? 2 : 1;
  if (has({"f16x2", "bf16x2", "f32x2"})) return 2 * each;
  return has({"f16", "bf16", "f32", "f64"}) ? each : 0;
}

/// Of a thread's share in the product; of a sparse matrix those of its own elements.
std::uint32_t operations_of(const MatrixProduct& product) {
  const unsigned each = product.is_sparse ? 1 : 2;
  return each * product.m * product.n * product.k / warp_size;
}

/// So many take the time of one instruction.
constexpr std::uint32_t operations_at_once = 40;

}  // namespace

Kernel lower(const ptx::Module& module, const std::string& entry, Simd simd) {
  const FlatCode flat = inline_calls(module, entry);
  const std::vector<CodeBlock> blocks = find_blocks(flat);
  const RegisterUses uses(flat, blocks);
  const SharedBases shared_bases(module, flat, blocks);
  Kernel kernel = kernel_of(flat, entry);
  Lowering lowering(module, flat, simd, kernel);
  const auto is_wgmma = [](const FlatInstruction& each) {
    return each.instruction->mnemonic == "wgmma";
  };
  if (std::ranges::any_of(flat.code, is_wgmma)) lowering.note_register_operations();
  for (const CodeBlock& code : blocks) {
    BasicBlock block;
    MixEstimate mix;
    const auto add_line = [&](const FlatInstruction& one) {
      block.lines.push_back({one.instruction->ptx_line, mix.of(*one.instruction, one.frame)});
      block.mix += block.lines.back().mix;
    };
    block.first_op = static_cast<std::uint32_t>(kernel.ops.size());
    block.end = code.kind;
    block.target = code.target;
    block.targets = code.targets;
    block.next = code.next;
    block.instructions = code.end - code.begin;
    for (std::uint32_t at = code.begin; at < code.end; ++at) {
      if (uses.is_dead(at)) continue;
      lowering.start(flat.code[at], uses.is_result_unused(at));
      block.float_operations += float_operations_of(lowering.instruction());
      add_line(flat.code[at]);
      const std::size_t first = kernel.memory.size();
      const std::size_t first_product = kernel.matrix_products.size();
      const bool was_linked = kernel.is_linked;
      row_of(lowering.instruction()).lower(lowering);
      if (kernel.matrix_products.size() != first_product) {
        const MatrixProduct& product = kernel.matrix_products.back().product;
        const std::uint32_t operations = operations_of(product);
        if (product.d_type != MatrixElement::s32) block.float_operations += operations;
        block.product_work += operations / operations_at_once;
        block.mix.tensor_operations += operations * warp_size / 2;
      }
      if (kernel.memory.size() == first) continue;
      const auto address = std::ranges::find(lowering.instruction().operands,
                                             Operand::Kind::address, &Operand::kind);
      const std::uint32_t base = shared_bases.base_of(at, *address);
      // No other cluster sees what a block does there.
      const bool is_generic = kernel.memory[first].space == ptx::Space::generic;
      if (is_generic && shared_bases.is_shared(at, *address)) kernel.is_linked = was_linked;
      for (std::size_t i = first; i < kernel.memory.size(); ++i) {
        kernel.memory[i].shared_base = base;
      }
    }
    if (code.ender != none || code.begin != code.end) {
      lowering.start(flat.code[code.ender != none ? code.ender : code.begin]);
      block.instruction = lowering.note_instruction();
    }
    if (code.ender != none) {
      // What goes around a guarded collective counts with the collective.
      const bool is_counted = !code.is_guard_inverted || code.kind != EndKind::branch;
      if (is_counted) ++block.instructions;
      if (is_counted) add_line(flat.code[code.ender]);
      lower_end(lowering, code, block);
    }
    block.op_count = static_cast<std::uint32_t>(kernel.ops.size()) - block.first_op;
    kernel.blocks.push_back(std::move(block));
  }
  const std::vector<bool> merges = find_merging_blocks(kernel.blocks);
  for (std::size_t i = 0; i < merges.size(); ++i) kernel.blocks[i].merges = merges[i];
  mark_aggregated_atomics(kernel);
  find_waits(kernel);
  std::uint32_t files = 0;
  for (const InstructionInfo& info : kernel.instructions) {
    for (const ptx::Place& place : info.places) files = std::max(files, place.file + 1);
  }
  for (std::uint32_t i = 0; i < files; ++i) kernel.file_names.push_back(module.file_name(i));
  return kernel;
}

}  // namespace sweep
