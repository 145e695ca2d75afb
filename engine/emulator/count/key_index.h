#pragma once

#include <array>
#include <cstdint>

namespace sweep {

/// Numbers the different keys of at most 32, from 1 on in the order in which they come, without
/// allocation. Only keys that collide take a branch that is hard to predict.
class KeyIndex {  // NOLINT(cppcoreguidelines-pro-type-member-init)
 public:
  struct Place {
    unsigned number = 0;
    bool is_new = false;  ///< the key's first time
  };

  Place find_or_add(std::uint64_t key) {
    auto slot = static_cast<unsigned>(key * 0x9e3779b97f4a7c15ULL >> 56);
    unsigned number = numbers_[slot];
    while (number != 0 && keys_[number] != key) {
      slot = (slot + 1) % slots;
      number = numbers_[slot];
    }
    const bool is_new = number == 0;
    size_ += is_new ? 1 : 0;
    number = is_new ? size_ : number;
    keys_[number] = key;
    numbers_[slot] = static_cast<std::uint8_t>(number);
    return {number, is_new};
  }

  unsigned size() const { return size_; }

 private:
  static constexpr unsigned slots = 256;

  std::array<std::uint8_t, slots> numbers_{};  ///< 0 is a free slot
  std::array<std::uint64_t, 33> keys_;         ///< by number; those given out alone are set
  unsigned size_ = 0;
};

}  // namespace sweep
