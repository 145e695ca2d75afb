#pragma once

#include <cstddef>
#include <cstdint>
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
  std::vector<std::string> base_names() const;
  std::vector<std::string> endings_of(const std::string& base) const;

  std::string chip_;
  Object object_;
  std::vector<std::string> counters_;
  std::vector<const char*> names_;
  std::vector<std::uint8_t> configuration_;
  std::size_t passes_ = 0;
};

}  // namespace sweep
