#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/search/strategy.h"
#include "engine/spec/counters.h"
#include "engine/spec/keys.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/spec_limits.h"
#include "engine/spec/sweep.h"
#include "engine/spec/sweep_readers.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

class MeasureReader {
 public:
  MeasureReader(MeasureRules& rules, Diagnostics& diagnostics)
      : rules_(rules), diagnostics_(diagnostics) {}

  void read(const YamlNode& node) {
    const MapReader reader(node, "measure", names_of(measure_keys()), diagnostics_);
    if (const YamlNode* cache = reader.find("cache")) read_cache(*cache);
    if (const YamlNode* noise = reader.find("noise")) read_noise(*noise);
    if (const YamlNode* seconds = reader.find("seconds")) read_seconds(*seconds);
    if (const YamlNode* samples = reader.find("samples")) read_samples(*samples);
    if (const YamlNode* caches = reader.find("caches")) read_caches(*caches);
  }

 private:
  void read_cache(const YamlNode& node) {
    constexpr ChoiceWords words = {"a state of the cache", "the states are"};
    std::array<std::string_view, cache_states.size()> names;
    std::ranges::transform(cache_states, names.begin(), [](CacheState s) { return to_string(s); });
    if (const auto chosen = read_choice(node, "cache", names, words, diagnostics_)) {
      rules_.cache = cache_states.at(*chosen);
    }
  }

  void read_caches(const YamlNode& node) {
    const auto text = read_text(node, "caches", diagnostics_);
    if (!text) return;
    if (*text == "true" || *text == "false") {
      rules_.caches = *text == "true";
    } else {
      diagnostics_.error(node.where, "'caches' must be true or false");
    }
  }

  void read_noise(const YamlNode& node) {
    const auto text = read_text(node, "noise", diagnostics_);
    if (!text) return;
    const auto share = parse_decimal(*text);
    if (share && *share >= 0 && *share <= 1) {
      rules_.noise = *share;
    } else {
      diagnostics_.error(node.where, "'noise' must be a share from 0 to 1",
                         "for example 0.5 %, which is 0.005");
    }
  }

  void read_seconds(const YamlNode& node) {
    const auto text = read_text(node, "seconds", diagnostics_);
    if (!text) return;
    const auto seconds = parse_decimal(*text);
    if (seconds && *seconds > 0 && *seconds <= spec_limits::measure_seconds &&
        !text->ends_with('%')) {
      rules_.seconds = *seconds;
    } else {
      diagnostics_.error(node.where, "'seconds' must be a number above 0 and up to 86400",
                         "for example 0.5");
    }
  }

  void read_count(const MapReader& reader, std::string_view key, int& result) {
    const auto expression = reader.expression(key);
    if (!expression) return;
    const auto value = read_constant(*expression, diagnostics_);
    if (!value) return;
    const auto* count = std::get_if<std::int64_t>(&*value);
    if (count != nullptr && *count >= 1 && *count <= spec_limits::samples) {
      result = static_cast<int>(*count);
    } else {
      diagnostics_.error(expression->where(), fmt::format("'{}' must be an integer from 1 to {}",
                                                          key, spec_limits::samples));
    }
  }

  void read_samples(const YamlNode& node) {
    const MapReader reader(node, "samples", names_of(samples_keys()), diagnostics_);
    read_count(reader, "min", rules_.min_samples);
    read_count(reader, "max", rules_.max_samples);
    if (rules_.min_samples <= rules_.max_samples) return;
    const bool both = reader.find("min") != nullptr && reader.find("max") != nullptr;
    diagnostics_.error(node.where,
                       fmt::format("the fewest samples ({}) are more than the most ({})",
                                   rules_.min_samples, rules_.max_samples),
                       both ? "" : "give both min and max");
  }

  MeasureRules& rules_;
  Diagnostics& diagnostics_;
};

}  // namespace

MeasureRules read_measure_rules(const YamlNode& node, Diagnostics& diagnostics) {
  MeasureRules rules;
  MeasureReader(rules, diagnostics).read(node);
  return rules;
}

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

namespace {

constexpr std::size_t default_patience = 100;
constexpr const char* budget_help =
    "budget: {configurations: 200, seconds: 60, no_better: {by: 1 %, in: 50}}";

class TuneReader {
 public:
  TuneReader(TuneRules& rules, Diagnostics& diagnostics)
      : rules_(rules), diagnostics_(diagnostics) {}

  void read(const YamlNode& node) {
    const std::size_t errors_before = diagnostics_.error_count();
    const MapReader reader(node, "tune", names_of(tune_keys()), diagnostics_);
    if (!node.is_map()) return;
    read_objectives(node, errors_before);
    if (const YamlNode* for_each = reader.find("for_each")) {
      for (auto& [name, where] : read_texts(*for_each, "for_each", diagnostics_)) {
        rules_.for_each.push_back(std::move(name));
        rules_.for_each_places.push_back(where);
      }
    }
    if (const YamlNode* strategy = reader.find("strategy")) read_strategy(*strategy);
    const YamlNode* budget = reader.find("budget");
    if (budget != nullptr) {
      read_budget(*budget);
    } else {
      rules_.budget.patience = Patience{default_patience};
    }
    if (const auto seed = read_count(reader, "seed")) rules_.seed = *seed;
    if (const YamlNode* cut_off = reader.find("cut_off")) read_cut_off(*cut_off);
  }

 private:
  /// In the order of the file: the first one decides.
  void read_objectives(const YamlNode& node, std::size_t errors_before) {
    for_each_entry(node, [&](const YamlNode& key, const YamlNode& value) {
      if (key.text == "maximize") read_metrics(value, key.text, Better::higher);
      if (key.text == "minimize") read_metrics(value, key.text, Better::lower);
    });
    if (rules_.objectives.empty() && diagnostics_.error_count() == errors_before) {
      diagnostics_.error(node.where, "'tune' does not say what to search for",
                         "maximize: bandwidth, or minimize: time");
    }
  }

  void read_metrics(const YamlNode& node, const std::string& key, Better better) {
    for (const auto& [name, where] : read_texts(node, key, diagnostics_)) {
      const MetricDefinition* metric = find_metric(name);
      if (metric == nullptr && !is_counter_name(name)) {
        diagnostics_.error(where, fmt::format("there is no metric '{}'", name),
                           suggest_metric(name));
        continue;
      }
      const std::string& today = metric != nullptr ? metric->name : name;
      if (std::ranges::find(rules_.objectives, today, &TuneObjective::metric) !=
          rules_.objectives.end()) {
        diagnostics_.error(where, fmt::format("'{}' is an objective twice", today));
        continue;
      }
      rules_.objectives.push_back({today, better, where});
    }
  }

  void read_strategy(const YamlNode& node) {
    const auto text = read_text(node, "strategy", diagnostics_);
    if (!text) return;
    const std::vector<std::string> names = strategy_names();
    if (std::ranges::find(names, *text) != names.end()) {
      rules_.strategy = *text;
    } else {
      diagnostics_.error(node.where, fmt::format("there is no strategy '{}'", *text),
                         suggest(*text, names, "the strategies are"));
    }
  }

  void read_budget(const YamlNode& node) {
    const MapReader reader(node, "budget", names_of(budget_keys()), diagnostics_);
    if (!node.is_map()) return;
    if (node.entries.empty()) {
      diagnostics_.error(node.where, "'budget' sets no limit", budget_help);
    }
    rules_.budget.configurations = read_count(reader, "configurations");
    if (const YamlNode* seconds = reader.find("seconds")) read_seconds(*seconds);
    if (const YamlNode* no_better = reader.find("no_better")) read_patience(*no_better);
  }

  void read_seconds(const YamlNode& node) {
    const auto seconds = read_decimal(node, "seconds");
    if (!seconds) return;
    if (*seconds > 0 && *seconds <= spec_limits::tune_seconds) {
      rules_.budget.seconds = *seconds;
    } else {
      diagnostics_.error(node.where, "'seconds' must be a number above 0 and up to 31536000",
                         "for example 60");
    }
  }

  void read_patience(const YamlNode& node) {
    const MapReader reader(node, "no_better", names_of(patience_keys()), diagnostics_);
    if (!node.is_map()) return;
    Patience patience{default_patience};
    if (const auto count = read_count(reader, "in")) patience.configurations = *count;
    if (const YamlNode* by = reader.find("by")) {
      const auto text = read_text(*by, "by", diagnostics_);
      const auto share = text ? parse_decimal(*text) : std::nullopt;
      if (share && *share >= 0 && *share < 1) {
        patience.share = *share;
      } else if (text) {
        diagnostics_.error(by->where, "'by' must be a share from 0 to less than 1",
                           "for example 1 %, which is 0.01");
      }
    }
    rules_.budget.patience = patience;
  }

  void read_cut_off(const YamlNode& node) {
    const auto text = read_text(node, "cut_off", diagnostics_);
    if (!text) return;
    if (*text == "off") {
      rules_.cut_off = 0;
      return;
    }
    const auto factor = text->ends_with('%') ? std::nullopt : parse_decimal(*text);
    if (factor && *factor > 1) {
      rules_.cut_off = *factor;
    } else {
      diagnostics_.error(node.where, "'cut_off' must be a number above 1, or off",
                         "with 1.5 what is 1.5 times slower than the best is dropped early");
    }
  }

  std::optional<double> read_decimal(const YamlNode& node, std::string_view key) {
    const auto text = read_text(node, key, diagnostics_);
    if (!text) return std::nullopt;
    const auto value = text->ends_with('%') ? std::nullopt : parse_decimal(*text);
    // What is no number is refused as 0 is.
    return value.value_or(0);
  }

  std::optional<std::uint64_t> read_count(const MapReader& reader, std::string_view key) {
    const auto expression = reader.expression(key);
    if (!expression) return std::nullopt;
    const auto value = read_constant(*expression, diagnostics_);
    if (!value) return std::nullopt;
    const auto* count = std::get_if<std::int64_t>(&*value);
    if (count != nullptr && *count >= 1) return static_cast<std::uint64_t>(*count);
    diagnostics_.error(expression->where(),
                       fmt::format("'{}' must be an integer of at least 1", key));
    return std::nullopt;
  }

  TuneRules& rules_;
  Diagnostics& diagnostics_;
};

}  // namespace

TuneRules read_tune_rules(const YamlNode& node, Diagnostics& diagnostics) {
  TuneRules rules;
  TuneReader(rules, diagnostics).read(node);
  return rules;
}

void check_tune_rules(const TuneRules& rules, const Scope& scope, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < rules.for_each.size(); ++i) {
    const std::string& name = rules.for_each[i];
    if (scope.kind_of(name)) continue;
    diagnostics.error(rules.for_each_places.at(i), fmt::format("there is no parameter '{}'", name),
                      suggest(name, scope.names, "the names known here are"));
  }
}

}  // namespace sweep
