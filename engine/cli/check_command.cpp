#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "engine/cli/command.h"
#include "engine/cli/command_line.h"
#include "engine/cli/compile_check.h"
#include "engine/cli/data_folders.h"
#include "engine/cli/plan.h"
#include "engine/cli/terminal.h"
#include "engine/spec/pattern_library.h"
#include "engine/text/read_source.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

namespace po = boost::program_options;

struct CheckOptions {
  std::vector<std::string> folders;
  std::vector<std::string> set;
  int compute_capability = 90;
};

/// "9.0" or "90" as 90.
int parse_compute_capability(const std::string& text) {
  std::string digits;
  for (const char c : text) {
    if (c != '.') digits += c;
  }
  const bool good = digits.size() >= 2 && digits.size() <= 3 &&
                    digits.find_first_not_of("0123456789") == std::string::npos;
  if (!good) {
    throw UsageError(fmt::format("--arch {}: write a compute capability such as 9.0", text));
  }
  return std::stoi(digits);
}

/// The configurations of a file: a pattern's default one, or all of a sweep.
std::vector<Configuration> configurations_of(const std::string& name, const CheckOptions& options) {
  const std::filesystem::path path = name;
  if (path.extension() != ".cu") {
    LoadedSweep loaded = load_sweep(find_sweep_file(name), options.folders, options.set);
    std::cerr << describe_plan(loaded);
    return std::move(loaded.space.configurations);
  }
  if (!options.set.empty()) {
    throw UsageError("--set changes a sweep; a pattern is checked with its defaults");
  }
  Diagnostics diagnostics;
  const PatternPtr pattern = parse_pattern(read_source(path), path, diagnostics);
  if (pattern == nullptr) throw InputError(diagnostics);
  return {resolve(pattern, {})};
}

/// True when the file is good.
bool check_file(const std::string& name, const CheckOptions& options) {
  const bool color = terminal_of(STDERR_FILENO).color;
  try {
    const std::vector<Configuration> configurations = configurations_of(name, options);
    const Diagnostics messages = compile_check(configurations, options.compute_capability);
    std::cerr << render(messages, color);
    if (messages.has_errors()) return false;
    std::cout << fmt::format(
        "{}: good: {} configuration{} compile{} for compute capability {}.{}\n", name,
        format_thousands(configurations.size()), configurations.size() == 1 ? "" : "s",
        configurations.size() == 1 ? "s" : "", options.compute_capability / 10,
        options.compute_capability % 10);
    return true;
  } catch (const InputError& error) {
    std::cerr << render(error.diagnostics(), color);
    return false;
  }
}

}  // namespace

int check_command(const Arguments& arguments) {
  CommandLine line(
      "sweep check [OPTIONS] FILE...",
      "Parses and compiles sweeps (.yaml) and patterns (.cu) and reports every mistake.\n"
      "Needs no GPU. A sweep is checked with all its configurations, a pattern with\n"
      "its defaults.");
  line.options()("set",
                 po::value<std::vector<std::string>>()->composing()->value_name("NAME=VALUES"),
                 "replace an axis or a default, for example STRIDE=1,2,4")(
      "patterns", po::value<std::vector<std::string>>()->composing()->value_name("DIR"),
      "a folder with patterns, searched first; may be given several times")(
      "arch", po::value<std::string>()->default_value("9.0")->value_name("CC"),
      "the compute capability to compile for");
  line.operands("file", -1);
  const auto values = line.parse(arguments);
  if (!values) return exit_done;
  if (values->count("file") == 0) {
    throw UsageError("check what? for example: sweep check sweeps/stride.yaml");
  }
  CheckOptions options;
  if (values->count("set") != 0) options.set = (*values)["set"].as<std::vector<std::string>>();
  if (values->count("patterns") != 0) {
    options.folders = (*values)["patterns"].as<std::vector<std::string>>();
  }
  options.compute_capability = parse_compute_capability((*values)["arch"].as<std::string>());
  bool good = true;
  for (const std::string& file : (*values)["file"].as<std::vector<std::string>>()) {
    good = check_file(file, options) && good;
  }
  return good ? exit_done : exit_bad_input;
}

}  // namespace sweep
