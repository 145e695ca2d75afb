#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/run_analysis.h"
#include "report/run_report.h"

namespace sweep {

/// The pictures that were written beside a report.
struct ChartFiles {
  ChartPictures pictures;
  std::filesystem::path base;  ///< their names without "-1.svg" and so on
  std::size_t written = 0;
};

/// Draws the run's charts as `base`-1.svg, -2.svg and so on, and removes those of an earlier report
/// that had more. Never fails: when the disk does, the pictures' note says so.
ChartFiles write_chart_files(const RunResults& results, const std::filesystem::path& base);

/// The pictures' files, without those that are missing.
std::vector<std::filesystem::path> paths_of(const ChartFiles& charts);

/// What a run says about them: a line with the files' names, one with the note, or nothing.
std::string describe_chart_files(const ChartFiles& charts);

/// Writes the run's charts, or the one of that number, from 1: one to a file or standard output,
/// several to a folder, or to FILE-1.svg and so on where `output` ends in ".svg". Throws UsageError
/// or CommandError.
void export_charts(const RunResults& results, const std::optional<std::filesystem::path>& output,
                   std::optional<std::size_t> number);

/// The path without its last ".md" or the like.
std::filesystem::path without_ending(std::filesystem::path path);

}  // namespace sweep
