#include <fmt/format.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "engine/store/store.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(replay)

namespace {

const char* const step_pattern = R"cuda(/* pattern:
parameters: {STEP: {default: 4, min: 1}, BLOCK: {default: 256, min: 32}, N: 16 Ki}
buffers: {data: {type: int, length: N * STEP, init: "int(i)"}}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * 4, write: N * 4}
verify: "true"
*/
__global__ void step(int* data) {
  data[(size_t(blockIdx.x) * BLOCK + threadIdx.x) * STEP] += 1;
}
)cuda";

const std::string axes = "pattern: step\naxes: {STEP: [1, 2, 4, 8], BLOCK: [128, 256]}\n";

/// A cache of Kernel Tuner: STEP x BLOCK us, but none of STEP = 8, and STEP = 2 fails with 256.
std::string recorded_times(const std::string& extra = {}) {
  std::string entries;
  for (const int step : {1, 2, 4}) {
    for (const int block : {128, 256}) {
      const std::string time = step == 2 && block == 256 ? "\"RuntimeFailedConfig\""
                                                         : fmt::format("{}", step * block / 1000.0);
      entries += fmt::format(R"({}"{},{}": {{"STEP": {}, "BLOCK": {}{}, "time": {}}})",
                             entries.empty() ? "" : ",\n", step, block, step, block, extra, time);
    }
  }
  return R"({"device_name": "Some GPU", "kernel_name": "step", "tune_params_keys": ["STEP", "BLOCK"],
"tune_params": {"STEP": [1, 2, 4], "BLOCK": [128, 256]}, "objective": "time", "cache": {
)" + entries +
         "}}\n";
}

/// Needs neither a compiler nor a GPU, but `record` needs a compiler.
struct Replayed {
  Replayed() {
    folder.write("mine/step.cu", step_pattern);
    folder.write("times.json", recorded_times());
  }
  /// The database, in the folder, of a run of the sweep on the emulator.
  std::string record(const std::string& sweep) const {
    folder.write("replayed.yaml", sweep);
    const Outcome recorded = run_program(
        {"run", "replayed.yaml", "--patterns", "mine", "--device", "emulator", "-o", "recorded"},
        folder.path());
    BOOST_REQUIRE_MESSAGE(recorded.code == 0, recorded.err);
    return "recorded/replayed.db";
  }
  Outcome run(const std::string& sweep, const std::string& recording = "times.json",
              const std::vector<std::string>& more = {}) const {
    folder.write("replayed.yaml", sweep);
    std::vector<std::string> words = {"run",  "replayed.yaml", "--patterns",
                                      "mine", "--device",      "replay:" + recording};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, folder.path());
  }
  RunRecord last_run() const {
    return Store(folder.path() / "results/replayed.db", Store::Mode::read_only).runs().back();
  }

  TemporaryFolder folder;
};

struct Mistake {
  std::string sweep;
  std::string recording;
  int code;
  std::string message;
};
std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
  return out << mistake.message;
}

const std::vector<Mistake> mistakes = {
    {axes, "", 2, "--device replay: names no file; write replay:FILE"},
    {axes, "none.json", 66, "none.json: no such file"},
    {axes, "mine/step.cu", 65, "neither a results database nor JSON results"},
    {"pattern: step\naxes: {STEP: [16, 32]}\n", "times.json", 65,
     "times.json: none of this sweep's 2 configurations is recorded there; fix what differs with "
     "--set NAME=VALUE"},
    {"pattern: step\naxes: {N: [1024, 2048]}\n", "times.json", 65,
     "times.json: it does not know 'N', which this sweep varies; fix it with --set N=VALUE"},
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(searches_recorded_results_in_the_place_of_a_device, Replayed) {
  const Outcome outcome = run(axes + "tune: {minimize: time, strategy: exhaustive}\n");
  BOOST_TEST(outcome.code == 1, outcome.err);  // one of the recorded ones failed
  BOOST_TEST(contains(outcome.err, "on replay of Some GPU"));
  BOOST_TEST(contains(outcome.err, "6 of the 8 configurations are recorded; the others are left"));
  BOOST_TEST(contains(outcome.out, "best: STEP = 1, BLOCK = 128: 128.0 us"), outcome.out);
  BOOST_TEST(contains(outcome.out, "default: STEP = 4, BLOCK = 256: 1024 us"), outcome.out);
  const RunRecord run = last_run();
  BOOST_REQUIRE(run.tuning.has_value());
  BOOST_TEST(run.tuning->groups.front().tried == 6);
  BOOST_TEST(run.tuning->groups.front().gain == 8);
  BOOST_TEST(run.provenance.device.backend == "replay");
  BOOST_TEST(run.provenance.compiler == "");
}

BOOST_FIXTURE_TEST_CASE(makes_the_tables_of_a_sweep_that_searches_nothing, Replayed) {
  const Outcome outcome =
      run(axes + "report: {tables: [{rows: STEP, columns: BLOCK, value: time}]}\n");
  BOOST_TEST(contains(outcome.err, "6 points taken from the recording, 1 failed; 0 reused"),
             outcome.err);
  BOOST_TEST(contains(outcome.out, "failed"));
  BOOST_TEST(contains(outcome.out, "512.0"));
}

BOOST_FIXTURE_TEST_CASE(says_which_options_a_recording_leaves_nothing_to_do, Replayed) {
  const Outcome outcome =
      run(axes, "times.json", {"--counters", "memory", "--model", "7.5", "--exact"});
  for (const char* option : {"counters", "model", "exact"}) {
    BOOST_TEST(contains(outcome.err, fmt::format("--{} is left out", option)), outcome.err);
  }
  BOOST_TEST(!contains(run(axes).err, "is left out"));
}

BOOST_FIXTURE_TEST_CASE(has_no_default_that_is_not_recorded, Replayed) {
  const Outcome outcome =
      run("pattern: step\naxes: {STEP: [1, 2], BLOCK: [128, 256]}\nwhere: STEP * BLOCK != 512\n"
          "tune: {minimize: time}\n",
          "times.json", {"--set", "BLOCK=128,512"});
  BOOST_TEST(outcome.code == 0, outcome.err);
  BOOST_TEST(contains(outcome.out, "best: STEP = 1"), outcome.out);
}

BOOST_FIXTURE_TEST_CASE(is_not_taken_for_a_measurement_later, Replayed) {
  const std::string tuned = axes + "tune: {minimize: time}\n";
  run(tuned);
  const Outcome again = run(tuned);
  BOOST_TEST(contains(again.err, "; 0 reused"), again.err);
}

BOOST_FIXTURE_TEST_CASE(takes_the_values_that_the_emulator_recorded_with, Replayed,
                        *boost::unit_test::precondition(has_compiler)) {
  const std::string sweep = "pattern: step\naxes: {STEP: [1, 2]}\nemulator: {set: {N: 1 Ki}}\n";
  const std::string recording = record(sweep);
  const Outcome outcome = run(sweep, recording);
  BOOST_TEST(outcome.code == 0, outcome.err);
  BOOST_TEST(contains(outcome.err, "with the sweep's values for the emulator"), outcome.err);
  BOOST_TEST(contains(outcome.err, "2 points taken from the recording, 0 failed"), outcome.err);
  // What a person types goes before what the file says.
  const Outcome other = run(sweep, recording, {"--set", "N=2048"});
  BOOST_TEST(contains(other.err, "none of this sweep's 2 configurations is recorded"), other.err);
}

BOOST_FIXTURE_TEST_CASE(has_the_figures_of_the_recorded_device_for_defaults, Replayed,
                        *boost::unit_test::precondition(has_compiler)) {
  folder.write("mine/spread.cu", R"cuda(/* pattern:
parameters: {SMS: {default: 3, min: 1, device: multiprocessors}, BLOCK: {default: 32, min: 32}}
buffers: {out: {type: int, length: SMS * BLOCK}}
launch: {grid: SMS, block: BLOCK}
useful: {write: SMS * BLOCK * 4}
verify: "out[i] == i"
*/
__global__ void spread(int* out) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  out[i] = i;
}
)cuda");
  const std::string sweep = "pattern: spread\naxes: {BLOCK: [32, 64]}\n";
  const std::string recording = record(sweep);
  const Outcome outcome = run(sweep, recording);
  BOOST_TEST(outcome.code == 0, outcome.err);
  BOOST_TEST(contains(outcome.err, "2 points taken from the recording, 0 failed"), outcome.err);
}

BOOST_FIXTURE_TEST_CASE(wants_the_sweep_to_know_what_the_recording_varies, Replayed) {
  std::string text = recorded_times(R"(, "use_cache": 1)");
  text.replace(text.find("\"use_cache\": 1"), 14, "\"use_cache\": 0");
  text.replace(text.find(R"("STEP", "BLOCK"])"), 16, R"("STEP", "BLOCK", "use_cache"])");
  folder.write("more.json", text);
  const Outcome outcome = run(axes, "more.json");
  BOOST_TEST(outcome.code == 65, outcome.err);
  BOOST_TEST(contains(outcome.err, "its entries differ in 'use_cache'"), outcome.err);
}

BOOST_DATA_TEST_CASE(has_mistakes_with_a_way_out, data::make(mistakes)) {
  const Replayed replayed;
  const Outcome outcome = replayed.run(sample.sweep, sample.recording);
  BOOST_TEST(outcome.code == sample.code, outcome.err);
  BOOST_TEST(contains(outcome.err, sample.message), outcome.err);
}

BOOST_AUTO_TEST_SUITE_END()
