#pragma once

#include <boost/test/unit_test.hpp>
#include <iostream>
#include <memory>

#include "engine/jit/nvrtc.h"
#include "engine/system/dynamic_library.h"

namespace sweep {

/// The run-time compiler; null, with a message, where there is none.
inline const std::shared_ptr<Nvrtc>& nvrtc() {
  static const std::shared_ptr<Nvrtc> library = []() -> std::shared_ptr<Nvrtc> {
    try {
      return std::make_shared<Nvrtc>();
    } catch (const LibraryError& error) {
      std::cout << "compiler tests skipped: " << error.what() << std::endl;
      return nullptr;
    }
  }();
  return library;
}

/// A compute capability beyond all that the compiler knows: it writes PTX alone, which is faster.
inline constexpr int newer_than_any = 999;

/// The precondition of tests that compile.
inline boost::test_tools::assertion_result has_nvrtc(boost::unit_test::test_unit_id) {
  return nvrtc() != nullptr;
}

}  // namespace sweep
