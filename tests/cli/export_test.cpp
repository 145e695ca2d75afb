#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/store/store.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(export_command)

namespace {

std::string pattern_text(const std::string& name, const char* bounds = "min: 32, max: 1024") {
  return "/* pattern:\nsummary: A stream\nparameters:\n"
         "  T: {type: element, default: float}\n"
         "  BLOCK: {default: 256, " +
         std::string(bounds) +
         "}\n"
         "  ITEMS: 1\n"
         "  BLOCKS: {default: 64, device: multiprocessors}\n"
         "  N: 4 Mi\n"
         "  GRID: N / (BLOCK * ITEMS)\n"
         "buffers:\n  data: {type: T, length: N}\n"
         "launch: {grid: GRID, block: BLOCK}\n"
         "useful: {read: N * sizeof(T)}\n"
         "verify: \"true\"\n*/\n"
         "__global__ void " +
         name + "(T* data) {}\n";
}

Provenance provenance_on(const std::string& device) {
  Provenance provenance;
  provenance.sweep_name = "streams";
  provenance.sweep_text = "pattern: copy\nmeasure: {cache: warm}\n";
  provenance.command = "sweep run streams.yaml";
  provenance.engine_version = "0.1.0";
  provenance.device.backend = "cuda";
  provenance.device.name = device;
  provenance.device.compute_capability = 90;
  provenance.device.multiprocessors = 132;
  return provenance;
}

PointRecord point(const std::string& pattern, const char* type, std::int64_t block,
                  double bandwidth) {
  constexpr std::int64_t elements = 4 << 20;
  PointRecord point;
  point.key.pattern_name = pattern;
  point.key.pattern_text = pattern_text(pattern);
  Bindings& parameters = point.key.parameters;
  parameters.set("T", ElementType::find(type).value());
  parameters.set("BLOCK", block);
  parameters.set("ITEMS", std::int64_t{1});
  parameters.set("BLOCKS", std::int64_t{132});
  parameters.set("N", elements);
  parameters.set("GRID", elements / block);
  point.samples = {{1e-3}};
  point.metrics = {{"time", Origin::measured, 1e6 / bandwidth},
                   {"bandwidth", Origin::measured, bandwidth}};
  return point;
}

std::int64_t add_run(Store& store, const std::string& device,
                     const std::vector<PointRecord>& points, RunState state) {
  const std::int64_t run = store.begin_run(provenance_on(device));
  for (std::size_t i = 0; i < points.size(); ++i) {
    store.add_point(run, static_cast<std::int64_t>(i), points[i]);
  }
  store.end_run(run, state);
  return run;
}

/// A database with a finished run of the patterns copy and read.
std::filesystem::path streams_database(const TemporaryFolder& folder) {
  std::filesystem::create_directories(folder.path() / "results");
  const std::filesystem::path path = folder.path() / "results" / "streams.db";
  Store store(path, Store::Mode::read_write);
  const std::vector<PointRecord> points = {
      point("copy", "float", 128, 900), point("copy", "float4", 512, 1500),
      point("read", "float", 1024, 3000), point("read", "float4", 64, 2000)};
  add_run(store, "NVIDIA H200", points, RunState::finished);
  return path;
}

/// A database with a run that searched for the best of each type.
std::filesystem::path tuned_database(const TemporaryFolder& folder) {
  const std::filesystem::path path = folder.path() / "tuned.db";
  Store store(path, Store::Mode::read_write);
  const std::vector<PointRecord> points = {point("copy", "float", 128, 900),
                                           point("copy", "float4", 512, 1500)};
  const std::int64_t run = add_run(store, "NVIDIA H200", points, RunState::finished);
  TuningRecord tuning;
  tuning.metric = "bandwidth";
  tuning.strategy = "random";
  tuning.for_each = {"T"};
  for (const std::int64_t place : {0, 1}) {
    TunedGroup group;
    group.group.set("T", *points[static_cast<std::size_t>(place)].key.parameters.find("T"));
    group.winner = place;
    group.configurations = 40;
    group.tried = 10;
    group.figure = place == 0 ? 900 : 1500;
    tuning.groups.push_back(group);
  }
  store.set_tuning(run, tuning);
  return path;
}

/// A database with a run that searched on the emulator, at a size that the sweep states for it.
std::filesystem::path emulated_database(const TemporaryFolder& folder) {
  const std::filesystem::path path = folder.path() / "counted.db";
  Store store(path, Store::Mode::read_write);
  Provenance provenance = provenance_on("emulator of 9.0 (H200)");
  provenance.device.backend = "emulator";
  provenance.sweep_text =
      "pattern: copy\naxes: {N: 1 Gi, BLOCK: [128, 512]}\ntune: {minimize: instructions}\n"
      "emulator: {set: {N: 2 Mi}}\n";
  const std::int64_t run = store.begin_run(provenance);
  for (const std::int64_t block : {128, 512}) {
    PointRecord counted = point("copy", "float", block, 1);
    counted.key.parameters.set("N", std::int64_t{2} << 20);
    counted.key.parameters.set("GRID", (std::int64_t{2} << 20) / block);
    counted.samples.clear();
    counted.metrics = {{"instructions", Origin::emulated, static_cast<double>(100 * block)}};
    store.add_point(run, block == 128 ? 0 : 1, counted);
  }
  store.end_run(run, RunState::finished);
  TuningRecord tuning;
  tuning.metric = "instructions";
  tuning.origin = Origin::emulated;
  tuning.better = Better::lower;
  tuning.strategy = "forest";
  TunedGroup group;
  group.winner = 0;
  group.configurations = group.tried = 2;
  group.figure = 12800;
  tuning.groups = {group};
  store.set_tuning(run, tuning);
  return path;
}

}  // namespace

BOOST_DATA_TEST_CASE(what_the_emulator_ranks_is_refused, data::make({"header", "yaml", "json"}),
                     format) {
  const TemporaryFolder folder;
  const std::string database = emulated_database(folder).string();
  const Outcome refused = run_program({"export", database, "--format", format});
  BOOST_TEST(refused.code == 1);
  BOOST_TEST(refused.out == "");
  BOOST_TEST(contains(refused.err,
                      "the configurations of run 1 on emulator of 9.0 (H200) are ranked by "
                      "instructions, emulated: this is not speed; a GPU may prefer another "
                      "configuration; --emulated exports them all the same"),
             refused.err);
}

BOOST_AUTO_TEST_CASE(what_the_emulator_ranks_is_marked_in_a_header_and_a_sweep) {
  const TemporaryFolder folder;
  const std::string database = emulated_database(folder).string();
  const Outcome header = run_program({"export", database, "--format", "header", "--emulated"});
  BOOST_TEST(header.code == 0, header.err);
  const std::string head =
      "// NOT MEASURED: ranked by instructions, emulated: this is not speed; a GPU may prefer "
      "another configuration\n"
      "// counted with the emulator's own values, not tuned for them: BLOCKS = 132, N = 2097152 "
      "and GRID = 16384\n"
      "// counted by: emulator of 9.0 (H200)\n";
  BOOST_TEST(contains(header.out, head), header.out);
  BOOST_TEST(contains(header.out, "N = 2097152;  // the emulator's own\n"));
  BOOST_TEST(contains(header.out, "BLOCKS = 132;  // the emulator's own\n"));
  BOOST_TEST(contains(header.out, "BLOCK = 128;\n"));
  BOOST_TEST(!contains(header.out, "multiprocessors"));
  BOOST_TEST(!contains(header.out, "best configurations"));
  const Outcome sweep = run_program({"export", database, "--format", "yaml", "--emulated"});
  BOOST_TEST(sweep.code == 0, sweep.err);
  BOOST_TEST(contains(sweep.out, "# NOT MEASURED: ranked by instructions, emulated"));
  BOOST_TEST(contains(sweep.out, "  N: 2097152  # the emulator's own\n"), sweep.out);
}

BOOST_AUTO_TEST_CASE(json_says_what_the_emulator_ranks) {
  const TemporaryFolder folder;
  const std::string database = emulated_database(folder).string();
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--emulated"}, {"--points", "all"}}) {
    std::vector<std::string> words = {"export", database, "--format", "json"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome json = run_program(words);
    BOOST_TEST(json.code == 0, json.err);
    BOOST_TEST(contains(json.out, "ranked by instructions, emulated: this is not speed"));
  }
}

BOOST_AUTO_TEST_CASE(a_header_of_every_pattern) {
  const TemporaryFolder folder;
  streams_database(folder);
  const Outcome done = run_program({"export", "streams", "--format", "header"}, folder.path());
  BOOST_TEST(done.code == 0);
  BOOST_TEST(done.err == "");
  BOOST_TEST(contains(done.out, "namespace best_streams {"));
  BOOST_TEST(contains(done.out, "namespace nvidia_h200 {"));
  BOOST_TEST(contains(done.out, "struct copy {"));
  BOOST_TEST(contains(done.out, "static constexpr int BLOCK = 1024;"));
}

BOOST_AUTO_TEST_CASE(a_run_is_named_behind_a_colon_too) {
  const TemporaryFolder folder;
  streams_database(folder);
  const auto exported = [&](const std::vector<std::string>& from) {
    std::vector<std::string> words = {"export", "--format", "header"};
    words.insert(words.end(), from.begin(), from.end());
    return run_program(words, folder.path());
  };
  BOOST_TEST(exported({"streams:1"}).out == exported({"streams", "--run", "1"}).out);
  BOOST_TEST(exported({"results/streams.db:1"}).code == 0);
  BOOST_TEST(exported({"streams:2"}).code == 66);
  BOOST_TEST(exported({"streams:1", "--run", "1"}).code == 2);
}

BOOST_AUTO_TEST_CASE(a_header_of_what_a_search_found) {
  const TemporaryFolder folder;
  const std::string database = tuned_database(folder).string();
  const Outcome done = run_program({"export", database, "--format", "header"}, folder.path());
  BOOST_TEST(done.code == 0);
  BOOST_TEST(contains(done.out, "struct copy_T_float4 {"));
  BOOST_TEST(contains(done.out, "10 of 40 configurations tried"));
}

BOOST_AUTO_TEST_CASE(an_exported_sweep_runs_as_it_stands) {
  const TemporaryFolder folder;
  const std::string database = streams_database(folder).string();
  for (const char* name : {"copy", "read"}) {
    folder.write(std::string(name) + ".cu", pattern_text(name));
  }
  const Outcome done =
      run_program({"export", database, "--format", "yaml", "-o", "best.yaml"}, folder.path());
  BOOST_TEST(done.code == 0, done.err);
  BOOST_TEST(done.out == "");
  const std::string text = read_text_file(folder.path() / "best.yaml");
  BOOST_TEST(contains(text,
                      "patterns: [copy, read]\n"
                      "zip:\n  - {T: [float4, float],\n     BLOCK: [512, 1024]}\n"
                      "where:\n"));
  BOOST_TEST(contains(text, "measure: {cache: warm}"));
  const Outcome shown = run_program({"show", "sweep", "best.yaml"}, folder.path());
  BOOST_TEST(shown.code == 0, shown.err);
  BOOST_TEST(contains(shown.out, "2 configurations"), shown.out);
}

BOOST_AUTO_TEST_CASE(what_varied_is_given_even_where_it_is_the_default) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "default.db";
  {
    Store store(path, Store::Mode::read_write);
    add_run(store, "NVIDIA H200",
            {point("copy", "float", 256, 900), point("copy", "float4", 128, 300)},
            RunState::finished);
  }
  const Outcome done = run_program({"export", path.string(), "--format", "yaml"}, folder.path());
  BOOST_TEST(done.code == 0, done.err);
  BOOST_TEST(contains(done.out, "pattern: copy\naxes:\n  T: float\n  BLOCK: 256\nmeasure:"),
             done.out);
}

BOOST_AUTO_TEST_CASE(patterns_that_do_not_fit_one_sweep_are_refused) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "odd.db";
  {
    Store store(path, Store::Mode::read_write);
    std::vector<PointRecord> points = {point("copy", "float", 128, 900),
                                       point("read", "float", 1024, 3000)};
    points[0].key.pattern_text = pattern_text("copy", "max: 512");
    add_run(store, "NVIDIA H200", points, RunState::finished);
  }
  const Outcome done = run_program({"export", path.string(), "--format", "yaml"}, folder.path());
  BOOST_TEST(done.code == 65);
  BOOST_TEST(done.out == "");
  BOOST_TEST(contains(done.err, "one sweep cannot hold these configurations"), done.err);
  BOOST_TEST(contains(done.err, "--format header"));
}

BOOST_AUTO_TEST_CASE(each_device_is_exported_by_its_newest_finished_run) {
  const TemporaryFolder folder;
  const std::filesystem::path path = streams_database(folder);
  {
    Store store(path, Store::Mode::read_write);
    const std::vector<PointRecord> one = {point("copy", "float", 32, 100)};
    add_run(store, "NVIDIA H200", one, RunState::interrupted);
    add_run(store, "NVIDIA H100", one, RunState::interrupted);
  }
  const Outcome all = run_program({"export", path.string(), "--format", "header"}, folder.path());
  BOOST_TEST(all.code == 0);
  BOOST_TEST(contains(all.out, "// run: 1,"));
  BOOST_TEST(!contains(all.out, "// run: 2,"));
  BOOST_TEST(contains(all.out, "namespace nvidia_h100 {"));
  BOOST_TEST(contains(all.err, "warning: run 3 on NVIDIA H100 did not finish"), all.err);
  const Outcome chosen =
      run_program({"export", path.string(), "--format", "header", "--run", "2"}, folder.path());
  BOOST_TEST(chosen.code == 0);
  BOOST_TEST(contains(chosen.out, "// run: 2,"));
  BOOST_TEST(!contains(chosen.out, "nvidia_h100"));
  const Outcome json = run_program({"export", path.string(), "--format", "json"}, folder.path());
  BOOST_TEST(json.code == 2);
  BOOST_TEST(contains(json.err, "--run 1 (NVIDIA H200) or --run 3 (NVIDIA H100)"), json.err);
}

BOOST_AUTO_TEST_CASE(json_has_the_best_or_every_point) {
  const TemporaryFolder folder;
  const std::string database = streams_database(folder).string();
  const Outcome best = run_program({"export", database, "--format", "json"}, folder.path());
  BOOST_TEST(best.code == 0, best.err);
  BOOST_TEST(nlohmann::json::parse(best.out).at("results").size() == 2u);
  const Outcome all =
      run_program({"export", database, "--format", "json", "--points", "all"}, folder.path());
  BOOST_TEST(all.code == 0, all.err);
  BOOST_TEST(nlohmann::json::parse(all.out).at("results").size() == 4u);
}

BOOST_AUTO_TEST_CASE(without_a_best_configuration_there_is_nothing_to_export) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "emulated.db";
  {
    Store store(path, Store::Mode::read_write);
    PointRecord counted = point("copy", "float", 128, 900);
    counted.metrics = {{"load_sectors", Origin::emulated, 4096}};
    add_run(store, "emulator", {counted}, RunState::finished);
  }
  const Outcome done = run_program({"export", path.string(), "--format", "header"}, folder.path());
  BOOST_TEST(done.code == 1);
  BOOST_TEST(done.out == "");
  BOOST_TEST(contains(done.err, "pattern=copy: none of its points has a time"), done.err);
  BOOST_TEST(contains(done.err, "--points all"));
}

BOOST_DATA_TEST_CASE(a_wrong_command_line_says_what_to_write,
                     data::make({"", "yml", "header --points all", "json --points bets",
                                 "header --run x"}) ^
                         data::make({"--format header", "did you mean 'yaml'?",
                                     "only --format json", "did you mean 'best'?", "run"}),
                     format, message) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments = {"export", streams_database(folder).string()};
  std::istringstream words(std::string(*format == '\0' ? "" : "--format ") + format);
  for (std::string word; words >> word;) arguments.push_back(word);
  const Outcome refused = run_program(arguments, folder.path());
  BOOST_TEST(refused.code == 2);
  BOOST_TEST(contains(refused.err, message), refused.err);
}

BOOST_AUTO_TEST_CASE(files_that_are_not_there_and_cannot_be_written) {
  const TemporaryFolder folder;
  const std::string database = streams_database(folder).string();
  BOOST_TEST(run_program({"export", "no.db", "--format", "header"}, folder.path()).code == 66);
  BOOST_TEST(run_program({"export", "no", "--format", "header"}, folder.path()).code == 66);
  BOOST_TEST(run_program({"export", "--format", "header"}, folder.path()).code == 2);
  BOOST_TEST(run_program({"export", database, "--format", "header", "--run", "9"}).code == 66);
  BOOST_TEST(
      run_program({"export", database, "--format", "header", "-o", "no/such/file.h"}, folder.path())
          .code == 73);
}

BOOST_AUTO_TEST_SUITE_END()
