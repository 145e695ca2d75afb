#pragma once

#include <cuda.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/cuda/counter_host.h"

namespace sweep {

/// The launches to count, by number. What `prepare` and `launch` throw ends the counting at once:
/// the context is then taken to be lost, and CUPTI is not called in it again.
struct CountedLaunches {
  /// Makes ready for launch `i`, uncounted; false when it cannot be, and it is left out from then.
  std::function<bool(std::size_t i)> prepare;
  /// Runs launch `i` and waits for its end; false when it did not run, and it is left out.
  std::function<bool(std::size_t i)> launch;
  /// Hears the values of launch `i`, in the order of the chosen counters.
  std::function<void(std::size_t i, std::vector<double> values)> take;
};

/// CUPTI's range profiler: the hardware's counters of single launches in a context.
class RangeProfiler : public CounterHost {
 public:
  /// For a device, by the driver's number, and its current context. Throws CounterFailure where
  /// its counters cannot be read at all.
  RangeProfiler(int device, CUcontext context);
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// As CounterHost's, for counting from now on.
  std::vector<std::string> choose(const std::vector<std::string>& counters);

  /// Counts `count` launches in as few sessions as CUPTI takes them in: a session costs a few
  /// milliseconds for each pass, however many launches it has, and the first one a fifth of a
  /// second more. The profiler stays enabled, for further calls, until `disable` or until other
  /// counters are chosen; timing is disturbed meanwhile. Throws CounterFailure, and is disabled
  /// then; what was taken until then holds.
  void count(std::size_t count, const CountedLaunches& launches);
  void disable();

 private:
  class Enabled;

  bool count_or_split(std::span<const std::size_t> wanted, const CountedLaunches& launches,
                      std::vector<bool>& done);
  void count_in_session(std::span<const std::size_t> wanted, const CountedLaunches& launches,
                        std::vector<bool>& done);

  CUcontext context_;
  std::unique_ptr<Enabled> enabled_;
  /// A session with so many ranges costs far less than their launches. Each range beyond adds most
  /// of a millisecond to the first session's start.
  std::size_t most_ranges_ = 128;
};

}  // namespace sweep
