#pragma once

#include "report/index/run_index.h"

namespace sweep::testing {

/// An index of one sweep, whose second run is slower, and of a file that could not be read. Its
/// texts are hostile.
RunIndex example_index();

}  // namespace sweep::testing
