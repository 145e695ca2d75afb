#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "engine/cli/chart_files.h"
#include "engine/cli/command.h"
#include "engine/cli/command_line.h"
#include "engine/cli/count_results.h"
#include "engine/cli/find_database.h"
#include "engine/cli/number_option.h"
#include "engine/cli/output_option.h"
#include "engine/cli/pattern_options.h"
#include "engine/cli/report_files.h"
#include "engine/cli/stop_signal.h"
#include "engine/cli/terminal.h"
#include "engine/cli/wrong_operand.h"
#include "report/display_text.h"
#include "report/expectation_check.h"
#include "report/run_results.h"

namespace sweep {
namespace {

namespace po = boost::program_options;

/// What --format may name, pictures last.
std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const ReportFormat& format : report_formats()) names.emplace_back(format.name);
  names.insert(names.end(), {"svg", "png"});
  return names;
}

/// "md: Markdown with the sweep's tables; csv: ..."
std::string describe_formats() {
  std::vector<std::string> formats;
  for (const ReportFormat& format : report_formats()) {
    formats.push_back(fmt::format("{}: {}", format.name, format.help));
  }
  formats.emplace_back("svg, png: the charts as pictures");
  return fmt::format("{}", fmt::join(formats, "; "));
}

std::optional<std::size_t> given_chart(const po::variables_map& options) {
  constexpr std::size_t largest = 1'000'000'000;
  if (options.count("chart") == 0) return std::nullopt;
  return read_whole_number("chart", options["chart"].as<std::string>(), largest);
}

void write_report(const RunResults& results, const ReportFormat& format,
                  const std::optional<std::filesystem::path>& output) {
  const bool has_place_for_charts = output && !is_stream(*output);
  if (format.write_with == nullptr || !has_place_for_charts) {
    write_result(output, format.write(results));
    return;
  }
  const ChartFiles charts = write_chart_files(results, without_ending(*output));
  write_result(output, format.write_with(results, charts.pictures));
  std::cerr << describe_chart_files(charts);
}

/// The sweep's expectations may hold or break only now.
int exit_code_after_counting(const RunResults& results) {
  if (stop_flag()) return stopped_exit_code();
  const auto checked =
      check_expectations_on(results.expectations, results.points, results.run.tuning.has_value());
  std::cerr << describe_broken(checked, results.points, terminal_of(STDERR_FILENO).color);
  return std::ranges::all_of(checked, &ExpectationResult::kept) ? exit_done : exit_points_failed;
}

}  // namespace

CommandLine report_line() {
  CommandLine line(
      "sweep report [OPTIONS] FILE.db[:RUN]",
      "Makes a report again from a results database: of its newest run, or of the one\n"
      "whose number is given. A sweep's name stands for results/NAME.db.");
  line.options()("format",
                 po::value<std::string>()->default_value("md")->value_name(
                     fmt::format("{}", fmt::join(format_names(), "|"))),
                 describe_formats().c_str())("run", po::value<std::string>()->value_name("N"),
                                             "an earlier run than the newest, as FILE.db:N");
  add_output_option(line, "write to a file, not to stdout; several charts to a folder");
  line.options()("chart", po::value<std::string>()->value_name("N"),
                 "the N-th chart alone, of svg and png");
  line.options()("count",
                 "first have the emulator count the points that it had no time for beside a GPU");
  add_patterns_option(line);
  line.operands("database", 1);
  return line;
}

int report_command(const Arguments& arguments) {
  const auto options = report_line().parse(arguments);
  if (!options) return exit_done;
  if (options->count("database") == 0) {
    throw UsageError("report on what? for example: sweep report results/stride.db");
  }
  const std::string name = (*options)["format"].as<std::string>();
  const auto picture_format = find_picture_format(name);
  const ReportFormat* format = find_report_format(name);
  if (!picture_format && format == nullptr) {
    throw UsageError(fmt::format("--format {}: write {}", name, in_words(format_names(), "or")));
  }
  if (!picture_format && options->count("chart") != 0) {
    throw UsageError("--chart belongs to --format svg or png");
  }
  const std::string path = (*options)["database"].as<std::vector<std::string>>().front();
  check_operand("report", Operand::database, path);
  const RunOperand operand = read_run_operand(path, given_run(*options));
  const auto output = given_output(*options);
  const auto chart = given_chart(*options);
  const bool counts = options->count("count") != 0;
  if (counts) count_results(operand, given_folders(*options));
  const Store store(operand.database, Store::Mode::read_only);
  const RunResults results = load_results(store, operand.run);
  if (picture_format) {
    export_charts(results, *picture_format, output, chart);
  } else {
    write_report(results, *format, output);
  }
  return counts ? exit_code_after_counting(results) : exit_done;
}

}  // namespace sweep
