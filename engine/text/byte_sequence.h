#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace sweep {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they stand");

/// Bytes that cannot be what was written.
class DamagedBytes : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Stands for a member, of any type, while those of a struct are counted.
struct AnyMember {
  template <class Type>
  operator Type() const;
};

template <class Struct, class... Members>
consteval std::size_t member_count() {
  if constexpr (requires { Struct{Members{}..., AnyMember{}}; }) {
    return member_count<Struct, Members..., AnyMember>();
  } else {
    return sizeof...(Members);
  }
}

/// Calls `archive` with the members of a struct, which may be const, in their order.
template <class Struct>
void serialize_members(auto& archive, Struct& value) {
  constexpr std::size_t count = member_count<std::remove_const_t<Struct>>();
  static_assert(count <= 13, "there is no case for a struct of so many members");
#define SWEEP_MEMBERS(COUNT, ...) \
  if constexpr (count == COUNT) { \
    auto& [__VA_ARGS__] = value;  \
    archive(__VA_ARGS__);         \
  }
  SWEEP_MEMBERS(1, a)
  SWEEP_MEMBERS(2, a, b)
  SWEEP_MEMBERS(3, a, b, c)
  SWEEP_MEMBERS(4, a, b, c, d)
  SWEEP_MEMBERS(5, a, b, c, d, e)
  SWEEP_MEMBERS(6, a, b, c, d, e, f)
  SWEEP_MEMBERS(7, a, b, c, d, e, f, g)
  SWEEP_MEMBERS(8, a, b, c, d, e, f, g, h)
  SWEEP_MEMBERS(9, a, b, c, d, e, f, g, h, i)
  SWEEP_MEMBERS(10, a, b, c, d, e, f, g, h, i, j)
  SWEEP_MEMBERS(11, a, b, c, d, e, f, g, h, i, j, k)
  SWEEP_MEMBERS(12, a, b, c, d, e, f, g, h, i, j, k, l)
  SWEEP_MEMBERS(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
#undef SWEEP_MEMBERS
}

/// Puts values one after the other: numbers as they stand in memory; texts, vectors and variants
/// with their length or kind before them, so that different sequences have different bytes;
/// enumerations, which need a `last_choice(Enum)` to be read; structs member by member, unless they
/// have a `serialize(archive, value)` that does it.
class ByteWriter {
 public:
  template <class... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }
  template <class Number>
  void number(Number value) {
    static_assert(std::is_arithmetic_v<Number>);
    const std::size_t end = bytes_.size();
    bytes_.resize(end + sizeof value);
    std::memcpy(bytes_.data() + end, &value, sizeof value);
  }
  void text(std::string_view text) {
    number(std::uint64_t{text.size()});
    bytes_ += text;
  }
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  template <class Value>
  void put(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>) {
      number(value);
    } else if constexpr (std::is_enum_v<Value>) {
      number(static_cast<std::uint8_t>(value));
    } else if constexpr (requires { serialize(*this, value); }) {
      serialize(*this, value);
    } else {
      serialize_members(*this, value);
    }
  }
  void put(const std::string& value) { text(value); }
  template <class Item>
  void put(const std::vector<Item>& items) {
    if constexpr (sizeof(Item) == 1) {
      text({reinterpret_cast<const char*>(items.data()), items.size()});
    } else {
      number(std::uint64_t{items.size()});
      for (const Item& item : items) put(item);
    }
  }
  template <class... Kinds>
  void put(const std::variant<Kinds...>& value) {
    number(static_cast<std::uint8_t>(value.index()));
    std::visit([this](const auto& kind) { this->put(kind); }, value);
  }

  std::string bytes_;
};

/// Takes them out again in the same order. Throws DamagedBytes where the bytes end too soon.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <class... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  template <class Number>
  Number number() {
    static_assert(std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>);
    const std::string_view bytes = take(sizeof(Number));
    Number value{};
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  /// A view of the bytes that are read from.
  std::string_view text() { return take(number<std::uint64_t>()); }
  std::string_view rest() const { return rest_; }
  /// Throws DamagedBytes unless the whole message was read.
  void end() const {
    if (!rest_.empty()) throw DamagedBytes("a message goes on after its end");
  }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) too_short();
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  template <class Value>
  void get(Value& value) {
    if constexpr (std::is_same_v<Value, bool>) {
      value = number<std::uint8_t>() != 0;
    } else if constexpr (std::is_arithmetic_v<Value>) {
      value = number<Value>();
    } else if constexpr (std::is_enum_v<Value>) {
      const auto choice = number<std::uint8_t>();
      if (choice > static_cast<std::uint8_t>(last_choice(value))) unknown_choice();
      value = static_cast<Value>(choice);
    } else if constexpr (requires { serialize(*this, value); }) {
      serialize(*this, value);
    } else {
      serialize_members(*this, value);
    }
  }
  void get(std::string& value) { value = text(); }
  template <class Item>
  void get(std::vector<Item>& items) {
    if constexpr (sizeof(Item) == 1) {
      const std::string_view bytes = text();
      items.resize(bytes.size());
      if (!bytes.empty()) std::memcpy(items.data(), bytes.data(), bytes.size());
    } else {
      const auto size = number<std::uint64_t>();
      // An item takes a byte at least: a nonsense size ends here, not in the allocation.
      if (size > rest_.size()) too_short();
      items.assign(size, Item());
      for (Item& item : items) get(item);
    }
  }
  template <class... Kinds>
  void get(std::variant<Kinds...>& value) {
    const auto index = number<std::uint8_t>();
    std::size_t kind = 0;
    const bool is_known =
        ((kind++ == index && (get(value.template emplace<Kinds>()), true)) || ...);
    if (!is_known) unknown_choice();
  }
  [[noreturn]] static void too_short() { throw DamagedBytes("a message ends too early"); }
  [[noreturn]] static void unknown_choice() { throw DamagedBytes("an unknown choice"); }

  std::string_view rest_;
};

/// The message, to another process of this one program, that holds a value.
template <class Value>
std::string encode_message(const Value& value) {
  ByteWriter write;
  write(value);
  return write.take();
}

/// Throws DamagedBytes for anything that encoding a value of this type does not give.
template <class Value>
Value decode_message(std::string_view message) {
  ByteReader read(message);
  Value value;
  read(value);
  read.end();
  return value;
}

}  // namespace sweep
