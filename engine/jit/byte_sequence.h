#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace sweep {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they stand");

/// Bytes that cannot be what was written.
class DamagedBytes : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Puts numbers and texts one after the other; a text has its length before it, so that different
/// sequences have different bytes.
class ByteWriter {
 public:
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
  std::string bytes_;
};

/// Takes them out again in the same order. Throws DamagedBytes where the bytes end too soon.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

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

 private:
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) throw DamagedBytes("it ends too soon");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
};

}  // namespace sweep
