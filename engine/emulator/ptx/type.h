#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

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

/// The type written as `name`, without the dot: "f32". Empty when it is none.
std::optional<Type> find_type(std::string_view name);
std::string_view to_string(Type type);
/// 1 for a predicate.
unsigned bits_of(Type type);
/// In memory; a predicate has none: 0.
unsigned bytes_of(Type type);
bool is_signed(Type type);    ///< s8 to s64
bool is_floating(Type type);  ///< f16 to f64, bf16 and tf32, packed ones included

std::optional<Space> find_space(std::string_view name);  ///< "const" is `constant`
std::string_view to_string(Space space);

}  // namespace sweep::ptx
