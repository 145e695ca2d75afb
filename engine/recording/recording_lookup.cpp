#include "engine/recording/recording_lookup.h"

#include <unordered_set>

namespace sweep {

RecordingLookup::RecordingLookup(std::span<const RecordedEntry> entries,
                                 std::vector<std::string> names)
    : names_(std::move(names)) {
  places_.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    places_[key_of(entries[i].configuration)].push_back(i);
  }
}

std::span<const std::size_t> RecordingLookup::find(const Bindings& configuration) const {
  const auto found = places_.find(key_of(configuration));
  return found != places_.end() ? std::span(found->second) : std::span<const std::size_t>();
}

/// The values with their lengths before them, so that no two lists of values give the same text.
std::string RecordingLookup::key_of(const Bindings& configuration) const {
  std::string key;
  for (const std::string& name : names_) {
    const Value* value = configuration.find(name);
    if (value == nullptr) {
      key += '-';
      continue;
    }
    const bool* truth = std::get_if<bool>(value);
    const std::string text = truth != nullptr ? std::string(*truth ? "1" : "0") : to_string(*value);
    key += std::to_string(text.size());
    key += ':';
    key += text;
  }
  return key;
}

std::vector<std::string> parameter_names(std::span<const RecordedEntry> entries) {
  std::vector<std::string> names;
  std::unordered_set<std::string> known;
  for (const RecordedEntry& entry : entries) {
    for (const auto& [name, value] : entry.configuration.entries()) {
      if (known.insert(name).second) names.push_back(name);
    }
  }
  return names;
}

}  // namespace sweep
