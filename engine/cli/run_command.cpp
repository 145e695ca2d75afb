#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <iostream>

#include "engine/cli/command.h"
#include "engine/cli/command_line.h"
#include "engine/cli/data_folders.h"
#include "engine/cli/device_choice.h"
#include "engine/cli/emulator_options.h"
#include "engine/cli/machines.h"
#include "engine/cli/output_file.h"
#include "engine/cli/pattern_options.h"
#include "engine/cli/plan.h"
#include "engine/cli/progress.h"
#include "engine/cli/stop_signal.h"
#include "engine/loader/cuda_home.h"
#include "report/csv.h"
#include "report/expectation_check.h"
#include "report/markdown.h"
#include "report/run_results.h"
#include "report/terminal_table.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

struct RunOptions {
  std::string sweep;
  std::vector<std::string> set;
  std::vector<std::string> folders;
  std::string device;
  fs::path output;
  bool fresh = false;
  bool exact = false;
  po::variables_map values;  ///< for the emulator's options
};

std::optional<RunOptions> read_options(const Arguments& arguments) {
  CommandLine line(
      "sweep run [OPTIONS] SWEEP",
      "Measures every configuration of a sweep and writes DIR/SWEEP.db, .md and .csv.\n"
      "SWEEP is a file, or the name of one that 'sweep list sweeps' shows. Points that\n"
      "the database has already are not measured again.");
  add_set_option(line);
  add_patterns_option(line);
  line.options()("device", po::value<std::string>()->default_value("auto")->value_name("DEVICE"),
                 "auto (the first GPU, without one the emulator), emulator, or the number of "
                 "a GPU")(
      "output,o", po::value<std::string>()->default_value("results")->value_name("DIR"),
      "the folder for the results")("fresh", "measure again what the database has already")(
      "exact",
      "let the emulator execute every block, and a block a hundred times as long before "
      "it counts as one that does not end");
  add_emulator_options(line);
  line.operands("sweep", 1);
  const auto values = line.parse(arguments);
  if (!values) return std::nullopt;
  if (values->count("sweep") == 0) {
    throw UsageError("run what? for example: sweep run sweeps/stride.yaml");
  }
  RunOptions options;
  options.sweep = (*values)["sweep"].as<std::vector<std::string>>().front();
  options.set = given_set(*values);
  options.folders = given_patterns(*values);
  options.device = (*values)["device"].as<std::string>();
  options.output = (*values)["output"].as<std::string>();
  options.fresh = values->count("fresh") != 0;
  options.exact = values->count("exact") != 0;
  options.values = *values;
  return options;
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

Provenance provenance_of(const Sweep& sweep) {
  Provenance provenance;
  provenance.sweep_name = sweep.name;
  provenance.sweep_text = sweep.source->text;
  provenance.command = process_command();
  provenance.engine_version = SWEEP_VERSION;
  provenance.host = host_name();
  return provenance;
}

void write_reports(const RunResults& results, const fs::path& base) {
  write_output_file(base.string() + ".md", write_markdown(results));
  write_output_file(base.string() + ".csv", write_csv(results));
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  std::cout << write_terminal(results, terminal.is_terminal ? terminal.width : 120, terminal.color)
            << std::flush;
}

/// Says what is wrong with the sweep's expectations, reused points included; false when one is not
/// kept.
bool check_expectations_of(const Sweep& sweep, const RunResults& results) {
  const auto checked = check_expectations_on(sweep.expect, results.points);
  std::cerr << describe_broken(checked, results.points, terminal_of(STDERR_FILENO).color);
  return std::ranges::all_of(checked, &ExpectationResult::kept);
}

/// An error ends the command with its own message and exit code, after what helps to go on.
RunSummary measure_all(const RunRequest& request, Measurer& measurer,
                       const std::shared_ptr<const Nvrtc>& nvrtc, Store& store) {
  // A reader of the messages that goes away must not take the run with it.
  std::signal(SIGPIPE, SIG_IGN);
  Progress progress(terminal_of(STDERR_FILENO), steady_clock());
  try {
    const RunSummary summary = run_sweep(request, measurer, nvrtc, store, progress, stop_flag());
    progress.finish();
    return summary;
  } catch (...) {
    progress.finish();
    std::cerr << fmt::format(
        "Stopped by an error; what was measured is kept. To go on where it stopped: {}\n",
        resume_command());
    throw;
  }
}

int conclude(const RunSummary& summary, bool expectations_kept, const fs::path& base) {
  std::cerr << fmt::format("{} point{} measured, {} failed; {} reused\n{}.md, .csv, .db\n",
                           summary.measured, summary.measured == 1 ? "" : "s", summary.failed,
                           summary.reused, base.string());
  if (summary.interrupted) {
    std::cerr << fmt::format("Stopped. To go on where it stopped: {}\n", resume_command());
    return stop_signal() == SIGTERM ? exit_terminated : exit_interrupted;
  }
  return summary.failed > 0 || !expectations_kept ? exit_points_failed : exit_done;
}

/// A sweep may state smaller values for the emulator.
void reduce_for_emulator(LoadedSweep& loaded) {
  if (loaded.sweep.emulator_set.empty()) return;
  apply_emulator_set(loaded.sweep);
  loaded.space = enumerate(loaded.sweep);
  std::cerr << "  with the sweep's values for the emulator:\n"
            << describe_plan(loaded) << std::flush;
  if (loaded.space.configurations.empty()) {
    throw CommandError(exit_bad_input,
                       "nothing to run: with the sweep's values for the emulator the constraints "
                       "leave no configuration");
  }
}

}  // namespace

int run_command(const Arguments& arguments) {
  const auto options = read_options(arguments);
  if (!options) return exit_done;
  LoadedSweep loaded = load_sweep(find_sweep_file(options->sweep), options->folders, options->set);
  std::cerr << describe_plan(loaded) << std::flush;
  if (loaded.space.configurations.empty()) {
    throw CommandError(exit_bad_input, "nothing to run: the constraints leave no configuration");
  }
  const auto nvrtc = std::make_shared<const Nvrtc>();
  check_device_name(options->device);
  const Machines machines = start_machines(options->device, options->exact, options->values);
  std::cerr << fmt::format("  on {}\n", describe_device(machines.measurer->device()));
  if (machines.is_emulator()) reduce_for_emulator(loaded);
  make_output_folder(options->output);
  const fs::path base = options->output / loaded.sweep.name;
  Store store(base.string() + ".db", Store::Mode::read_write);

  const RunRequest request = {loaded.sweep, loaded.space, provenance_of(loaded.sweep),
                              options->fresh,
                              machines.is_emulator() ? nullptr : machines.emulator.get()};
  const RunSummary summary = measure_all(request, *machines.measurer, nvrtc, store);
  const RunResults results = load_results(store, summary.run);
  write_reports(results, base);
  const bool kept = check_expectations_of(loaded.sweep, results);
  return conclude(summary, kept, base);
}

}  // namespace sweep
