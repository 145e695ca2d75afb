#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/recording/recording.h"
#include "engine/store/store.h"
#include "report/charts/chart.h"
#include "report/compare/run_comparison.h"
#include "report/document.h"
#include "report/export/best_configurations.h"
#include "report/findings.h"
#include "report/run_analysis.h"
#include "report/run_report.h"
#include "tests/fuzz/database_edits.h"
#include "tests/fuzz/targets.h"
#include "tests/temporary_folder.h"

namespace sweep::fuzz {
namespace {

namespace fs = std::filesystem;

/// A folder in memory where there is one: SQLite waits for disks.
const fs::path& folder() {
  static const TemporaryFolder made = [] {
    if (std::getenv("TMPDIR") == nullptr && fs::exists("/dev/shm")) {
      setenv("TMPDIR", "/dev/shm", 0);
    }
    return TemporaryFolder();
  }();
  return made.path();
}

/// What a database may be refused by.
template <class Work>
void allow_refusal(Work work) {
  try {
    work();
  } catch (const StoreError&) {
  } catch (const InputError& error) {
    // The stored sweep's text is read again.
    render(error.diagnostics());
  } catch (const ComparisonError&) {
  }
}

void write_reports(const RunResults& results) {
  write_markdown(results);
  write_html(results);
  write_json(results);
  write_csv(results);
  write_terminal(results, 100, true, Drawing::unicode);
  const std::vector<ExpectationResult> expected =
      check_expectations_on(results.expectations, results.points);
  describe_broken(expected, results.points, false);
  write_t4(results.run, results.points);
  for (const Chart& chart : charts_of(results)) draw_chart(chart);
  write_best_sweep(std::vector<ExportedRun>{find_best(results)}, {});
}

void compare(const RunResults& before, const RunResults& after) {
  const RunComparison comparison = compare_runs({"a.db:1", before}, {"a.db:2", after});
  write_comparison_html(comparison);
  write_comparison_json(comparison);
  write_comparison_markdown(comparison);
  write_comparison_terminal(comparison, 100, true);
}

void read(const fs::path& path) {
  const Store store(path, Store::Mode::read_only);
  const std::vector<RunRecord> runs = store.runs();
  newest_runs(runs);
  std::optional<RunResults> before;
  std::size_t left = 3;
  for (const RunRecord& run : runs) {
    if (left-- == 0) break;
    allow_refusal([&] {
      const RunResults results = load_results(store, run.id);
      write_reports(results);
      store.point(run.id, 1);
      if (before) allow_refusal([&] { compare(*before, results); });
      before = results;
    });
  }
}

/// What a run does that goes on with the database.
void go_on(const fs::path& path) {
  Store store(path, Store::Mode::read_write);
  const std::vector<RunRecord> runs = store.runs();
  if (runs.empty()) return;
  const std::vector<StoredPoint> points = store.points(runs.back().id);
  const std::int64_t run = store.begin_run(runs.back().provenance);
  for (std::size_t i = 0; i < points.size() && i < 2; ++i) {
    const auto ordinal = static_cast<std::int64_t>(i);
    const PointRecord& point = points[i].point;
    store.metrics_of(point.key);
    if (!store.reuse_point(run, ordinal, point.key)) store.add_point(run, ordinal, point);
    store.reuse_explanation(run, ordinal, "the emulator");
  }
  store.take_over_comparisons(run);
  store.end_run(run, RunState::finished);
}

void remove_with_logs(const fs::path& path) {
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) {
    std::error_code missing;
    fs::remove(path.string() + ending, missing);
  }
}

}  // namespace

void read_database(std::string_view bytes) {
  const fs::path path = folder() / "fuzzed.db";
  remove_with_logs(path);
  const bool is_file = bytes.starts_with("SQLite format 3");
  const std::string file = is_file ? std::string(bytes) : edited_database(bytes);
  std::ofstream(path, std::ios::binary) << file;
  allow_refusal([&] { read(path); });
  allow_refusal([&] { read_store(path, std::nullopt); });
  allow_refusal([&] { go_on(path); });
  remove_with_logs(path);
}

}  // namespace sweep::fuzz
