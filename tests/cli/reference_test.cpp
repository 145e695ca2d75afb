#include <boost/test/unit_test.hpp>

#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/referenced_pattern.h"
#include "tests/temporary_folder.h"

using namespace sweep;

namespace reference_of_program {
namespace {

struct Fixture {
  Fixture() {
    folder.write("doubled.cu", testing::referenced_pattern);
    folder.write("doubled.yaml",
                 "pattern: doubled\naxes: {BLOCK: [32, 64, 128], N: [256, 1024], WRONG: -1}\n");
  }

  Outcome run(const std::vector<std::string>& arguments) const {
    return run_program(arguments, folder.path());
  }
  /// Writes the pattern with one text in the place of another.
  void edit(const std::string& from, const std::string& to) const {
    std::string text = testing::referenced_pattern;
    folder.write("doubled.cu", text.replace(text.find(from), from.size(), to));
  }

  TemporaryFolder folder;
};

}  // namespace
}  // namespace reference_of_program

BOOST_FIXTURE_TEST_SUITE(reference_of_program_suite, reference_of_program::Fixture,
                         *boost::unit_test::precondition(has_compiler))

BOOST_AUTO_TEST_CASE(results_are_compared_with_a_reference_s) {
  const Outcome checked = run({"check", "--run", "doubled.yaml"});
  BOOST_TEST(checked.code == 0, checked.err);
  BOOST_TEST(contains(checked.out, "6 configurations execute without a mistake"), checked.out);
  const Outcome ran = run({"run", "doubled.yaml", "--device", "emulator"});
  BOOST_TEST(ran.code == 0, ran.err);
  BOOST_TEST(contains(ran.out + ran.err, "6 points measured, 0 failed"), ran.out + ran.err);
  const Outcome again = run({"run", "doubled.yaml", "--device", "emulator"});
  BOOST_TEST(contains(again.out + again.err, "6 reused"), again.out + again.err);
}

BOOST_AUTO_TEST_CASE(a_wrong_element_is_shown_at_verify) {
  const Outcome checked = run({"check", "--run", "doubled.yaml", "--set", "WRONG=7"});
  BOOST_TEST(checked.code == 65);
  BOOST_TEST(contains(checked.err,
                      "doubled.cu:13:27: error: wrong result: 1 of 256 elements of 'out' fail the "
                      "check out[i] == the reference's out; the first is i = 7: 43, expected 42"),
             checked.err);
}

BOOST_AUTO_TEST_CASE(a_fault_of_the_reference_is_shown_at_its_line) {
  edit("if (i < n) out[i] = in[i]", "out[i] = in[i + 1]");
  const Outcome outside = run({"check", "--run", "doubled.cu"});
  BOOST_TEST(outside.code == 65);
  BOOST_TEST(contains(outside.err, "doubled.cu:29:3: error: the reference: block ("), outside.err);
  BOOST_TEST(contains(outside.err, "in has 256 elements"), outside.err);
}

BOOST_AUTO_TEST_CASE(a_reference_that_does_not_compile_is_a_mistake_of_the_pattern_s) {
  edit("in[i] + in[i]", "in[i] + no[i]");
  const Outcome checked = run({"check", "doubled.cu"});
  BOOST_TEST(checked.code == 65);
  BOOST_TEST(contains(checked.err, "error: the reference: identifier \"no\" is undefined"),
             checked.err);
}

BOOST_AUTO_TEST_SUITE_END()
