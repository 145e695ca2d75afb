#pragma once

#include <stdexcept>
#include <string>

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

}  // namespace sweep
