#include "engine/store/pattern_bindings.h"

#include <string>

namespace sweep {

Bindings with_pattern(std::string_view pattern, const Bindings& parameters) {
  Bindings bindings;
  bindings.set("pattern", std::string(pattern));
  for (const auto& [name, value] : parameters.entries()) bindings.set(name, value);
  return bindings;
}

}  // namespace sweep
