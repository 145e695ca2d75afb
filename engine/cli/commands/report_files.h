#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/run_analysis.h"
#include "report/run_report.h"

namespace sweep {

/// A form of report that is one text.
struct ReportFormat {
  std::string_view name;   ///< in `--format NAME`, and the ending of its file
  std::string_view help;   ///< what it is, for --help
  bool is_written_by_run;  ///< beside the database, at a run's end
  std::string (*write)(const RunAnalysis& run);
  /// The same with links to the charts' pictures; null where the form has none.
  std::string (*write_with)(const RunAnalysis& run, const ChartPictures& pictures) = nullptr;
};

std::span<const ReportFormat> report_formats();

/// Null when there is none of this name.
const ReportFormat* find_report_format(std::string_view name);

/// Writes the reports that belong to every run, `base` with each format's ending, with the pictures
/// beside them, and returns their names. They are made at once. Throws CommandError when one cannot
/// be written, of the first of these.
std::vector<std::filesystem::path> write_report_files(const RunAnalysis& run,
                                                      const std::filesystem::path& base,
                                                      const ChartPictures& pictures);

/// "results/stride.md, .csv, .db": the names of files, and of those that differ from the one before
/// in the ending alone this; below it how to look at a page, if one is among them.
std::string describe_files(std::span<const std::filesystem::path> files);

}  // namespace sweep
