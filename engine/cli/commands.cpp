#include "engine/cli/commands.h"

#include <array>

namespace sweep {

std::span<const Command> commands() {
  static const std::array all = {run_command,     check_command,      explain_command,
                                 list_command,    show_command,       report_command,
                                 export_command,  compare_command,    compare_strategies_command,
                                 devices_command, cache_command,      new_command,
                                 schema_command,  completion_command, manual_command,
                                 help_command};
  return all;
}

int execute(const Command& command, const Arguments& arguments) {
  try {
    const auto given = command.line().parse(arguments);
    return given ? command.run(*given) : exit_done;
  } catch (const std::exception& error) {
    if (command.on_error != nullptr) command.on_error(arguments, error);
    throw;
  }
}

}  // namespace sweep
