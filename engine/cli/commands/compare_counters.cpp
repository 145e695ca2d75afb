#include "engine/cli/commands/compare_counters.h"

#include <algorithm>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/sources.h"
#include "engine/recording/recording.h"
#include "engine/text/read_source.h"
#include "report/compare/counter_comparison.h"
#include "report/display_text.h"
#include "report/run_report.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

std::vector<ProfiledLaunch> read_launches(const std::string& file, bool& is_unfinished) {
  constexpr std::uintmax_t most_bytes = 512U << 20U;
  const Recording recording = read_ncu(read_bounded(file, most_bytes, "a recording"), file);
  is_unfinished = recording.unfinished;
  std::vector<ProfiledLaunch> launches;
  for (const RecordedEntry& entry : recording.entries) {
    const auto text = [&](const char* name) { return to_string(*entry.configuration.find(name)); };
    const auto number = [&](const char* name) {
      const Value* value = entry.configuration.find(name);
      return value != nullptr ? std::get<std::int64_t>(*value) : 0;
    };
    launches.push_back(
        {text("launch"), text("pattern"), text("kernel"), number("blocks"), number("threads")});
    for (const Metric& metric : entry.metrics) {
      if (find_metric(metric.name) != nullptr) launches.back().metrics.push_back(metric);
    }
  }
  return launches;
}

/// The names of the kernels that a point's pattern launches.
std::vector<std::string> kernels_of(const PointKey& key) {
  const PatternPtr pattern = stored_pattern(key);
  if (pattern == nullptr) return {key.pattern_name};
  std::vector<std::string> kernels;
  for (const Step& step : pattern->steps) {
    std::string name = step.kernel.text.empty() ? pattern->name : step.kernel.text;
    name.erase(std::min(name.find('<'), name.size()));
    if (const std::size_t scope = name.rfind(':'); scope != name.npos) name.erase(0, scope + 1);
    if (std::ranges::find(kernels, name) == kernels.end()) kernels.push_back(name);
  }
  return kernels;
}

}  // namespace

bool is_counter_file(const std::string& operand) {
  return fs::path(operand).extension() == ".csv";
}

int compare_with_counters(const GivenOptions& given, const std::vector<Expression>& where) {
  const std::vector<std::string>& operands = given.operands();
  const bool is_first = is_counter_file(operands.front());
  if (operands.size() != 2 || is_counter_file(operands[is_first ? 1 : 0])) {
    throw UsageError(
        "counters of Nsight Compute are compared with one run: sweep compare FILE.csv "
        "results/NAME.db");
  }
  for (const char* option : {"metric", "threshold", "ignore", "rename", "all"}) {
    if (!given.has(option)) continue;
    throw UsageError("--{} is for two runs; counters and the emulator's counts are compared whole",
                     option);
  }
  const std::string& file = operands[is_first ? 0 : 1];
  const std::string& name = operands[is_first ? 1 : 0];
  check_operand("compare", Operand::database, name);
  const RunOperand operand = read_run_operand(name);
  const Store store(operand.database, Store::Mode::read_only);
  ComparedRun run = {{}, load_results(store, operand.run)};
  run.label = fmt::format("{}:{}", store.path().string(), run.results.run.id);
  bool is_unfinished = false;
  const std::vector<ProfiledLaunch> launches = read_launches(file, is_unfinished);
  CounterComparison comparison =
      compare_counters(launches, file, std::move(run), where, kernels_of);
  if (is_unfinished) {
    comparison.notes.insert(comparison.notes.begin(),
                            "the file ends within its last row, which is left out");
  }
  const std::string format = given.text("format");
  const auto output = given_output(given);
  if (format == "json") {
    write_result(output, write_counters_json(comparison));
  } else if (format == "github") {
    const Diagnostic disagreement = {Severity::error, {}, describe_verdict(comparison), {}};
    const std::size_t count = comparison.disagreeing == 0 ? 0 : 1;
    write_for_github({&disagreement, count}, "sweep compare",
                     render_markdown(counter_document(comparison)), output);
  } else if (format == "html") {
    write_result(output,
                 write_charts_page("Counters of " + file, counter_document(comparison), {}));
  } else {
    write_result(output, render_markdown(counter_document(comparison)));
  }
  if (output) std::cerr << printable(describe_verdict(comparison)) << '\n';
  return comparison.disagreeing == 0 ? exit_done : exit_regression;
}

}  // namespace sweep
