#include <iostream>

#include "engine/cli/command.h"
#include "engine/cli/command_line.h"
#include "engine/cli/manual_page.h"
#include "engine/cli/output_file.h"

namespace sweep {

namespace po = boost::program_options;

CommandLine manual_line() {
  CommandLine line("sweep man [OPTIONS]",
                   "Writes the manual page, sweep.1, with every command and option. To read it:\n"
                   "  sweep man -o /tmp/sweep.1 && man -l /tmp/sweep.1\n"
                   "An installed sweep has it in place: man sweep.");
  line.options()("output,o", po::value<std::string>()->value_name("FILE"),
                 "write to a file, not to stdout");
  return line;
}

int manual_command(const Arguments& arguments) {
  const auto options = manual_line().parse(arguments);
  if (!options) return exit_done;
  if (options->count("output") != 0) {
    write_output_file((*options)["output"].as<std::string>(), manual_page());
  } else {
    std::cout << manual_page();
  }
  return exit_done;
}

}  // namespace sweep
