#include <fmt/format.h>

#include <iostream>

#include "engine/cli/command.h"
#include "engine/cli/command_line.h"
#include "engine/cli/output_file.h"
#include "engine/cli/report_files.h"
#include "engine/cli/wrong_operand.h"
#include "report/run_results.h"

namespace sweep {
namespace {

namespace po = boost::program_options;

}  // namespace

int report_command(const Arguments& arguments) {
  CommandLine line("sweep report [OPTIONS] FILE.db",
                   "Makes a report again from a results database.");
  line.options()("format", po::value<std::string>()->default_value("md")->value_name("md|csv"),
                 "Markdown with the sweep's tables, or CSV with all points and metrics")(
      "run", po::value<std::int64_t>()->value_name("N"), "an earlier run than the newest")(
      "output,o", po::value<std::string>()->value_name("FILE"), "write to a file, not to stdout");
  line.operands("database", 1);
  const auto options = line.parse(arguments);
  if (!options) return exit_done;
  if (options->count("database") == 0) {
    throw UsageError("report on what? for example: sweep report results/stride.db");
  }
  const ReportFormat& format = find_report_format((*options)["format"].as<std::string>());
  const std::string path = (*options)["database"].as<std::vector<std::string>>().front();
  check_operand("report", Operand::database, path);
  std::optional<std::int64_t> run;
  if (options->count("run") != 0) run = (*options)["run"].as<std::int64_t>();
  const Store store(path, Store::Mode::read_only);
  const std::string text = format.write(load_results(store, run));
  if (options->count("output") != 0) {
    write_output_file((*options)["output"].as<std::string>(), text);
  } else {
    std::cout << text;
  }
  return exit_done;
}

}  // namespace sweep
