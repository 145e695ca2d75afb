#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "engine/search/strategy.h"
#include "engine/spec/counters.h"
#include "engine/spec/keys.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/spec_limits.h"
#include "engine/spec/sweep_readers.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

constexpr std::size_t default_patience = 100;

/// Reads decimals and counts within bounds; what is none, or out of them, is one mistake.
class NumberReader {
 public:
  NumberReader(const MapReader& reader, Diagnostics& diagnostics)
      : reader_(reader), diagnostics_(diagnostics) {}

  /// A decimal that `fits`, with % as a hundredth.
  template <class Fits>
  std::optional<double> share(std::string_view key, Fits fits, const char* what, const char* help) {
    const YamlNode* node = reader_.find(key);
    const auto text = node != nullptr ? read_text(*node, key, diagnostics_) : std::nullopt;
    if (!text) return std::nullopt;
    const auto value = parse_decimal(*text);
    if (value && fits(*value)) return value;
    diagnostics_.error(node->where, fmt::format("'{}' must be {}", key, what), help);
    return std::nullopt;
  }

  /// A decimal that `fits`; one in % does not.
  template <class Fits>
  std::optional<double> decimal(std::string_view key, Fits fits, const char* what,
                                const char* help) {
    const YamlNode* node = reader_.find(key);
    const bool is_share = node != nullptr && node->text.ends_with('%');
    return share(
        key, [&](double value) { return !is_share && fits(value); }, what, help);
  }

  /// A constant integer from 1 to `most`, which is `what`.
  std::optional<std::int64_t> count(std::string_view key, std::int64_t most,
                                    const std::string& what) {
    const auto expression = reader_.expression(key);
    const auto value = expression ? read_constant(*expression, diagnostics_) : std::nullopt;
    if (!value) return std::nullopt;
    const auto* number = std::get_if<std::int64_t>(&*value);
    if (number != nullptr && *number >= 1 && *number <= most) return *number;
    diagnostics_.error(expression->where(), fmt::format("'{}' must be an integer {}", key, what));
    return std::nullopt;
  }
  std::optional<std::uint64_t> count(std::string_view key) {
    return count(key, std::numeric_limits<std::int64_t>::max(), "of at least 1");
  }

 private:
  const MapReader& reader_;
  Diagnostics& diagnostics_;
};

void read_samples(const YamlNode& node, MeasureRules& rules, Diagnostics& diagnostics) {
  const MapReader reader(node, "samples", samples_keys, diagnostics);
  const auto read_count = [&](std::string_view key, int& result) {
    const auto count =
        NumberReader(reader, diagnostics)
            .count(key, spec_limits::samples, fmt::format("from 1 to {}", spec_limits::samples));
    if (count) result = static_cast<int>(*count);
  };
  read_count("min", rules.min_samples);
  read_count("max", rules.max_samples);
  if (rules.min_samples <= rules.max_samples) return;
  const bool both = reader.find("min") != nullptr && reader.find("max") != nullptr;
  diagnostics.error(node.where,
                    fmt::format("the fewest samples ({}) are more than the most ({})",
                                rules.min_samples, rules.max_samples),
                    both ? "" : "give both min and max");
}

/// The `tune:` part of a sweep file.
class TuneReader {
 public:
  explicit TuneReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  TuneRules read(const YamlNode& node) {
    const std::size_t errors_before = diagnostics_.error_count();
    const MapReader reader(node, "tune", tune_keys, diagnostics_);
    if (!node.is_map()) return rules_;
    read_objectives(node, errors_before);
    if (const YamlNode* for_each = reader.find("for_each")) {
      read_names(*for_each, "for_each", rules_.for_each, rules_.for_each_places, diagnostics_);
    }
    if (const YamlNode* strategy = reader.find("strategy")) read_strategy(*strategy);
    if (const YamlNode* budget = reader.find("budget")) {
      read_budget(*budget);
    } else {
      rules_.budget.patience = Patience{default_patience};
    }
    NumberReader numbers(reader, diagnostics_);
    if (const auto seed = numbers.count("seed")) rules_.seed = *seed;
    const YamlNode* cut_off = reader.find("cut_off");
    if (cut_off != nullptr && cut_off->text == "off") {
      rules_.cut_off = 0;
    } else {
      const auto is_factor = [](double value) { return value > 1; };
      const auto factor =
          numbers.decimal("cut_off", is_factor, "a number above 1, or off",
                          "with 1.5 what is 1.5 times slower than the best is dropped early");
      if (factor) rules_.cut_off = *factor;
    }
    return rules_;
  }

 private:
  /// In the order of the file: the first one decides.
  void read_objectives(const YamlNode& node, std::size_t errors_before) {
    for_each_entry(node, [&](const YamlNode& key, const YamlNode& value) {
      if (key.text == "maximize") read_objectives_of(value, key.text, Better::higher);
      if (key.text == "minimize") read_objectives_of(value, key.text, Better::lower);
    });
    if (rules_.objectives.empty() && diagnostics_.error_count() == errors_before) {
      diagnostics_.error(node.where, "'tune' does not say what to search for",
                         "maximize: bandwidth, or minimize: time");
    }
  }

  void read_objectives_of(const YamlNode& node, const std::string& key, Better better) {
    for (const auto& [name, where] : read_texts(node, key, diagnostics_)) {
      const auto metric = read_metric(name, where, diagnostics_);
      if (!metric) continue;
      if (std::ranges::find(rules_.objectives, *metric, &TuneObjective::metric) !=
          rules_.objectives.end()) {
        diagnostics_.error(where, fmt::format("'{}' is an objective twice", *metric));
      } else {
        rules_.objectives.push_back({*metric, better, where});
      }
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
    const MapReader reader(node, "budget", budget_keys, diagnostics_);
    if (!node.is_map()) return;
    if (node.entries.empty()) {
      diagnostics_.error(
          node.where, "'budget' sets no limit",
          "budget: {configurations: 200, seconds: 60, no_better: {by: 1 %, in: 50}}");
    }
    NumberReader numbers(reader, diagnostics_);
    rules_.budget.configurations = numbers.count("configurations");
    const auto is_limit = [](double value) {
      return value > 0 && value <= spec_limits::tune_seconds;
    };
    rules_.budget.seconds = numbers.decimal(
        "seconds", is_limit, "a number above 0 and up to 31536000", "for example 60");
    if (const YamlNode* no_better = reader.find("no_better")) read_patience(*no_better);
  }

  void read_patience(const YamlNode& node) {
    const MapReader reader(node, "no_better", patience_keys, diagnostics_);
    if (!node.is_map()) return;
    Patience patience{default_patience};
    NumberReader numbers(reader, diagnostics_);
    if (const auto count = numbers.count("in")) patience.configurations = *count;
    const auto is_share = [](double value) { return value >= 0 && value < 1; };
    const auto share = numbers.share("by", is_share, "a share from 0 to less than 1",
                                     "for example 1 %, which is 0.01");
    if (share) patience.share = *share;
    rules_.budget.patience = patience;
  }

  TuneRules rules_;
  Diagnostics& diagnostics_;
};

}  // namespace

MeasureRules read_measure_rules(const YamlNode& node, Diagnostics& diagnostics) {
  MeasureRules rules;
  const MapReader reader(node, "measure", measure_keys, diagnostics);
  if (const YamlNode* cache = reader.find("cache")) {
    constexpr ChoiceWords words = {"a state of the cache", "the states are"};
    std::array<std::string_view, cache_states.size()> names;
    std::ranges::transform(cache_states, names.begin(), [](CacheState s) { return to_string(s); });
    const auto chosen = read_choice(*cache, "cache", names, words, diagnostics);
    if (chosen) rules.cache = cache_states.at(*chosen);
  }
  NumberReader numbers(reader, diagnostics);
  const auto is_noise = [](double value) { return value >= 0 && value <= 1; };
  const auto is_limit = [](double value) {
    return value > 0 && value <= spec_limits::measure_seconds;
  };
  const auto noise =
      numbers.share("noise", is_noise, "a share from 0 to 1", "for example 0.5 %, which is 0.005");
  if (noise) rules.noise = *noise;
  const auto seconds =
      numbers.decimal("seconds", is_limit, "a number above 0 and up to 86400", "for example 0.5");
  if (seconds) rules.seconds = *seconds;
  if (const YamlNode* samples = reader.find("samples")) read_samples(*samples, rules, diagnostics);
  if (const YamlNode* caches = reader.find("caches")) {
    const auto text = read_text(*caches, "caches", diagnostics);
    rules.caches = text == "true";
    if (text && *text != "true" && *text != "false") {
      diagnostics.error(caches->where, "'caches' must be true or false");
    }
  }
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

TuneRules read_tune_rules(const YamlNode& node, Diagnostics& diagnostics) {
  return TuneReader(diagnostics).read(node);
}

}  // namespace sweep
