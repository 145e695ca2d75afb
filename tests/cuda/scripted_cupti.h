#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace sweep::testing {

/// What the scripted libcupti does, and what it was asked. Its counters' values are 1000 * the
/// range's name + the counter's index.
struct CuptiScript {
  std::size_t passes = 1;
  std::size_t most_ranges = 1000;            ///< more are refused
  std::size_t kept_ranges = 1000;            ///< more in a session are dropped
  std::size_t most_sessions = 1000;          ///< more while enabled are refused
  std::map<std::string, int> failures = {};  ///< the CUptiResult of a call, by its name

  std::vector<std::string> calls = {};  ///< "Enable", "Push 3", ...
  std::vector<std::string> ranges = {};
  std::size_t passes_done = 0;
  std::size_t sessions = 0;
  bool is_enabled = false;
  bool is_started = false;
  bool is_in_range = false;
  bool is_misused = false;  ///< a call came where CUPTI does not allow it
};

}  // namespace sweep::testing
