#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <thread>

#include "engine/cli/commands.h"
#include "engine/cli/commands/chart_files.h"
#include "engine/cli/commands/executor.h"
#include "engine/cli/commands/exported_sweep.h"
#include "engine/cli/commands/report_files.h"
#include "engine/cli/options/compile_options.h"
#include "engine/cli/options/device_options.h"
#include "engine/cli/options/find_sources.h"
#include "engine/cli/options/operands.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/shared_options.h"
#include "engine/cli/terminal/progress.h"
#include "engine/cli/terminal/stop_signal.h"
#include "engine/cli/terminal/terminal.h"
#include "engine/jit/program_cache.h"
#include "engine/run/compile_pool.h"
#include "engine/run/counting.h"
#include "engine/spec/included_files.h"
#include "engine/spec/pattern.h"
#include "engine/store/run_lock.h"
#include "report/expectation_check.h"
#include "report/run_analysis.h"

namespace sweep {
namespace {

/// The patterns that points were measured with: from their text or, where they include files, those
/// of the folders that are the same.
class MeasuredPatterns {
 public:
  explicit MeasuredPatterns(const GivenFolders& folders)
      : library_(pattern_folders(folders.patterns, {}), include_folders(folders)) {}

  PatternPtr find(const PointKey& key) {
    PatternPtr& pattern = known_[{key.pattern_name, key.pattern_text}];
    if (pattern == nullptr) pattern = from_text(key);
    if (pattern == nullptr) pattern = from_folders(key);
    if (pattern != nullptr) return pattern;
    throw CommandError(
        exit_bad_input,
        fmt::format("{}: the files that this pattern includes are not there as they were when it "
                    "was measured; name its folder with --patterns",
                    key.pattern_name));
  }

 private:
  /// Null where it includes files: their text follows the pattern's, each after a line with its
  /// name.
  static PatternPtr from_text(const PointKey& key) {
    const std::string& text = key.pattern_text;
    const bool includes_files =
        std::ranges::any_of(find_include_sites(text), [&](const IncludeSite& site) {
          return text.find("\n// " + site.name + "\n") != std::string::npos;
        });
    return includes_files ? nullptr : stored_pattern(key);
  }

  /// Null where it is not there, or another one by now.
  PatternPtr from_folders(const PointKey& key) const {
    if (library_.find(key.pattern_name).empty()) return nullptr;
    Diagnostics ignored;
    PatternPtr pattern = library_.load(key.pattern_name, {}, ignored);
    const bool is_same =
        pattern != nullptr && pattern->source->text + pattern->included_text == key.pattern_text;
    return is_same ? pattern : nullptr;
  }

  PatternLibrary library_;
  std::map<std::pair<std::string, std::string>, PatternPtr> known_;
};

std::vector<UncountedPoint> uncounted_points(const RunResults& results,
                                             const GivenFolders& folders) {
  MeasuredPatterns patterns(folders);
  std::vector<UncountedPoint> points;
  for (const StoredPoint& stored : results.points) {
    if (!lacks_counts(stored.point)) continue;
    const PointKey& key = stored.point.key;
    points.push_back({stored.id, resolve(patterns.find(key), key.parameters)});
  }
  return points;
}

/// Has the emulator count what a run of a database measured on a GPU and did not count. The
/// patterns are those that the database holds; one that includes files has to be found in the
/// folders as it was. Throws CommandError where there is nothing to count, and as Store and
/// CompilePool do.
void count_results(const RunOperand& operand, const GivenFolders& folders) {
  const RunLock lock(operand.database);
  Store store(operand.database, Store::Mode::read_write);
  const RunResults results = load_results(store, operand.run);
  const Provenance& provenance = results.run.provenance;
  if (provenance.device.backend != "cuda") {
    throw CommandError(exit_usage,
                       fmt::format("{}: --count is for what a GPU measured; this run is of {}",
                                   operand.database.string(), provenance.device.name));
  }
  const std::vector<UncountedPoint> points = uncounted_points(results, folders);
  if (points.empty()) {
    std::cerr << "every point has the emulator's counts\n";
    return;
  }
  const int capability = provenance.device.compute_capability;
  const unsigned threads = std::max(std::thread::hardware_concurrency(), 1U);
  const EmulatorSettings settings =
      emulator_settings(has_rules(capability) ? capability : usual_model, threads);
  const auto nvrtc = std::make_shared<Nvrtc>();
  CompileSettings compile =
      compile_settings(nvrtc, code_capability(EmulatorBackend(settings).device(), *nvrtc), nullptr);
  compile.stop = &stop_flag();
  MeasureRules rules;
  rules.caches = models_caches(provenance.measure);
  StepProgress progress("counting", points.size(), false);
  count_points(points, compile, rules, emulators_of(settings, threads), store,
               [&](const UncountedPoint&, const Observation&) { progress.step(); });
}

constexpr std::string_view picture_format = "svg";

/// What --format may name, pictures last.
std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const ReportFormat& format : report_formats()) names.emplace_back(format.name);
  names.emplace_back(picture_format);
  return names;
}

/// "md: Markdown with the sweep's tables; csv: ..."
std::string describe_formats() {
  std::vector<std::string> formats;
  for (const ReportFormat& format : report_formats()) {
    formats.push_back(fmt::format("{}: {}", format.name, format.help));
  }
  formats.emplace_back("svg: the charts as pictures");
  return fmt::format("{}", fmt::join(formats, "; "));
}

void write_report(const RunResults& results, const ReportFormat& format,
                  const std::optional<std::filesystem::path>& output) {
  const bool has_place_for_charts = output && !is_stream(*output);
  if (format.write_with == nullptr || !has_place_for_charts) {
    write_result(output, format.write(results));
    return;
  }
  const ChartFiles charts = write_chart_files(results, without_ending(*output));
  write_result(output, format.write_with(results, charts.pictures));
  std::cerr << describe_chart_files(charts);
}

/// The sweep's expectations may hold or break only now.
int exit_code_after_counting(const RunResults& results) {
  if (stop_flag()) return stopped_exit_code();
  const auto checked =
      check_expectations_on(results.expectations, results.points, results.run.tuning.has_value());
  std::cerr << describe_broken(checked, results.points, terminal_of(STDERR_FILENO).color);
  return std::ranges::all_of(checked, &ExpectationResult::kept) ? exit_done : exit_points_failed;
}

}  // namespace

CommandLine report_line() {
  CommandLine line(
      "sweep report [OPTIONS] FILE.db[:RUN]",
      "Makes a report again from a results database: of its newest run, or of the one\n"
      "whose number is given. A sweep's name stands for results/NAME.db.");
  line.option("format", fmt::format("{}", fmt::join(format_names(), "|")), describe_formats(),
              "md");
  line.option("run", "N", "an earlier run than the newest, as FILE.db:N");
  add_output_option(line, "write to a file, not to stdout; several charts to a folder");
  line.option("chart", "N", "the N-th chart alone, of svg");
  line.flag("count",
            "first have the emulator count the points that it had no time for beside a GPU");
  add_patterns_option(line);
  line.operands({"DATABASE"}, 1, "report on what? for example: sweep report results/stride.db");
  return line;
}

int report_command(const GivenOptions& given) {
  constexpr std::size_t largest_chart = 1'000'000'000;
  const std::string name = given.text("format");
  const bool draws = name == picture_format;
  const ReportFormat* format = find_report_format(name);
  if (!draws && given.has("chart")) throw UsageError("--chart belongs to --format svg");
  const RunOperand operand = given_run_operand("report", given);
  const auto output = given_output(given);
  const auto chart = given.number("chart", largest_chart);
  const bool counts = given.has("count");
  if (counts) count_results(operand, given_folders(given));
  const Store store(operand.database, Store::Mode::read_only);
  const RunResults results = load_results(store, operand.run);
  if (draws) {
    export_charts(results, output, chart);
  } else {
    write_report(results, *format, output);
  }
  return counts ? exit_code_after_counting(results) : exit_done;
}

}  // namespace sweep
