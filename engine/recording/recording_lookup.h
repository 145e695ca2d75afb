#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/recording/recording.h"
#include "engine/text/value.h"

namespace sweep {

/// Finds the entries of a recording by the values of chosen parameters. A truth value and the
/// numbers 0 and 1 are the same: other tuners have no truth values.
class RecordingLookup {
 public:
  RecordingLookup(std::span<const RecordedEntry> entries, std::vector<std::string> names);

  /// The places of the entries with these values, ascending: none when there is no such entry, more
  /// than one where the names do not tell entries apart. What one side has no value for, the other
  /// must not have either; other names do not count.
  std::span<const std::size_t> find(const Bindings& configuration) const;

  const std::vector<std::string>& names() const { return names_; }

 private:
  std::string key_of(const Bindings& configuration) const;

  std::vector<std::string> names_;
  std::unordered_map<std::string, std::vector<std::size_t>> places_;
};

/// The names of all parameters that entries have, in the order of their first appearance.
std::vector<std::string> parameter_names(std::span<const RecordedEntry> entries);

}  // namespace sweep
