#pragma once

#include <iostream>

namespace sweep {

/// Whether a test may let CUPTI load its libraries; says once why not.
inline bool cupti_loads() {
#ifdef SWEEP_SANITIZED
  static const bool loads = [] {
    std::cout << "tests of hardware counters skipped: CUPTI loads its libraries with "
                 "RTLD_DEEPBIND, with which the sanitizers end the process"
              << std::endl;
    return false;
  }();
  return loads;
#else
  return true;
#endif
}

}  // namespace sweep
