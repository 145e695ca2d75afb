#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/text/value.h"

namespace sweep {

/// A header that is there for every pattern without an include path.
struct Header {
  const char* name;
  const char* text;
};

/// The parts of the standard library that kernels use, and their C forms: <cstdint>, <cstddef>,
/// <cstdio> and <cassert> are empty, since what they would declare is always there; <climits>,
/// <cfloat> and <cmath> have their macros.
const std::vector<Header>& provided_headers();

/// What every program starts with: fixed-width integer names, `splat<T>(x)` (a T all of whose
/// components are x; T(x) for scalars), and what the generated functions need, under names that
/// begin with sweep_. For the vector types among `types`: componentwise + - * += -= *= and == !=
/// over all components, unless the pattern has an operator of its own for the type.
std::string prelude(std::span<const ElementType> types);

}  // namespace sweep
