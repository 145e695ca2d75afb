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

/// A default that came out below its parameter's min or above its max.
class OutOfBoundsError : public InputError {
 public:
  OutOfBoundsError(const Location& where, std::string message, std::string bound)
      : InputError(where, std::move(message)), bound_(std::move(bound)) {}
  /// The bound as a condition: "N >= 1".
  const std::string& bound() const { return bound_; }

 private:
  std::string bound_;
};

/// Fills in what `given` leaves open with the pattern's defaults. Names that the pattern does not
/// have are ignored. Throws InputError when a default cannot be evaluated, OutOfBoundsError when a
/// value lies outside its parameter's bounds.
Configuration resolve(const PatternPtr& pattern, const Bindings& given);

/// The given values of the pattern's parameters and every default up to the first that `resolve`
/// would throw for.
Bindings resolvable_part(const Pattern& pattern, const Bindings& given);

/// The configuration's parameters and its structs' sizes ("sizeof(NAME)"): what the pattern's
/// expressions are evaluated with.
Bindings environment_of(const Configuration& configuration);

}  // namespace sweep
