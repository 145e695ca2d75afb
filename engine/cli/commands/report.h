#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "report/run_analysis.h"
#include "report/run_report.h"

namespace sweep {

/// The pictures that were written beside a report.
struct ChartFiles {
  ChartPictures pictures;
  std::filesystem::path base;  ///< their names without "-1.svg" and so on
};

/// Draws the run's charts as `base`-1.svg, -2.svg and so on, and removes those of an earlier report
/// that had more. Never fails: when the disk does, the pictures' note says so.
ChartFiles write_chart_files(const RunResults& results, const std::filesystem::path& base);

/// The pictures' files, without those that are missing.
std::vector<std::filesystem::path> paths_of(const ChartFiles& charts);

/// What a run says about them: a line with the files' names, one with the note, or nothing.
std::string describe_chart_files(const ChartFiles& charts);

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
