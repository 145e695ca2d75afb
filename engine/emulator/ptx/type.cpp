#include "engine/emulator/ptx/type.h"

#include <array>

namespace sweep::ptx {
namespace {

/// In the order of Space.
constexpr std::array<std::string_view, 6> spaces = {"generic", "param",  "local",
                                                    "shared",  "global", "const"};
static_assert(spaces.size() == static_cast<std::size_t>(Space::constant) + 1);

}  // namespace

std::optional<Type> find_type(std::string_view name) {
  for (std::size_t i = 0; i < type_rows.size(); ++i) {
    if (type_rows[i].first == name) return static_cast<Type>(i);
  }
  return std::nullopt;
}

std::string_view to_string(Type type) {
  return type_rows[static_cast<std::size_t>(type)].first;
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
