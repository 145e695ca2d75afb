#include "engine/emulator/machine/fault.h"

#include <fmt/format.h>

#include <filesystem>

namespace sweep {

std::string describe_block(const Launch& launch, std::uint64_t block_index) {
  const Dim3 place = launch.block_at(block_index);
  return fmt::format("block ({}, {}, {})", place.x, place.y, place.z);
}

std::string describe_thread(const Launch& launch, std::uint64_t block_index, std::uint32_t warp,
                            unsigned lane) {
  const std::uint64_t thread = std::uint64_t{warp} * warp_size + lane;
  const Dim3 block = launch.block;
  return fmt::format("{}, thread ({}, {}, {})", describe_block(launch, block_index),
                     thread % block.x, thread / block.x % block.y, thread / block.x / block.y);
}

ptx::Place user_place(const InstructionInfo& instruction) {
  if (instruction.places.empty()) return {};
  const ptx::Place& outermost = instruction.places.back();
  for (const ptx::Place& place : instruction.places) {
    if (place.file == outermost.file) return place;
  }
  return outermost;
}

std::string describe_instruction(const Kernel& kernel, std::uint32_t instruction) {
  if (instruction == none) return "the end of the kernel";
  const InstructionInfo& info = kernel.instructions[instruction];
  const ptx::Place place = user_place(info);
  if (place.line == 0) return fmt::format("line {} of the PTX ({})", info.ptx_line, info.opcode);
  const std::filesystem::path file = kernel.file_names[place.file];
  return fmt::format("{}:{} ({})", file.filename().string(), place.line, info.opcode);
}

std::string describe_shared_byte(const Kernel& kernel, std::uint64_t byte) {
  for (const SharedVariable& variable : kernel.shared_variables) {
    const std::uint64_t distance = byte - variable.offset;
    if (distance < variable.bytes) return fmt::format("byte {} of '{}'", distance, variable.name);
  }
  if (byte < kernel.static_shared_bytes) return "no variable's";
  return fmt::format("byte {} of dynamic shared memory", byte - kernel.static_shared_bytes);
}

FaultPlace fault_place(const Kernel& kernel, std::uint32_t instruction) {
  if (instruction == none) return {};
  const ptx::Place place = user_place(kernel.instructions[instruction]);
  if (place.line == 0) return {};
  return {kernel.file_names[place.file], place.line};
}

KernelFault function_fault(const Launch& launch, std::uint32_t instruction,
                           const std::string& what) {
  constexpr std::string_view subject = "it ";
  const std::string message =
      what.starts_with(subject) ? fmt::format("{} {}", launch.function, what.substr(subject.size()))
                                : fmt::format("{}: {}", launch.function, what);
  const InstructionInfo& info = launch.kernel->instructions[instruction];
  if (info.places.empty()) return {FaultKind::misuse, {}, message};
  const ptx::Place& outermost = info.places.back();
  const std::string& file = launch.kernel->file_names[outermost.file];
  return {{file, outermost.line},
          fmt::format("{}:{}", std::filesystem::path(file).filename().string(), outermost.line),
          message};
}

KernelFault fault_at(const Kernel& kernel, std::uint32_t instruction, const std::string& message) {
  return {fault_place(kernel, instruction), describe_instruction(kernel, instruction), message};
}

}  // namespace sweep
