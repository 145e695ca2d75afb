#include "engine/emulator/cubin/kernel_code.h"

#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace sweep {
namespace {

constexpr std::uint16_t cuda_machine = 190;  // EM_CUDA

constexpr std::array known_capabilities = {75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121};

/// A part of the file; empty where it would pass the end.
std::span<const char> part(std::span<const char> bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return {};
  return bytes.subspan(offset, size);
}

/// The number or structure at `offset`; nothing where it would pass the end.
template <class Value>
std::optional<Value> value_at(std::span<const char> bytes, std::uint64_t offset) {
  const auto from = part(bytes, offset, sizeof(Value));
  if (from.empty()) return std::nullopt;
  Value value{};
  std::memcpy(&value, from.data(), sizeof value);
  return value;
}

/// The text at `offset` of a string table, up to its zero; empty when there is no zero.
std::string_view text_at(std::span<const char> table, std::uint64_t offset) {
  const std::string_view all(table.data(), table.size());
  if (offset >= all.size()) return {};
  const std::size_t end = all.find('\0', offset);
  return end == all.npos ? std::string_view() : all.substr(offset, end - offset);
}

struct Section {
  std::string_view name;
  std::uint32_t link = 0;
  std::span<const char> bytes;
};

/// The sections of an ELF file (the System V ABI, "Object Files"), by index. One whose bytes are
/// not all in the file has no name. None when the file is not one of 64 bits, little-endian.
std::vector<Section> sections_of(std::span<const char> file) {
  constexpr std::string_view start = "\177ELF\2\1";
  const auto header = value_at<Elf64_Ehdr>(file, 0);
  if (!header || !std::string_view(file.data(), file.size()).starts_with(start)) return {};
  const auto table =
      part(file, header->e_shoff, std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr));
  if (header->e_shentsize != sizeof(Elf64_Shdr) || table.empty()) return {};
  std::vector<Elf64_Shdr> headers(header->e_shnum);
  std::memcpy(headers.data(), table.data(), table.size());
  if (header->e_shstrndx >= headers.size()) return {};
  const Elf64_Shdr& text = headers[header->e_shstrndx];
  const auto names = part(file, text.sh_offset, text.sh_size);
  std::vector<Section> sections(headers.size());
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const Elf64_Shdr& one = headers[i];
    const std::uint64_t size = one.sh_type == SHT_NOBITS ? 0 : one.sh_size;
    const auto bytes = part(file, one.sh_offset, size);
    if (bytes.size() == size) sections[i] = {text_at(names, one.sh_name), one.sh_link, bytes};
  }
  return sections;
}

std::span<const char> find_section(const std::vector<Section>& sections, std::string_view name) {
  const auto found = std::ranges::find(sections, name, &Section::name);
  return found != sections.end() ? found->bytes : std::span<const char>();
}

/// The index of a function's symbol.
std::optional<std::uint32_t> function_symbol(const std::vector<Section>& sections,
                                             std::string_view name) {
  const auto symbols = std::ranges::find(sections, ".symtab", &Section::name);
  if (symbols == sections.end() || symbols->link >= sections.size()) return std::nullopt;
  const auto names = sections[symbols->link].bytes;
  for (std::uint32_t i = 0;; ++i) {
    const auto symbol = value_at<Elf64_Sym>(symbols->bytes, i * sizeof(Elf64_Sym));
    if (!symbol) return std::nullopt;
    const bool is_function = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
    if (is_function && text_at(names, symbol->st_name) == name) return i;
  }
}

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

/// The lower nine bits of an instruction say which it is; the three above them only what kind of
/// operands it has. Bits 73 to 75 of a load or store are its width.
void count_accesses(std::span<const char> code, KernelCode& count) {
  constexpr std::array<unsigned, 8> widths = {1, 1, 2, 2, 4, 8, 16, 0};
  constexpr std::uint64_t never = 0xf;          // the predicate @!PT, with which ptxas fills up
  constexpr std::uint64_t load = 0x184;         // LDS
  constexpr std::uint64_t store = 0x188;        // STS
  constexpr std::uint64_t local_load = 0x183;   // LDL
  constexpr std::uint64_t local_store = 0x187;  // STL
  for (std::uint64_t offset = 0;; offset += 16) {
    const auto halves = value_at<std::array<std::uint64_t, 2>>(code, offset);
    if (!halves) return;
    const auto [low, high] = *halves;
    const unsigned width = widths[high >> 9 & 7];
    if ((low >> 12 & 0xf) == never || width == 0) continue;
    const std::uint64_t instruction = low & 0x1ff;
    if (instruction == load) ++count.shared.loads[width];
    if (instruction == store) ++count.shared.stores[width];
    if (instruction == local_load) ++count.local_loads;
    if (instruction == local_store) ++count.local_stores;
  }
}

}  // namespace

std::optional<KernelCode> read_kernel_code(std::span<const char> cubin, std::string_view kernel) {
  const std::vector<Section> sections = sections_of(cubin);
  const std::string text = fmt::format(".text.{}", kernel);
  if (std::ranges::find(sections, text, &Section::name) == sections.end()) return std::nullopt;
  const auto header = *value_at<Elf64_Ehdr>(cubin, 0);
  // The architecture stands in bits 8 to 15 in version 8 of CUDA's ELF ABI (CUDA 13), in 0 to 7 in
  // those before (LLVM's BinaryFormat/ELF.h).
  const bool is_new = header.e_ident[EI_ABIVERSION] >= 8;
  const auto capability = static_cast<int>((is_new ? header.e_flags >> 8 : header.e_flags) & 0xff);
  if (header.e_machine != cuda_machine ||
      std::ranges::find(known_capabilities, capability) == known_capabilities.end()) {
    return std::nullopt;
  }
  KernelCode code;
  count_accesses(find_section(sections, text), code);
  if (const auto symbol = function_symbol(sections, kernel)) {
    const auto info = find_section(sections, ".nv.info");
    code.registers = function_info(info, register_count, *symbol);
    code.local_bytes = function_info(info, frame_size, *symbol);
  }
  return code;
}

namespace {

std::uint64_t total(const WidthCount& count) {
  std::uint64_t sum = 0;
  for (const auto& [width, number] : count) sum += number;
  return sum;
}

/// Whether there are wider accesses than before, or some became fewer and some wider ones more.
bool became_wider(const WidthCount& ptx, const WidthCount& machine_code) {
  if (machine_code.rbegin()->first > ptx.rbegin()->first) return true;
  bool has_fewer = false;
  for (unsigned width = 1; width <= machine_code.rbegin()->first; ++width) {
    const auto before = ptx.contains(width) ? ptx.at(width) : 0;
    const auto after = machine_code.contains(width) ? machine_code.at(width) : 0;
    if (has_fewer && after > before) return true;
    has_fewer = has_fewer || after < before;
  }
  return false;
}

/// "4 of 4 bytes and 1 of 16"
std::string by_width(const WidthCount& count) {
  std::vector<std::string> parts;
  for (const auto& [width, number] : count) {
    const char* unit = !parts.empty() ? "" : width == 1 ? " byte" : " bytes";
    parts.push_back(fmt::format("{} of {}{}", number, width, unit));
  }
  return fmt::format("{}", fmt::join(parts, " and "));
}

}  // namespace

std::string merged_shared_note(const SharedAccesses& ptx, const SharedAccesses& machine_code) {
  std::vector<std::string> merged;
  const auto compare = [&](const char* what, const WidthCount& before, const WidthCount& after) {
    if (before.empty()) return;
    const bool is_fewer = total(after) < total(before);
    if (!is_fewer && !became_wider(before, after)) return;
    merged.push_back(fmt::format("{}: {} in the PTX, {} in the machine code", what,
                                 is_fewer ? fmt::to_string(total(before)) : by_width(before),
                                 is_fewer ? fmt::to_string(total(after)) : by_width(after)));
  };
  compare("loads", ptx.loads, machine_code.loads);
  compare("stores", ptx.stores, machine_code.stores);
  if (merged.empty()) return {};
  return fmt::format("ptxas merged shared-memory {}; wavefront counts are an upper bound",
                     fmt::join(merged, "; "));
}

}  // namespace sweep
