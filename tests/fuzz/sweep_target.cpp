#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/space/enumerate.h"
#include "engine/spec/metric.h"
#include "engine/spec/sweep.h"
#include "tests/fuzz/shipped_patterns.h"
#include "tests/fuzz/targets.h"

namespace sweep::fuzz {
namespace {

PatternPtr load(const std::string& name, const Location& where, Diagnostics& diagnostics) {
  static std::map<std::string, PatternPtr> loaded;
  const auto known = loaded.find(name);
  if (known != loaded.end()) return known->second;
  const std::span<const ShippedPattern> all = shipped_patterns();
  const auto shipped = std::ranges::find(all, name, &ShippedPattern::name);
  if (shipped == all.end()) {
    diagnostics.error(where, "there is no pattern '" + name + "'");
    return nullptr;
  }
  const std::string path = "/nowhere/" + name + ".cu";
  const auto source = std::make_shared<Source>(Source{path, std::string(shipped->text)});
  return loaded.emplace(name, parse_pattern(source, path, diagnostics)).first->second;
}

/// The lines `#set NAME=VALUES` that the text begins with; each stays in it, as a comment.
std::vector<SourcePtr> overrides_of(std::string_view text) {
  constexpr std::string_view before = "#set ";
  std::vector<SourcePtr> overrides;
  while (text.starts_with(before)) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string argument(text.substr(before.size(), end - before.size()));
    overrides.push_back(std::make_shared<Source>(Source{"--set", argument}));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return overrides;
}

void use(Sweep sweep) {
  SpaceLimits limits;
  limits.configurations = 2000;
  limits.tries = 100'000;
  const std::string text = sweep.source->text;
  Space space = enumerate(sweep, limits);
  if (sweep.tune) tuning_groups(sweep, space);
  to_string(sweep.measure);
  counters_of(formulas_of(sweep.counters));
  DeviceFigures figures;
  figures.multiprocessors = 132;
  if (apply_device_figures(sweep, figures)) enumerate(sweep, limits);
  apply_emulator_set(sweep);
  enumerate(sweep, limits);
  // What a report reads again from the stored text.
  read_stored_sweep(text);
}

}  // namespace

void read_sweep(std::string_view bytes) {
  const auto source = std::make_shared<Source>(Source{"fuzzed.yaml", std::string(bytes)});
  try {
    use(parse_sweep(source, "fuzzed.yaml", load, overrides_of(bytes)));
  } catch (const InputError& error) {
    render(error.diagnostics());
  }
}

}  // namespace sweep::fuzz
