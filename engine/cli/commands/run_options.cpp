#include "engine/cli/commands/run_options.h"

#include <fmt/format.h>

#include "engine/cli/options/command_line.h"
#include "engine/cli/options/compile_options.h"
#include "engine/cli/options/device_options.h"
#include "engine/cli/options/operands.h"
#include "engine/cli/options/shared_options.h"
#include "engine/spec/counters.h"

namespace sweep {
namespace {

namespace po = boost::program_options;

void add_options(CommandLine& line) {
  add_set_option(line);
  add_space_option(line);
  add_patterns_option(line);
  line.options()("device", po::value<std::string>()->default_value("auto")->value_name("DEVICE"),
                 "auto (the first GPU, without one the emulator), emulator, the number of a GPU, "
                 "or replay:FILE: recorded results in the place of a GPU - a database, T4 JSON or "
                 "a cache of Kernel Tuner");
  line.options()("output,o", po::value<std::string>()->default_value("results")->value_name("DIR"),
                 "the folder for the results");
  line.options()("fresh", "measure again what the database has already");
  line.options()("counters", po::value<std::string>()->value_name("COUNTERS"),
                 "the hardware counters to read, whatever the sweep says, with commas between: "
                 "sets or metrics that 'sweep list metrics' shows, or names in NVIDIA's words; "
                 "off for none");
  line.options()("seed", po::value<std::string>()->default_value("1")->value_name("NUMBER"),
                 "decides the random order in which a GPU measures the configurations");
  add_quiet_option(line,
                   "leave out the plan, the progress and the tables: print the best "
                   "configurations, errors, warnings and failed points alone");
  line.options()("json",
                 "print the run as JSON, one object a line, as it goes on: start, each point, "
                 "notes, end; messages for people are those of --quiet");
  line.options()("timing", "say at the end where the wall time went");
  line.options()("exact",
                 "let the emulator execute every block, and a block a hundred times as long before "
                 "it counts as one that does not end");
  add_cache_option(line);
  add_emulator_options(line);
  line.operands("sweep", 1);
}

std::uint64_t read_seed(const std::string& text) {
  // SQLite's integers have 63 bits beside the sign; 0 stands for a run without an order.
  constexpr std::uint64_t largest = (std::uint64_t{1} << 63U) - 1;
  return read_whole_number("seed", text, largest);
}

std::vector<std::string> read_counters(const std::string& text) {
  if (text == "off") return {};
  std::vector<std::string> names = split_counters(text);
  for (const std::string& name : names) {
    if (const auto mistake = find_counter_mistake(name)) {
      throw UsageError(fmt::format("--counters: {}; {}", mistake->message, mistake->help));
    }
  }
  if (names.empty()) throw UsageError("--counters: name a set, for example memory, or off");
  return names;
}

}  // namespace

CommandLine run_line() {
  CommandLine line(
      "sweep run [OPTIONS] SWEEP",
      "Measures every configuration of a sweep, or searches for the best one where it\n"
      "has 'tune:', and writes a database and reports of it into DIR. SWEEP is a file,\n"
      "or the name of one that 'sweep list sweeps' shows. Points that the database has\n"
      "already are not measured again.");
  add_options(line);
  return line;
}

std::optional<RunOptions> read_run_options(const Arguments& arguments) {
  const auto values = run_line().parse(arguments);
  if (!values) return std::nullopt;
  if (values->count("sweep") == 0) {
    throw UsageError("run what? for example: sweep run sweeps/stride.yaml");
  }
  RunOptions options;
  options.sweep = (*values)["sweep"].as<std::vector<std::string>>().front();
  check_operand("run", Operand::sweep, options.sweep);
  options.set = given_set(*values);
  options.limits = given_space_limits(*values);
  options.folders = given_folders(*values);
  options.device = (*values)["device"].as<std::string>();
  options.output = (*values)["output"].as<std::string>();
  if (options.output.empty()) throw UsageError("--output: name a folder, for example results");
  options.fresh = values->count("fresh") != 0;
  options.exact = values->count("exact") != 0;
  options.quiet = is_quiet(*values);
  options.json = values->count("json") != 0;
  options.timing = values->count("timing") != 0;
  options.seed = read_seed((*values)["seed"].as<std::string>());
  if (values->count("counters") != 0) {
    options.counters = read_counters((*values)["counters"].as<std::string>());
  }
  options.values = *values;
  return options;
}

}  // namespace sweep
