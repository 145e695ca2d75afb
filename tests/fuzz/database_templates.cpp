#include "tests/fuzz/database_templates.h"

#include <sqlite3.h>

#include <filesystem>
#include <map>
#include <stdexcept>

#include "engine/store/store.h"
#include "tests/report/example_results.h"
#include "tests/report/tuned_results.h"
#include "tests/temporary_folder.h"

namespace sweep::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* sweep_text = R"(summary: Bandwidth against the block
pattern: [copy, read]
axes: {BLOCK: [128, 256, 512, 1024]}
expect: [bandwidth > 100, {check: load_sectors >= BLOCK, where: BLOCK > 128}]
report:
  tables:
    - {rows: BLOCK, columns: pattern, value: [bandwidth, load_sectors]}
    - {rows: [pattern, BLOCK], value: percent_of_peak, where: BLOCK < 1024, title: Share}
  charts:
    - {line: {x: BLOCK, y: [bandwidth, l2_hit_rate], series: pattern}}
    - {heatmap: {x: BLOCK, y: pattern, value: load_sectors}}
    - {bar: {x: BLOCK, y: time}, where: pattern == 'copy'}
)";

constexpr const char* explanation_json = R"({"accesses": [{"file": "copy.cu", "line": 2,
"text": "data[i]", "kind": "load", "space": "global", "requests": 32, "sectors": 128, "ideal": 128,
"efficiency": 100, "advice": "none"}, {"line": 3, "kind": "store", "space": "shared",
"requests": 4, "wavefronts": 8, "ideal": 4, "efficiency": 50.5, "advice": "pad it"}]})";

void record(Store& store, RunResults results) {
  if (results.run.provenance.sweep_text.empty() || results.run.comparisons.size() > 1) {
    results.run.provenance.sweep_text = sweep_text;
  }
  const std::int64_t run = store.begin_run(results.run.provenance);
  std::int64_t ordinal = 0;
  for (StoredPoint& stored : results.points) {
    PointRecord& point = stored.point;
    point.key.pattern_text =
        "/* pattern:\n*/\n__global__ void copy(int* data) {\n  ++data[0];\n}\n";
    point.key.measure = "cache cold";
    point.notes.emplace_back("a note");
    store.add_point(run, ordinal++, point);
  }
  for (const std::string& note : results.run.notes) store.add_note(run, note);
  for (const AnchorRecord& anchor : results.run.anchors) store.add_anchor(run, anchor);
  store.set_comparisons(run, results.run.comparisons);
  if (results.run.tuning) store.set_tuning(run, *results.run.tuning);
  PatternExplanation explanation;
  explanation.pattern = results.points.front().point.key.pattern_name;
  explanation.parameters = results.points.front().point.key.parameters;
  explanation.json = explanation_json;
  store.add_explanation(run, explanation, "the emulator");
  store.end_run(run, results.run.state);
}

void write_database(const fs::path& path, char letter) {
  Store store(path, Store::Mode::read_write);
  if (letter == 't') {
    record(store, testing::tuned_results());
    record(store, testing::tuned_emulated_results());
  } else if (letter == 'e') {
    record(store, testing::emulated_results());
  } else {
    record(store, testing::stride_results());
    record(store, testing::compared_results());
  }
}

void execute(sqlite3* database, const char* sql) {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw std::runtime_error(sqlite3_errmsg(database));
  }
}

/// Takes out what would refuse an edit, and the write-ahead log, which readers share.
void loosen(const fs::path& path) {
  sqlite3* database = nullptr;
  if (sqlite3_open(path.c_str(), &database) != SQLITE_OK) throw std::runtime_error("no database");
  execute(database, "PRAGMA journal_mode = DELETE");
  execute(database, "PRAGMA writable_schema = ON");
  execute(database, "UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '')");
  execute(database, "PRAGMA writable_schema = OFF");
  execute(database, "VACUUM");
  sqlite3_close(database);
}

std::string make_template(char letter) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "template.db";
  write_database(path, letter);
  loosen(path);
  return read_text_file(path);
}

}  // namespace

const std::string& database_template(char letter) {
  static std::map<char, std::string> templates;
  constexpr std::string_view letters = "te";
  if (letters.find(letter) == std::string_view::npos) letter = 'c';
  std::string& bytes = templates[letter];
  if (bytes.empty()) bytes = make_template(letter);
  return bytes;
}

}  // namespace sweep::fuzz
