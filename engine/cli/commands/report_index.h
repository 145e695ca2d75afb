#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sweep {

/// What an index is made of, and what of it is written where.
struct IndexRequest {
  std::vector<std::string> operands;  ///< folders, and databases as `read_run_operand` has them
  /// The folder for index.html, index.md, runs/ and compare/; empty: the one in which all lies.
  /// Databases of several folders need one.
  std::filesystem::path output = {};
  bool writes_page = true;
  bool writes_markdown = true;
  bool is_quiet = false;
};

/// Whether the operand is a folder, and not the name of a sweep whose database is there.
bool is_results_folder(const std::string& operand);

/// Writes a page over all runs of the databases, those in folders below the ones given too, with a
/// page for each run and one for each comparison that found a change. What cannot be read is
/// skipped, and named on standard error and on the page. Returns whether the newest run of any
/// sweep is worse than one before it. Throws CommandError where there is no run at all, and when a
/// file cannot be written.
bool write_index(const IndexRequest& request);

}  // namespace sweep
