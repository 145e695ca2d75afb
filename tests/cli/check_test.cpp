#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace check {
namespace {

/// A pattern `tiny` with this body and this verification.
std::string tiny(const std::string& statement, const std::string& verify = "data[i] == K") {
  return "/* pattern:\nparameters: {K: {default: 1, max: 9}}\n"
         "buffers: {data: {type: int, length: 64, init: \"0\"}}\n"
         "launch: {grid: 1, block: 64}\nuseful: {write: 256}\n"
         "verify: \"" +
         verify +
         "\"\n*/\n"
         "static_assert(K != 3, \"not three\");\n"
         "__global__ void tiny(int* data) { " +
         statement + " }\n";
}

}  // namespace
}  // namespace check

BOOST_AUTO_TEST_SUITE(check, *boost::unit_test::precondition(has_compiler))

BOOST_AUTO_TEST_CASE(the_shipped_sweeps_and_patterns_are_good) {
  const Outcome checked =
      run_program({"check", "sweeps/stride.yaml", "sweeps/offset.yaml", "sweeps/copy.yaml",
                   "patterns/stride.cu", "patterns/offset.cu", "patterns/copy.cu"});
  BOOST_TEST(checked.code == 0);
  BOOST_TEST(contains(checked.out,
                      "sweeps/stride.yaml: good: 192 configurations compile for "
                      "compute capability 9.0\n"));
  BOOST_TEST(contains(checked.out, "patterns/copy.cu: good: 1 configuration compiles"));
  BOOST_TEST(!contains(checked.err, "error"));
  BOOST_TEST(!contains(checked.err, "warning"));
}

BOOST_AUTO_TEST_CASE(timing_says_what_compiling_cost_and_what_the_cache_saved) {
  const TemporaryFolder folder;
  folder.write("tiny.cu", tiny("data[threadIdx.x] = K;"));
  folder.write("tiny.yaml", "pattern: tiny\naxes: {K: [1, 2, 4, 5]}\n");
  const auto check = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"check", "--timing", "tiny.yaml"});
    const Outcome checked = run_program(more, folder.path());
    BOOST_TEST(checked.code == 0);
    BOOST_TEST(contains(checked.out, "tiny.yaml: good: "));
    return checked.out;
  };
  const auto compiled = [](const std::string& out) {
    return contains(out, "tiny.yaml: 4 configurations in ") &&
           contains(out, ", 0 from the cache; ");
  };
  BOOST_TEST(compiled(check({})));
  BOOST_TEST(contains(check({}), "tiny.yaml: 4 from the cache; "));
  BOOST_TEST(compiled(check({"--no-cache"})));
}

BOOST_AUTO_TEST_CASE(every_mistake_of_every_file_is_shown_with_its_place) {
  const TemporaryFolder folder;
  folder.write("tiny.cu", tiny("data[threadIdx.x] = KK;", "data[i] == L"));
  folder.write("bad.yaml", "patern: tiny\naxes: {Q: []}\n");
  const Outcome checked = run_program({"check", "tiny.cu", "bad.yaml"}, folder.path());
  BOOST_TEST(checked.code == 65);
  BOOST_TEST(checked.out.empty());
  BOOST_TEST(contains(checked.err, "tiny.cu:9:55: error: identifier \"KK\" is undefined"));
  BOOST_TEST(contains(checked.err, "tiny.cu:6:21: error: identifier \"L\" is undefined"));
  BOOST_TEST(contains(checked.err, "bad.yaml:1:1: error: a sweep has no key 'patern'"));
  BOOST_TEST(contains(checked.err, "did you mean 'pattern'?"));
  BOOST_TEST(contains(checked.err, "bad.yaml:2:"));
}

BOOST_AUTO_TEST_CASE(a_wrong_expectation_is_a_mistake_like_any_other) {
  const TemporaryFolder folder;
  folder.write("tiny.cu", tiny("data[threadIdx.x] = K;"));
  folder.write("bad.yaml", "pattern: tiny\nexpect: [store_sectrs <= K, efficiency >= 50 %]\n");
  const Outcome checked = run_program({"check", "bad.yaml"}, folder.path());
  BOOST_TEST(checked.code == 65);
  BOOST_TEST(contains(checked.err,
                      "bad.yaml:2:10: error: there is no metric or parameter 'store_sectrs'"));
  BOOST_TEST(contains(checked.err, "did you mean 'store_sectors'?"));
}

BOOST_AUTO_TEST_CASE(a_mistake_of_one_configuration_names_it) {
  const TemporaryFolder folder;
  folder.write("tiny.cu", tiny("data[threadIdx.x] = K;"));
  folder.write("good.yaml", "pattern: tiny\naxes: {K: {from: 1, to: 5}}\n");
  const Outcome checked = run_program({"check", "good.yaml"}, folder.path());
  BOOST_TEST(checked.code == 65);
  BOOST_TEST(contains(checked.err, "error: static assertion failed with \"not three\""));
  BOOST_TEST(contains(checked.err, "help: seen with tiny K=3"));
  const Outcome without = run_program({"check", "good.yaml", "--set", "K=1,2,4"}, folder.path());
  BOOST_TEST(without.code == 0);
}

BOOST_AUTO_TEST_CASE(every_error_of_the_compiler_has_a_place) {
  const TemporaryFolder folder;
  const auto check = [&](const std::string& statement) {
    folder.write("tiny.cu", tiny(statement));
    return run_program({"check", "tiny.cu"}, folder.path()).err;
  };
  folder.write("wrong.h", "struct S {\n  int x = y;\n};\n");
  folder.write("open.h", "struct S {\n  int x;\n");
  folder.write("asm.h", "__device__ void f() {\n  asm volatile(\"add.no 1;\");\n}\n");
  const struct {
    std::string statement;
    std::string place;
  } cases[] = {
      {"\n  if (K) {\n  data[threadIdx.x] = K;\n", "tiny.cu:10:10: error: this { is not closed "},
      {"} }", "tiny.cu:9:37: error: this } closes nothing"},
      {"\n  asm volatile(\"no such thing;\");", "tiny.cu:10:3: error: Parsing error near "},
      {"__shared__ int big[100000]; big[threadIdx.x] = K; data[0] = big[5];",
       "tiny.cu:9:17: error: the kernel uses too much shared data "},
      {"data[0] = 1; }\n#include \"wrong.h\"\n__device__ void g(S) {",
       "./wrong.h:2:11: error: identifier \"y\" is undefined"},
      {"data[0] = 1; }\n#include \"open.h\"\n__device__ void g() {",
       "./open.h:1:10: error: this { is never closed"},
      {"f(); }\n#include \"asm.h\"\n__device__ void g() {", "./asm.h:2:3: error: "},
  };
  for (const auto& [statement, place] : cases) {
    const std::string err = check(statement);
    BOOST_TEST(err.starts_with(place), err);
    BOOST_TEST(!contains(err, "generated"), err);
  }
}

BOOST_AUTO_TEST_CASE(a_mistake_of_many_configurations_is_shown_once) {
  const TemporaryFolder folder;
  folder.write("tiny.cu", tiny("data[threadIdx.x] = KK;"));
  folder.write("bad.yaml", "pattern: tiny\naxes: {K: [1, 2, 4, 5]}\n");
  const Outcome checked = run_program({"check", "bad.yaml"}, folder.path());
  BOOST_TEST(checked.code == 65);
  const std::string message = "identifier \"KK\" is undefined";
  BOOST_TEST(checked.err.find(message) == checked.err.rfind(message), checked.err);
  BOOST_TEST(contains(checked.err, "help: seen in 4 of 4 configurations, first with tiny K=1\n"));
}

BOOST_AUTO_TEST_CASE(a_search_is_checked_in_part_unless_all_of_it_is_asked_for) {
  const TemporaryFolder folder;
  folder.write("many.cu", R"cuda(/* pattern:
parameters: {A: 0, B: 0}
buffers: {data: {type: int, length: 64}}
launch: {grid: 1, block: 64}
useful: {write: 256}
verify: "data[i] == A + B"
*/
__global__ void many(int* data) { data[threadIdx.x] = A + B; }
)cuda");
  const std::string tuned =
      "pattern: many\naxes: {A: {from: 0, to: 49}, B: {from: 0, to: 4}}\n"
      "tune: {minimize: instructions}\n";
  folder.write("tuned.yaml", tuned + "emulator: {set: {B: 0}}\n");
  const auto check = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"check", "tuned.yaml"});
    return run_program(more, folder.path());
  };
  const Outcome some = check({"--run"});
  BOOST_TEST(some.code == 0);
  BOOST_TEST(contains(some.out,
                      "tuned.yaml: good: 200 of 250 configurations compile for compute capability "
                      "9.0 (--all compiles every one)\n"));
  BOOST_TEST(contains(some.out, "tuned.yaml: good: 50 configurations execute without a mistake"));
  BOOST_TEST(contains(some.err, "  checks 200 of 250 configurations: "));
  BOOST_TEST(contains(check({"--all"}).out, "tuned.yaml: good: 250 configurations compile for "));
  BOOST_TEST(check({"--quiet"}).err.empty());
  folder.write("tuned.yaml", tuned);
  BOOST_TEST(
      contains(check({"--run"}).out, "tuned.yaml: good: 200 of 250 configurations execute "));
}

BOOST_AUTO_TEST_CASE(overrides_are_checked_with_their_place) {
  const Outcome wrong =
      run_program({"check", "sweeps/stride.yaml", "--set", "STRIDE=1,x", "--set", "BLOK=1"});
  BOOST_TEST(wrong.code == 65);
  BOOST_TEST(contains(wrong.err, "--set:1:10: error: "));
  BOOST_TEST(contains(wrong.err, "did you mean 'BLOCK'?"));
}

BOOST_AUTO_TEST_CASE(the_architecture_can_be_chosen) {
  const Outcome older = run_program({"check", "patterns/stride.cu", "--arch", "8.0"});
  BOOST_TEST(older.code == 0);
  BOOST_TEST(contains(older.out, "compute capability 8.0"));
  const Outcome short_form = run_program({"check", "patterns/stride.cu", "--arch", "100"});
  BOOST_TEST(contains(short_form.out + short_form.err, "10.0"));
}

BOOST_DATA_TEST_CASE(an_architecture_has_a_major_and_a_minor_number,
                     data::make({"fast", "9", "9.", ".9", "90.0", "9.0.0", "09", "1000", ""}),
                     text) {
  const Outcome refused =
      run_program({"check", "patterns/stride.cu", "--arch=" + std::string(text)});
  BOOST_TEST(refused.code == 2);
  BOOST_TEST(refused.out.empty());
  BOOST_TEST(contains(refused.err, "--arch"));
}

BOOST_AUTO_TEST_CASE(an_architecture_that_the_compiler_does_not_know_is_refused) {
  for (const char* text : {"99", "1.0"}) {
    const Outcome unknown = run_program({"check", "patterns/stride.cu", "--arch", text});
    BOOST_TEST(unknown.code == 2);
    BOOST_TEST(contains(unknown.err, "does not know the compute capability "));
    BOOST_TEST(contains(unknown.err, "; it knows "));
    BOOST_TEST(contains(unknown.err, "9.0"));
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_there_does_not_hide_the_others) {
  const TemporaryFolder folder;
  folder.write("tiny.cu", tiny("data[threadIdx.x] = K;"));
  folder.write("bad.yaml", "patern: tiny\n");
  const Outcome checked =
      run_program({"check", "gone.cu", "gone.yaml", "bad.yaml", "tiny.cu"}, folder.path());
  BOOST_TEST(checked.code == 66);
  BOOST_TEST(contains(checked.err, "gone.cu: no such file"));
  BOOST_TEST(contains(checked.err, "gone.yaml: no such file"));
  BOOST_TEST(contains(checked.err, "bad.yaml:1:1: error: "));
  BOOST_TEST(contains(checked.out, "tiny.cu: good: "));
}

BOOST_AUTO_TEST_CASE(values_are_set_in_patterns_as_in_sweeps) {
  const TemporaryFolder folder;
  folder.write("tiny.cu", tiny("data[threadIdx.x] = K;"));
  folder.write("good.yaml", "pattern: tiny\n");
  const auto check = [&](const std::string& value) {
    return run_program({"check", "tiny.cu", "good.yaml", "--set", "K=" + value}, folder.path());
  };
  const Outcome checked = check("2");
  BOOST_TEST(checked.code == 0, checked.err);
  BOOST_TEST(contains(checked.out, "tiny.cu: good: "));
  BOOST_TEST(contains(checked.out, "good.yaml: good: "));
  BOOST_TEST(contains(check("3").err, "not three"));
  BOOST_TEST(contains(check("10").err, "K"));
  const Outcome several = check("1,2");
  BOOST_TEST(several.code == 2);
  BOOST_TEST(contains(several.err, "one configuration is checked, but --set K gives 2 values"));
  BOOST_TEST(contains(several.out, "good.yaml: good: 2 configurations"));
  BOOST_TEST(run_program({"check", "tiny.cu", "--set", "NOPE=1"}, folder.path()).code == 65);
}

BOOST_AUTO_TEST_CASE(clusters_are_not_good_where_there_are_none) {
  const TemporaryFolder folder;
  std::string text = tiny("data[blockIdx.x * 32 + threadIdx.x] = K;");
  const std::string launch = "grid: 1, block: 64";
  text.replace(text.find(launch), launch.size(), "grid: 2, block: 32, cluster: 2");
  folder.write("tiny.cu", text);
  const auto check = [&](const std::string& arch) {
    return run_program({"check", "tiny.cu", "--arch", arch}, folder.path());
  };
  BOOST_TEST(check("9.0").code == 0);
  const Outcome old = check("8.0");
  BOOST_TEST(old.code == 65);
  BOOST_TEST(contains(old.err, "clusters need compute capability 9.0, and it is 8.0"), old.err);
}

BOOST_AUTO_TEST_CASE(constraints_that_leave_no_configuration_are_a_mistake) {
  const TemporaryFolder folder;
  folder.write("none.yaml", "pattern: stride\nwhere: STRIDE > 5\n");
  const Outcome checked = run_program({"check", "none.yaml"}, folder.path());
  BOOST_TEST(checked.code == 65);
  BOOST_TEST(checked.out.empty());
  BOOST_TEST(contains(checked.err, "none.yaml: the constraints leave no configuration"));
  BOOST_TEST(contains(checked.err, "  1 removed by STRIDE > 5 (the sweep)\n"));
  BOOST_TEST(!contains(checked.err, "  0 removed by"));
}

BOOST_AUTO_TEST_CASE(sizes_that_make_no_sense_are_found_without_a_gpu) {
  const TemporaryFolder folder;
  folder.write("sized.cu", R"cuda(/* pattern:
parameters: {N: 1024, BLOCK: 256, READ: 4}
buffers: {data: {type: int, length: N * N}}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * READ}
verify: "true"
*/
__global__ void sized(int* data) { data[0] = 1; }
)cuda");
  folder.write("sized.yaml", "pattern: sized\naxes: {N: [1024, 128, 64, 4 Gi]}\n");
  const Outcome checked = run_program({"check", "sized.yaml"}, folder.path());
  BOOST_TEST(checked.code == 65);
  BOOST_TEST(contains(checked.err, "error: bad launch: grid N / BLOCK = 0"));
  BOOST_TEST(contains(checked.err, "help: seen in 2 of 4 configurations, first with sized N=128"));
  BOOST_TEST(!contains(checked.err, "seen with sized N=64"));
  BOOST_TEST(contains(checked.err, "sized.cu:3:"));
  BOOST_TEST(contains(checked.err, "seen with sized N=4294967296"));
  const Outcome useful =
      run_program({"check", "sized.yaml", "--set", "N=1024", "--set", "READ=-4"}, folder.path());
  BOOST_TEST(useful.code == 65);
  BOOST_TEST(contains(useful.err, "useful read N * READ = -4096 is negative"));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_there_is_named) {
  const Outcome missing = run_program({"check", "no/such.cu"});
  BOOST_TEST(missing.code == 66);
  BOOST_TEST(contains(missing.err, "no/such.cu: no such file"));
}

BOOST_AUTO_TEST_CASE(colours_are_for_terminals_unless_the_user_says_otherwise) {
  const TemporaryFolder folder;
  folder.write("bad.yaml", "patern: tiny\n");
  const auto has_colour = [&](std::vector<std::string> more, const Environment& environment) {
    more.insert(more.begin(), {"check", "bad.yaml"});
    return contains(run_program(more, folder.path(), environment).err, "\033[");
  };
  BOOST_TEST(!has_colour({}, {}));
  BOOST_TEST(!has_colour({"--color", "auto"}, {}));
  BOOST_TEST(!has_colour({"--color", "never"}, {}));
  BOOST_TEST(has_colour({"--color", "always"}, {}));
  BOOST_TEST(has_colour({"--color=always"}, {{"NO_COLOR", "1"}, {"TERM", "dumb"}}));
}

BOOST_AUTO_TEST_SUITE_END()
