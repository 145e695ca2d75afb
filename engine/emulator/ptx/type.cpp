#include "engine/emulator/ptx/type.h"

#include <array>

namespace sweep::ptx {
namespace {

struct TypeFacts {
  std::string_view name;
  unsigned bits;
};

/// In the order of Type.
constexpr std::array types = {
    TypeFacts{"pred", 1},   TypeFacts{"b8", 8},      TypeFacts{"b16", 16},  TypeFacts{"b32", 32},
    TypeFacts{"b64", 64},   TypeFacts{"b128", 128},  TypeFacts{"u8", 8},    TypeFacts{"u16", 16},
    TypeFacts{"u32", 32},   TypeFacts{"u64", 64},    TypeFacts{"s8", 8},    TypeFacts{"s16", 16},
    TypeFacts{"s32", 32},   TypeFacts{"s64", 64},    TypeFacts{"f16", 16},  TypeFacts{"f16x2", 32},
    TypeFacts{"bf16", 16},  TypeFacts{"bf16x2", 32}, TypeFacts{"tf32", 32}, TypeFacts{"f32", 32},
    TypeFacts{"f32x2", 64}, TypeFacts{"f64", 64}};
static_assert(types.size() == static_cast<std::size_t>(Type::f64) + 1);

/// In the order of Space.
constexpr std::array<std::string_view, 6> spaces = {"generic", "param",  "local",
                                                    "shared",  "global", "const"};
static_assert(spaces.size() == static_cast<std::size_t>(Space::constant) + 1);

const TypeFacts& facts_of(Type type) {
  return types[static_cast<std::size_t>(type)];
}

}  // namespace

std::optional<Type> find_type(std::string_view name) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].name == name) return static_cast<Type>(i);
  }
  return std::nullopt;
}

std::string_view to_string(Type type) {
  return facts_of(type).name;
}

unsigned bits_of(Type type) {
  return facts_of(type).bits;
}

unsigned bytes_of(Type type) {
  return facts_of(type).bits / 8;
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
