#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sweep {

/// A CUDA header that element types need, as lines of C++.
struct ElementHeader {
  std::string_view include;
  std::string_view names;  ///< declares what users call its types, where it does not itself
};
/// All of them, in the order in which they are included.
std::span<const ElementHeader> element_headers();

/// A type that a buffer's elements can have: integers of every width, truth values, floating point
/// types down to 16 bits, and the CUDA vector types. A regular value; refers to one row of a fixed
/// table.
class ElementType {
 public:
  /// The type called `name` ("float", "uint8_t", "unsigned long", "half", "float4", ...), or
  /// nothing.
  static std::optional<ElementType> find(std::string_view name);
  /// The names `find` knows, in the order of the table.
  static std::span<const std::string> names();

  const std::string& name() const { return row_->name; }    ///< as users write it
  const std::string& cuda() const { return row_->cuda; }    ///< "__half" for "half"
  std::size_t size() const { return row_->size; }           ///< bytes
  unsigned components() const { return row_->components; }  ///< 2 to 4 for vector types
  ElementType scalar() const;     ///< the type of a component; of a scalar it is the same
  std::size_t alignment() const;  ///< bytes of which every address is a multiple
  bool is_vector() const {
    return !row_->scalar.empty();
  }  ///< has components by name: `float1` too
  const ElementHeader* header() const { return row_->header; }  ///< null where none is needed

  friend bool operator==(ElementType, ElementType) = default;
  friend auto operator<=>(ElementType, ElementType) = default;

 private:
  struct Row {
    std::string name;
    std::string cuda;
    std::size_t size;
    unsigned components = 1;
    const ElementHeader* header = nullptr;
    std::string scalar = "";    ///< a vector's component type
    std::size_t alignment = 0;  ///< 0: as the size says
  };
  static const std::vector<Row>& table();

  explicit ElementType(const Row& row) : row_(&row) {}
  const Row* row_;
};

enum class ValueKind { integer, boolean, element, word };

/// A parameter's value, or what an expression comes to. A word is a name such as a pattern's.
using Value = std::variant<std::int64_t, bool, ElementType, std::string>;

ValueKind kind_of(const Value& value);
/// "an integer", "a boolean", "an element type", "a word"
std::string_view describe(ValueKind kind);
/// As a user would write it: 64, true, float4, stride.
std::string to_string(const Value& value);

/// Names and their values, in a fixed order.
class Bindings {
 public:
  using Entry = std::pair<std::string, Value>;

  /// Replaces the value when the name is there already.
  void set(std::string_view name, Value value);
  const Value* find(std::string_view name) const;
  const std::vector<Entry>& entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }

  friend bool operator==(const Bindings&, const Bindings&) = default;

 private:
  std::vector<Entry> entries_;
};

/// "STRIDE=4 T=float BLOCK=256"
std::string to_string(const Bindings& bindings);

}  // namespace sweep
