#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sweep {

/// The CUDA header an element type needs.
enum class ElementHeader { unneeded, fp16, bf16 };

/// A type that a buffer's elements can have: integers of every width, floating point types down
/// to 16 bits, and the CUDA vector types. A regular value; refers to one row of a fixed table.
class ElementType {
 public:
  /// The type called `name` ("float", "uint8_t", "half", "float4", ...), or nothing.
  static std::optional<ElementType> find(std::string_view name);
  /// The names `find` knows, in the order of the table.
  static std::span<const std::string> names();

  const std::string& name() const;  ///< as users write it
  const std::string& cuda() const;  ///< as CUDA C++ spells it, e.g. "__half" for "half"
  std::size_t size() const;         ///< bytes
  unsigned components() const;      ///< 1 for scalars, 2 to 4 for vector types
  ElementHeader header() const;

  friend bool operator==(ElementType, ElementType) = default;
  friend auto operator<=>(ElementType, ElementType) = default;

 private:
  explicit ElementType(std::size_t row) : row_(row) {}
  std::size_t row_;
};

}  // namespace sweep
