#pragma once

#include <cuda.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sweep {

class CounterHost;

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
class RangeProfiler {
 public:
  /// For a device, by the driver's number, and its current context. Throws CounterFailure where
  /// its counters cannot be read at all.
  RangeProfiler(int device, CUcontext context);
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// CUPTI's name for the chip: "GH100".
  const std::string& chip() const;
  /// Whether the chip has a counter of this name.
  bool has(const std::string& counter) const;
  /// "did you mean 'X'?" for a name that no counter has; empty when none is close.
  std::string suggest(const std::string& counter) const;
  /// What to count from now on, all of which the chip has; gives those that cannot be counted
  /// after all. Throws CounterFailure.
  std::vector<std::string> choose(const std::vector<std::string>& counters);
  const std::vector<std::string>& counters() const;
  /// How often each launch runs.
  std::size_t passes() const;

  /// Counts `count` launches in as few sessions as CUPTI takes them in: a session costs a few
  /// milliseconds for each pass, however many launches it has, and the first one a fifth of a
  /// second more. The profiler stays enabled, for further calls, until `disable` or until other
  /// counters are chosen; timing is disturbed meanwhile. Throws CounterFailure, and is disabled
  /// then; what was taken until then holds.
  void count(std::size_t count, const CountedLaunches& launches);
  void disable();

 private:
  class Enabled;
  class Session;

  bool count_or_split(std::span<const std::size_t> wanted, const CountedLaunches& launches,
                      std::vector<bool>& done);
  void count_in_session(std::span<const std::size_t> wanted, const CountedLaunches& launches,
                        std::vector<bool>& done);

  CUcontext context_;
  std::unique_ptr<CounterHost> host_;
  std::unique_ptr<Enabled> enabled_;
  std::size_t most_ranges_;
};

}  // namespace sweep
