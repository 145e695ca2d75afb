#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/search/strategy.h"
#include "engine/spec/counters.h"
#include "engine/spec/keys.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/spec_limits.h"
#include "engine/spec/sweep_readers.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

constexpr Patience default_patience{100};

/// Reads decimals and counts within bounds; what is none, or out of them, is one mistake.
class NumberReader : public MapReader {
 public:
  NumberReader(const YamlNode& node, std::string what, KeyTable keys, Diagnostics& diagnostics)
      : MapReader(node, std::move(what), keys, diagnostics), diagnostics_(diagnostics) {}

  /// A decimal that `fits`, with % as a hundredth if it is a `share`.
  template <class Fits>
  void decimal(std::string_view key, auto& result, Fits fits, const char* what, const char* help,
               bool share = false) const {
    const YamlNode* node = find(key);
    const auto text = node != nullptr ? read_text(*node, key, diagnostics_) : std::nullopt;
    if (!text) return;
    const auto value = share || !text->ends_with('%') ? parse_decimal(*text) : std::nullopt;
    if (value && fits(*value)) {
      result = *value;
    } else {
      diagnostics_.error(node->where, fmt::format("'{}' must be {}", key, what), help);
    }
  }

  /// A constant integer from 1 to `most`, which is `what`.
  template <class Count>
  void count(std::string_view key, Count& result,
             std::int64_t most = std::numeric_limits<std::int64_t>::max(),
             const std::string& what = "of at least 1") const {
    const auto text = expression(key);
    const auto value = text ? read_constant(*text, diagnostics_) : std::nullopt;
    if (!value) return;
    const auto* number = std::get_if<std::int64_t>(&*value);
    if (number != nullptr && *number >= 1 && *number <= most) {
      result = static_cast<Count>(*number);
    } else {
      diagnostics_.error(text->where(), fmt::format("'{}' must be an integer {}", key, what));
    }
  }

 private:
  Diagnostics& diagnostics_;
};

void read_samples(const YamlNode& node, MeasureRules& rules, Diagnostics& diagnostics) {
  const NumberReader reader(node, "samples", samples_keys, diagnostics);
  const std::string what = fmt::format("from 1 to {}", spec_limits::samples);
  reader.count("min", rules.min_samples, spec_limits::samples, what);
  reader.count("max", rules.max_samples, spec_limits::samples, what);
  if (rules.min_samples <= rules.max_samples) return;
  const bool both = reader.find("min") != nullptr && reader.find("max") != nullptr;
  diagnostics.error(node.where,
                    fmt::format("the fewest samples ({}) are more than the most ({})",
                                rules.min_samples, rules.max_samples),
                    both ? "" : "give both min and max");
}

/// What `counters` asks the hardware's counters for, by canonical names: true for the default set,
/// false or off for none, a name, or a list of names.
std::vector<std::string> read_counters(const YamlNode& node, Diagnostics& diagnostics) {
  if (node.is_scalar() && node.text == "true") return {std::string(default_counter_set)};
  if (node.is_scalar() && (node.text == "false" || node.text == "off")) return {};
  if (node.is_map()) {
    diagnostics.error(node.where, "'counters' must be true, false, a name or a list of names",
                      "for example [memory, dram]");
    return {};
  }
  std::vector<std::string> names;
  for (const auto& [name, where] : read_texts(node, "counters", diagnostics)) {
    if (const auto mistake = find_counter_mistake(name)) {
      diagnostics.error(where, mistake->message, mistake->help);
    } else {
      names.push_back(name);
    }
  }
  return canonical_counters(names);
}

/// In the order of the file: the first one decides.
void read_objectives(const YamlNode& tune, TuneRules& rules, Diagnostics& diagnostics) {
  for_each_entry(tune, [&](const YamlNode& key, const YamlNode& value) {
    if (key.text != "maximize" && key.text != "minimize") return;
    const Better better = key.text == "maximize" ? Better::higher : Better::lower;
    for (const auto& [name, where] : read_texts(value, key.text, diagnostics)) {
      const auto metric = read_metric(name, where, diagnostics);
      if (!metric) continue;
      if (std::ranges::find(rules.objectives, *metric, &TuneObjective::metric) !=
          rules.objectives.end()) {
        diagnostics.error(where, fmt::format("'{}' is an objective twice", *metric));
      } else {
        rules.objectives.push_back({*metric, better, where});
      }
    }
  });
}

Budget read_budget(const YamlNode& node, Diagnostics& diagnostics) {
  Budget budget;
  const NumberReader reader(node, "budget", budget_keys, diagnostics);
  if (!node.is_map()) return budget;
  if (node.entries.empty()) {
    diagnostics.error(node.where, "'budget' sets no limit",
                      "budget: {configurations: 200, seconds: 60, no_better: {by: 1 %, in: 50}}");
  }
  reader.count("configurations", budget.configurations);
  const auto is_limit = [](double value) {
    return value > 0 && value <= spec_limits::tune_seconds;
  };
  reader.decimal("seconds", budget.seconds, is_limit, "a number above 0 and up to 31536000",
                 "for example 60");
  if (const YamlNode* no_better = reader.find("no_better")) {
    const NumberReader numbers(*no_better, "no_better", patience_keys, diagnostics);
    if (!no_better->is_map()) return budget;
    budget.patience = default_patience;
    numbers.count("in", budget.patience->configurations);
    const auto is_share = [](double value) { return value >= 0 && value < 1; };
    numbers.decimal("by", budget.patience->share, is_share, "a share from 0 to less than 1",
                    "for example 1 %, which is 0.01", true);
  }
  return budget;
}

}  // namespace

void read_measure(const YamlNode& node, Sweep& sweep, Diagnostics& diagnostics) {
  MeasureRules& rules = sweep.measure;
  const NumberReader reader(node, "measure", measure_keys, diagnostics);
  if (const YamlNode* cache = reader.find("cache")) {
    const std::string_view states[] = {to_string(CacheState::cold), to_string(CacheState::warm)};
    const auto chosen =
        read_choice(*cache, "cache", states, "a state of the cache", "the states are", diagnostics);
    if (chosen) rules.cache = cache_states.at(*chosen);
  }
  const auto is_noise = [](double value) { return value >= 0 && value <= 1; };
  reader.decimal("noise", rules.noise, is_noise, "a share from 0 to 1",
                 "for example 0.5 %, which is 0.005", true);
  const auto is_limit = [](double value) {
    return value > 0 && value <= spec_limits::measure_seconds;
  };
  reader.decimal("seconds", rules.seconds, is_limit, "a number above 0 and up to 86400",
                 "for example 0.5");
  if (const YamlNode* samples = reader.find("samples")) read_samples(*samples, rules, diagnostics);
  if (const YamlNode* caches = reader.find("caches")) {
    const auto text = read_text(*caches, "caches", diagnostics);
    rules.caches = text == "true";
    if (text && *text != "true" && *text != "false") {
      diagnostics.error(caches->where, "'caches' must be true or false");
    }
  }
  const YamlNode* counters = reader.find("counters");
  if (counters != nullptr) sweep.counters = read_counters(*counters, diagnostics);
}

TuneRules read_tune_rules(const YamlNode& node, const Scope* scope, Diagnostics& diagnostics) {
  TuneRules rules;
  const std::size_t errors_before = diagnostics.error_count();
  const NumberReader reader(node, "tune", tune_keys, diagnostics);
  if (!node.is_map()) return rules;
  read_objectives(node, rules, diagnostics);
  if (rules.objectives.empty() && diagnostics.error_count() == errors_before) {
    diagnostics.error(node.where, "'tune' does not say what to search for",
                      "maximize: bandwidth, or minimize: time");
  }
  if (const YamlNode* for_each = reader.find("for_each")) {
    rules.for_each = read_names(*for_each, "for_each", scope, diagnostics);
  }
  if (const YamlNode* strategy = reader.find("strategy")) {
    const std::vector<std::string> names = strategy_names();
    const auto text = read_text(*strategy, "strategy", diagnostics);
    if (text && std::ranges::find(names, *text) == names.end()) {
      diagnostics.error(strategy->where, fmt::format("there is no strategy '{}'", *text),
                        suggest(*text, names, "the strategies are"));
    } else if (text) {
      rules.strategy = *text;
    }
  }
  rules.budget.patience = default_patience;
  if (const YamlNode* budget = reader.find("budget")) {
    rules.budget = read_budget(*budget, diagnostics);
  }
  reader.count("seed", rules.seed);
  const YamlNode* cut_off = reader.find("cut_off");
  if (cut_off != nullptr && cut_off->text == "off") {
    rules.cut_off = 0;
  } else {
    const auto is_factor = [](double value) { return value > 1; };
    reader.decimal("cut_off", rules.cut_off, is_factor, "a number above 1, or off",
                   "with 1.5 what is 1.5 times slower than the best is dropped early");
  }
  return rules;
}

}  // namespace sweep
