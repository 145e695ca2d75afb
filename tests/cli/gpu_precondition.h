#pragma once

#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"

namespace sweep {

/// The preconditions of tests of the program with a GPU, and of those without any.
inline boost::test_tools::assertion_result has_gpu(boost::unit_test::test_unit_id) {
  return program_sees_gpu();
}
inline boost::test_tools::assertion_result has_no_gpu(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result result(!program_sees_gpu());
  result.message() << "there is a GPU";
  return result;
}

}  // namespace sweep
