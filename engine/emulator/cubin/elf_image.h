#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sweep {

/// A section of an ELF file.
struct ElfSection {
  std::string_view name;
  std::uint32_t link = 0;
  std::uint64_t size = 0;  ///< in memory; `bytes` is empty when the file holds none
  std::span<const char> bytes;
};

/// The sections of a 64-bit little-endian ELF file in memory, which must outlive this. What a
/// broken file says of itself is never believed: a section whose bytes are not all in the file is
/// left out.
class ElfImage {
 public:
  /// Nothing when the bytes are no such file.
  static std::optional<ElfImage> read(std::span<const char> bytes);

  std::uint16_t machine() const { return machine_; }
  std::uint32_t flags() const { return flags_; }
  std::uint8_t abi_version() const { return abi_version_; }
  const ElfSection* find(std::string_view name) const;
  /// The index of a function's symbol in `.symtab`.
  std::optional<std::uint32_t> function_symbol(std::string_view name) const;

 private:
  std::uint16_t machine_ = 0;
  std::uint32_t flags_ = 0;
  std::uint8_t abi_version_ = 0;
  std::vector<ElfSection> sections_;  ///< by index; those left out have no name
};

/// The little-endian number of `Number`'s size at `offset`; nothing where it would pass the end.
template <class Number>
std::optional<Number> read_number(std::span<const char> bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Number)) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = sizeof(Number); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  }
  return static_cast<Number>(value);
}

}  // namespace sweep
