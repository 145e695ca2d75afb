#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/index/run_history.h"
#include "report/run_analysis.h"

// One page over many runs: what got worse, how each sweep went over its runs, and a card for each
// run. All links are relative to it.

namespace sweep {

/// A run as an index shows it.
struct IndexedRun {
  std::string started;
  RunState state = RunState::finished;
  std::string page = {};  ///< link to its report

  std::string figure_label = {};  ///< "best bandwidth"; empty without a figure
  std::string figure = {};        ///< "4254"
  std::string unit = {};
  std::string share = {};     ///< "88.4 % of the peak"
  std::string best = {};      ///< the configuration; "STRIDE = 1, T = float"
  std::string patterns = {};  ///< their names, to search for
  std::size_t configurations = 0;
  std::size_t failed = 0;
  std::size_t broken = 0;       ///< expectations that are not kept
  std::string picture = {};     ///< SVG (draw_small_chart); empty without a chart
  std::string caption = {};     ///< "bandwidth [GB/s] over STRIDE"
  std::string comparison = {};  ///< link to what it is compared with; empty where nothing changed
};

/// The runs of one sweep on one device, from the oldest on.
struct IndexedSeries {
  std::string sweep;
  std::string summary;  ///< of the sweep, may be empty
  std::string device;
  std::vector<IndexedRun> runs = {};
  std::vector<HistoryStep> steps = {};  ///< one for each run
  std::optional<Regression> regression = {};
  std::string regression_comparison = {};  ///< link to it

  /// How many of the runs finished, so that there is a history.
  std::size_t finished() const;
};

/// A file or a run that could not be read.
struct Unread {
  std::string file;
  std::string why;
};

struct RunIndex {
  std::string folder;  ///< what was read, for the title
  std::vector<IndexedSeries> series = {};
  std::vector<Unread> unread = {};

  std::size_t count_runs() const;
  /// Those whose newest run is worse than one before it.
  std::vector<const IndexedSeries*> worse() const;
};

/// What an index shows of a run, without its links.
IndexedRun indexed_run(const RunAnalysis& run);

/// "2 of 12 sweeps got worse", "nothing got worse in 11 sweeps with several runs", "no sweep has
/// two runs to compare yet".
std::string describe_verdict(const RunIndex& index);

/// One page that opens from a disk without a network: the verdict, what got worse and by how much,
/// the course of each sweep over its runs, a card for each run to search and filter, and what could
/// not be read. A content security policy forbids all requests.
std::string write_index_html(const RunIndex& index);

/// The same as Markdown (GitHub's), without the pictures.
std::string write_index_markdown(const RunIndex& index);

}  // namespace sweep
