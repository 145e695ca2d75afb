#include <fmt/format.h>

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <set>

#include "engine/spec/keys.h"
#include "engine/spec/object_keys.h"
#include "engine/spec/pattern.h"
#include "engine/spec/pattern_header.h"
#include "engine/spec/report_layout.h"
#include "engine/spec/sweep.h"
#include "engine/text/read_source.h"
#include "tests/spec/schema_check.h"
#include "tests/spec/spec_case.h"

using namespace sweep;
namespace data = boost::unit_test::data;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(editor_schema)

namespace {

using Json = nlohmann::json;

const fs::path patterns = fs::path(SWEEP_SOURCE_DIR) / "patterns";
const fs::path sweeps = fs::path(SWEEP_SOURCE_DIR) / "sweeps";

const Json& schema_of_sweeps() {
  static const Json schema = Json::parse(sweep_schema());
  return schema;
}

const Json& schema_of_patterns() {
  static const Json schema = Json::parse(pattern_schema());
  return schema;
}

std::vector<std::string> files(const fs::path& folder, const std::string& ending) {
  std::vector<std::string> result;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ending) result.push_back(entry.path().string());
  }
  std::ranges::sort(result);
  return result;
}

YamlNode yaml_of(const SourcePtr& source) {
  Diagnostics diagnostics;
  auto node = read_yaml(source, diagnostics);
  BOOST_REQUIRE_MESSAGE(node, render(diagnostics));
  return *node;
}

YamlNode header_of(const SourcePtr& source) {
  Diagnostics diagnostics;
  const auto layout = find_header(source, diagnostics);
  BOOST_REQUIRE_MESSAGE(layout, render(diagnostics));
  auto node = read_yaml(source, layout->header_begin, layout->header_end, diagnostics);
  BOOST_REQUIRE_MESSAGE(node, render(diagnostics));
  return *node;
}

/// The messages of the parser for a sweep that is not in a file.
std::string sweep_mistakes(const std::string& text, const PatternLookup& lookup) {
  try {
    parse_sweep(testing::source_of(text), "text.yaml", lookup, {});
  } catch (const InputError& error) {
    return render(error.diagnostics());
  }
  return {};
}

/// Patterns that are read once.
PatternLookup remembered_patterns() {
  const auto library = std::make_shared<PatternLibrary>(std::vector<fs::path>{patterns});
  const auto seen = std::make_shared<std::map<std::string, PatternPtr>>();
  return [=](const std::string& name, const Location& where, Diagnostics& diagnostics) {
    const auto known = seen->find(name);
    if (known != seen->end()) return known->second;
    return (*seen)[name] = library->load(name, where, diagnostics);
  };
}

/// Keys under which names of the user's own stand.
bool holds_names(const std::string& key) {
  const std::vector<std::string> keys = {"axes",    "zip",     "set",       "parameters",
                                         "structs", "buffers", "arguments", "verify",
                                         "defines", "metrics", "constants", "repeat"};
  return std::ranges::find(keys, key) != keys.end();
}

/// Places of the keys that a file cannot choose: of a key within the same keys the first alone, as
/// "axes//from" is the same for every axis. `seen` has what was given before.
void collect_keys(const YamlNode& node, const std::string& within, bool has_names,
                  std::set<std::string>& seen, std::vector<Location>& places) {
  for (const YamlNode& item : node.items) collect_keys(item, within, has_names, seen, places);
  for (const auto& [key, value] : node.entries) {
    const std::string path = within + "/" + (has_names ? "" : key.text);
    if (!has_names && seen.insert(path).second) places.push_back(key.where);
    collect_keys(value, path, !has_names && holds_names(key.text), seen, places);
  }
}

std::string misspelt(const std::string& text, const Location& key) {
  std::size_t at = 0;
  for (std::size_t line = 1; line < key.line; ++line) at = text.find('\n', at) + 1;
  std::string result = text;
  return result.insert(at + key.column - 1, "x");
}

/// A document around a key of a table: BEFORE key: 1 AFTER.
struct Surroundings {
  const char* name;
  std::vector<std::string> keys;
  const char* before;
  const char* after;
};

std::ostream& operator<<(std::ostream& out, const Surroundings& place) {
  return out << place.name;
}

const std::vector<Surroundings> in_sweeps = {
    {"a sweep", names_of(sweep_keys), "", ""},
    {"an axis", names_of(axis_range_keys), "axes: {STRIDE: {", "}}"},
    {"compile", names_of(sweep_compile_keys), "compile: {", "}"},
    {"measure", names_of(measure_keys), "measure: {", "}"},
    {"samples", names_of(samples_keys), "measure: {samples: {", "}}"},
    {"a metric", names_of(own_metric_keys), "metrics: {rate: {", "}}"},
    {"tune", names_of(tune_keys), "tune: {", "}"},
    {"budget", names_of(budget_keys), "tune: {budget: {", "}}"},
    {"no_better", names_of(patience_keys), "tune: {budget: {no_better: {", "}}}"},
    {"emulator", names_of(emulator_keys), "emulator: {", "}"},
    {"expect", names_of(expectation_keys), "expect: [{", "}]"},
    {"report", names_of(report_keys), "report: {", "}"},
    {"a chart", names_of(chart_keys), "report: {charts: [{", "}]}"},
    {"line", names_of(line_keys), "report: {charts: [{line: {", "}}]}"},
    {"bar", names_of(bar_keys), "report: {charts: [{bar: {", "}}]}"},
    {"heatmap", names_of(heatmap_keys), "report: {charts: [{heatmap: {", "}}]}"},
    {"scatter", names_of(scatter_keys), "report: {charts: [{scatter: {", "}}]}"},
    {"a table", names_of(table_keys), "report: {tables: [{", "}]}"},
};

const std::vector<Surroundings> in_headers = {
    {"a header", names_of(pattern_keys), "", ""},
    {"a parameter", names_of(parameter_keys), "parameters: {A: {", "}}"},
    {"a buffer", names_of(buffer_keys), "buffers: {a: {", "}}"},
    {"a buffer's file", names_of(data_file_keys), "buffers: {a: {init: {", "}}}"},
    {"a comparison", names_of(verify_keys), "buffers: {a: {type: int, length: 1}}\nverify: {a: {",
     "}}"},
    {"a tolerance", names_of(tolerance_keys),
     "buffers: {a: {type: int, length: 1}}\nverify: {a: {equals: 1, tolerance: {", "}}}"},
    {"an argument", names_of(argument_keys), "arguments: {a: {", "}}"},
    {"a listed argument", names_of(listed_argument_keys), "arguments: [{", "}]"},
    {"a tensor map", names_of(tensor_map_keys), "arguments: [{", "}]"},
    {"a texture", names_of(texture_keys), "arguments: [{", "}]"},
    {"compile", names_of(compile_keys), "compile: {", "}"},
    {"launch", names_of(launch_keys), "launch: {", "}"},
    {"an access policy window", names_of(access_policy_window_keys),
     "launch: {access_policy_window: {", "}}"},
    {"a copy engine's copy", names_of(copy_engine_keys), "launch: {copy_engine: {", "}}"},
    {"a constant", names_of(constant_keys), "constants: {a: {", "}}"},
    {"a step", names_of(step_keys), "steps: [{", "}]"},
    {"a repetition", names_of(repeat_keys), "steps: [{repeat: {a: {", "}}}]"},
    {"a reference", names_of(reference_keys), "reference: {", "}"},
    {"useful", names_of(useful_keys), "useful: {", "}"},
    {"a metric", names_of(own_metric_keys), "metrics: {rate: {", "}}"},
};

/// A document one of whose maps lacks a key that it needs.
struct Lacking {
  std::string key;
  std::string yaml;
};

std::ostream& operator<<(std::ostream& out, const Lacking& lacking) {
  return out << lacking.key;
}

std::string document(const Surroundings& place, const std::string& key) {
  return fmt::format("{}{}: 1{}\n", place.before, key, place.after);
}

std::string header_mistakes(const std::string& yaml) {
  Diagnostics diagnostics;
  const std::string text = "/* pattern:\n" + yaml + "*/\n__global__ void text() {}\n";
  parse_pattern(testing::source_of(text), "text.cu", diagnostics);
  return render(diagnostics);
}

/// Whether the schema refuses a key of the document as one that it does not have. Inside of anyOf
/// the validator does not say which key it was, hence the one key is compared with none.
bool lacks_key(const Json& schema, const std::string& text, const std::string& key) {
  const Json value = json_of(yaml_of(testing::source_of(text)));
  const std::vector<std::string> mistakes = check_schema(schema, value);
  return std::ranges::any_of(mistakes, [&](const std::string& mistake) {
    return mistake.ends_with("/" + key + ": no such key");
  });
}

bool says_unknown(const std::string& messages, const std::string& key) {
  return messages.find("has no key '" + key + "'") != std::string::npos;
}

/// Every map of known keys that the schema has, wherever it stands.
void collect_maps(const Json& schema, std::vector<std::vector<std::string>>& maps) {
  if (schema.is_object() && schema.value("type", Json()) == "object" &&
      schema.contains("properties")) {
    std::vector<std::string> keys;
    for (const auto& [key, ignored] : schema["properties"].items()) keys.push_back(key);
    maps.push_back(keys);
    BOOST_TEST(schema.contains("additionalProperties"));
  }
  if (schema.is_structured()) {
    for (const Json& inner : schema) collect_maps(inner, maps);
  }
}

bool has_map(const Json& schema, std::vector<std::string> keys) {
  std::vector<std::vector<std::string>> maps;
  collect_maps(schema, maps);
  std::ranges::sort(keys);
  return std::ranges::find(maps, keys) != maps.end();
}

}  // namespace

BOOST_DATA_TEST_CASE(every_shipped_sweep_is_valid, data::make(files(sweeps, ".yaml"))) {
  const Json value = json_of(yaml_of(read_source(sample)));
  BOOST_TEST(check_schema(schema_of_sweeps(), value) == std::vector<std::string>{},
             boost::test_tools::per_element());
}

BOOST_DATA_TEST_CASE(every_shipped_header_is_valid, data::make(files(patterns, ".cu"))) {
  const Json value = json_of(header_of(read_source(sample)));
  BOOST_TEST(check_schema(schema_of_patterns(), value) == std::vector<std::string>{},
             boost::test_tools::per_element());
}

BOOST_DATA_TEST_CASE(the_parser_of_sweeps_and_the_schema_have_the_same_keys,
                     data::make(in_sweeps)) {
  BOOST_TEST(has_map(schema_of_sweeps(), sample.keys));
  const PatternLookup lookup = remembered_patterns();
  for (const std::string& key : sample.keys) {
    const std::string good = document(sample, key);
    const std::string pattern = good.starts_with("pattern") ? "" : "pattern: stride\n";
    BOOST_TEST(!says_unknown(sweep_mistakes(pattern + good, lookup), key), good);
    const std::string bad = document(sample, key + "x");
    BOOST_TEST(says_unknown(sweep_mistakes("pattern: stride\n" + bad, lookup), key + "x"), bad);
    BOOST_TEST(!check_schema(schema_of_sweeps(), json_of(yaml_of(testing::source_of(bad)))).empty(),
               bad);
    BOOST_TEST(!lacks_key(schema_of_sweeps(), good, key), good);
  }
}

BOOST_DATA_TEST_CASE(the_parser_of_headers_and_the_schema_have_the_same_keys,
                     data::make(in_headers)) {
  BOOST_TEST(has_map(schema_of_patterns(), sample.keys));
  for (const std::string& key : sample.keys) {
    const std::string good = document(sample, key);
    BOOST_TEST(!says_unknown(header_mistakes(good), key), good);
    const std::string bad = document(sample, key + "x");
    BOOST_TEST(says_unknown(header_mistakes(bad), key + "x"), bad);
    BOOST_TEST(
        !check_schema(schema_of_patterns(), json_of(yaml_of(testing::source_of(bad)))).empty(),
        bad);
    BOOST_TEST(!lacks_key(schema_of_patterns(), good, key), good);
  }
}

BOOST_DATA_TEST_CASE(no_map_of_the_schemas_is_missing_here, data::make({false, true}), is_pattern) {
  std::vector<std::vector<std::string>> maps;
  collect_maps(is_pattern ? schema_of_patterns() : schema_of_sweeps(), maps);
  // Some maps have the same keys.
  const std::set<std::vector<std::string>> different(maps.begin(), maps.end());
  std::set<std::vector<std::string>> known;
  for (Surroundings place : is_pattern ? in_headers : in_sweeps) {
    std::ranges::sort(place.keys);
    known.insert(place.keys);
  }
  BOOST_TEST(different.size() == known.size());
}

BOOST_AUTO_TEST_CASE(a_misspelt_key_of_a_shipped_sweep_is_refused_by_both) {
  const PatternLookup lookup = remembered_patterns();
  std::set<std::string> seen;
  for (const std::string& file : files(sweeps, ".yaml")) {
    const SourcePtr source = read_source(file);
    std::vector<Location> keys;
    collect_keys(yaml_of(source), "", false, seen, keys);
    for (const Location& key : keys) {
      const std::string text = misspelt(source->text, key);
      BOOST_TEST_CONTEXT(file << ":" << key.line << ":" << key.column) {
        BOOST_TEST(!sweep_mistakes(text, lookup).empty());
        const Json value = json_of(yaml_of(testing::source_of(text)));
        BOOST_TEST(!check_schema(schema_of_sweeps(), value).empty());
      }
    }
  }
  BOOST_TEST(seen.size() > 40U);
}

BOOST_AUTO_TEST_CASE(a_misspelt_key_of_a_shipped_header_is_refused_by_both) {
  std::set<std::string> seen;
  for (const std::string& file : files(patterns, ".cu")) {
    const SourcePtr source = read_source(file);
    std::vector<Location> keys;
    collect_keys(header_of(source), "", false, seen, keys);
    for (const Location& key : keys) {
      const std::string text = misspelt(source->text, key);
      BOOST_TEST_CONTEXT(file << ":" << key.line << ":" << key.column) {
        Diagnostics diagnostics;
        parse_pattern(testing::source_of(text), file, diagnostics);
        BOOST_TEST(diagnostics.has_errors());
        const Json value = json_of(header_of(testing::source_of(text)));
        BOOST_TEST(!check_schema(schema_of_patterns(), value).empty());
      }
    }
  }
  BOOST_TEST(seen.size() > 40U);
}

BOOST_DATA_TEST_CASE(values_that_mean_nothing_are_refused_by_both,
                     data::make(std::vector<std::string>{
                         "axes: {STRIDE: []}\n",
                         "axes: {STRIDE: {from: 1}}\n",
                         "axes: {STRIDE: {from: 1, to: 8, step: 2, multiply: 2}}\n",
                         "axes: {2STRIDE: 1}\n",
                         "zip: {STRIDE: [1, 2]}\n",
                         "measure: {cache: hot}\n",
                         "measure: {noise: 2}\n",
                         "measure: {seconds: 0}\n",
                         "measure: {samples: {min: 0}}\n",
                         "measure: {caches: maybe}\n",
                         "measure: {counters: [memori]}\n",
                         "tune: {strategy: forest}\n",
                         "tune: {maximize: band-with}\n",
                         "tune: {maximize: bandwidth, strategy: guess}\n",
                         "tune: {maximize: bandwidth, cut_off: 0.5}\n",
                         "tune: {maximize: bandwidth, budget: {}}\n",
                         "report: {tables: [{rows: STRIDE}]}\n",
                         "report: {tables: [{rows: STRIDE, value: band-with}]}\n",
                         "report: {tables: {rows: STRIDE, value: time}}\n",
                         "expect: [{where: STRIDE == 1}]\n",
                         "patterns: [offset]\n",
                         "report: {charts: [{x: STRIDE, y: time}]}\n",
                         "report: {charts: [{line: {x: STRIDE, y: time}, bar: {x: T, y: time}}]}\n",
                         "report: {charts: [{line: {x: STRIDE, y: ti-m}}]}\n",
                         "report: {charts: [{bar: {x: T, y: time, y_scale: category}}]}\n",
                     })) {
  const std::string text = "pattern: stride\n" + sample;
  BOOST_TEST(!sweep_mistakes(text, remembered_patterns()).empty());
  const Json value = json_of(yaml_of(testing::source_of(text)));
  BOOST_TEST(!check_schema(schema_of_sweeps(), value).empty());
}

BOOST_DATA_TEST_CASE(values_of_every_form_are_accepted_by_both,
                     data::make(std::vector<std::string>{
                         "axes: {STRIDE: 64 Ki, T: [float, double], BLOCK: {from: 32, to: 256, "
                         "multiply: 2}}\n",
                         "zip: [{STRIDE: [1, 2], BLOCK: [64, 128]}]\n",
                         "where: STRIDE > 1\n",
                         "where: [STRIDE > 1, true]\n",
                         "measure: {noise: 0.5 %, seconds: 2, samples: {min: 5, max: 1 Ki}}\n",
                         "measure: {counters: true}\n",
                         "measure: {counters: off}\n",
                         "measure: {counters: gld_transactions}\n",
                         "measure: {counters: [memory, l1tex__t_sectors.sum]}\n",
                         "tune: {maximize: [bandwidth, gld_efficiency], cut_off: off}\n",
                         "tune: {minimize: smsp__inst_executed.sum, budget: {no_better: {by: 1 %, "
                         "in: 5}}}\n",
                         "expect: efficiency >= 50 %\n",
                         "expect: [load_sectors > 0, {check: time >= 0, where: STRIDE == 1}]\n",
                         "report: {tables: [{rows: [STRIDE], value: [bandwidth, efficiency], "
                         "title: 7}]}\n",
                         "emulator: {set: {STRIDE: 2}}\n",
                         "report: {charts: []}\n",
                         "report: {charts: [{line: {x: STRIDE, y: [bandwidth, efficiency], series: "
                         "T, facet: [BLOCK], x_scale: log2}, where: BLOCK == 256, title: a}, "
                         "{heatmap: {x: STRIDE, y: [BLOCK, T], value: time}}]}\n",
                         "report: {charts: [{scatter: {x: [time.measured, instructions], y: "
                         "time.predicted, series: T, x_scale: log10}, where: BLOCK == 256}]}\n",
                     })) {
  const std::string text = "pattern: stride\n" + sample;
  BOOST_TEST(sweep_mistakes(text, remembered_patterns()) == "");
  const Json value = json_of(yaml_of(testing::source_of(text)));
  BOOST_TEST(check_schema(schema_of_sweeps(), value) == std::vector<std::string>{},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_key_says_what_it_means) {
  const std::vector<KeyTable> tables = {
      sweep_keys,     axis_range_keys, measure_keys,     samples_keys, tune_keys,  budget_keys,
      patience_keys,  emulator_keys,   expectation_keys, report_keys,  table_keys, pattern_keys,
      parameter_keys, buffer_keys,     argument_keys,    launch_keys,  useful_keys};
  for (const KeyTable table : tables) {
    for (const Key& key : table) {
      BOOST_TEST(key.help.size() > 10U, key.name);
      BOOST_TEST(key.help.ends_with('.'), key.name);
    }
  }
}

BOOST_DATA_TEST_CASE(a_map_of_a_sweep_that_lacks_its_key_is_refused_by_both,
                     data::make(std::vector<Lacking>{
                         {"to", "axes: {STRIDE: {from: 1}}\n"},
                         {"from", "axes: {STRIDE: {to: 1}}\n"},
                         {"check", "expect: [{where: STRIDE == 1}]\n"},
                         {"rows", "report: {tables: [{value: time}]}\n"},
                         {"value", "report: {tables: [{rows: STRIDE}]}\n"},
                         {"x", "report: {charts: [{line: {y: time}}]}\n"},
                         {"y", "report: {charts: [{line: {x: STRIDE}}]}\n"},
                     })) {
  const std::string text = "pattern: stride\n" + sample.yaml;
  BOOST_TEST(
      sweep_mistakes(text, remembered_patterns()).find("needs the key '" + sample.key + "'") !=
      std::string::npos);
  BOOST_TEST(!check_schema(schema_of_sweeps(), json_of(yaml_of(testing::source_of(text)))).empty());
}

BOOST_DATA_TEST_CASE(a_header_that_lacks_a_key_is_refused_by_both,
                     data::make(std::vector<Lacking>{
                         {"default", "parameters: {A: {min: 1}}\n"},
                         {"type", "buffers: {a: {length: 1}}\n"},
                         {"length", "buffers: {a: {type: int}}\n"},
                         {"value", "arguments: {a: {type: int}}\n"},
                         {"grid", "launch: {block: 32}\n"},
                         {"block", "launch: {grid: 32}\n"},
                         {"buffers", "launch: {grid: 32, block: 32}\n"},
                         {"launch", "useful: 1\n"},
                         {"useful", "launch: {grid: 32, block: 32}\n"},
                         {"verify", "launch: {grid: 32, block: 32}\n"},
                     })) {
  BOOST_TEST(header_mistakes(sample.yaml).find("needs the key '" + sample.key + "'") !=
             std::string::npos);
  BOOST_TEST(!check_schema(schema_of_patterns(), json_of(yaml_of(testing::source_of(sample.yaml))))
                  .empty());
}

BOOST_AUTO_TEST_SUITE_END()
