#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace sweep {

/// Random numbers that are the same for the same seed with every compiler and library: the
/// standard fixes what std::mt19937_64 gives, but not what its distributions make of it.
class RandomGenerator {
 public:
  explicit RandomGenerator(std::uint64_t seed) : engine_(seed) {}

  /// Uniform from 0 to `count` - 1, without bias. 0 for a count of 0.
  std::size_t below(std::size_t count);
  /// Uniform from 0 to 1, less than 1, in steps of 2^-53.
  double unit();
  /// True in this share of the calls.
  bool chance(double probability) { return unit() < probability; }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t left = values.size(); left > 1; --left) {
      std::swap(values[left - 1], values[below(left)]);
    }
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace sweep
