#include "engine/cli/commands/report_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <future>

#include "engine/cli/command_error.h"
#include "engine/cli/options/output.h"
#include "report/charts/chart.h"
#include "report/charts/draw_chart.h"
#include "report/run_report.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::array format_table = {
    ReportFormat{"md", "Markdown with the sweep's tables", true, write_markdown, write_markdown},
    ReportFormat{"csv", "CSV with all points and metrics", true, write_csv},
    ReportFormat{"html", "a page with charts and all points, which opens without a network", true,
                 write_html},
    ReportFormat{"json", "JSON with everything that is known of the run", false, write_json},
    ReportFormat{"svg", "the charts as pictures", false, nullptr},
};

}  // namespace

fs::path picture_path(const fs::path& base, std::size_t number) {
  return base.string() + fmt::format("-{}.svg", number);
}

ChartFiles write_chart_files(const RunResults& results, const fs::path& base) {
  ChartFiles files = {{}, base};
  std::error_code ignored;
  std::size_t number = 1;
  for (const Chart& chart : charts_of(results)) {
    const fs::path path = picture_path(base, number++);
    files.pictures.files.emplace_back();
    try {
      write_output_file(path, draw_chart(chart));
      files.pictures.files.back() = path.filename().string();
    } catch (const CommandError& error) {
      files.pictures.note = fmt::format("Not every chart is drawn: {}", error.what());
      // One of an earlier report would stand for this one.
      fs::remove(path, ignored);
    }
  }
  // Those that an earlier report left behind.
  while (fs::remove(picture_path(base, number), ignored)) ++number;
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
  for (std::size_t i = 0; i < charts.pictures.files.size(); ++i) {
    if (charts.pictures.files[i].empty()) continue;
    text += fmt::format("{}-{}.svg", text.empty() ? charts.base.string() : ", ", i + 1);
  }
  if (!text.empty()) text += '\n';
  if (!charts.pictures.note.empty()) text += charts.pictures.note + '\n';
  return text;
}

std::span<const ReportFormat> report_formats() {
  return format_table;
}

const ReportFormat* find_report_format(std::string_view name) {
  const auto* found = std::ranges::find(format_table, name, &ReportFormat::name);
  return found != format_table.end() ? found : nullptr;
}

std::vector<fs::path> write_report_files(const RunAnalysis& run, const fs::path& base,
                                         const ChartPictures& pictures) {
  std::vector<std::future<fs::path>> writers;
  for (const ReportFormat& format : format_table) {
    if (!format.is_written_by_run) continue;
    writers.push_back(std::async([&format, &run, &base, &pictures] {
      const fs::path file = base.string() + '.' + std::string(format.name);
      write_output_file(file, format.write_with != nullptr ? format.write_with(run, pictures)
                                                           : format.write(run));
      return file;
    }));
  }
  std::vector<fs::path> files;
  for (auto& writer : writers) files.push_back(writer.get());
  return files;
}

std::string describe_files(std::span<const fs::path> files) {
  std::string text;
  fs::path before;
  for (const fs::path& file : files) {
    fs::path renamed = before;
    const bool is_like_before =
        !text.empty() && renamed.replace_extension(file.extension()) == file;
    if (!text.empty()) text += ", ";
    text += is_like_before ? file.extension().string() : file.string();
    before = file;
  }
  text += '\n';
  for (const fs::path& file : files) {
    if (file.extension() == ".html") {
      text += fmt::format("open {} in a browser\n", file.string());
    }
  }
  return text;
}

}  // namespace sweep
