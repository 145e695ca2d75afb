#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sweep {

/// A part of bytes; empty where it would pass the end.
inline std::span<const char> part_of(std::span<const char> bytes, std::uint64_t offset,
                                     std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return {};
  return bytes.subspan(offset, size);
}

/// The number or structure at `offset`; nothing where it would pass the end.
template <class Value>
std::optional<Value> value_at(std::span<const char> bytes, std::uint64_t offset) {
  const auto from = part_of(bytes, offset, sizeof(Value));
  if (from.empty()) return std::nullopt;
  Value value{};
  std::memcpy(&value, from.data(), sizeof value);
  return value;
}

/// A cubin's sections and symbols (the System V ABI, "Object Files"; CUDA's numbers from LLVM's
/// BinaryFormat/ELF.h). The bytes must outlive it. What a broken file says is never believed: what
/// lies outside of it is empty.
class CubinFile {
 public:
  explicit CubinFile(std::span<const char> bytes);

  /// By the architecture that the code is for, 90 for sm_90; 0 for what is no cubin.
  int compute_capability() const { return compute_capability_; }
  bool has(std::string_view section) const;
  /// Its bytes; empty where there is none of this name.
  std::span<const char> section(std::string_view name) const;
  /// The index of a function's symbol.
  std::optional<std::uint32_t> function_symbol(std::string_view name) const;
  /// Where in a section the loader first writes the address of a function, or of its code.
  std::optional<std::uint64_t> reference_to(std::string_view function,
                                            std::string_view section) const;

 private:
  struct Section {
    std::string_view name;
    std::uint32_t link = 0;
    std::span<const char> bytes;
  };

  const Section* find(std::string_view name) const;
  /// The indices of the symbols of a function and of the section with its code.
  std::vector<std::uint32_t> symbols_of(std::string_view function) const;

  std::vector<Section> sections_;
  int compute_capability_ = 0;
};

}  // namespace sweep
