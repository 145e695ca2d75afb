#pragma once

#include <cstddef>
#include <cstdint>
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
  void get_raw(void* data, std::size_t size);
  /// A size that so many bytes of the message can follow.
  std::size_t get_size();
  template <class Value>
  void get(Value& value) {
    if constexpr (std::is_same_v<Value, bool>) {
      std::uint8_t number = 0;
      get(number);
      value = number != 0;
    } else if constexpr (std::is_arithmetic_v<Value>) {
      get_raw(&value, sizeof value);
    } else {
      fields(*this, value);
    }
  }
  void get(std::string& text) {
    text.resize(get_size());
    get_raw(text.data(), text.size());
  }
  template <class Item>
  void get(std::vector<Item>& items) {
    // An item takes a byte at least: a nonsense size ends in get_size, not in the allocation.
    items.clear();
    items.resize(get_size());
    if constexpr (sizeof(Item) == 1) {
      get_raw(items.data(), items.size());
    } else {
      for (Item& item : items) get(item);
    }
  }

  std::span<const std::uint8_t> rest_;
};

}  // namespace sweep
