#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace sweep {

/// The bytes of a message between two processes of this one program, which is why values stand in
/// them as they stand in memory. A struct is written and read by one function,
/// `fields(archive, value)`, that names its members: what is read is what was written.
using Bytes = std::vector<std::uint8_t>;

/// Puts values into a message.
class MessageWriter {
 public:
  explicit MessageWriter(Bytes& bytes) : bytes_(bytes) {}

  template <class... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }
  template <class Enum>
  void choice(const Enum& value, Enum /*last*/) {
    put(static_cast<std::uint8_t>(value));
  }

 private:
  void put_raw(const void* data, std::size_t size);
  template <class Value>
  void put(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>) {
      put_raw(&value, sizeof value);
    } else {
      fields(*this, value);
    }
  }
  void put(const std::string& text) {
    put(std::uint64_t{text.size()});
    put_raw(text.data(), text.size());
  }
  template <class Item>
  void put(const std::vector<Item>& items) {
    put(std::uint64_t{items.size()});
    if constexpr (sizeof(Item) == 1) {
      put_raw(items.data(), items.size());
    } else {
      for (const Item& item : items) put(item);
    }
  }

  Bytes& bytes_;
};

/// Takes values out of a message. Throws std::runtime_error when they are not there.
class MessageReader {
 public:
  explicit MessageReader(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

  template <class... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  template <class Enum>
  void choice(Enum& value, Enum last) {
    std::uint8_t number = 0;
    get(number);
    if (number > static_cast<std::uint8_t>(last)) throw std::runtime_error("an unknown choice");
    value = static_cast<Enum>(number);
  }
  /// Throws std::runtime_error unless everything was read.
  void end() const {
    if (!rest_.empty()) throw std::runtime_error("a message goes on after its end");
  }

 private:
  std::span<const std::uint8_t> take(std::uint64_t size) {
    if (size > rest_.size()) throw std::runtime_error("a message ends too early");
    const auto taken = rest_.first(static_cast<std::size_t>(size));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  template <class Value>
  void get(Value& value) {
    if constexpr (std::is_same_v<Value, bool>) {
      value = take(1).front() != 0;
    } else if constexpr (std::is_arithmetic_v<Value>) {
      std::memcpy(&value, take(sizeof value).data(), sizeof value);
    } else {
      fields(*this, value);
    }
  }
  void get(std::string& text) {
    std::uint64_t size = 0;
    get(size);
    const auto bytes = take(size);
    text.assign(bytes.begin(), bytes.end());
  }
  template <class Item>
  void get(std::vector<Item>& items) {
    std::uint64_t size = 0;
    get(size);
    if constexpr (sizeof(Item) == 1) {
      const auto bytes = take(size);
      items.resize(bytes.size());
      if (!bytes.empty()) std::memcpy(items.data(), bytes.data(), bytes.size());
    } else {
      // An item takes a byte at least: a nonsense size ends here instead of in the allocation.
      if (size > rest_.size()) throw std::runtime_error("a message ends too early");
      items.clear();
      items.resize(static_cast<std::size_t>(size));
      for (Item& item : items) get(item);
    }
  }

  std::span<const std::uint8_t> rest_;
};

}  // namespace sweep
