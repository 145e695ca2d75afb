#pragma once

#include <string>

#include "report/run_analysis.h"

namespace sweep {

/// The version of the form below; it grows when a key changes its meaning or goes away.
constexpr int json_report_version = 1;

/// Everything that is known of a run as one JSON object, for other programs. Equal runs give equal
/// texts; each point stands on a line of its own. The keys:
///
/// - `schema_version`: json_report_version
/// - `sweep`: name, summary, text
/// - `run`: id, state (running, finished, interrupted), started and finished (UTC), command, host,
///   engine_version, compiler, measure, seed, notes
/// - `device`: backend, name, uuid, compute_capability (90 is 9.0), multiprocessors, l2_bytes,
///   memory_bytes, memory_clock_hz, memory_bus_bits, peak_bandwidth (B/s), driver, cuda
/// - `patterns`: of each name, text, with that of the files it includes behind it, and derived:
///   the parameters that the run computed from others
/// - `metrics`: for each key of the points' metrics ("bandwidth.measured") name, origin, unit (null
///   for counts, ratios and counters named in NVIDIA's own words) and better (higher, lower,
///   neither)
/// - `points`: point (its place in the run), id, measured_by (a run's id), pattern, parameters,
///   status (ok, failed), reason, stopped_by, counted, verdict, metrics, samples, notes
/// - `verdicts`: for each group of points that are compared pattern, group, metric, best, same,
///   not_compared (how many), slowest
/// - `tuning`: what a search found, or null: metric, better, strategy, seed, for_each, groups
/// - `comparisons`: of what was measured in turn with the best point, rounds, slowdown
/// - `anchors`: of the anchor configuration point, at (s after the start), seconds, interval,
///   sm_clock_hz, temperature_celsius
/// - `expectations`: expectation, where, kept, outcome (in words), held, broken (point and found),
///   unchecked, missing
/// - `explanations`: pattern, point, parameters (it was executed with these), costs (what
///   `sweep explain --json` gives)
///
/// A point's verdict is null or has kind (best, same, slower, not_compared, cut_off), words, slower
/// (0.12: it takes 12 % longer), figure, interval, rounds. A sample has seconds, sm_clock_hz and
/// mark (plain, low clock, outlier). An interval is [low, high], of 95 % confidence; a slowdown,
/// and a group's figure and gain, are [low, value, high].
///
/// Points are named by their place in the run. Numbers read back exactly; seeds are strings of
/// digits, since a double does not hold all of them. What is not known or not a number is null, the
/// infinities are "inf" and "-inf". An element type is its name. What is not UTF-8 has U+FFFD in
/// the place of each wrong byte.
std::string write_json(const RunAnalysis& analysis);

}  // namespace sweep
