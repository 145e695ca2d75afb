#include "engine/emulator/execution/issued_mix.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace sweep {
namespace {

/// Estimates of more are those of divisions and roots.
constexpr std::uint32_t most_of_plain_line = 4;

InstructionMix mix_of(Pipe pipe) {
  InstructionMix mix = {.issued = 1};
  if (pipe == Pipe::alu) mix.alu = 1;
  if (pipe == Pipe::fma) mix.fma = 1;
  if (pipe == Pipe::fma_integer) mix.fma = 2;
  if (pipe == Pipe::fp64) mix.fp64 = 1;
  if (pipe == Pipe::special) mix.special = 1;
  if (pipe == Pipe::conversion) mix.conversions = 1;
  return mix;
}

InstructionMix divided(const InstructionMix& mix, double by) {
  const auto part = [&](std::uint32_t count) {
    return static_cast<std::uint32_t>(std::lround(count / by));
  };
  return {.issued = part(mix.issued),
          .alu = part(mix.alu),
          .fma = part(mix.fma),
          .fp64 = part(mix.fp64),
          .special = part(mix.special),
          .conversions = part(mix.conversions)};
}

/// What the machine code has for a line of the PTX, in all the blocks that have the line.
struct Line {
  InstructionMix mix;
  std::uint32_t accesses = 0;
  std::uint32_t sums = 0;  ///< of floats
  std::uint32_t blocks = 0;
};
using Lines = std::map<std::uint32_t, Line>;

/// How often ptxas has a block's code: as often as its loads, stores and sums of floats, each of
/// which is one instruction. What counts a loop's rounds it has fewer times.
double copies_of(const BasicBlock& block, const Lines& lines) {
  double most = 1;
  for (const LineMix& each : block.lines) {
    const Line& line = lines.at(each.ptx_line);
    const bool is_sum = each.mix == InstructionMix{.issued = 1, .fma = 1};
    const std::uint32_t copies = std::max(line.accesses, is_sum ? line.sums : 0);
    most = std::max(most, static_cast<double>(copies) / line.blocks);
  }
  return most;
}

}  // namespace

void mix_as_compiled(Kernel& kernel, const KernelCode& code) {
  if (code.ptx_lines.empty() || kernel.has_calls || kernel.blocks.empty()) return;
  Lines lines;
  for (const MachineInstruction& instruction : code.instructions) {
    Line& line = lines[instruction.ptx_line];
    line.mix += mix_of(instruction.pipe);
    if (instruction.pipe == Pipe::fma) ++line.sums;
  }
  for (const MachineAccess& access : code.accesses) ++lines[access.ptx_line].accesses;
  for (const BasicBlock& block : kernel.blocks) {
    for (const LineMix& each : block.lines) ++lines[each.ptx_line].blocks;
  }
  for (BasicBlock& block : kernel.blocks) {
    const double copies = copies_of(block, lines);
    InstructionMix compiled;
    InstructionMix estimated;
    for (const LineMix& each : block.lines) {
      const Line& line = lines.at(each.ptx_line);
      if (each.mix.issued > most_of_plain_line) {
        estimated += each.mix;
      } else {
        compiled += divided(line.mix, line.blocks);
      }
    }
    const std::uint32_t products = block.mix.tensor_operations;
    block.mix = divided(compiled, copies);
    block.mix += estimated;
    block.mix.tensor_operations = products;
  }
  for (const auto& [number, line] : lines) {
    if (line.blocks == 0) kernel.blocks.front().mix += line.mix;
  }
}

}  // namespace sweep
