#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/commands/executor.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/sources.h"
#include "engine/cli/terminal/progress.h"
#include "engine/emulator/cache/device_profile.h"
#include "engine/predict/fit.h"
#include "engine/predict/predicted_metrics.h"
#include "engine/store/store.h"
#include "engine/text/characters.h"
#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/run_report.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

CommandLine profile_line() {
  CommandLine line("sweep profile [OPTIONS] [NAME]",
                   "Measures a GPU with the sweeps profile-*, fits the constants that predictions\n"
                   "are made from, and writes DIR/NAME.yaml, for sweep run's --profile, and\n"
                   "DIR/NAME.html, the GPU at a glance. NAME is the GPU's unless given. What was\n"
                   "measured before is not measured again. 'sweep help prediction' says more.");
  line.option("device", "DEVICE", "auto (the first GPU) or the number of a GPU", "auto");
  line.option("output,o", "DIR", "the folder for the profile and the sweeps' databases", "profile");
  line.flag("fresh", "measure again what the databases have already");
  line.flag("quiet,q",
            "leave out the progress and the table: print errors and failed points alone");
  add_cache_option(line);
  line.operands({"NAME"});
  return line;
}

/// "NVIDIA H100 80GB HBM3" as "h100-80gb-hbm3".
std::string file_name_of(std::string_view gpu) {
  if (gpu.starts_with("NVIDIA ")) gpu.remove_prefix(std::string_view("NVIDIA ").size());
  std::string name;
  for (const char c : gpu) {
    const bool is_kept = is_word(c) && c != '_';
    if (is_kept) name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (!is_kept && !name.empty() && name.back() != '-') name += '-';
  }
  return name;
}

/// Notes on single runs are in their databases.
class ProfileProgress : public Progress {
 public:
  using Progress::Progress;
  void on_note(const std::string&) override {}
};

/// What measuring works with.
struct Profiling {
  const GivenOptions& given;
  const Executor& executor;
  ProgramCache* cache;
  fs::path folder;

  const Device& device() const { return executor.measurer->device(); }
  bool is_quiet() const { return given.has("quiet"); }
};

/// Measures a sweep, as far as its database does not have it, and gives its results; nothing after
/// a stop.
std::optional<RunResults> measure_profile_sweep(const Profiling& profiling,
                                                const std::string& name) {
  LoadedSweep loaded =
      load_sweep(find_sweep_file(name), {}, {}, given_space_limits(profiling.given));
  const Device& device = profiling.device();
  if (apply_device_figures(loaded.sweep,
                           {device.multiprocessors, static_cast<std::int64_t>(device.l2_bytes)})) {
    enumerate_again(loaded);
  }
  const fs::path database = profiling.folder / (name + ".db");
  const RunLock lock(database);
  Store store(database, Store::Mode::read_write);
  RunRequest request = {
      loaded.sweep, loaded.space, provenance_now(loaded.sweep, 1), {}, false, {}, {}};
  request.compile = {.nvrtc = profiling.executor.nvrtc,
                     .cache = profiling.cache,
                     .processes = profiling.executor.compilers};
  request.fresh = profiling.given.has("fresh");
  request.emulate = profiling.executor.emulators_beside();
  request.waits_for_counts = true;
  request.compares_best = false;
  if (!profiling.is_quiet()) {
    std::cerr << fmt::format("{}: {}\n", name, loaded.sweep.summary) << std::flush;
  }
  ProfileProgress progress({[] { return terminal_of(STDERR_FILENO); }, steady_clock(),
                            BestSoFar(loaded.sweep), &stop_flag(), profiling.is_quiet()});
  std::jthread ticker;
  if (terminal_of(STDERR_FILENO).live) {
    ticker = repeat_every(std::chrono::milliseconds(100), [&] { progress.tick(); });
  }
  const RunSummary summary =
      run_sweep(request, *profiling.executor.measurer, store, progress, stop_flag());
  progress.finish();
  if (summary.interrupted) return std::nullopt;
  return load_results(store, summary.run);
}

/// Points with a time and all counts.
void add_timed_points(const RunResults& results, std::vector<TimedPoint>& points) {
  constexpr double micro = 1e-6;
  for (const StoredPoint& stored : results.points) {
    const auto time = measured_figure(stored.point, "time");
    const auto demand = demand_of(stored.point.metrics);
    if (stored.point.status == PointStatus::failed || !time || !demand) continue;
    points.push_back({results.run.provenance.sweep_name, *demand, *time * micro});
  }
}

/// The clock under load in MHz: the median of the points' clocks.
TimingConstant clock_of(std::span<const RunResults> runs) {
  std::vector<double> clocks;
  for (const RunResults& results : runs) {
    for (const StoredPoint& stored : results.points) {
      if (const auto clock = measured_figure(stored.point, "sm_clock")) clocks.push_back(*clock);
    }
  }
  if (clocks.empty()) return {};
  std::ranges::sort(clocks);
  const auto at = [&](double share) {
    return clocks[static_cast<std::size_t>(share * static_cast<double>(clocks.size() - 1))];
  };
  return {at(0.5), at(0.05), at(0.95), "all sweeps"};
}

/// The shipped profile to start from, with its multiprocessors: one of the GPU's compute capability
/// where there is one, and a measured one before one from data sheets.
TimingProfile nearest_profile(int compute_capability) {
  std::optional<TimingProfile> nearest;
  std::pair<bool, bool> best;
  for (const std::string& name : shipped_profile_names()) {
    const SourcePtr source = shipped_profile(name);
    const DeviceProfile sizes = read_profile(source);
    TimingProfile profile = read_timing_profile(source).value();
    const std::pair likeness(sizes.compute_capability == compute_capability,
                             profile.origin == "measured");
    if (nearest && likeness <= best) continue;
    best = likeness;
    profile.multiprocessors = sizes.multiprocessors;
    nearest = std::move(profile);
  }
  return nearest.value();
}

bool has_l2_halves(int compute_capability) {
  const DeviceProfile* profile = find_builtin_profile(compute_capability);
  return profile != nullptr && profile->l2_parts > 1;
}

TimingProfile fit_device(const Device& device, std::span<const RunResults> runs,
                         std::span<const TimedPoint> points) {
  constexpr double giga = 1e9;
  const TimingConstant clock = clock_of(runs);
  const TimingProfile known = nearest_profile(device.compute_capability);
  TimingProfile start = scaled_profile(
      known, static_cast<unsigned>(device.multiprocessors),
      clock.value > 0 ? clock.value : known.clock.value,
      device.memory_clock_hz > 0 ? device.peak_bandwidth() / giga : known.peak_bandwidth.value);
  if (clock.value > 0) start.clock = clock;
  if (!has_l2_halves(device.compute_capability)) {
    start.l2_near_latency = start.l2_far_latency = {};
  }
  if (device.memory_clock_hz > 0) start.peak_bandwidth.from = "the driver";
  TimingProfile profile = fit_profile(points, start);
  profile.gpu = device.name;
  profile.origin = "measured";
  profile.driver = device.driver;
  const auto now = std::chrono::system_clock::now();
  profile.date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
  return profile;
}

std::string profile_text(const Device& device, const TimingProfile& profile) {
  return fmt::format("name: {}\ncompute_capability: {}\nmultiprocessors: {}\nl2_bytes: {}\n",
                     device.name, dotted(device.compute_capability), device.multiprocessors,
                     device.l2_bytes) +
         times_text(profile);
}

std::string interval_text(const TimingConstant& constant) {
  return fmt::format("{} to {}", format_figure(constant.low), format_figure(constant.high));
}

DocumentTable constants_table(const TimingProfile& profile) {
  DocumentTable table = {{{"constant"},
                          figure_column("value"),
                          figure_column("90 % interval"),
                          {"unit"},
                          {"what takes it, or gives it"},
                          {"from"}}};
  for (const TimingKey& key : timing_keys()) {
    const TimingConstant& constant = profile.*key.constant;
    if (key.is_optional && constant.value == 0) continue;
    table.rows.push_back({std::string(key.name), format_figure(constant.value),
                          interval_text(constant), std::string(key.unit), std::string(key.meaning),
                          constant.from});
  }
  return table;
}

DocumentTable errors_table(std::span<const SweepFit> fits) {
  DocumentTable table = {{{"sweep"},
                          figure_column("points"),
                          figure_column("median error [%]"),
                          figure_column("largest [%]"),
                          figure_column("predicted / measured")}};
  for (const SweepFit& fit : fits) {
    table.rows.push_back(
        {fit.sweep, std::to_string(fit.points), fmt::format("{:.1f}", 100 * fit.median_error),
         fmt::format("{:.1f}", 100 * fit.worst_error), fmt::format("{:.2f}", fit.bias)});
  }
  return table;
}

Document page_of(const Device& device, const TimingProfile& profile, std::span<const SweepFit> fits,
                 const fs::path& file) {
  Document summary = {Paragraph{describe_device(device)},
                      Paragraph{fmt::format("Measured {} with driver {}.", profile.date,
                                            profile.driver.empty() ? "unknown" : profile.driver)},
                      Paragraph{"Predict the times of a sweep for this GPU, on any machine:"},
                      Code{fmt::format("sweep run SWEEP --device emulator --profile {}",
                                       shell_quoted({file.string()})),
                           "sh"}};
  return {Section{"summary", device.name + " at a glance", std::move(summary), 1},
          Section{"constants", "Constants", {constants_table(profile)}},
          Section{"errors",
                  "How well they explain what was measured",
                  {Paragraph{"The model's times at the points that the constants were fitted to. "
                             "An error of 10 % is a prediction 1.1 times as long, or as short."},
                   errors_table(fits)}}};
}

/// The first columns of the table's rows, aligned.
void print_profile_table(const DocumentTable& table, std::size_t columns) {
  std::vector<std::size_t> widths(columns, 0);
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : table.rows) {
    std::string line;
    for (std::size_t i = 0; i < columns; ++i) {
      line += table.columns[i].right ? fmt::format("  {:>{}}", row[i], widths[i])
                                     : fmt::format("  {:{}}", row[i], widths[i]);
    }
    std::cout << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
  }
}

Executor start_gpu_executor(const GivenOptions& given) {
  const std::string device = given.text("device");
  if (device != "auto" && !whole_number(device)) {
    throw UsageError("--device {}: write auto, or the number of a GPU that 'sweep devices' lists",
                     device);
  }
  Executor executor = start_executor(device, start_ahead(device), given);
  if (executor.is_emulated()) {
    throw CommandError(
        exit_unavailable,
        "a profile is measured, and that takes a GPU; without one there are the profiles of {}: "
        "sweep run SWEEP --profile {}",
        fmt::join(shipped_profile_names(), ", "), shipped_profile_names().front());
  }
  executor.settings.samples_caches = true;
  return executor;
}

int profile_main(const GivenOptions& given) {
  const fs::path folder = given.text("output");
  if (folder.empty()) throw UsageError("--output: name a folder, for example profile");
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  const Executor executor = start_gpu_executor(given);
  const std::unique_ptr<ProgramCache> cache = given_program_cache(given);
  const Profiling profiling = {given, executor, cache.get(), folder};
  const Device& device = profiling.device();
  const std::string name =
      given.operands().empty() ? file_name_of(device.name) : given.operands().front();
  require_file_name(name);
  make_output_folder(folder);
  stop_flag();
  std::vector<RunResults> runs;
  std::vector<TimedPoint> points;
  std::size_t failed = 0;
  for (const std::string_view sweep : profile_sweeps()) {
    auto results = measure_profile_sweep(profiling, std::string(sweep));
    if (!results || stop_flag()) {
      std::cerr << fmt::format("Stopped; what was measured is kept. To go on: {}\n",
                               resume_command());
      return stopped_exit_code();
    }
    failed += results->count_failed();
    add_timed_points(*results, points);
    runs.push_back(std::move(*results));
  }
  std::cerr << describe_problem(cache.get());
  const TimingProfile profile = fit_device(device, runs, points);
  const std::vector<SweepFit> fits = errors_of(points, profile);
  const fs::path file = folder / (name + ".yaml");
  const fs::path page = folder / (name + ".html");
  write_output_file(file, profile_text(device, profile));
  write_output_file(page,
                    write_charts_page(device.name, page_of(device, profile, fits, file), runs));
  if (!profiling.is_quiet()) {
    constexpr std::size_t without_meanings = 4;
    std::cout << fmt::format("{}\n", describe_device(device));
    print_profile_table(constants_table(profile), without_meanings);
    std::cout << "median and largest error [%], and the mean of predicted / measured, by sweep\n";
    print_profile_table(errors_table(fits), errors_table(fits).columns.size());
    std::cout << fmt::format("{}\nopen {} in a browser\n", file.string(), page.string());
  }
  return code_after_watching(failed > 0 ? exit_points_failed : exit_done);
}

}  // namespace

const Command profile_command = {"profile", "measure the constants of a GPU for predictions",
                                 profile_line, profile_main};

}  // namespace sweep
