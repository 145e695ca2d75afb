#include "engine/cli/commands/run_options.h"

#include <fmt/format.h>

#include "engine/cli/commands.h"
#include "engine/cli/options/compile_options.h"
#include "engine/cli/options/device_options.h"
#include "engine/cli/options/operands.h"
#include "engine/cli/options/shared_options.h"
#include "engine/spec/counters.h"

namespace sweep {
namespace {

void add_options(CommandLine& line) {
  add_set_option(line);
  add_space_option(line);
  add_patterns_option(line);
  line.option("device", "DEVICE",
              "auto (the first GPU, without one the emulator), emulator, the number of a GPU, "
              "or replay:FILE: recorded results in the place of a GPU - a database, T4 JSON or "
              "a cache of Kernel Tuner",
              "auto");
  line.option("output,o", "DIR", "the folder for the results", "results");
  line.flag("fresh", "measure again what the database has already");
  line.option("counters", "COUNTERS",
              "the hardware counters to read, whatever the sweep says, with commas between: "
              "sets or metrics that 'sweep list metrics' shows, or names in NVIDIA's words; "
              "off for none");
  line.option("seed", "NUMBER",
              "decides the random order in which a GPU measures the configurations", "1");
  line.flag("quiet,q",
            "leave out the plan, the progress and the tables: print the best configurations, "
            "errors, warnings and failed points alone");
  line.flag("json",
            "print the run as JSON, one object a line, as it goes on: start, each point, notes, "
            "end; messages for people are those of --quiet");
  line.flag("timing", "say at the end where the wall time went");
  line.flag("exact",
            "let the emulator execute every block, and a block a hundred times as long before it "
            "counts as one that does not end");
  add_cache_option(line);
  add_emulator_options(line);
  line.operands({"SWEEP"}, 1, "run what? for example: sweep run sweeps/stride.yaml");
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

RunOptions read_run_options(const GivenOptions& given) {
  // SQLite's integers have 63 bits beside the sign; 0 stands for a run without an order.
  constexpr std::uint64_t largest_seed = (std::uint64_t{1} << 63U) - 1;
  check_operand("run", Operand::sweep, given.operands().front());
  RunOptions options = {.sweep = given.operands().front(),
                        .set = given_set(given),
                        .limits = given_space_limits(given),
                        .folders = given_folders(given),
                        .device = given.text("device"),
                        .output = given.text("output"),
                        .fresh = given.has("fresh"),
                        .exact = given.has("exact"),
                        .timing = given.has("timing"),
                        .quiet = given.has("quiet"),
                        .json = given.has("json"),
                        .seed = given.number("seed", largest_seed).value(),
                        .counters = {},
                        .given = given};
  if (options.output.empty()) throw UsageError("--output: name a folder, for example results");
  if (given.has("counters")) options.counters = read_counters(given.text("counters"));
  return options;
}

}  // namespace sweep
