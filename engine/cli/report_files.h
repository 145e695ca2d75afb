#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "report/chart_pictures.h"
#include "report/run_results.h"

namespace sweep {

/// A form of report that is one text.
struct ReportFormat {
  std::string_view name;   ///< in `--format NAME`, and the ending of its file
  std::string_view help;   ///< what it is, for --help
  bool is_written_by_run;  ///< beside the database, at a run's end
  std::string (*write)(const RunResults& results);
  /// The same with links to the charts' pictures; null where the form has none.
  std::string (*write_with)(const RunResults& results, const ChartPictures& pictures) = nullptr;
};

std::span<const ReportFormat> report_formats();

/// Throws UsageError, which names the formats, when there is none of this name.
const ReportFormat& find_report_format(std::string_view name);

/// Writes the reports that belong to every run, `base` with each format's ending, with the pictures
/// beside them. Throws CommandError when one cannot be written.
void write_report_files(const RunResults& results, const std::filesystem::path& base,
                        const ChartPictures& pictures);

}  // namespace sweep
