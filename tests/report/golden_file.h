#pragma once

#include <string>

namespace sweep::testing {

/// Checks that `text` is what stands in tests/report/golden/NAME. After a wanted change, write the
/// files anew and read the difference:
///
///     SWEEP_UPDATE_GOLDEN=1 build/tests/report/test_report --run_test=golden
void check_golden(const std::string& name, const std::string& text);

}  // namespace sweep::testing
