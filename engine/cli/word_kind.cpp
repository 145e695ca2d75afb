#include "engine/cli/word_kind.h"

#include <algorithm>
#include <array>

namespace sweep {
namespace {

constexpr std::array placeholder_table = {
    Placeholder{"CC", WordKind::capability},
    Placeholder{"CONDITION", WordKind::text},
    Placeholder{"COUNTERS", WordKind::counters},
    Placeholder{"DATABASE", WordKind::database},
    Placeholder{"DEVICE", WordKind::device},
    Placeholder{"DIR", WordKind::folder},
    Placeholder{"FILE", WordKind::file},
    Placeholder{"METRIC", WordKind::metric},
    Placeholder{"METRICS", WordKind::metric},
    Placeholder{"N", WordKind::number},
    Placeholder{"NAME", WordKind::named},
    Placeholder{"NAME=VALUE", WordKind::assignment},
    Placeholder{"NAME=VALUES", WordKind::assignment},
    Placeholder{"NAMES", WordKind::text},
    Placeholder{"NUMBER", WordKind::number},
    Placeholder{"OLD=NEW", WordKind::text},
    Placeholder{"PATTERN", WordKind::pattern},
    Placeholder{"PERCENT", WordKind::text},
    Placeholder{"RECORDING", WordKind::recording},
    Placeholder{"SOURCE", WordKind::source},
    Placeholder{"STRATEGIES", WordKind::strategies},
    Placeholder{"SWEEP", WordKind::sweep},
    Placeholder{"WHEN", WordKind::choice, "auto|always|never"},
};

bool is_literal(std::string_view placeholder) {
  return placeholder.find('|') != std::string_view::npos ||
         std::ranges::none_of(placeholder, [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::vector<std::string> split_choices(std::string_view text) {
  std::vector<std::string> choices;
  while (!text.empty()) {
    const std::size_t bar = std::min(text.find('|'), text.size());
    choices.emplace_back(text.substr(0, bar));
    text.remove_prefix(std::min(bar + 1, text.size()));
  }
  return choices;
}

}  // namespace

std::span<const Placeholder> placeholders() {
  return placeholder_table;
}

Word word_of(const std::string& placeholder) {
  const auto* found = std::ranges::find(placeholder_table, placeholder, &Placeholder::name);
  if (found != placeholder_table.end())
    return {placeholder, found->kind, split_choices(found->choices)};
  if (placeholder.empty() || !is_literal(placeholder)) return {placeholder, WordKind::text, {}};
  return {placeholder, WordKind::choice, split_choices(placeholder)};
}

}  // namespace sweep
