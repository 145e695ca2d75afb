#include "engine/cli/commands/report_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <future>

#include "engine/cli/options/output.h"
#include "report/run_report.h"

namespace sweep {
namespace {

constexpr std::array format_table = {
    ReportFormat{"md", "Markdown with the sweep's tables", true, write_markdown, write_markdown},
    ReportFormat{"csv", "CSV with all points and metrics", true, write_csv},
    ReportFormat{"html", "a page with charts and all points, which opens without a network", true,
                 write_html},
    ReportFormat{"json", "JSON with everything that is known of the run", false, write_json},
};

}  // namespace

std::span<const ReportFormat> report_formats() {
  return format_table;
}

const ReportFormat* find_report_format(std::string_view name) {
  const auto* found = std::ranges::find(format_table, name, &ReportFormat::name);
  return found != format_table.end() ? found : nullptr;
}

std::vector<std::filesystem::path> write_report_files(const RunAnalysis& run,
                                                      const std::filesystem::path& base,
                                                      const ChartPictures& pictures) {
  std::vector<std::future<std::filesystem::path>> writers;
  for (const ReportFormat& format : format_table) {
    if (!format.is_written_by_run) continue;
    writers.push_back(std::async([&format, &run, &base, &pictures] {
      const std::filesystem::path file = base.string() + '.' + std::string(format.name);
      write_output_file(file, format.write_with != nullptr ? format.write_with(run, pictures)
                                                           : format.write(run));
      return file;
    }));
  }
  std::vector<std::filesystem::path> files;
  for (auto& writer : writers) files.push_back(writer.get());
  return files;
}

std::string describe_files(std::span<const std::filesystem::path> files) {
  std::string text;
  std::filesystem::path before;
  for (const std::filesystem::path& file : files) {
    std::filesystem::path renamed = before;
    const bool is_like_before =
        !text.empty() && renamed.replace_extension(file.extension()) == file;
    if (!text.empty()) text += ", ";
    text += is_like_before ? file.extension().string() : file.string();
    before = file;
  }
  text += '\n';
  for (const std::filesystem::path& file : files) {
    if (file.extension() == ".html") {
      text += fmt::format("open {} in a browser\n", file.string());
    }
  }
  return text;
}

}  // namespace sweep
