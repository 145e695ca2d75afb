#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/explain/source_access.h"

namespace sweep {

enum class AccessVerb { load, store, atomic, copy };
enum class AccessSpace { global, shared, local };

/// What is known about an executed access before its expression is looked for.
struct AccessTraits {
  std::size_t line = 0;
  AccessVerb verb = AccessVerb::load;
  AccessSpace space = AccessSpace::global;
  std::string array;  ///< the source's name for the memory it reached; empty: unknown
};

struct AccessName {
  std::string text;      ///< "data[i * STRIDE]"; "data[...]" when several would fit
  std::size_t line = 0;  ///< where the expression begins
};

/// The expression that an access comes from, when the source leaves no doubt about it. `arrays` are
/// the source's names of all known arrays.
std::optional<AccessName> name_access(const SourceText& source, const AccessTraits& access,
                                      const std::vector<std::string>& arrays);

}  // namespace sweep
