#include "engine/cli/command.h"
#include "engine/cli/commands/manual_page.h"
#include "engine/cli/options/command_line.h"
#include "engine/cli/options/output.h"

namespace sweep {

CommandLine manual_line() {
  CommandLine line("sweep man [OPTIONS]",
                   "Writes the manual page, sweep.1, with every command and option. To read it:\n"
                   "  sweep man -o /tmp/sweep.1 && man -l /tmp/sweep.1\n"
                   "An installed sweep has it in place: man sweep.");
  add_output_option(line);
  return line;
}

int manual_command(const Arguments& arguments) {
  const auto options = manual_line().parse(arguments);
  if (!options) return exit_done;
  write_result(given_output(*options), manual_page());
  return exit_done;
}

}  // namespace sweep
