#include <boost/test/unit_test.hpp>

#include "tests/cli/compiler_precondition.h"
#include "tests/cli/gpu_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(run_without_gpu)

BOOST_AUTO_TEST_CASE(the_plan_comes_before_anything_else) {
  const TemporaryFolder folder;
  folder.write("few.yaml",
               "summary: A few strides\npattern: stride\naxes: {STRIDE: {from: 1, to: 8}, "
               "BLOCK: [96, 128]}\nwhere: [STRIDE % 2 == 0, BLOCK != 96 || STRIDE > 4]\n");
  // No driver is found where none is: the plan has been printed by then.
  const Outcome run = run_program({"run", "few.yaml", "--device", "99"}, folder.path());
  BOOST_TEST(run.code == 69);
  BOOST_TEST(
      run.err.starts_with("few: A few strides\n"
                          "  6 configurations: STRIDE x 8, BLOCK x 2; 16 combinations in all\n"));
  BOOST_TEST(contains(run.err,
                      "  8 removed by STRIDE % 2 == 0 (the sweep)\n"
                      "  2 removed by BLOCK != 96 || STRIDE > 4 (the sweep)\n"));
  BOOST_TEST(run.out.empty());
  BOOST_TEST(!std::filesystem::exists(folder.path() / "results"));
}

BOOST_AUTO_TEST_CASE(without_a_gpu_the_emulator_counts_and_says_so,
                     *boost::unit_test::precondition(has_no_gpu) *
                         boost::unit_test::precondition(has_compiler)) {
  const TemporaryFolder folder;
  const Outcome run =
      run_program({"run", "stride", "--set", "STRIDE=1,8", "--set", "BLOCK=256"}, folder.path());
  BOOST_TEST(contains(run.err, "NVIDIA driver"));
  BOOST_TEST(run.code == 0, run.err);
  BOOST_TEST(contains(run.err, "  on emulator of 9.0"));
  BOOST_TEST(contains(run.out, "emulated"));
  BOOST_TEST(std::filesystem::exists(folder.path() / "results" / "stride.csv"));
}

BOOST_AUTO_TEST_CASE(several_sweeps_are_run_one_after_the_other,
                     *boost::unit_test::precondition(has_compiler)) {
  const TemporaryFolder folder;
  const std::string sweep = "pattern: stride\naxes: {STRIDE: [1, 8], BYTES: [1 Mi]}\n";
  folder.write("one.yaml", sweep);
  folder.write("two.yaml", sweep);
  folder.write("wrong.yaml", "pattern: stride\naxis: {STRIDE: [1, 8]}\n");
  const auto run = [&](const std::string& last) {
    return run_program({"run", "one.yaml", "two.yaml", last, "--device", "emulator"},
                       folder.path());
  };
  // A mistake in the last is said before the first is run.
  BOOST_TEST(run("wrong.yaml").code == 65);
  BOOST_TEST(!std::filesystem::exists(folder.path() / "results"));
  const Outcome both = run("one.yaml");
  BOOST_TEST(both.code == 0, both.err);
  BOOST_TEST(contains(both.err, "results/index.md, .html"));
  for (const char* file : {"one.html", "two.html", "index.html", "runs/two-1.html"}) {
    BOOST_TEST(std::filesystem::exists(folder.path() / "results" / file), file);
  }
}

BOOST_AUTO_TEST_CASE(several_profiles_make_one_report_of_a_run_for_each,
                     *boost::unit_test::precondition(has_compiler)) {
  const TemporaryFolder folder;
  const std::vector<std::string> words = {"run",     "copy",     "--set",    "BYTES=16 Mi", "--set",
                                          "T=float", "--device", "emulator", "--profile"};
  const auto run_with = [&](const std::string& profiles) {
    std::vector<std::string> all = words;
    all.push_back(profiles);
    return run_program(all, folder.path());
  };
  const Outcome run = run_with("h200,rtx4090");
  BOOST_TEST(run.code == 0, run.err);
  BOOST_TEST(contains(run.out, "best of GPU = H200"));
  BOOST_TEST(contains(run.out, "best of GPU = GeForce RTX 4090"));
  BOOST_TEST(contains(run_with("h200,rtx4090").err, "0 failed"));
  const Outcome again =
      run_program({"report", "copy:1", "results/copy.db:2", "--format", "csv"}, folder.path());
  BOOST_TEST(again.code == 0, again.err);
  BOOST_TEST(contains(again.out, ",GeForce RTX 4090,"));
  BOOST_TEST(contains(again.out, ",H200,"));
  const Outcome wrong = run_with("h200,h20");
  BOOST_TEST(wrong.code == 66);
  BOOST_TEST(!contains(wrong.err, "on emulator"));
  BOOST_TEST(contains(wrong.err, "h20: no such file"));
  BOOST_TEST(run_with("h200,").code == 2);
  const Outcome counting = run_program({"report", "copy:1", "copy:2", "--count"}, folder.path());
  BOOST_TEST(counting.code == 2);
  BOOST_TEST(contains(counting.err, "--count is for one database"));
  const Outcome search = run_program({"run", "tune-copy", "--profile", "h200,h100"}, folder.path());
  BOOST_TEST(search.code == 2);
  BOOST_TEST(contains(search.err, "a search is for one GPU"));
}

BOOST_AUTO_TEST_CASE(without_a_gpu_there_is_no_profile_to_measure,
                     *boost::unit_test::precondition(has_no_gpu)) {
  const TemporaryFolder folder;
  const Outcome profile = run_program({"profile"}, folder.path());
  BOOST_TEST(profile.code == 69);
  BOOST_TEST(contains(profile.err, "NVIDIA driver"));
  BOOST_TEST(contains(profile.err, "without one there are the profiles of h200, h100"));
  BOOST_TEST(!std::filesystem::exists(folder.path() / "profile"));
  const Outcome emulated = run_program({"profile", "--device", "emulator"}, folder.path());
  BOOST_TEST(emulated.code == 2);
  BOOST_TEST(contains(emulated.err, "--device emulator: write auto, or the number of a GPU"));
}

BOOST_AUTO_TEST_CASE(an_expectation_that_set_leaves_without_a_point_is_a_note,
                     *boost::unit_test::precondition(has_compiler)) {
  const TemporaryFolder folder;
  folder.write("part.yaml",
               "pattern: stride\naxes: {STRIDE: [1, 8], BLOCK: 256, BYTES: 1 Mi}\n"
               "expect: [{check: load_sectors > 0, where: STRIDE == 8}]\n");
  const std::vector<std::string> words = {"run", "part.yaml", "--device", "emulator"};
  const Outcome whole = run_program(words, folder.path());
  BOOST_TEST(whole.code == 0, whole.err);
  std::vector<std::string> narrowed = words;
  narrowed.insert(narrowed.end(), {"--set", "STRIDE=1"});
  const Outcome part = run_program(narrowed, folder.path());
  BOOST_TEST(part.code == 0, part.err);
  BOOST_TEST(contains(part.err,
                      "part.yaml:3:18: note: 'load_sectors > 0, where STRIDE == 8': "
                      "cannot be checked: no point that succeeded is meant by it"));
}

BOOST_AUTO_TEST_CASE(a_gpu_that_is_asked_for_must_be_there,
                     *boost::unit_test::precondition(has_no_gpu)) {
  const TemporaryFolder folder;
  for (const char* device : {"0", "all", "0,1"}) {
    const Outcome run = run_program({"run", "stride", "--device", device}, folder.path());
    BOOST_TEST(run.code == 69, device);
    BOOST_TEST(contains(run.err, "NVIDIA driver"), device);
  }
  BOOST_TEST(!std::filesystem::exists(folder.path() / "results"));
}

BOOST_AUTO_TEST_CASE(the_emulator_is_a_device_everywhere) {
  const Outcome devices = run_program({"devices"});
  BOOST_TEST(devices.code == 0);
  BOOST_TEST(contains(devices.out, "emulator: executes the compiled PTX here"));
  BOOST_TEST(contains(devices.out, "models 1.0 1.1 1.2 1.3 2.0"));
  if (!program_sees_gpu()) BOOST_TEST(contains(devices.err, "no GPU: no NVIDIA driver"));
}

BOOST_AUTO_TEST_CASE(a_compiler_that_is_missing_is_explained) {
  // A home without libraries does not hide those of the system, so this only looks at the search.
  const TemporaryFolder folder;
  const Outcome checked = run_program({"check", "patterns/stride.cu"}, SWEEP_SOURCE_DIR,
                                      {{"SWEEP_CUDA_HOME", folder.path().string()}});
  if (checked.code == 0) {
    BOOST_TEST_MESSAGE("skipped: the system has a compiler");
    return;
  }
  BOOST_TEST(checked.code == 69);
  BOOST_TEST(contains(checked.err, folder.path().string()));
  BOOST_TEST(contains(checked.err, "Install the CUDA Toolkit"));
}

BOOST_AUTO_TEST_CASE(a_sweep_that_is_wrong_or_empty_is_refused_before_the_device_is_asked) {
  const TemporaryFolder folder;
  folder.write("wrong.yaml", "pattern: strid\n");
  folder.write("none.yaml", "pattern: stride\nwhere: STRIDE > 5\n");
  const Outcome wrong = run_program({"run", "wrong.yaml"}, folder.path());
  BOOST_TEST(wrong.code == 65);
  BOOST_TEST(contains(wrong.err, "wrong.yaml:1:10: error: there is no pattern 'strid'"));
  const Outcome none = run_program({"run", "none.yaml"}, folder.path());
  BOOST_TEST(none.code == 65);
  BOOST_TEST(contains(none.err, "the constraints leave no configuration"));
  BOOST_TEST(run_program({"run", "no/such.yaml"}, folder.path()).code == 66);
}

BOOST_AUTO_TEST_CASE(a_value_computed_from_others_is_shown_and_is_no_axis,
                     *boost::unit_test::precondition(has_compiler)) {
  const TemporaryFolder folder;
  folder.write("spread.cu", R"x(/* pattern:
parameters: {LEN: 64, INC: 1, LD: LEN * INC, PAD: 0}
buffers: {out: {type: int, length: LD}}
launch: {grid: 1, block: LEN}
useful: {write: 4 * LEN}
verify: "i % INC != 0 || i >= LEN * INC || out[i] == int(i)"
*/
__global__ void spread(int* out) {
  out[threadIdx.x * INC] = int(threadIdx.x) * INC + PAD * 0;
}
)x");
  folder.write("spread.yaml", "pattern: spread\naxes: {INC: [1, 2, 4], PAD: [0, 1]}\n");
  const std::vector<std::string> run = {"run", "spread.yaml", "--device", "emulator", "-q"};
  BOOST_TEST(run_program(run, folder.path()).code == 0);
  const std::string database = (folder.path() / "results/spread.db").string();
  const Outcome page = run_program({"report", database, "--format", "html"}, folder.path());
  BOOST_TEST(contains(page.out, "over INC (1, 2, 4) and PAD (0, 1),"));
  const Outcome csv = run_program({"report", database, "--format", "csv"}, folder.path());
  BOOST_TEST(csv.out.starts_with("pattern,LEN,INC,LD,PAD,"));

  std::vector<std::string> again = run;
  again.insert(again.end(), {"-o", "after", "--set", "LEN=32"});
  BOOST_TEST(run_program(again, folder.path()).code == 0);
  const std::vector<std::string> compare = {"compare", database, "after/spread.db", "--ignore",
                                            "LEN"};
  const Outcome computed = run_program(compare, folder.path());
  BOOST_TEST(contains(computed.out, "6 configurations in both runs"), computed.err);
  again.insert(again.end(), {"--set", "LD=1024"});
  BOOST_TEST(run_program(again, folder.path()).code == 0);
  BOOST_TEST(contains(run_program(compare, folder.path()).err, "no configuration in common"));
}

BOOST_AUTO_TEST_SUITE_END()
