#pragma once

#include "engine/spec/pattern.h"
#include "engine/text/value.h"

namespace sweep {

/// One value for every parameter of one pattern, in the order the pattern declares them.
struct Configuration {
  PatternPtr pattern;
  Bindings parameters;
};

/// "stride STRIDE=4 T=float ..."
std::string to_string(const Configuration& configuration);

/// Fills in what `given` leaves open with the pattern's defaults. Names that the pattern does not
/// have are ignored. Throws InputError when a default cannot be evaluated or a value lies outside
/// its parameter's bounds.
Configuration resolve(const PatternPtr& pattern, const Bindings& given);

/// The configuration's parameters and its structs' sizes ("sizeof(NAME)"): what the pattern's
/// expressions are evaluated with.
Bindings environment_of(const Configuration& configuration);

}  // namespace sweep
