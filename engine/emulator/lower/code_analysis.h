#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/ptx/module.h"

namespace sweep {

/// The first multiple of `alignment` (0 is taken as 1) from `value` on.
constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  const std::uint64_t step = std::max<std::uint64_t>(alignment, 1);
  return (value + step - 1) / step * step;
}

/// A function's body within a kernel: the kernel's own, or that of a call.
struct Frame {
  const ptx::Function* function = nullptr;
  std::uint32_t first_register = 0;  ///< of the function's registers among all
  /// Where the function's variables lie: shared ones in the block's shared memory, all others, call
  /// parameters included, in the thread's local memory; the kernel's own parameters among them.
  std::vector<std::uint64_t> variable_offsets;
  /// The call's places, the middle of a long chain left out; empty for the kernel's own frame.
  std::vector<ptx::Place> called_from;
  /// Where each of the function's instructions begins in FlatCode::code, one more for the end.
  std::vector<std::uint32_t> begins = {};
  /// The register that the function's variables in local memory lie behind, which have a place for
  /// each call under way: of a function that calls itself, and of what it calls; none: they have
  /// one place.
  std::uint32_t base = none;
};

/// An instruction in its frame. Labels among its operands are still the function's own numbers;
/// Frame::begins turns them into places in the flat code.
struct FlatInstruction {
  const ptx::Instruction* instruction = nullptr;
  std::uint32_t frame = 0;
  /// Behind the function's body: of a `ret` out of it and of a call, where its guard does not hold;
  /// 0 for others and for system calls.
  std::uint32_t target = 0;
  std::uint32_t step = none;  ///< of FlatCode::steps
};

/// What a call of a function that calls itself does beside its jumps. Such a function's body is
/// part of the kernel once. Where it is called from within, the registers of the functions between
/// are kept behind the variables of the call under way, and the base of all of them moves on.
struct CallStep {
  FrameMove::Kind kind = FrameMove::Kind::enter;
  std::uint32_t region = 0;                   ///< index of FlatCode::regions
  std::vector<std::uint32_t> registers = {};  ///< that are kept
  std::vector<FrameMove::Copy> copies = {};   ///< of the arguments, or the results
  std::vector<std::uint32_t> targets = {};    ///< of the jump at the body's end: flat instructions
};

/// The local memory of a call of a function that calls itself.
struct CallRegion {
  std::uint32_t base = none;  ///< a register
  std::uint64_t bytes = 0;    ///< of the variables of all functions in it
  std::uint64_t kept = 0;     ///< at most, of registers
  std::uint64_t size() const { return align_up(align_up(bytes, 16) + kept, 16); }
};

/// A kernel with the functions it calls made part of it.
struct FlatCode {
  std::vector<Frame> frames;  ///< the kernel's own first
  std::vector<FlatInstruction> code;
  std::vector<ptx::Type> registers;  ///< of all frames
  std::uint64_t local_bytes = 0;
  std::uint64_t static_shared_bytes = 0;
  std::vector<SharedVariable> shared_variables;
  std::map<const ptx::Variable*, std::uint32_t> shared_indices;  ///< of shared_variables
  std::uint64_t dynamic_shared_alignment = 16;
  std::deque<ptx::Instruction> made;  ///< instructions that no function has
  std::vector<CallStep> steps;
  std::vector<CallRegion> regions;

  std::uint32_t register_index(std::uint32_t frame, ptx::RegisterId id) const {
    return frames[frame].first_register + id;
  }
  const ptx::Variable& variable(const ptx::Module& module, std::uint32_t frame,
                                const ptx::VariableRef& ref) const {
    return ref.is_local_to_function ? frames[frame].function->variables[ref.index]
                                    : module.variables()[ref.index];
  }
  /// Where an instruction comes from: its own places first, then the calls that led to its frame.
  std::vector<ptx::Place> places_of(std::uint32_t frame,
                                    const ptx::Instruction& instruction) const {
    std::vector<ptx::Place> places = frames[frame].function->places[instruction.place];
    const std::vector<ptx::Place>& calls = frames[frame].called_from;
    places.insert(places.end(), calls.begin(), calls.end());
    return places;
  }
};

/// A variable's own name: "tile" of "_ZZ9transposePfE4tile".
std::string variable_name(std::string_view ptx_name);

/// The error with a message in the words of fmt::format.
template <class... Values>
UnsupportedError unsupported(fmt::format_string<Values...> message, const Values&... values) {
  return UnsupportedError(fmt::vformat(message, fmt::make_format_args(values...)));
}
/// The error of what stands at a place of the source.
UnsupportedError unsupported_at(const ptx::Module& module, const ptx::Place& place,
                                const std::string& message);

/// Throws UnsupportedError for calls through pointers, and code that becomes too large.
FlatCode inline_calls(const ptx::Module& module, const std::string& entry);

/// For each call of a function, by its place in the code: the function's registers that are read
/// behind it before they are written, or more of them.
std::map<std::uint32_t, std::vector<ptx::RegisterId>> registers_behind_calls(
    const ptx::Function& function);

/// A basic block over flat code.
struct CodeBlock {
  std::uint32_t begin = 0;  ///< the straight-line instructions
  std::uint32_t end = 0;
  EndKind kind = EndKind::next;
  std::uint32_t ender = none;  ///< the flat instruction that ends it; none: it runs on
  /// The branch is taken where the ender's guard does NOT hold: around a call or a guarded
  /// collective.
  bool is_guard_inverted = false;
  std::uint32_t target = none;  ///< blocks
  std::uint32_t next = none;
  std::vector<std::uint32_t> targets = {};
};

/// A graph's nodes that node 0 reaches, in a topological order in which every loop's nodes are
/// adjacent, its entry first, and so on within it (F. Bourdoncle, "Efficient chaotic iteration
/// strategies with widenings", 1993). `successors` has one list for each node.
std::vector<std::uint32_t> loop_contiguous_order(
    const std::vector<std::vector<std::uint32_t>>& successors);

/// The blocks that the kernel's entry reaches, in loop-contiguous topological order. Throws
/// UnsupportedError for branches that go nowhere known.
std::vector<CodeBlock> find_blocks(const FlatCode& flat);

/// What every analysis of a kernel has to know of an op.
struct OpFacts {
  /// The registers that it reads and writes, its guard left out. Of a 128-bit one both halves.
  SlotList reads;
  SlotList writes;
  /// Whether lanes may get different results from the same operands.
  bool varies_by_lane = true;
};

OpFacts facts_of(const Kernel& kernel, const Op& op);

/// The blocks that a block leads to.
std::vector<std::uint32_t> ways_out_of(const BasicBlock& block);

/// Memory that no thread of another block reaches: shared and local.
inline bool is_of_block(ptx::Space space) {
  return space == ptx::Space::shared || space == ptx::Space::local;
}

/// For each block, whether lanes that reach it one after the other go on together, as far as the
/// hardware makes them (measured on 9.0): everywhere but in a block that a single branch leads to
/// and that the branch's other way can do without, as the way out of a loop by a break. Where all
/// the ways out of a loop end the thread, the hardware's compiler gathers lanes on one of them by
/// rules of its own, which are not followed.
std::vector<bool> find_merging_blocks(const std::vector<BasicBlock>& blocks);

/// The first instruction, by its index in Kernel::instructions, whose address, or whose branch or
/// guard, is computed from what the kernel loads; none: there is none. Parameters are not loaded.
std::uint32_t find_data_dependence(const Kernel& kernel);

/// Estimates the machine code of instructions, each after those before it in its basic block.
class MixEstimate {
 public:
  InstructionMix of(const ptx::Instruction& instruction, std::uint32_t frame);

 private:
  /// Registers that hold a wide product, which a sum joins.
  std::set<std::pair<std::uint32_t, ptx::RegisterId>> products_;
};

/// The kernel without the ops that its requests to global memory do not depend on: products,
/// results and, where it can do without them, the data that it loads and stores
/// (MemoryOp::moves_no_data). Its memory ops have the numbers that they had; its instructions are
/// the ops that are left, with a block's end.
Kernel request_skeleton(const Kernel& kernel);

/// Sets BasicBlock::waits of the kernel's blocks: to be met on any way there are.
void find_waits(Kernel& kernel);

/// Sets MemoryOp::is_aggregated of the kernel's atomics.
void mark_aggregated_atomics(Kernel& kernel);

}  // namespace sweep
