#pragma once

#include <boost/test/unit_test.hpp>
#include <memory>

#include "engine/jit/nvrtc.h"
#include "engine/loader/dynamic_library.h"

namespace sweep {

/// The run-time compiler; null, with a message, where there is none.
inline const std::shared_ptr<const Nvrtc>& nvrtc() {
  static const std::shared_ptr<const Nvrtc> library = []() -> std::shared_ptr<const Nvrtc> {
    try {
      return std::make_shared<const Nvrtc>();
    } catch (const LibraryError& error) {
      BOOST_TEST_MESSAGE("skipped: " << error.what());
      return nullptr;
    }
  }();
  return library;
}

/// The precondition of tests that compile.
inline boost::test_tools::assertion_result has_nvrtc(boost::unit_test::test_unit_id) {
  return nvrtc() != nullptr;
}

}  // namespace sweep
