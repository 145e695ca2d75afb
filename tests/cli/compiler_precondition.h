#pragma once

#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"

namespace sweep {

/// The precondition of tests in which the program compiles: it finds libnvrtc, by its own word.
inline boost::test_tools::assertion_result has_compiler(boost::unit_test::test_unit_id) {
  static const Outcome check = run_program({"check", "patterns/stride.cu"});
  constexpr int no_library = 69;
  if (check.code == no_library) BOOST_TEST_MESSAGE("skipped: " << check.err);
  return check.code != no_library;
}

}  // namespace sweep
