#include "engine/spec/counters_reader.h"

#include "engine/spec/counter_set.h"
#include "engine/spec/map_reader.h"

namespace sweep {

std::vector<std::string> read_counters(const YamlNode& measure, Diagnostics& diagnostics) {
  const YamlNode* node = measure.is_map() ? measure.find("counters") : nullptr;
  if (node == nullptr || node->is_null()) return {};
  if (node->is_scalar() && node->text == "true") return {std::string(default_counter_set)};
  if (node->is_scalar() && (node->text == "false" || node->text == "off")) return {};
  if (node->is_map()) {
    diagnostics.error(node->where, "'counters' must be true, false, a name or a list of names",
                      "for example [memory, dram]");
    return {};
  }
  std::vector<std::string> names;
  for (const auto& [name, where] : read_texts(*node, "counters", diagnostics)) {
    if (const auto mistake = find_counter_mistake(name)) {
      diagnostics.error(where, mistake->message, mistake->help);
    } else {
      names.push_back(name);
    }
  }
  return canonical_counters(names);
}

}  // namespace sweep
