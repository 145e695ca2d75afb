#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/charts/chart.h"
#include "report/document.h"
#include "report/run_report.h"

namespace sweep {

/// JSON that can stand in a <script> element: nothing in it ends the element or opens a comment.
/// Bytes that are no UTF-8 become U+FFFD, as does what turns the direction of writing.
std::string script_json(const nlohmann::ordered_json& json);

/// A figure for the page's script, with seven significant digits; what JSON has no number for is
/// "nan", "inf" or "-inf".
nlohmann::ordered_json page_figure(double figure);

/// RFC 4648.
std::string base64(std::string_view bytes);

/// The bytes that hexadecimal digits stand for; others are taken for 0.
std::string bytes_of_hex(std::string_view digits);

/// A figure as HTML, padded so that in a column aligned to the right, with digits of one width, the
/// decimal points stand below each other; `fraction` is the longest one's size.
std::string aligned_figure(const std::string& figure, std::size_t fraction);

/// CUDA source as HTML, a text for each of its lines, in which comments, words of the language,
/// numbers, strings and directives are in a <span> of their class.
std::vector<std::string> highlight_cuda(std::string_view source);

/// A text that was embedded into the program when it was built.
struct EmbeddedText {
  std::string_view text;
  std::string_view sha256;  ///< of the text, 64 hexadecimal digits
};

EmbeddedText page_style();
EmbeddedText page_script();
/// Those of a comparison's page. The script sorts and filters its table, which can be read without.
EmbeddedText comparison_style();
EmbeddedText comparison_script();
/// Those of an index, whose script finds runs.
EmbeddedText index_style();
EmbeddedText index_script();
/// Vega, Vega-Lite and Vega-Embed with their licences; empty where npm could not give them.
EmbeddedText vega_script();

/// What stands before a page's <body>. It fetches nothing, and runs these scripts alone.
std::string page_head(const std::string& title, const EmbeddedText& style,
                      std::span<const EmbeddedText> scripts);

/// The bar above a page: its sections by their ids, and the theme.
std::string page_navigation(const Document& document);

/// What a run's page says; see write_html.
Document run_page(const RunAnalysis& run, const std::vector<Chart>& charts, PageCharts kind);

/// The best figures, the slowest, and how many configurations there are.
std::string summary_tiles(const RunAnalysis& run);

/// The place of all points, which the page's script fills.
std::string points_frame();

/// The charts as figures with titles and captions, into which the page's script draws what
/// `charts_json` says; or with pictures, also where Vega-Lite was not embedded. Empty without
/// charts.
std::string chart_figures(const std::vector<Chart>& charts, PageCharts kind);

/// For the page's script, which draws them (vega_spec.js): a list of `chart_data`. Empty when it
/// draws none.
std::string charts_json(const std::vector<Chart>& charts);

/// What is drawn of a chart:
///
/// - `kind` (line, bar, heatmap, scatter), `description`
/// - `x`, `y`: label, `scale` (linear, log2, log10, category), and its ticks: `places`, `labels`
/// - `figures`, and `x` of a scatter chart: label, scale, `extent` (the lowest and the highest,
///   intervals and references included), `from_zero`: whether a linear axis begins there
/// - `references`: at, label; `slopes`: factor, label of lines y = factor x; `caches`: x, label
/// - `series_label`, and of each of `series` name and `symbol`, a path
/// - `panels`: of each title and `values`: x, y (of a heatmap), point (its place among the run's),
///   figure (null: nothing to draw), text (in a heatmap), low, high, series
nlohmann::ordered_json chart_data(const Chart& chart);

/// A <details> for each pattern of the run with its source, and what its accesses cost beside its
/// lines.
std::string source_listings(const RunResults& results);

/// All points of a run for the page's script: column by column, since names and texts then stand in
/// it once, and places in lists (`at`, -1 for none) in the place of texts.
///
/// - `count`: the number of points; `sorted_by`: the column that they are sorted by at first, or ""
/// - `parameters`: name, `values` as shown, `numbers` where they are integers, `varies`, `at`
/// - `metrics`: name, origin, unit, better, meaning, `shown` at first, `figures` (null: none), with
///   `tolerance` in words and `disagrees` (places) where hardware and emulator both counted it
/// - `verdicts`, `reasons`, `stopped`: `texts` and `at`; `notes`: `texts` and lists of places
/// - `slower`: how far behind the best (0: the best), or null; `failed`, `cut_off`: places of
/// points
/// - of up to 20,000 points `samples` in us, `clocks` in MHz (null: not known), `marks`: [sample,
///   mark] of those that have one; of more `samples_left_out`: whether there are any
/// - `measured_by`: the run, where it is another one than this
///
/// Of more points `at`, `figures`, `slower`, `measured_by` and the notes are packed (below).
nlohmann::ordered_json points_data(const RunAnalysis& run);

/// A page with more points than this has its columns packed, so that it stays small enough to open.
constexpr std::size_t most_plain_points = 20'000;

/// Places in a list, one per point, -1 for none: a list of numbers; of many points an object with
/// all of them, one greater, as one text, `digits` of 64 kinds (0-9, A-Z, a-z, - and _) each.
nlohmann::ordered_json packed_places(const std::vector<std::int64_t>& places);

/// Figures, one per point: a list; of many points that have few different ones an object of these,
/// `values`, and of their places, as packed_places writes them.
nlohmann::ordered_json packed_figures(std::vector<nlohmann::ordered_json> figures);

}  // namespace sweep
