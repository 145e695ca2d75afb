#pragma once

#include <functional>
#include <system_error>
#include <thread>
#include <vector>

namespace sweep {

/// Calls `work`, which throws nothing, on so many threads at once, this one among them; on fewer
/// where the system has no more. Returns when all are done.
template <class Work>
void run_on_threads(unsigned threads, const Work& work) {
  std::vector<std::thread> others;
  others.reserve(threads);
  try {
    while (others.size() + 1 < threads) others.emplace_back(std::cref(work));
  } catch (const std::system_error&) {
    // Those that run share the work.
  }
  work();
  for (std::thread& other : others) other.join();
}

}  // namespace sweep
