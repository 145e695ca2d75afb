#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/search/strategy.h"
#include "engine/spec/metric.h"
#include "engine/spec/pattern.h"
#include "engine/spec/report_layout.h"
#include "engine/text/diagnostic.h"
#include "engine/text/expression.h"
#include "engine/text/yaml.h"

namespace sweep {

class MapReader;

/// A metric and what is wanted of it.
struct TuneObjective {
  std::string metric;
  Better better = Better::higher;  ///< never `neither`
  Location where = {};
};

/// The `tune:` part of a sweep file: search for the best configuration in the place of measuring
/// all of them.
struct TuneRules {
  /// The first that the device can give decides; the others, in order, decide among configurations
  /// that are the same by it.
  std::vector<TuneObjective> objectives;
  /// One winner per combination of these, which may name "pattern" too; empty: one of all.
  std::vector<std::string> for_each;
  std::string strategy = "bayesian";  ///< a name that `make_strategy` knows
  Budget budget;                      ///< of each search; without one a Patience of 100 by 1 %
  std::uint64_t seed = 1;
  /// A configuration is dropped after its first samples when it is so many times slower than the
  /// best so far; 0: never.
  double cut_off = 1.5;
  /// So many configurations are predicted before the search where that can be.
  std::size_t predictions = 0;
};

/// One axis, or several that move together (`zip:`): each row gives one value per name.
struct Axis {
  std::vector<std::string> names;
  std::vector<std::vector<Value>> rows;
  Location where;
};

enum class CacheState { cold, warm };
inline constexpr std::array<std::string_view, 2> cache_state_names = {"cold", "warm"};

/// How a configuration is timed.
struct MeasureRules {
  CacheState cache = CacheState::cold;  ///< whether the L2 cache is flushed before each sample
  double noise = 0.005;  ///< stop when the median's interval is within this share of it
  int min_samples = 10;
  int max_samples = 1000;
  double seconds = 0.5;       ///< stop after so long, minimum samples done
  bool caches = false;        ///< whether the emulator follows the caches too
  double energy_seconds = 0;  ///< launches are repeated so long for the energy of one; 0: none is
  /// Give up after a few samples when each took longer; infinite: never. A search's own, and not
  /// part of the text.
  double give_up_seconds = std::numeric_limits<double>::infinity();

  friend bool operator==(const MeasureRules&, const MeasureRules&) = default;
};

/// The rules in one canonical line, for the store's keys and for reports. What is off by default
/// stands in it only when it is on.
std::string to_string(const MeasureRules& rules);
/// Those of them that decide what is counted where nothing is timed.
std::string counting_rules_text(const MeasureRules& rules);
/// Whether rules that either of these wrote have the caches modelled.
bool models_caches(std::string_view rules_text);

/// A sweep file, parsed and checked against its patterns.
struct Sweep {
  std::string name;  ///< the file's name without its ending
  std::filesystem::path path;
  SourcePtr source;
  std::string summary;
  std::vector<PatternPtr> patterns;
  std::vector<Axis> axes;
  std::vector<Expression> where;
  MeasureRules measure;
  /// What to ask the hardware's counters for, canonical (see counters.h); empty for nothing.
  std::vector<std::string> counters;
  /// Axes of one name each that the emulator has instead; none that a `--set` names.
  std::vector<Axis> emulator_set;
  std::vector<Expectation> expect;
  std::vector<OwnMetric> metrics;  ///< of every pattern that has their parameters
  std::optional<TuneRules> tune;   ///< search, in the place of measuring everything
  ReportLayout report;
};

/// Each axis of `emulator_set` replaces the axis or the default of its name, as `--set` does. The
/// space must be enumerated after it.
void apply_emulator_set(Sweep& sweep);

/// Whether one of the axes gives the parameter its values.
bool is_axis(const std::vector<Axis>& axes, std::string_view name);

/// The parameters of the pattern that are computed from others: no axis gives them, and their
/// default names a parameter, or a struct of the pattern, which may be of any size.
std::vector<std::string> derived_parameters(const Pattern& pattern, const std::vector<Axis>& axes);

/// The metrics of one's own that points of the pattern have, in the order to compute them in.
std::vector<OwnMetric> own_metrics_of(const Sweep& sweep, const Pattern& pattern);

/// Whether the pattern has every parameter and struct that the expression names ("pattern" aside).
bool applies_to(const Expression& condition, const Pattern& pattern);

/// Parses a sweep file, makes its metrics and those of its patterns the own ones that are known
/// (metric.h), and replaces axes and defaults by the overrides: each is an argument of
/// `--set`, NAME=VALUES, where VALUES is a comma-separated list, or an axis as sweep files have
/// them, in braces or brackets. Throws InputError with every mistake found.
Sweep parse_sweep(const SourcePtr& source, const std::filesystem::path& path,
                  const PatternLookup& lookup, const std::vector<SourcePtr>& overrides);

/// The figures of a device that a parameter may have for its default (`device:` in its header); 0
/// where one is not known.
struct DeviceFigures {
  std::int64_t multiprocessors = 0;
  std::int64_t l2_bytes = 0;
};

/// What headers call them.
inline constexpr std::array<std::string_view, 2> device_figure_names = {"multiprocessors",
                                                                        "l2_bytes"};
/// The figure of that name; 0 where it is not known, or there is no such name.
std::int64_t device_figure(const DeviceFigures& figures, std::string_view name);

/// Gives the parameters that have a figure of the device for their default the device's own, where
/// it is known and no axis names them. The space must be enumerated after it when this gives true.
bool apply_device_figures(Sweep& sweep, const DeviceFigures& figures);

// The readers of the larger keys

/// An axis's values: from a list, a single value, or {from, to} with an optional `step` or
/// `multiply`. Empty, with messages, when there is a mistake or when there are too many values. A
/// value may repeat in an axis that moves together with others. With `are_words` the values of a
/// list are words, of which nothing is checked.
std::vector<Value> read_axis_values(const YamlNode& node, const std::string& name,
                                    Diagnostics& diagnostics, bool may_repeat = false,
                                    bool are_words = false);

/// Splits an argument of `--set` into the name and the values as an axis has them in a sweep file.
std::optional<YamlEntry> read_override(const SourcePtr& source, Diagnostics& diagnostics);

/// Reads a sweep file's `measure:` key; what it does not name keeps its default.
void read_measure(const MapReader& sweep_reader, Sweep& sweep, Diagnostics& diagnostics);

/// Reads the value of a sweep file's `tune:` key. The names of `for_each` are those that `scope`
/// knows, if one is given.
TuneRules read_tune_rules(const YamlNode& node, const Scope* scope, Diagnostics& diagnostics);

}  // namespace sweep
