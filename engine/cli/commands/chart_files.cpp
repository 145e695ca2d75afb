#include "engine/cli/commands/chart_files.h"

#include <fmt/format.h>

#include <iostream>

#include "engine/cli/command_error.h"
#include "engine/cli/options/output.h"
#include "engine/text/units.h"
#include "report/charts/chart.h"
#include "report/charts/draw_chart.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".svg";

fs::path picture_path(const fs::path& base, std::size_t number) {
  fs::path path = base;
  path += fmt::format("-{}{}", number, ending);
  return path;
}

/// Removes the pictures of those numbers that an earlier report left behind.
void remove_pictures_from(const fs::path& base, std::size_t number) {
  std::error_code error;
  while (fs::remove(picture_path(base, number), error)) ++number;
}

/// True when the picture is there; otherwise the note says why.
bool write_picture(const Chart& chart, const fs::path& path, std::string& note) {
  try {
    write_output_file(path, draw_chart(chart));
    return true;
  } catch (const CommandError& error) {
    note = fmt::format("Not every chart is drawn: {}", error.what());
  }
  // One of an earlier report would stand for this one.
  std::error_code ignored;
  fs::remove(path, ignored);
  return false;
}

/// What the pictures' files are called: a stored name may have come with a path.
std::string base_name(const RunResults& results) {
  const std::string name = fs::path(results.run.provenance.sweep_name).filename().string();
  return name.empty() || name == "." || name == ".." ? "chart" : name;
}

/// "1: Block of 256 threads"
std::string list_charts(const std::vector<Chart>& charts) {
  std::string list;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    list += fmt::format("\n  {}: {}", i + 1, charts[i].title);
  }
  return list;
}

/// What the command line asks to draw: the places of charts.
std::vector<std::size_t> asked_for(const std::vector<Chart>& charts,
                                   std::optional<std::size_t> number) {
  if (charts.empty()) throw CommandError(exit_bad_input, "the run has no charts");
  if (number && *number > charts.size()) {
    throw UsageError(fmt::format("--chart {}: the run has {}:{}", *number,
                                 count_of(charts.size(), "chart"), list_charts(charts)));
  }
  if (number) return {*number - 1};
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < charts.size(); ++i) all.push_back(i);
  return all;
}

/// A picture of another kind is not taken for a folder.
void check_ending(const fs::path& output) {
  if (output.extension() != ".png" || fs::is_directory(output)) return;
  throw UsageError(
      fmt::format("-o {}: pictures are SVG; name a file {} or a folder", output.string(), ending));
}

}  // namespace

ChartFiles write_chart_files(const RunResults& results, const fs::path& base) {
  ChartFiles files;
  files.base = base;
  const std::vector<Chart> charts = charts_of(results);
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const fs::path path = picture_path(base, i + 1);
    const bool is_there = write_picture(charts[i], path, files.pictures.note);
    files.pictures.files.push_back(is_there ? path.filename().string() : std::string());
    files.written += is_there ? 1U : 0U;
  }
  remove_pictures_from(base, charts.size() + 1);
  return files;
}

std::vector<fs::path> paths_of(const ChartFiles& charts) {
  std::vector<fs::path> paths;
  for (const std::string& file : charts.pictures.files) {
    if (!file.empty()) paths.push_back(charts.base.parent_path() / file);
  }
  return paths;
}

std::string describe_chart_files(const ChartFiles& charts) {
  std::string text;
  if (charts.written > 0) {
    std::string names;
    for (std::size_t i = 0; i < charts.pictures.files.size(); ++i) {
      if (charts.pictures.files[i].empty()) continue;
      names += fmt::format("{}-{}.svg", names.empty() ? charts.base.string() : ", ", i + 1);
    }
    text = names + '\n';
  }
  if (!charts.pictures.note.empty()) text += charts.pictures.note + '\n';
  return text;
}

void export_charts(const RunResults& results, const std::optional<fs::path>& output,
                   std::optional<std::size_t> number) {
  if (output) check_ending(*output);
  const std::vector<Chart> charts = charts_of(results);
  const std::vector<std::size_t> places = asked_for(charts, number);
  if (!output && places.size() > 1) {
    throw UsageError(fmt::format("the run has {}; name a folder with -o, or one with --chart N:{}",
                                 count_of(charts.size(), "chart"), list_charts(charts)));
  }
  if (!output) {
    std::cout << draw_chart(charts[places.front()]);
    return;
  }
  const bool is_file = output->extension() == ending && !fs::is_directory(*output);
  const fs::path base = is_file ? without_ending(*output) : *output / base_name(results);
  if (!is_file) make_output_folder(*output);
  for (const std::size_t place : places) {
    const fs::path path = is_file && places.size() == 1 ? *output : picture_path(base, place + 1);
    write_output_file(path, draw_chart(charts[place]));
    std::cerr << path.string() << '\n';
  }
}

fs::path without_ending(fs::path path) {
  return path.replace_extension();
}

}  // namespace sweep
