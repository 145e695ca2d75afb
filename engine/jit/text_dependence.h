#pragma once

#include <string>
#include <vector>

#include "engine/spec/pattern.h"

namespace sweep {

/// A line that is moved out of the body.
struct Include {
  std::size_t offset = 0;  ///< in the body
  std::string text;
};

/// CUDA source without its #include lines, which are blanked, those lines, and the names of its
/// macros. An #include under a condition stays where it is.
struct SplitBody {
  std::string text;
  std::vector<Include> includes;
  std::vector<std::string> macros;
};

SplitBody split_body(const std::string& body);

/// The parameters that a piece of a translation unit depends on, by name, in the pattern's order.
using ParameterNames = std::vector<std::string>;

/// What one of the functions that initialise and check depends on.
struct FunctionDependence {
  /// Whether it may use what the pattern's body declares or defines, so that it must stand behind
  /// it. Its parameters are then among the body's.
  bool needs_body = false;
  ParameterNames parameters;
};

/// What the pieces of a pattern's translation unit depend on: two configurations that agree in a
/// piece's parameters can share it. Where the text alone does not tell, it is all parameters.
struct TextDependence {
  ParameterNames body;  ///< the pattern's body, its structs, and the functions that need it
  std::vector<FunctionDependence> init;   ///< one per buffer; empty where it has no `init`
  std::vector<FunctionDependence> check;  ///< one per verification
};

/// Works it out from the identifiers in the text. A body depends on the parameters it names, in
/// macros and comments too; on all where it includes other headers than those of the engine and
/// of CUDA, pastes tokens, or has variables that outlive a launch, which configurations must not
/// share. A function can do without the body when it uses nothing but its buffers, `i`,
/// parameters, and types and functions that are always there and that the body does not redefine.
TextDependence text_dependence(const Pattern& pattern);

/// The values that a configuration gives to these parameters, as one string.
std::string values_of(const Configuration& configuration, const ParameterNames& parameters);

}  // namespace sweep
