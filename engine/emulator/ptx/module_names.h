#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace sweep::ptx {

/// What a module declares outside of functions, by name. The names point into its text.
struct ModuleNames {
  std::unordered_map<std::string_view, std::uint32_t> variables;  ///< index of Module::variables
  std::unordered_map<std::string_view, std::uint32_t> functions;  ///< aliases too
};

}  // namespace sweep::ptx
