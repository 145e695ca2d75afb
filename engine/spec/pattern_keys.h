#pragma once

#include <array>

#include "engine/spec/key_table.h"
#include "engine/text/value.h"

namespace sweep {

// The keys of a pattern's header and of the maps in it: what the parser accepts, and what editors
// offer.

KeyTable pattern_keys();
KeyTable parameter_keys();
KeyTable buffer_keys();
KeyTable argument_keys();
KeyTable launch_keys();
KeyTable useful_keys();

/// What a parameter's `type` may be.
struct ParameterType {
  std::string_view name;
  ValueKind kind;
};
inline constexpr std::array parameter_types = {ParameterType{"element", ValueKind::element},
                                               ParameterType{"integer", ValueKind::integer},
                                               ParameterType{"boolean", ValueKind::boolean}};

}  // namespace sweep
