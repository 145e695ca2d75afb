#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"
#include "tests/temporary_folder.h"

using namespace sweep;

namespace {

bool contains(const std::string& haystack, const std::string& needle) {
  return haystack.find(needle) != std::string::npos;
}

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

boost::test_tools::assertion_result has_compiler(boost::unit_test::test_unit_id) {
  static const bool there = run_program({"check", "patterns/stride.cu"}).code != 69;
  if (!there) BOOST_TEST_MESSAGE("skipped: there is no libnvrtc");
  return there;
}

}  // namespace

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
  BOOST_TEST(run_program({"check", "patterns/stride.cu", "--arch", "fast"}).code == 2);
  BOOST_TEST(run_program({"check", "patterns/stride.cu", "--arch", "1.0"}).code == 69);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_there_is_named) {
  const Outcome missing = run_program({"check", "no/such.cu"});
  BOOST_TEST(missing.code == 66);
  BOOST_TEST(contains(missing.err, "no/such.cu: no such file"));
}

BOOST_AUTO_TEST_CASE(there_are_no_colours_outside_a_terminal) {
  const TemporaryFolder folder;
  folder.write("tiny.cu", tiny("oops"));
  BOOST_TEST(!contains(run_program({"check", "tiny.cu"}, folder.path()).err, "\033"));
}

BOOST_AUTO_TEST_SUITE_END()
