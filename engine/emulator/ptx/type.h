#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace sweep::ptx {

/// The state spaces of PTX. A `ld` without one is `generic`.
enum class Space : std::uint8_t { generic, param, local, shared, global, constant };

/// The fundamental, packed and narrow floating types of PTX.
enum class Type : std::uint8_t {
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f32x2,
  f64,
};

/// In the order of Type: how each is written, and its bits.
inline constexpr auto type_rows = std::to_array<std::pair<std::string_view, unsigned>>(
    {{"pred", 1},  {"b8", 8},   {"b16", 16},   {"b32", 32},   {"b64", 64},  {"b128", 128},
     {"u8", 8},    {"u16", 16}, {"u32", 32},   {"u64", 64},   {"s8", 8},    {"s16", 16},
     {"s32", 32},  {"s64", 64}, {"f16", 16},   {"f16x2", 32}, {"bf16", 16}, {"bf16x2", 32},
     {"tf32", 32}, {"f32", 32}, {"f32x2", 64}, {"f64", 64}});
static_assert(type_rows.size() == static_cast<std::size_t>(Type::f64) + 1);

/// The type written as `name`, without the dot: "f32". Empty when it is none.
std::optional<Type> find_type(std::string_view name);
std::string_view to_string(Type type);
/// 1 for a predicate.
constexpr unsigned bits_of(Type type) {
  return type_rows[static_cast<std::size_t>(type)].second;
}
/// In memory; a predicate has none: 0.
constexpr unsigned bytes_of(Type type) {
  return bits_of(type) / 8;
}
bool is_signed(Type type);    ///< s8 to s64
bool is_floating(Type type);  ///< f16 to f64, bf16 and tf32, packed ones included

std::optional<Space> find_space(std::string_view name);  ///< "const" is `constant`
std::string_view to_string(Space space);

}  // namespace sweep::ptx
