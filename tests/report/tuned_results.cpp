#include "tests/report/tuned_results.h"

#include <fmt/format.h>

#include <cmath>

namespace sweep::testing {
namespace {

RunRecord finished_run() {
  RunRecord run = stride_results().run;
  run.provenance.sweep_name = "copy_tuned";
  run.provenance.command = "sweep run copy_tuned.yaml";
  return run;
}

/// A measured point; a time without an interval is of few samples.
StoredPoint measured(std::int64_t ordinal, Parameters parameters, double bandwidth,
                     double half_interval) {
  const double time = 536870.912 / bandwidth;
  std::vector<Metric> metrics = {{"time", Origin::measured, time}};
  if (half_interval > 0) {
    metrics.push_back({"time_low", Origin::measured, time * (1 - half_interval)});
    metrics.push_back({"time_high", Origin::measured, time * (1 + half_interval)});
  }
  metrics.push_back({"bandwidth", Origin::measured, bandwidth});
  metrics.push_back({"percent_of_peak", Origin::measured, bandwidth / 48.14304});
  StoredPoint stored = ok_point("copy", parameters, metrics);
  stored.ordinal = ordinal;
  return stored;
}

/// The best is BLOCK = 256 with UNROLL = 4; what is far from it is cut off.
StoredPoint copy_point(std::int64_t ordinal, const char* type, std::int64_t block,
                       std::int64_t unroll) {
  const double from_unroll = std::log2(static_cast<double>(unroll) / 4);
  const double far = std::abs(std::log2(static_cast<double>(block) / 256)) +
                     (from_unroll > 0 ? 0.5 : -0.1) * from_unroll;
  const double bandwidth = (std::string(type) == "float" ? 4300 : 4400) / (1 + 0.08 * far * far);
  constexpr double cut_off_beyond = 2.15;
  const bool is_cut_off = far > cut_off_beyond;
  StoredPoint stored = measured(
      ordinal, {{"T", element(type)}, {"BLOCK", integer(block)}, {"UNROLL", integer(unroll)}},
      bandwidth, is_cut_off ? 0 : 0.002);
  if (is_cut_off) stored.point.stopped_by = "cut-off";
  return stored;
}

TunedGroup group_of_type(const char* type) {
  TunedGroup group;
  group.group.set("T", element(type));
  group.configurations = 5376;
  group.tried = 20;
  group.ended = "stopped after 20 configurations";
  return group;
}

void add_types(RunResults& results) {
  std::int64_t ordinal = 0;
  for (const char* type : {"float", "double"}) {
    for (const std::int64_t block : {64, 128, 256, 512, 1024}) {
      for (const std::int64_t unroll : {1, 2, 4, 8}) {
        if (block * unroll == 8192) {
          StoredPoint failed = failed_point(
              "copy",
              {{"T", element(type)}, {"BLOCK", integer(block)}, {"UNROLL", integer(unroll)}},
              "too many resources requested for launch");
          failed.ordinal = ordinal++;
          results.points.push_back(std::move(failed));
        } else {
          results.points.push_back(copy_point(ordinal++, type, block, unroll));
        }
      }
    }
  }
}

}  // namespace

TuningRecord search_by(const std::string& metric, Origin origin, Better better) {
  TuningRecord tuning;
  tuning.metric = metric;
  tuning.origin = origin;
  tuning.better = better;
  return tuning;
}

RunResults tuned_results() {
  RunResults results;
  results.run = finished_run();
  add_types(results);
  TunedGroup of_float = group_of_type("float");
  of_float.winner = 10;
  of_float.rounds = 12;
  of_float.figure_low = 4290.5;
  of_float.figure = 4301.25;
  of_float.figure_high = 4310;
  of_float.default_configuration = 4;
  of_float.gain_low = 1.112;
  of_float.gain = 1.115;
  of_float.gain_high = 1.118;
  TunedGroup of_double = group_of_type("double");
  of_double.ended = "stopped without a gain of 1 % in the last 15 configurations";
  of_double.winner = 30;
  of_double.figure_low = 4391.2;
  of_double.figure = 4400;
  of_double.figure_high = 4408.8;
  of_double.why_no_default = "BLOCK * sizeof(T) <= 512 does not hold";
  results.run.tuning = {.metric = "bandwidth",
                        .origin = Origin::measured,
                        .better = Better::higher,
                        .strategy = "forest",
                        .seed = 1,
                        .for_each = {"T"},
                        .groups = {of_float, of_double}};
  results.run.comparisons = {{10, 12, 1, 1, 1},
                             {9, 12, 0.999, 1.001, 1.003},
                             {11, 12, 1.018, 1.02, 1.022},
                             {4, 12, 1.112, 1.115, 1.118}};
  return results;
}

RunResults tuned_emulated_results() {
  RunResults results = emulated_results();
  results.expectations.clear();
  results.points.clear();
  results.run.state = RunState::finished;
  results.run.provenance.sweep_name = "padding";
  results.run.provenance.command = "sweep run padding.yaml --device emulator";
  std::int64_t ordinal = 0;
  for (const std::int64_t pad : {0, 1, 2, 3, 4}) {
    const double conflicts = pad == 0 ? 992 : pad % 2 == 0 ? 32 : 0;
    StoredPoint stored = ok_point("transpose", {{"PAD", integer(pad)}, {"TILE", integer(32)}},
                                  {{"shared_conflicts", Origin::emulated, conflicts}});
    stored.measured_by = results.run.id;
    stored.ordinal = ordinal++;
    results.points.push_back(std::move(stored));
  }
  TunedGroup group;
  group.configurations = 5;
  group.tried = 5;
  group.ended = "tried all of them";
  group.winner = 1;
  group.default_configuration = 0;
  results.run.tuning = {.metric = "shared_conflicts",
                        .origin = Origin::emulated,
                        .better = Better::lower,
                        .strategy = "exhaustive",
                        .seed = 1,
                        .for_each = {},
                        .groups = {group}};
  return results;
}

RunResults tuned_results_of_many_groups() {
  constexpr std::int64_t strides = 22;
  constexpr std::int64_t failing = 7;
  RunResults results;
  results.run = finished_run();
  results.run.state = RunState::interrupted;
  TuningRecord tuning = {.metric = "time",
                         .origin = Origin::measured,
                         .better = Better::lower,
                         .strategy = "local",
                         .seed = 5,
                         .for_each = {"STRIDE"},
                         .groups = {}};
  std::int64_t ordinal = 0;
  for (std::int64_t stride = 1; stride <= strides; ++stride) {
    TunedGroup group;
    group.group.set("STRIDE", integer(stride));
    group.configurations = 3;
    group.tried = 3;
    group.ended = "tried all of them";
    group.default_configuration = ordinal;
    for (const std::int64_t block : {128, 256, 512}) {
      const double bandwidth = (block == 256 ? 4200.0 : 4000.0) / static_cast<double>(stride);
      const Parameters parameters = {{"STRIDE", integer(stride)}, {"BLOCK", integer(block)}};
      StoredPoint stored = stride == failing ? failed_point("copy", parameters, "out of memory")
                                             : measured(ordinal, parameters, bandwidth, 0.01);
      stored.ordinal = ordinal;
      if (block == 256 && stride != failing) {
        group.winner = ordinal;
        group.rounds = 12;
        group.figure = 536870.912 / bandwidth;
        group.figure_low = group.figure * 0.999;
        group.figure_high = group.figure * 1.001;
        group.gain_low = 1.048;
        group.gain = 1.05;
        group.gain_high = 1.052;
      }
      ++ordinal;
      results.points.push_back(std::move(stored));
    }
    if (stride < strides) tuning.groups.push_back(std::move(group));
  }
  results.run.tuning = std::move(tuning);
  return results;
}

}  // namespace sweep::testing
