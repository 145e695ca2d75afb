#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/text/read_source.h"
#include "tests/cli/program.h"
#include "tests/contains.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(schema)

// `sweep schema sweep -o sweeps/sweep.schema.json` and the same for patterns write them anew.
BOOST_AUTO_TEST_CASE(the_schemas_beside_the_shipped_files_are_what_the_program_writes) {
  const std::string source = SWEEP_SOURCE_DIR;
  BOOST_TEST((run_program({"schema", "sweep"}).out ==
              read_source(source + "/sweeps/sweep.schema.json")->text));
  BOOST_TEST((run_program({"schema", "pattern"}).out ==
              read_source(source + "/patterns/pattern.schema.json")->text));
}

BOOST_AUTO_TEST_CASE(there_is_one_of_sweeps_and_one_of_patterns) {
  BOOST_TEST(run_program({"schema"}).code == 2);
  const Outcome outcome = run_program({"schema", "patern"});
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(contains(outcome.err, "did you mean 'pattern'?"));
}

BOOST_AUTO_TEST_SUITE_END()
