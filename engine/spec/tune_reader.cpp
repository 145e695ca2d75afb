#include <fmt/format.h>

#include <algorithm>

#include "engine/search/strategy.h"
#include "engine/spec/counter_set.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/spec_limits.h"
#include "engine/spec/sweep_keys.h"
#include "engine/spec/tune_rules.h"
#include "engine/text/suggestion.h"
#include "engine/text/units.h"

namespace sweep {
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
