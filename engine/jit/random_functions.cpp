#include "engine/jit/random_functions.h"

#include <algorithm>
#include <array>

namespace sweep {
namespace {

// splitmix64 is Steele, Lea and Flood's, "Fast Splittable Pseudorandom Number Generators", 2014,
// with the constants of Vigna's reference implementation.
//
// The permutation is a Feistel network over the bits that n - 1 takes, of six rounds: each changes
// one half of the number by a mix of the other, so that all can be undone whatever the mix is. What
// lands beyond n goes through again until it does not, twice on average at the most. With halves of
// one or two bits the rounds alone prefer some places: turning the result by a random amount makes
// each place equally likely. 32-bit mixes are enough for halves of at most 32 bits, and cheap.
constexpr std::string_view functions = R"(
__device__ constexpr uint64_t random_bits(uint64_t seed, uint64_t i) {
  uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

__device__ inline uint64_t random_below(uint64_t n, uint64_t seed, uint64_t i) {
  return __umul64hi(random_bits(seed, i), n);
}

__device__ constexpr uint32_t sweep_mix(uint32_t half, uint32_t key) {
  uint32_t x = half * 0x9e3779b1u + key;
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

__device__ inline uint64_t permuted(uint64_t i, uint64_t n, uint64_t seed) {
  if (i >= n || n < 2) return i;
  const int bits = 64 - __clzll(static_cast<long long>(n - 1));
  const int low_bits = (bits + 1) / 2;
  const uint32_t low_mask = static_cast<uint32_t>((1ull << low_bits) - 1);
  const uint32_t high_mask = static_cast<uint32_t>((1ull << (bits - low_bits)) - 1);
  uint64_t place = i;
  do {
    uint32_t low = static_cast<uint32_t>(place) & low_mask;
    uint32_t high = static_cast<uint32_t>(place >> low_bits);
#pragma unroll
    for (int pair = 0; pair < 3; ++pair) {
      const uint64_t keys = random_bits(seed, pair);
      high ^= sweep_mix(low, static_cast<uint32_t>(keys)) & high_mask;
      low ^= sweep_mix(high, static_cast<uint32_t>(keys >> 32)) & low_mask;
    }
    place = static_cast<uint64_t>(high) << low_bits | low;
  } while (place >= n);
  const uint64_t turn = random_below(n, seed, 3);
  return place < n - turn ? place + turn : place - (n - turn);
}
)";

constexpr std::array<std::string_view, 3> function_names = {"permuted", "random_below",
                                                            "random_bits"};

}  // namespace

std::string_view random_functions() {
  return functions;
}

std::span<const std::string_view> random_function_names() {
  return function_names;
}

bool names_random_function(const Pattern& pattern) {
  const auto names_one = [](std::string_view text) {
    return std::ranges::any_of(function_names, [&](std::string_view name) {
      return text.find(name) != std::string_view::npos;
    });
  };
  return names_one(pattern.body) || names_one(pattern.included_text) ||
         std::ranges::any_of(
             pattern.buffers,
             [&](const Buffer& buffer) { return buffer.init && names_one(buffer.init->text); }) ||
         std::ranges::any_of(pattern.verify, [&](const Verification& verification) {
           return names_one(verification.condition.text);
         });
}

}  // namespace sweep
