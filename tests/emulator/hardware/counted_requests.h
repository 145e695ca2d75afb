#pragma once

#include <string>
#include <vector>

#include "tests/emulator/hardware/configuration_list.h"

namespace sweep::testing {

/// The engine counts requests by way of instructions where it can. Says, a line each, of which
/// configurations that gives others than the counters of requests do. Needs a GPU and the
/// permission to count; throws DeviceError.
std::vector<std::string> differing_requests(
    const std::vector<ComparedConfiguration>& configurations);

}  // namespace sweep::testing
