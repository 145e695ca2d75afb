#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/search/search_space.h"
#include "engine/text/value.h"

namespace sweep {

/// A parameter that tells configurations apart, and what its value numbers stand for.
struct EncodedParameter {
  std::string name;
  std::vector<std::optional<Value>> values;  ///< nothing: for configurations without the parameter
};

/// Configurations as a strategy sees them: row i is configuration i.
struct EncodedSpace {
  std::vector<EncodedParameter> parameters;  ///< as the space has them
  SearchSpace space;
};

/// Gives numbers to the values. A parameter whose value follows from those before it, as constants
/// and defaults do, is left out, so that configurations are neighbours that differ in what was
/// chosen. Numbers and booleans are ordered by their value; what is not a number, by where it comes
/// first, which counts as unordered. Where nothing varies one parameter is left.
///
/// Throws std::invalid_argument when two configurations are the same, and for a parameter of more
/// than 65,536 values.
EncodedSpace encode(std::span<const Bindings> configurations);

/// What a configuration has for the parameter; null where it does not have it.
using ValueOf = std::function<const Value*(std::size_t configuration, const std::string& name)>;

/// The same for so many configurations whose parameters are among `names`, and in their order.
EncodedSpace encode(std::size_t configurations, std::span<const std::string> names,
                    const ValueOf& value_of);

}  // namespace sweep
