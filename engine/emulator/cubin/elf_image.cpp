#include "engine/emulator/cubin/elf_image.h"

#include <algorithm>
#include <array>

namespace sweep {
namespace {

// The System V ABI, "Object Files".
constexpr std::uint64_t section_header_size = 64;
constexpr std::uint64_t symbol_size = 24;
constexpr std::uint32_t no_bits = 8;   // SHT_NOBITS
constexpr unsigned function_type = 2;  // STT_FUNC

/// A part of the file; empty where it would pass the end.
std::span<const char> part(std::span<const char> bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return {};
  return bytes.subspan(offset, size);
}

/// The text at `offset` of a string table, up to its zero; empty when there is no zero.
std::string_view text_at(std::span<const char> table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const auto begin = table.begin() + static_cast<std::ptrdiff_t>(offset);
  const auto end = std::find(begin, table.end(), '\0');
  if (end == table.end()) return {};
  return {&*begin, static_cast<std::size_t>(end - begin)};
}

struct SectionHeader {
  std::uint32_t name = 0;
  std::uint32_t type = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t link = 0;
};

/// `bytes` holds a whole header.
SectionHeader read_header(std::span<const char> bytes) {
  return {*read_number<std::uint32_t>(bytes, 0), *read_number<std::uint32_t>(bytes, 4),
          *read_number<std::uint64_t>(bytes, 24), *read_number<std::uint64_t>(bytes, 32),
          *read_number<std::uint32_t>(bytes, 40)};
}

}  // namespace

std::optional<ElfImage> ElfImage::read(std::span<const char> bytes) {
  constexpr std::array<char, 6> start = {0x7f, 'E', 'L', 'F', 2, 1};  // 64 bits, little-endian
  constexpr std::size_t file_header_size = 64;
  if (bytes.size() < file_header_size || !std::equal(start.begin(), start.end(), bytes.begin())) {
    return std::nullopt;
  }
  ElfImage image;
  image.abi_version_ = static_cast<std::uint8_t>(bytes[8]);
  image.machine_ = *read_number<std::uint16_t>(bytes, 18);
  image.flags_ = *read_number<std::uint32_t>(bytes, 48);
  const auto table_offset = *read_number<std::uint64_t>(bytes, 40);
  const auto header_size = *read_number<std::uint16_t>(bytes, 58);
  const std::uint64_t count = *read_number<std::uint16_t>(bytes, 60);
  const auto names_index = *read_number<std::uint16_t>(bytes, 62);
  const auto table = part(bytes, table_offset, count * section_header_size);
  if (header_size != section_header_size || table.empty() || names_index >= count) {
    return std::nullopt;
  }
  std::vector<SectionHeader> headers;
  for (std::uint64_t i = 0; i < count; ++i) {
    headers.push_back(read_header(table.subspan(i * section_header_size, section_header_size)));
  }
  const auto names = part(bytes, headers[names_index].offset, headers[names_index].size);
  image.sections_.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const SectionHeader& header = headers[i];
    ElfSection section;
    if (header.type != no_bits) section.bytes = part(bytes, header.offset, header.size);
    if (header.type != no_bits && section.bytes.size() != header.size) continue;
    section.name = text_at(names, header.name);
    section.link = header.link;
    section.size = header.size;
    image.sections_[i] = section;
  }
  return image;
}

const ElfSection* ElfImage::find(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &ElfSection::name);
  return found != sections_.end() && !name.empty() ? &*found : nullptr;
}

std::optional<std::uint32_t> ElfImage::function_symbol(std::string_view name) const {
  const ElfSection* symbols = find(".symtab");
  if (symbols == nullptr || symbols->link >= sections_.size()) return std::nullopt;
  const auto names = sections_[symbols->link].bytes;
  const std::uint64_t count = symbols->bytes.size() / symbol_size;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto symbol = symbols->bytes.subspan(i * symbol_size, symbol_size);
    const auto type = static_cast<unsigned char>(symbol[4]) & 0xfU;
    if (type == function_type && text_at(names, *read_number<std::uint32_t>(symbol, 0)) == name) {
      return static_cast<std::uint32_t>(i);
    }
  }
  return std::nullopt;
}

}  // namespace sweep
