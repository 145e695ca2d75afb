#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/text/element_type.h"

namespace sweep {

/// A header that is there for every pattern without an include path.
struct Header {
  const char* name;
  const char* text;
};

/// <cstdint>, <cstddef> and their C forms: the names they would declare are always there.
const std::vector<Header>& provided_headers();

/// What every program starts with: fixed-width integer names, `splat<T>(x)` (a T all of whose
/// components are x; T(x) for scalars), and what the generated checks need. For the vector types
/// among `types`: componentwise + - * += -= *= and == != over all components.
std::string prelude(std::span<const ElementType> types);

}  // namespace sweep
