#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <future>
#include <iostream>
#include <sstream>
#include <thread>

#include "engine/cli/commands.h"
#include "engine/cli/commands/executor.h"
#include "engine/cli/commands/report_index.h"
#include "engine/cli/commands/run_ending.h"
#include "engine/cli/options/output.h"
#include "engine/run/run_stage.h"
#include "engine/spec/compile_rules.h"
#include "engine/spec/included_files.h"
#include "engine/store/store.h"
#include "engine/text/read_source.h"
#include "engine/text/units.h"
#include "report/annotations.h"
#include "report/charts/chart.h"
#include "report/findings.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// A form of report.
struct ReportFormat {
  std::string_view name;                         ///< in `--format NAME`, and the ending of its file
  std::string_view help;                         ///< what it is, for --help
  bool is_written_by_run;                        ///< beside the database, at a run's end
  std::string (*write)(const RunAnalysis& run);  ///< null for what is not one text
  /// The same with links to the charts' pictures; null where the form has none.
  std::string (*write_with)(const RunAnalysis& run, const ChartPictures& pictures) = nullptr;
};

constexpr std::array format_table = {
    ReportFormat{"md", "Markdown with the sweep's tables", true, write_markdown, write_markdown},
    ReportFormat{"csv", "CSV with all points and metrics", true, write_csv},
    ReportFormat{"html", "a page with charts and all points, which opens without a network", true,
                 write_html},
    ReportFormat{"jsonl", "JSON Lines, the same as CSV", false, write_json_lines},
    ReportFormat{"json", "JSON with everything that is known of the run", false, write_json},
    ReportFormat{"svg", "the charts as pictures", false, nullptr},
    ReportFormat{"github",
                 "annotations of GitHub Actions for expectations that are not kept and points that "
                 "failed, and Markdown for the summary of the step",
                 false, nullptr},
};

/// The N-th picture of a report.
fs::path picture_path(const fs::path& base, std::size_t number) {
  return base.string() + fmt::format("-{}.svg", number);
}

/// The pattern that a point was measured with: from its text or, where it includes files, that of
/// the library if it is the same. Throws CommandError where it is not.
PatternPtr measured_pattern(const PointKey& key, const PatternLibrary& library) {
  const std::string& text = key.pattern_text;
  // The text of included files follows the pattern's, each after a line with its name.
  const bool includes_files =
      std::ranges::any_of(find_include_sites(text), [&](const IncludeSite& site) {
        return text.find("\n// " + site.name + "\n") != std::string::npos;
      });
  PatternPtr pattern = includes_files ? nullptr : stored_pattern(key);
  if (pattern == nullptr && !library.find(key.pattern_name).empty()) {
    Diagnostics ignored;
    pattern = with_stored_rules(library.load(key.pattern_name, {}, ignored),
                                split_stored_text(text).rules);
    if (pattern != nullptr && pattern->identity() != text) pattern = nullptr;
  }
  if (pattern != nullptr) return pattern;
  throw CommandError(exit_bad_input,
                     "{}: the files that this pattern reads are not there as they were when "
                     "it was measured; name its folder with --patterns",
                     key.pattern_name);
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
    throw UsageError("{}: --count is for what a GPU measured; this run is of {}",
                     operand.database.string(), provenance.device.name);
  }
  const PatternLibrary library = pattern_library(folders);
  std::map<std::pair<std::string, std::string>, PatternPtr> patterns;
  const std::vector<OwnMetric> of_sweep = read_stored_sweep(provenance.sweep_text).metrics;
  std::vector<UncountedPoint> points;
  for (const StoredPoint& stored : results.points) {
    if (!lacks_counts(stored.point)) continue;
    const PointKey& key = stored.point.key;
    PatternPtr& pattern = patterns[{key.pattern_name, key.pattern_text}];
    if (pattern == nullptr) pattern = measured_pattern(key, library);
    std::vector<OwnMetric> own = pattern->metrics;
    own.insert(own.end(), of_sweep.begin(), of_sweep.end());
    const Configuration configuration = resolve(pattern, key.parameters);
    points.push_back({stored.id, configuration, [=](std::vector<Metric>& metrics) {
                        derive_metrics(own, configuration, metrics);
                      }});
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
  if (provenance.measure.starts_with("cache: warm")) rules.cache = CacheState::warm;
  StepProgress progress("counting", points.size(), false);
  count_points(points, compile, rules, counting_emulators(settings, threads), store,
               [&](const UncountedPoint&, const Observation&) { progress.step(); });
}

/// Writes the run's charts, or the one of that number, from 1: one to a file or standard output,
/// several to a folder, or to FILE-1.svg and so on where `output` ends in ".svg". Throws UsageError
/// or CommandError.
void export_charts(const RunResults& results, const std::optional<fs::path>& output,
                   std::optional<std::size_t> number) {
  // A picture of another kind is not taken for a folder.
  const bool is_folder = output && fs::is_directory(*output);
  if (output && output->extension() == ".png" && !is_folder) {
    throw UsageError("-o {}: pictures are SVG; name a file .svg or a folder", output->string());
  }
  const std::vector<Chart> charts = charts_of(results);
  if (charts.empty()) throw CommandError(exit_bad_input, "the run has no charts");
  const std::string count = count_of(charts.size(), "chart");
  std::string list;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    list += fmt::format("\n  {}: {}", i + 1, charts[i].title);
  }
  if (number && *number > charts.size()) {
    throw UsageError("--chart {}: the run has {}:{}", *number, count, list);
  }
  const std::size_t first = number.value_or(1);
  const std::size_t last = number.value_or(charts.size());
  if (!output && first != last) {
    throw UsageError("the run has {}; name a folder with -o, or one with --chart N:{}", count,
                     list);
  }
  if (!output) {
    std::cout << draw_chart(charts[first - 1]);
    return;
  }
  // A stored name may have come with a path.
  std::string name = fs::path(results.run.provenance.sweep_name).filename().string();
  if (name.empty() || name == "." || name == "..") name = "chart";
  const bool is_file = output->extension() == ".svg" && !is_folder;
  if (!is_file) make_output_folder(*output);
  const fs::path base = is_file ? fs::path(*output).replace_extension() : *output / name;
  for (std::size_t chart = first; chart <= last; ++chart) {
    const fs::path path = is_file && first == last ? *output : picture_path(base, chart);
    write_output_file(path, draw_chart(charts[chart - 1]));
    std::cerr << path.string() << '\n';
  }
}

/// Gives the expectations the sweep file that the run names, where it is still there as it was.
void find_expectations(RunResults& results) {
  const Provenance& provenance = results.run.provenance;
  std::string command = provenance.command;
  std::replace_if(
      command.begin(), command.end(), [](char c) { return c == '\''; }, ' ');
  std::istringstream words(command);
  for (std::string word; words >> word;) {
    const fs::path file = fs::path(word).extension() == ".yaml" ? word : word + ".yaml";
    std::error_code error;
    for (const fs::path& path : {file, "sweeps" / file}) {
      if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > (16U << 20U)) continue;
      const SourcePtr source = read_source(path);
      if (source->text != provenance.sweep_text) continue;
      for (Expectation& expectation : results.expectations) expectation.where.source = source;
      return;
    }
  }
}

CommandLine report_line() {
  CommandLine line(
      "sweep report [OPTIONS] FILE.db[:RUN]|FOLDER ...",
      "Makes a report again from a results database: of its newest run, or of the one\n"
      "whose number is given. A sweep's name stands for results/NAME.db. Several runs\n"
      "of a sweep, on several GPUs, make one report.\n"
      "Of a folder it makes an index: index.html and index.md over all runs of the\n"
      "databases in it and below it, with how each sweep went over its runs, what got\n"
      "worse, and a page for each run.");
  std::vector<std::string_view> names;
  std::vector<std::string> formats;
  for (const ReportFormat& format : format_table) {
    names.push_back(format.name);
    formats.push_back(fmt::format("{}: {}", format.name, format.help));
  }
  line.option(
      "format", fmt::format("{}", fmt::join(names, "|")),
      fmt::format("md unless given, of an index html and md. {}", fmt::join(formats, "; ")));
  line.option("run", "N", "an earlier run than the newest, as FILE.db:N");
  add_output_option(line,
                    "write to a file, not to stdout; several charts and an index to a folder");
  line.flag("index", "make an index of the databases, as of a folder");
  line.flag(
      "fail-on-regression",
      "of an index: exit with 3 when the newest run of any sweep is worse than one before it");
  line.option("chart", "N", "the N-th chart alone, of svg");
  line.flag("count",
            "first have the emulator count the points that it had no time for beside a GPU");
  add_patterns_option(line);
  line.operands({"DATABASE..."}, 1, "report on what? for example: sweep report results/stride.db");
  return line;
}

std::vector<RunOperand> given_runs(const GivenOptions& given) {
  if (given.operands().size() == 1) return {given_run_operand("report", given)};
  for (const char* option : {"run", "count"}) {
    if (given.has(option)) throw UsageError("--{} is for one database; name one", option);
  }
  std::vector<RunOperand> operands;
  for (const std::string& text : given.operands()) {
    check_operand("report", Operand::database, text);
    operands.push_back(read_run_operand(text));
  }
  return operands;
}

int index_main(const GivenOptions& given) {
  for (const char* option : {"run", "count", "chart", "patterns", "include"}) {
    if (given.has(option)) throw UsageError("--{} is for one run, and not for an index", option);
  }
  const std::string format = given.text("format");
  if (!format.empty() && format != "html" && format != "md") {
    throw UsageError("--format {}: an index is html or md; name one run for the others", format);
  }
  IndexRequest request = {given.operands()};
  if (const auto output = given_output(given)) {
    const std::string ending = output->extension().string();
    if ((ending == ".html" || ending == ".md") && !fs::is_directory(*output)) {
      throw UsageError("-o {}: an index is several files; name a folder", output->string());
    }
    request.output = *output;
  }
  request.writes_page = format != "md";
  request.writes_markdown = format != "html";
  const bool is_worse = write_index(request);
  return is_worse && given.has("fail-on-regression") ? exit_regression : exit_done;
}

int report_main(const GivenOptions& given) {
  if (given.has("index") || std::ranges::any_of(given.operands(), is_results_folder))
    return index_main(given);
  if (given.has("fail-on-regression")) {
    throw UsageError(
        "--fail-on-regression is for an index: name a folder, or give --index; sweep compare tells "
        "by its exit code too");
  }
  // The command line knows the names.
  const std::string name = given.has("format") ? given.text("format") : "md";
  const auto* format = std::ranges::find(format_table, name, &ReportFormat::name);
  const bool draws = format->name == "svg";
  const bool annotates = format->name == "github";
  if (!draws && given.has("chart")) throw UsageError("--chart belongs to --format svg");
  const std::vector<RunOperand> operands = given_runs(given);
  const auto output = given_output(given);
  const auto chart = given.number("chart");
  const bool counts = given.has("count");
  if (counts) count_results(operands.front(), given_folders(given));
  std::vector<RunResults> runs;
  for (const RunOperand& operand : operands) {
    runs.push_back(load_results(Store(operand.database, Store::Mode::read_only), operand.run));
  }
  RunResults results = one_or_together(std::move(runs));
  if (draws) {
    export_charts(results, output, chart);
  } else if (annotates) {
    find_expectations(results);
  } else if (format->write_with != nullptr && output && !is_stream(*output)) {
    const ChartFiles charts = write_chart_files(results, fs::path(*output).replace_extension());
    write_result(output, format->write_with(results, charts.pictures));
    std::cerr << describe_chart_files(charts);
  } else {
    write_result(output, format->write(results));
  }
  if (!counts && !annotates) return exit_done;
  if (counts && stop_flag()) return stopped_exit_code();
  // The sweep's expectations may hold or break only now.
  const auto checked =
      check_expectations_on(results.expectations, results.points, results.run.tuning.has_value());
  std::cerr << describe_broken(checked, results.points, terminal_of(STDERR_FILENO).color);
  if (annotates) {
    const RunAnalysis run(results);
    write_for_github(run_annotations(run, checked), "sweep report", write_markdown(run), output);
  }
  return std::ranges::all_of(checked, &ExpectationResult::kept) ? exit_done : exit_points_failed;
}

}  // namespace

RunResults one_or_together(std::vector<RunResults> runs) {
  if (runs.size() == 1) return std::move(runs.front());
  const std::string why = why_not_together(runs);
  if (!why.empty())
    throw CommandError(exit_bad_input,
                       "these runs make no report together: {}; --index makes a page for each",
                       why);
  return together(std::move(runs));
}

ChartFiles write_chart_files(const RunResults& results, const fs::path& base) {
  ChartFiles files = {{}, base};
  std::error_code ignored;
  std::size_t number = 1;
  for (const Chart& chart : charts_of(results)) {
    const fs::path path = picture_path(base, number++);
    files.pictures.files.emplace_back();
    try {
      write_output_file(path, draw_chart(chart));
      files.pictures.files.back() = path.filename().string();
    } catch (const CommandError& error) {
      files.pictures.note = fmt::format("Not every chart is drawn: {}", error.what());
      // One of an earlier report would stand for this one.
      fs::remove(path, ignored);
    }
  }
  // Those that an earlier report left behind.
  while (fs::remove(picture_path(base, number), ignored)) ++number;
  return files;
}

std::vector<fs::path> paths_of(const ChartFiles& charts) {
  std::vector<fs::path> paths;
  for (const std::string& file : charts.pictures.files) {
    if (!file.empty()) paths.push_back(charts.base.parent_path() / file);
  }
  return paths;
}

std::string describe_chart_files(const ChartFiles& charts) {
  std::string text;
  for (std::size_t i = 0; i < charts.pictures.files.size(); ++i) {
    if (charts.pictures.files[i].empty()) continue;
    text += fmt::format("{}-{}.svg", text.empty() ? charts.base.string() : ", ", i + 1);
  }
  if (!text.empty()) text += '\n';
  if (!charts.pictures.note.empty()) text += charts.pictures.note + '\n';
  return text;
}

std::vector<fs::path> write_report_files(const RunAnalysis& run, const fs::path& base,
                                         const ChartPictures& pictures) {
  std::vector<std::future<fs::path>> writers;
  for (const ReportFormat& format : format_table) {
    if (!format.is_written_by_run) continue;
    writers.push_back(std::async([&format, &run, &base, &pictures] {
      const fs::path file = base.string() + '.' + std::string(format.name);
      write_output_file(file, format.write_with != nullptr ? format.write_with(run, pictures)
                                                           : format.write(run));
      return file;
    }));
  }
  std::vector<fs::path> files;
  for (auto& writer : writers) files.push_back(writer.get());
  return files;
}

std::string describe_files(std::span<const fs::path> files) {
  std::vector<std::string> names;
  std::string hint;
  fs::path before;
  for (const fs::path& file : files) {
    const bool is_like_before = before.replace_extension(file.extension()) == file;
    names.push_back(is_like_before ? file.extension().string() : file.string());
    before = file;
    if (file.extension() == ".html") hint += fmt::format("open {} in a browser\n", file.string());
  }
  return fmt::format("{}\n{}", fmt::join(names, ", "), hint);
}

const Command report_command = {"report", "make a report again from a results database",
                                report_line, report_main};

}  // namespace sweep
