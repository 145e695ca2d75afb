#pragma once

#include <iostream>

namespace sweep {

/// Whether a test may let CUPTI load its libraries; says once why not.
inline bool cupti_loads() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
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
