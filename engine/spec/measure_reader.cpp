#include "engine/spec/measure_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/spec/map_reader.h"
#include "engine/spec/spec_limits.h"
#include "engine/spec/sweep_keys.h"
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

}  // namespace sweep
