#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>

#include "engine/cli/chart_files.h"
#include "engine/cli/command.h"
#include "engine/cli/command_line.h"
#include "engine/cli/find_database.h"
#include "engine/cli/output_file.h"
#include "engine/cli/report_files.h"
#include "engine/cli/wrong_operand.h"
#include "report/run_results.h"

namespace sweep {
namespace {

namespace po = boost::program_options;

/// "md: Markdown with the sweep's tables; csv: ..."
std::string describe_formats() {
  std::vector<std::string> formats;
  for (const ReportFormat& format : report_formats()) {
    formats.push_back(fmt::format("{}: {}", format.name, format.help));
  }
  formats.emplace_back("svg, png: the charts as pictures");
  return fmt::format("{}", fmt::join(formats, "; "));
}

}  // namespace

CommandLine report_line() {
  CommandLine line(
      "sweep report [OPTIONS] FILE.db[:RUN]",
      "Makes a report again from a results database: of its newest run, or of the one\n"
      "whose number is given. A sweep's name stands for results/NAME.db.");
  line.options()("format", po::value<std::string>()->default_value("md")->value_name("NAME"),
                 describe_formats().c_str())("run", po::value<std::int64_t>()->value_name("N"),
                                             "an earlier run than the newest, as FILE.db:N")(
      "output,o", po::value<std::string>()->value_name("FILE"),
      "write to a file, not to stdout; several charts to a folder")(
      "chart", po::value<std::size_t>()->value_name("N"), "the N-th chart alone, of svg and png");
  line.operands("database", 1);
  return line;
}

int report_command(const Arguments& arguments) {
  const auto options = report_line().parse(arguments);
  if (!options) return exit_done;
  if (options->count("database") == 0) {
    throw UsageError("report on what? for example: sweep report results/stride.db");
  }
  const std::string form = (*options)["format"].as<std::string>();
  const auto picture_format = find_picture_format(form);
  if (!picture_format && options->count("chart") != 0) {
    throw UsageError("--chart belongs to --format svg or png");
  }
  const ReportFormat* format = picture_format ? nullptr : &find_report_format(form);
  const std::string path = (*options)["database"].as<std::vector<std::string>>().front();
  check_operand("report", Operand::database, path);
  std::optional<std::int64_t> run;
  if (options->count("run") != 0) run = (*options)["run"].as<std::int64_t>();
  const RunOperand operand = read_run_operand(path, run);
  const Store store(operand.database, Store::Mode::read_only);
  const RunResults results = load_results(store, operand.run);
  std::optional<std::filesystem::path> output;
  if (options->count("output") != 0) output = (*options)["output"].as<std::string>();
  if (picture_format) {
    std::optional<std::size_t> chart;
    if (options->count("chart") != 0) chart = (*options)["chart"].as<std::size_t>();
    export_charts(results, *picture_format, output, chart);
  } else if (!output) {
    std::cout << format->write(results);
  } else if (format->write_with != nullptr) {
    const ChartFiles charts = write_chart_files(results, without_ending(*output));
    write_output_file(*output, format->write_with(results, charts.pictures));
    std::cerr << describe_chart_files(charts);
  } else {
    write_output_file(*output, format->write(results));
  }
  return exit_done;
}

}  // namespace sweep
