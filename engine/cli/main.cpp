#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>

#include "engine/cli/commands.h"
#include "engine/cli/options/sources.h"
#include "engine/cli/terminal/terminal.h"
#include "engine/text/diagnostic.h"

namespace sweep {
namespace {

int dispatch(const Arguments& arguments) {
  if (arguments.empty()) {
    print_help();
    return exit_usage;
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h") {
    print_help();
    return exit_done;
  }
  if (name == "--version") {
    std::cout << "sweep " SWEEP_VERSION "\n";
    return exit_done;
  }
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (name == command.name) return execute(command, {arguments.begin() + 1, arguments.end()});
    names.emplace_back(command.name);
  }
  if (name == "worker") return worker_command({arguments.begin() + 1, arguments.end()});
  if (name == "complete") return complete_command({arguments.begin() + 1, arguments.end()});
  if (name.starts_with('-')) {
    throw UsageError(fmt::format("{}: options come after the command; see sweep --help", name));
  }
  if (const std::string meant = command_for(name); !meant.empty()) {
    throw UsageError(fmt::format("'{}' is a file; a command comes first: {}", name, meant));
  }
  std::vector<std::string> topics;
  for (const HelpTopic& topic : help_topics()) topics.emplace_back(topic.name);
  std::string help = did_you_mean(name, names);
  if (help.empty()) {
    help = did_you_mean(name, topics);
    if (!help.empty()) help = "of the topics of 'sweep help', " + help;
  }
  throw UsageError("there is no command '{}'; {}", name,
                   help.empty() ? suggest("", names, "the commands are") : help);
}

/// A standard file that is closed would be the next file that is opened: what is printed would go
/// into the database. In its place stands one that cannot be read or written either.
void occupy_standard_files() {
  constexpr std::array the_other_way = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file) {
    if (fcntl(file, F_GETFD) < 0) {
      // The lowest number that is free, which is this one.
      open("/dev/null", the_other_way.at(static_cast<std::size_t>(file)));
    }
  }
}

const std::terminate_handler usual_end = std::get_terminate();

/// Some destructors take memory. Where there is none they cannot throw, and nobody could catch it.
[[noreturn]] void end_without_memory() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    constexpr std::string_view message = "sweep: there is not enough memory\n";
    const auto written = write(STDERR_FILENO, message.data(), message.size());
    std::_Exit(written < 0 ? exit_io : exit_system);
  } catch (...) {
    usual_end();
  }
  std::abort();
}

}  // namespace
}  // namespace sweep

int main(int count, char** words) {
  sweep::occupy_standard_files();
  sweep::set_process_command(count, words);
  std::set_terminate(sweep::end_without_memory);
  // Ignored, as some parents leave it, the ends of processes started here could not be waited for.
  std::signal(SIGCHLD, SIG_DFL);
  std::optional<sweep::TerminalGuard> results;
  // What is written into a file is data, each kind of which takes care of itself.
  if (isatty(STDOUT_FILENO) == 1) results.emplace(std::cout, [] { return true; });
  const sweep::TerminalGuard messages(std::cerr, [] {
    const sweep::Terminal terminal = sweep::terminal_of(STDERR_FILENO);
    return terminal.is_terminal || terminal.color;
  });
  int code = sweep::exit_done;
  try {
    code = sweep::dispatch({words + 1, words + count});
  } catch (const std::exception&) {
    code = sweep::report_error();
  }
  std::cout.flush();
  const bool is_stopped = code > 128;
  if (std::cout || is_stopped) return code;
  return sweep::complain(sweep::exit_io, "standard output cannot be written");
}
