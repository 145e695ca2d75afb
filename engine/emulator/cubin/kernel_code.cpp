#include "engine/emulator/cubin/kernel_code.h"

#include <algorithm>
#include <array>
#include <string>

#include "engine/emulator/cubin/cubin_file.h"
#include "engine/emulator/cubin/line_table.h"

namespace sweep {
namespace {

constexpr std::array known_capabilities = {75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121};

constexpr unsigned register_count = 0x2f;  // EIATTR_REGCOUNT
constexpr unsigned frame_size = 0x11;      // EIATTR_FRAME_SIZE

/// What `.nv.info` gives for a function: its records are a format, an attribute, and 16 bits that
/// hold a value or, in format 4, the size of what follows; there the function's symbol and the
/// value, of 32 bits each.
std::optional<unsigned> function_info(std::span<const char> info, unsigned wanted,
                                      std::uint32_t symbol) {
  constexpr unsigned sized_format = 4;
  std::uint64_t offset = 0;
  while (const auto size = value_at<std::uint16_t>(info, offset + 2)) {
    const auto format = static_cast<unsigned char>(info[offset]);
    const auto attribute = static_cast<unsigned char>(info[offset + 1]);
    offset += 4;
    if (format != sized_format) continue;
    if (attribute == wanted && *size >= 8 && value_at<std::uint32_t>(info, offset) == symbol) {
      return value_at<std::uint32_t>(info, offset + 4);
    }
    offset += *size;
  }
  return std::nullopt;
}

/// A load or store by the lower nine bits of its instruction; the three above them say only what
/// kind of operands it has.
struct Opcode {
  std::uint64_t number = 0;
  MachineAccess access;  ///< where the width is 0, bits 73 to 75 say it
};
constexpr std::array<Opcode, 6> opcodes = {{
    {0x184, {.is_shared = true}},                    // LDS
    {0x188, {.is_store = true, .is_shared = true}},  // STS
    {0x181, {}},                                     // LDG
    {0x186, {.is_store = true}},                     // STG
    {0x17e, {.width = 32}},                          // LDG of 256 bits, from 10.0 on
    {0x17f, {.is_store = true, .width = 32}},        // STG of 256 bits
}};

void read_instructions(std::span<const char> text, const PtxLines& lines, KernelCode& code) {
  constexpr std::array<unsigned, 8> widths = {1, 1, 2, 2, 4, 8, 16, 0};
  constexpr std::uint64_t never = 0xf;          // the predicate @!PT, with which ptxas fills up
  constexpr std::uint64_t local_load = 0x183;   // LDL
  constexpr std::uint64_t local_store = 0x187;  // STL
  constexpr std::uint64_t filler = 0x118;       // NOP
  for (std::uint64_t offset = 0;; offset += 16) {
    const auto halves = value_at<std::array<std::uint64_t, 2>>(text, offset);
    if (!halves) return;
    const auto [low, high] = *halves;
    if ((low >> 12 & 0xf) == never) continue;
    const std::uint32_t line = lines.at(offset);
    if (line != 0) code.ptx_lines.push_back(line);
    const unsigned width = widths[high >> 9 & 7];
    const std::uint64_t instruction = low & 0x1ff;
    if (instruction != filler) ++code.instructions;
    if (width != 0 && instruction == local_load) ++code.local_loads;
    if (width != 0 && instruction == local_store) ++code.local_stores;
    const auto opcode = std::ranges::find(opcodes, instruction, &Opcode::number);
    if (opcode == opcodes.end()) continue;
    MachineAccess access = opcode->access;
    if (access.width == 0) access.width = width;
    if (access.width == 0) continue;
    access.ptx_line = line;
    code.accesses.push_back(access);
  }
}

}  // namespace

std::optional<KernelCode> read_kernel_code(std::span<const char> cubin, std::string_view kernel) {
  const CubinFile file(cubin);
  const std::string text = ".text." + std::string(kernel);
  if (std::ranges::find(known_capabilities, file.compute_capability()) ==
          known_capabilities.end() ||
      !file.has(text)) {
    return std::nullopt;
  }
  KernelCode code;
  read_instructions(file.section(text), PtxLines(file, kernel), code);
  std::ranges::sort(code.ptx_lines);
  const auto again = std::unique(code.ptx_lines.begin(), code.ptx_lines.end());
  code.ptx_lines.erase(again, code.ptx_lines.end());
  if (const auto symbol = file.function_symbol(kernel)) {
    const auto info = file.section(".nv.info");
    code.registers = function_info(info, register_count, *symbol);
    code.local_bytes = function_info(info, frame_size, *symbol);
  }
  return code;
}

}  // namespace sweep
