#pragma once

#include <boost/test/unit_test.hpp>
#include <iostream>

#include "tests/cli/program.h"

namespace sweep {

/// The precondition of tests in which the program compiles: it finds libnvrtc, by its own word.
/// Says once why tests are skipped.
inline boost::test_tools::assertion_result has_compiler(boost::unit_test::test_unit_id) {
  static const bool finds_library = [] {
    const Outcome check = run_program({"check", "patterns/stride.cu"});
    constexpr int no_library = 69;
    if (check.code != no_library) return true;
    std::cout << "compiler tests skipped: " << check.err << std::flush;
    return false;
  }();
  return finds_library;
}

}  // namespace sweep
