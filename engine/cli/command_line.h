#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>

#include "engine/cli/command.h"

namespace sweep {

/// The options and operands of one command, as Boost.Program_options describes them, with one way
/// to parse, complain and print help. Every command has --help and --color. Option names are never
/// guessed from prefixes.
class CommandLine {
 public:
  /// `synopsis`: "sweep run [OPTIONS] SWEEP"; `about`: what the command does, in a few lines.
  CommandLine(std::string synopsis, std::string about);

  /// Where to add options.
  boost::program_options::options_description_easy_init options();
  /// Names the operands; `count` at most, -1 for any number.
  void operands(const char* name, int count);

  /// Nothing when --help was asked for and printed. Throws UsageError.
  std::optional<boost::program_options::variables_map> parse(const Arguments& arguments) const;

 private:
  std::string name() const;
  std::string synopsis_;
  std::string about_;
  boost::program_options::options_description visible_;
  boost::program_options::options_description hidden_;
  boost::program_options::positional_options_description positional_;
};

/// The words as a command that a POSIX shell reads back.
std::string shell_quoted(const std::vector<std::string>& words);

/// The whole command line of this process.
void set_process_command(int count, const char* const* words);
std::string process_command();
/// The same without --fresh, which would throw away what was measured.
std::string resume_command();

}  // namespace sweep
