#include "engine/emulator/cubin/line_table.h"

#include <algorithm>
#include <array>
#include <optional>

namespace sweep {
namespace {

constexpr std::string_view line_section = ".nv_debug_line_sass";

/// Reads a line number program byte by byte; behind its end there are zeros, and `is_over`.
class ProgramBytes {
 public:
  explicit ProgramBytes(std::span<const char> bytes) : bytes_(bytes) {}

  bool is_over() const { return at_ >= bytes_.size(); }
  std::uint8_t byte() {
    return is_over() ? std::uint8_t{0} : static_cast<std::uint8_t>(bytes_[at_++]);
  }
  std::uint64_t unsigned_number() { return number(false); }
  std::int64_t signed_number() { return static_cast<std::int64_t>(number(true)); }
  void skip(std::uint64_t count) { at_ += std::min<std::uint64_t>(count, bytes_.size() - at_); }

 private:
  /// LEB128; bits above 64 are dropped.
  std::uint64_t number(bool is_signed) {
    std::uint64_t value = 0;
    unsigned shift = 0;
    while (!is_over()) {
      const std::uint8_t part = byte();
      if (shift < 64) value |= std::uint64_t{part & 0x7fU} << shift;
      shift += 7;
      if (part >= 0x80) continue;
      const bool is_negative = is_signed && (part & 0x40) != 0 && shift < 64;
      return is_negative ? value | ~std::uint64_t{0} << shift : value;
    }
    return value;
  }

  std::span<const char> bytes_;
  std::size_t at_ = 0;
};

/// What stands at the beginning of the programs.
struct LineHeader {
  std::uint8_t step = 1;  ///< bytes that addresses are multiples of
  std::int8_t first_advance = 0;
  std::uint8_t advances = 1;
  std::uint8_t first_special = 0;
  std::array<std::uint8_t, 256> operands{};  ///< of the standard opcodes
};

/// The header of the program that has this byte of the section, and its end.
std::optional<std::pair<LineHeader, std::uint64_t>> header_before(std::span<const char> section,
                                                                  std::uint64_t place) {
  std::uint64_t begin = 0;
  while (const auto size = value_at<std::uint32_t>(section, begin)) {
    const std::uint64_t end = begin + 4 + *size;
    if (place >= end) {
      begin = end;
      continue;
    }
    // Its size, the version, the header's size, and what the header has.
    const auto version = value_at<std::uint16_t>(section, begin + 4);
    const auto fields = value_at<std::array<std::uint8_t, 5>>(section, begin + 10);
    if (!version || *version != 2 || !fields || end > section.size()) return std::nullopt;
    LineHeader header = {.step = (*fields)[0],
                         .first_advance = static_cast<std::int8_t>((*fields)[2]),
                         .advances = (*fields)[3],
                         .first_special = (*fields)[4]};
    if (header.advances == 0 || header.first_special == 0) return std::nullopt;
    const auto operands = part_of(section, begin + 15, header.first_special - 1U);
    std::ranges::transform(operands, header.operands.begin() + 1,
                           [](char count) { return static_cast<std::uint8_t>(count); });
    return std::pair(header, end);
  }
  return std::nullopt;
}

}  // namespace

PtxLines::PtxLines(const CubinFile& file, std::string_view function) {
  // A function's part begins with the address of its code: an extended opcode, its size, which
  // it is, and the 8 bytes that the loader fills in.
  constexpr std::array<char, 3> set_address = {0, 9, 2};
  const auto section = file.section(line_section);
  const auto place = file.reference_to(function, line_section);
  if (!place || *place < set_address.size()) return;
  const auto begin = value_at<std::array<char, 3>>(section, *place - set_address.size());
  const auto found = header_before(section, *place);
  if (!begin || *begin != set_address || !found) return;
  const auto& header = found->first;
  const std::uint64_t end = found->second;
  const std::uint64_t first = *place + 8;
  if (first > end) return;
  ProgramBytes program(part_of(section, first, end - first));
  Row row = {.line = 1};
  const auto advance = [&](std::uint64_t steps) { row.address += steps * header.step; };
  // What the section says need not be a line: it wraps around.
  const auto advance_line = [&](std::int64_t lines) {
    row.line += static_cast<std::uint32_t>(lines);
  };
  const auto special = [&](std::uint8_t opcode) {
    const auto number = static_cast<std::uint8_t>(opcode - header.first_special);
    advance(number / header.advances);
    return number % header.advances;
  };
  enum : std::uint8_t { extended, copy, advance_pc, line_advance, const_add_pc = 8, fixed_pc };
  while (!program.is_over()) {
    const std::uint8_t opcode = program.byte();
    if (opcode >= header.first_special) {
      advance_line(header.first_advance + special(opcode));
      rows_.push_back(row);
    } else if (opcode == extended) {
      const std::uint64_t size = program.unsigned_number();
      constexpr std::uint8_t end_sequence = 1;
      if (size == 0 || program.byte() == end_sequence) break;
      program.skip(size - 1);
    } else if (opcode == copy) {
      rows_.push_back(row);
    } else if (opcode == advance_pc) {
      advance(program.unsigned_number());
    } else if (opcode == line_advance) {
      advance_line(program.signed_number());
    } else if (opcode == const_add_pc) {
      special(255);
    } else if (opcode == fixed_pc) {
      const std::uint64_t low = program.byte();
      row.address += low | std::uint64_t{program.byte()} << 8;
    } else {
      for (unsigned i = 0; i < header.operands[opcode]; ++i) program.unsigned_number();
    }
  }
  std::ranges::stable_sort(rows_, {}, &Row::address);
}

std::uint32_t PtxLines::at(std::uint64_t address) const {
  const auto above = std::ranges::upper_bound(rows_, address, {}, &Row::address);
  return above == rows_.begin() ? 0 : std::prev(above)->line;
}

}  // namespace sweep
