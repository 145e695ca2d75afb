#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <thread>

#include "engine/cli/commands.h"
#include "engine/cli/commands/executor.h"
#include "engine/cli/commands/report_files.h"
#include "engine/cli/options/execution_options.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/sources.h"
#include "engine/cli/terminal/progress.h"
#include "engine/cli/terminal/terminal.h"
#include "engine/run/counting.h"
#include "engine/spec/included_files.h"
#include "engine/store/run_lock.h"
#include "engine/text/units.h"
#include "report/charts/chart.h"
#include "report/charts/draw_chart.h"
#include "report/expectation_check.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// The patterns that points were measured with: from their text or, where they include files, those
/// of the folders that are the same.
class MeasuredPatterns {
 public:
  explicit MeasuredPatterns(const GivenFolders& folders) : library_(pattern_library(folders)) {}

  PatternPtr find(const PointKey& key) {
    PatternPtr& pattern = known_[{key.pattern_name, key.pattern_text}];
    if (pattern == nullptr) pattern = from_text(key);
    if (pattern == nullptr) pattern = from_folders(key);
    if (pattern != nullptr) return pattern;
    throw CommandError(exit_bad_input,
                       "{}: the files that this pattern includes are not there as they were when "
                       "it was measured; name its folder with --patterns",
                       key.pattern_name);
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
    throw UsageError("{}: --count is for what a GPU measured; this run is of {}",
                     operand.database.string(), provenance.device.name);
  }
  MeasuredPatterns patterns(folders);
  std::vector<UncountedPoint> points;
  for (const StoredPoint& stored : results.points) {
    if (!lacks_counts(stored.point)) continue;
    const PointKey& key = stored.point.key;
    points.push_back({stored.id, resolve(patterns.find(key), key.parameters)});
  }
  if (points.empty()) {
    std::cerr << "every point has the emulator's counts\n";
    return;
  }
  const int capability = provenance.device.compute_capability;
  const unsigned threads = std::max(std::thread::hardware_concurrency(), 1U);
  const EmulatorSettings settings =
      emulator_settings(has_rules(capability) ? capability : usual_model, threads);
  const auto nvrtc = std::make_shared<Nvrtc>();
  const CompileSettings compile = {
      .nvrtc = nvrtc,
      .compute_capability = code_capability(EmulatorBackend(settings).device(), *nvrtc),
      .processes = compiler_processes(),
      .stop = &stop_flag()};
  MeasureRules rules;
  rules.caches = models_caches(provenance.measure);
  StepProgress progress("counting", points.size(), false);
  count_points(points, compile, rules, emulators_of(settings, threads), store,
               [&](const UncountedPoint&, const Observation&) { progress.step(); });
}

/// Writes the run's charts, or the one of that number, from 1: one to a file or standard output,
/// several to a folder, or to FILE-1.svg and so on where `output` ends in ".svg". Throws UsageError
/// or CommandError.
void export_charts(const RunResults& results, const std::optional<fs::path>& output,
                   std::optional<std::size_t> number) {
  // A picture of another kind is not taken for a folder.
  if (output && output->extension() == ".png" && !fs::is_directory(*output)) {
    throw UsageError("-o {}: pictures are SVG; name a file .svg or a folder", output->string());
  }
  const std::vector<Chart> charts = charts_of(results);
  if (charts.empty()) throw CommandError(exit_bad_input, "the run has no charts");
  std::string list;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    list += fmt::format("\n  {}: {}", i + 1, charts[i].title);
  }
  if (number && *number > charts.size()) {
    throw UsageError("--chart {}: the run has {}:{}", *number, count_of(charts.size(), "chart"),
                     list);
  }
  const std::size_t first = number.value_or(1);
  const std::size_t last = number.value_or(charts.size());
  if (!output && first != last) {
    throw UsageError("the run has {}; name a folder with -o, or one with --chart N:{}",
                     count_of(charts.size(), "chart"), list);
  }
  if (!output) {
    std::cout << draw_chart(charts[first - 1]);
    return;
  }
  // A stored name may have come with a path.
  std::string name = fs::path(results.run.provenance.sweep_name).filename().string();
  if (name.empty() || name == "." || name == "..") name = "chart";
  const bool is_file = output->extension() == ".svg" && !fs::is_directory(*output);
  if (!is_file) make_output_folder(*output);
  const fs::path base = is_file ? fs::path(*output).replace_extension() : *output / name;
  for (std::size_t chart = first; chart <= last; ++chart) {
    const fs::path path = is_file && first == last ? *output : picture_path(base, chart);
    write_output_file(path, draw_chart(charts[chart - 1]));
    std::cerr << path.string() << '\n';
  }
}

void write_report(const RunResults& results, const ReportFormat& format,
                  const std::optional<fs::path>& output) {
  const bool has_place_for_charts = output && !is_stream(*output);
  if (format.write_with == nullptr || !has_place_for_charts) {
    write_result(output, format.write(results));
    return;
  }
  const ChartFiles charts = write_chart_files(results, fs::path(*output).replace_extension());
  write_result(output, format.write_with(results, charts.pictures));
  std::cerr << describe_chart_files(charts);
}

CommandLine report_line() {
  CommandLine line(
      "sweep report [OPTIONS] FILE.db[:RUN]",
      "Makes a report again from a results database: of its newest run, or of the one\n"
      "whose number is given. A sweep's name stands for results/NAME.db.");
  std::vector<std::string_view> names;
  std::vector<std::string> formats;
  for (const ReportFormat& format : report_formats()) {
    names.push_back(format.name);
    formats.push_back(fmt::format("{}: {}", format.name, format.help));
  }
  line.option("format", fmt::format("{}", fmt::join(names, "|")),
              fmt::format("{}", fmt::join(formats, "; ")), "md");
  line.option("run", "N", "an earlier run than the newest, as FILE.db:N");
  add_output_option(line, "write to a file, not to stdout; several charts to a folder");
  line.option("chart", "N", "the N-th chart alone, of svg");
  line.flag("count",
            "first have the emulator count the points that it had no time for beside a GPU");
  add_patterns_option(line);
  line.operands({"DATABASE"}, 1, "report on what? for example: sweep report results/stride.db");
  return line;
}

int report_main(const GivenOptions& given) {
  const ReportFormat* format = find_report_format(given.text("format"));
  const bool draws = format->write == nullptr;
  if (!draws && given.has("chart")) throw UsageError("--chart belongs to --format svg");
  const RunOperand operand = given_run_operand("report", given);
  const auto output = given_output(given);
  const auto chart = given.number("chart");
  const bool counts = given.has("count");
  if (counts) count_results(operand, given_folders(given));
  const Store store(operand.database, Store::Mode::read_only);
  const RunResults results = load_results(store, operand.run);
  if (draws) {
    export_charts(results, output, chart);
  } else {
    write_report(results, *format, output);
  }
  if (!counts) return exit_done;
  if (stop_flag()) return stopped_exit_code();
  // The sweep's expectations may hold or break only now.
  const auto checked =
      check_expectations_on(results.expectations, results.points, results.run.tuning.has_value());
  std::cerr << describe_broken(checked, results.points, terminal_of(STDERR_FILENO).color);
  return std::ranges::all_of(checked, &ExpectationResult::kept) ? exit_done : exit_points_failed;
}

}  // namespace

const Command report_command = {"report", "make a report again from a results database",
                                report_line, report_main};

}  // namespace sweep
