#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

struct CUpti_Profiler_Host_Object;

namespace sweep {

/// The hardware's counters cannot be read: why, and what to try, in sentences that stand alone.
class CounterFailure : public std::runtime_error {
 public:
  enum class Kind {
    passing,          ///< another time it may work
    lasting,          ///< it never will in this process
    too_many_ranges,  ///< fewer at once may work
  };
  CounterFailure(Kind kind, const std::string& message)
      : std::runtime_error(message), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

/// The failure of a call of CUPTI: `result` is the CUptiResult, `name` CUPTI's own word for it.
CounterFailure cupti_failure(int result, const std::string& call, const std::string& name);

/// CUPTI's knowledge of a chip: the counters it has, how to set the hardware up for some of them,
/// and what was read then. Works without a GPU.
class CounterHost {
 public:
  /// `chip` is CUPTI's name, "GH100". All that the chip has is taken to be countable: asking a
  /// context what is takes most of a second. Throws CounterFailure.
  explicit CounterHost(std::string chip);

  const std::string& chip() const { return chip_; }
  /// Whether the chip has a counter of this name, "dram__bytes_read.sum".
  bool has(const std::string& counter) const;
  /// "did you mean 'X'?" for a name that no counter has; empty when none is close.
  std::string suggest(const std::string& counter) const;

  /// Sets up for these counters, all of which the chip has; gives those that it turns out not to
  /// be able to count. Throws CounterFailure.
  std::vector<std::string> choose(const std::vector<std::string>& counters);
  const std::vector<std::string>& counters() const { return counters_; }
  /// How often the same launches must run for all of them.
  std::size_t passes() const { return passes_; }
  std::span<const std::uint8_t> configuration() const { return configuration_; }
  /// Their names as CUPTI takes them. Valid until the next choice.
  const char** names() { return names_.data(); }

  /// The counters' values in a range of a decoded counter data image.
  std::vector<double> values(std::span<const std::uint8_t> image, std::size_t range);

 private:
  struct Release {
    void operator()(CUpti_Profiler_Host_Object* object) const;
  };
  /// CUPTI's object. Metrics can only be added to it, and one that it refuses spoils it.
  using Object = std::unique_ptr<CUpti_Profiler_Host_Object, Release>;

  Object make_object() const;
  void schedule(const std::vector<std::string>& counters);

  std::string chip_;
  Object object_;
  std::vector<std::string> counters_;
  std::vector<const char*> names_;
  std::vector<std::uint8_t> configuration_;
  std::size_t passes_ = 0;
};

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

  void count_in_session(std::span<const std::size_t> wanted, const CountedLaunches& launches,
                        std::vector<bool>& done);

  CUcontext context_;
  std::unique_ptr<Enabled> enabled_;
  /// A session with so many ranges costs far less than their launches. Each range beyond adds most
  /// of a millisecond to the first session's start.
  std::size_t most_ranges_ = 128;
};

}  // namespace sweep
