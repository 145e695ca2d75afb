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

/// The pipe by the lower nine bits of an instruction, as counters of an H200 have it.
Pipe pipe_of(std::uint64_t instruction) {
  switch (instruction) {
    case 0x002:  // MOV
    case 0x003:  // P2R
    case 0x004:  // R2P
    case 0x005:  // CS2R
    case 0x006:  // VOTE
    case 0x007:  // SEL
    case 0x008:  // FSEL
    case 0x009:  // FMNMX
    case 0x00a:  // FSET
    case 0x00b:  // FSETP
    case 0x00c:  // ISETP
    case 0x010:  // IADD3
    case 0x011:  // LEA
    case 0x012:  // LOP3
    case 0x013:  // IABS
    case 0x016:  // PRMT
    case 0x017:  // IMNMX
    case 0x019:  // SHF
    case 0x01a:  // SGXT
    case 0x01b:  // BMSK
    case 0x01c:  // PLOP3
    case 0x034:  // HSETP2
    case 0x036:  // VIADD
    case 0x03e:  // F2FP
    case 0x040:  // HMNMX2
    case 0x048:  // VIMNMX
      return Pipe::alu;
    case 0x020:  // FMUL
    case 0x021:  // FADD
    case 0x023:  // FFMA
    case 0x030:  // HADD2
    case 0x031:  // HFMA2
    case 0x032:  // HMUL2
      return Pipe::fma;
    case 0x024:  // IMAD
    case 0x025:  // IMAD.WIDE
    case 0x026:  // IDP
    case 0x027:  // IMAD.HI
      return Pipe::fma_integer;
    case 0x028:  // DMUL
    case 0x029:  // DADD
    case 0x02a:  // DSETP
    case 0x02b:  // DFMA
      return Pipe::fp64;
    case 0x100:  // FLO
    case 0x101:  // BREV
    case 0x108:  // MUFU
    case 0x109:  // POPC
      return Pipe::special;
    case 0x104:  // F2F
    case 0x105:  // F2I
    case 0x106:  // I2F
    case 0x107:  // FRND
    case 0x110:  // F2F, F2I, I2F, FRND of 64 bits
    case 0x111:
    case 0x112:
    case 0x113:
      return Pipe::conversion;
    default:
      return Pipe::other;
  }
}

void read_instructions(std::span<const char> text, const PtxLines& lines, KernelCode& code) {
  constexpr std::array<unsigned, 8> widths = {1, 1, 2, 2, 4, 8, 16, 0};
  constexpr std::uint64_t never = 0xf;          // the predicate @!PT, with which ptxas fills up
  constexpr std::uint64_t local_load = 0x183;   // LDL
  constexpr std::uint64_t local_store = 0x187;  // STL
  constexpr std::uint64_t filler = 0x118;       // NOP
  // Behind the kernel's end: a branch to itself, up to 8.9 and from 9.0 on.
  constexpr std::array self_branches = {0xffff'fff0'0000'7947, 0xffff'fffc'00fc'7947};
  for (std::uint64_t offset = 0;; offset += 16) {
    const auto halves = value_at<std::array<std::uint64_t, 2>>(text, offset);
    if (!halves) return;
    const auto [low, high] = *halves;
    if ((low >> 12 & 0xf) == never) continue;
    const std::uint32_t line = lines.at(offset);
    if (line != 0) code.ptx_lines.push_back(line);
    const unsigned width = widths[high >> 9 & 7];
    const std::uint64_t instruction = low & 0x1ff;
    if (instruction != filler && std::ranges::find(self_branches, low) == self_branches.end()) {
      code.instructions.push_back({line, pipe_of(instruction)});
    }
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
