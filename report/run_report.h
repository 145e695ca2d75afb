#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"
#include "report/run_analysis.h"

// A run in each format that a report has. A further one is a function here, and a row of the
// command line's table.

namespace sweep {

/// The pictures of a report's charts, as a Markdown document links them.
struct ChartPictures {
  /// For each of `charts_of` its file's name, relative to the document; empty where there is none.
  std::vector<std::string> files = {};
  std::string note = {};  ///< a sentence on why some are missing; may be empty
};

/// A run as a Markdown document: what its search found, its charts, its tables, the verdict on the
/// best, how the hardware's counts agree with the emulated ones, the notes, how the sweep's
/// expectations fare, the points that failed and why, and where the figures come from.
std::string write_markdown(const RunAnalysis& run, const ChartPictures& pictures);
/// The same without charts.
std::string write_markdown(const RunAnalysis& run);

/// The run's tables, one below the other, then what its search found, the best configuration
/// and the notes.
std::string write_terminal(const RunAnalysis& run, std::size_t width, bool color,
                           Drawing drawing = Drawing::plain, const Screen& screen = {});

/// A run as one HTML page that stands alone: it opens from a disk and fetches nothing.
///
/// In this order: what was found in words, what to be careful about, the charts, the sweep's
/// tables, all points in a table that can be sorted and filtered, the patterns' sources with what
/// their accesses cost, how hardware and emulator agree, failures, and where the figures come from.
/// Charts are drawn by Vega-Lite where it was embedded into the program, else they are pictures.
/// Texts of files and databases stand on the page letter for letter and cannot run; a
/// Content-Security-Policy forbids everything but the page's own scripts.
std::string write_html(const RunAnalysis& run);

/// Whether a page's charts answer to the mouse, which takes a script of almost a megabyte, or are
/// pictures.
enum class PageCharts : std::uint8_t { live, pictures };
std::string write_html(const RunAnalysis& run, PageCharts charts);

/// A page of the same kind with sections of one's own, and below them the charts of several runs.
std::string write_charts_page(const std::string& title, Document sections,
                              std::span<const RunResults> runs);

/// A text from a file or a message as a field, in quotes where RFC 4180 has them. Spreadsheets
/// compute what begins like a formula, in the wide forms of East Asian writing too (OWASP, "CSV
/// Injection"): an apostrophe before it makes it a text. Figures and integers are no such texts.
std::string csv_text(std::string_view text);

/// All points of a run, a row each, as RFC 4180 has it: lines end in CR LF, the first one names the
/// columns.
///
/// Columns are called as in the database's view (points_view.h): pattern, the parameters, status,
/// reason, stopped_by, verdict, device, of a run on several GPUs gpu (its number), each metric
/// (`bandwidth`, `bandwidth_low`, `bandwidth_high`, `load_sectors.emulated`), for each metric that
/// the hardware counted and the emulator too by how much the latter's figure is larger, in % or
/// percentage points (`load_sectors.difference`), and the notes, divided by "; ". Numbers are plain
/// and read back exactly; what a point lacks is empty. A text that a spreadsheet would take for a
/// formula has an apostrophe before it.
std::string write_csv(const RunAnalysis& run);

/// The same as JSON Lines: an object for each point, in the units of `sweep help metrics`. What a
/// point lacks is null, and so is NaN; the infinities are "inf" and "-inf".
std::string write_json_lines(const RunAnalysis& run);

/// The version of the form below; it grows when a key changes its meaning or goes away.
constexpr int json_report_version = 2;

/// Everything that is known of a run as one JSON object, for other programs. Equal runs give equal
/// texts; each point stands on a line of its own. The keys:
///
/// - `schema_version`: json_report_version
/// - `sweep`: name, summary, text
/// - `run`: id, state (running, finished, interrupted), started and finished (UTC), command, host,
///   engine_version, compiler, measure, seed, notes; of a shard `shard`, [2, 8] of the second of
///   eight; of a merged run `parts`: run, file, shard, host, device, started, state, points
/// - `device`: backend, name, uuid, compute_capability (90 is 9.0), multiprocessors, l2_bytes,
///   memory_bytes, memory_clock_hz, memory_bus_bits, peak_bandwidth (B/s), driver, cuda
/// - `devices`: of a run on several, the first of them first: index, uuid, to_first and to_alone,
///   which are [low, ratio, high]: its time over the first one's, and, while all measure, over that
///   while it does alone
/// - `patterns`: of each name, text, with that of the files it includes behind it, and derived:
///   the parameters that the run computed from others
/// - `metrics`: for each key of the points' metrics ("load_sectors.emulated") name, origin, unit
///   (null for counts, ratios and counters named in NVIDIA's own words) and better (higher, lower,
///   neither)
/// - `points`: point (its place in the run), id, measured_by (a run's id), pattern, parameters,
///   status (ok, failed), reason, stopped_by, counted, device (backend, name and UUID), verdict,
///   metrics, samples, notes
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

// Values as the JSON report and the lines of a run that goes on have them.

using Json = nlohmann::ordered_json;

/// Null for an empty text.
Json json_text(const std::string& text);
/// [low, figure, high]; null where the figure is 0: not known.
Json json_figure(double low, double figure, double high);
Json json_parameters(const Bindings& parameters);

/// One line, without a line break at its end.
std::string json_line(const Json& json);

Json json_of(const Device& device);

/// "bandwidth" of what was measured, "load_sectors.emulated" of the rest.
std::string key_of(const MetricColumn& column);

/// The metrics by their keys: {"bandwidth": 4254.1}
Json json_of(const std::vector<Metric>& metrics);

/// What is known of a point by itself: pattern, parameters, status, reason, stopped_by, counted,
/// metrics, notes.
Json json_of(const PointRecord& point);

/// Null without one.
Json json_of(const std::optional<PointVerdict>& verdict);

}  // namespace sweep
