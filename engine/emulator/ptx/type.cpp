#include "engine/emulator/ptx/type.h"

#include <array>
#include <utility>

namespace sweep::ptx {
namespace {

/// In the order of Type, with their bits.
constexpr auto types = std::to_array<std::pair<std::string_view, unsigned>>(
    {{"pred", 1},  {"b8", 8},   {"b16", 16},   {"b32", 32},   {"b64", 64},  {"b128", 128},
     {"u8", 8},    {"u16", 16}, {"u32", 32},   {"u64", 64},   {"s8", 8},    {"s16", 16},
     {"s32", 32},  {"s64", 64}, {"f16", 16},   {"f16x2", 32}, {"bf16", 16}, {"bf16x2", 32},
     {"tf32", 32}, {"f32", 32}, {"f32x2", 64}, {"f64", 64}});
static_assert(types.size() == static_cast<std::size_t>(Type::f64) + 1);

/// In the order of Space.
constexpr std::array<std::string_view, 6> spaces = {"generic", "param",  "local",
                                                    "shared",  "global", "const"};
static_assert(spaces.size() == static_cast<std::size_t>(Space::constant) + 1);

}  // namespace

std::optional<Type> find_type(std::string_view name) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].first == name) return static_cast<Type>(i);
  }
  return std::nullopt;
}

std::string_view to_string(Type type) {
  return types[static_cast<std::size_t>(type)].first;
}

unsigned bits_of(Type type) {
  return types[static_cast<std::size_t>(type)].second;
}

unsigned bytes_of(Type type) {
  return bits_of(type) / 8;
}

bool is_signed(Type type) {
  return type >= Type::s8 && type <= Type::s64;
}

bool is_floating(Type type) {
  return type >= Type::f16;
}

std::optional<Space> find_space(std::string_view name) {
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    if (spaces[i] == name) return static_cast<Space>(i);
  }
  return std::nullopt;
}

std::string_view to_string(Space space) {
  return spaces[static_cast<std::size_t>(space)];
}

}  // namespace sweep::ptx
