#include "engine/spec/layout_names.h"

#include <fmt/format.h>

#include "engine/spec/counter_set.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/metric.h"
#include "engine/text/suggestion.h"

namespace sweep {

std::vector<std::string> read_metric_names(const YamlNode& node, std::string_view key,
                                           Diagnostics& diagnostics) {
  std::vector<std::string> names;
  if (node.is_sequence() && node.items.empty()) {
    diagnostics.error(node.where, fmt::format("'{}' names no metric", key),
                      "a metric, for example bandwidth");
  }
  for (const auto& [name, where] : read_texts(node, key, diagnostics)) {
    const MetricDefinition* metric = find_metric(name);
    if (metric == nullptr && is_counter_name(name)) {
      names.push_back(name);
    } else if (metric == nullptr) {
      diagnostics.error(where, fmt::format("there is no metric '{}'", name), suggest_metric(name));
    } else {
      names.push_back(metric->name);
    }
  }
  return names;
}

void check_layout_names(std::span<const std::string> names, std::span<const Location> places,
                        const Location& otherwise, const Scope& scope, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (scope.kind_of(names[i])) continue;
    diagnostics.error(i < places.size() ? places[i] : otherwise,
                      fmt::format("there is no parameter '{}'", names[i]),
                      suggest(names[i], scope.names, "the names known here are"));
  }
}

}  // namespace sweep
