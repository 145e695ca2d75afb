#pragma once

#include <vector>

#include "engine/cuda/handles.h"

namespace sweep {

/// Pairs of events around pieces of queued work, made once and used again.
class EventPool {
 public:
  /// Makes sure that there are so many pairs. Call it before work is held back.
  void reserve(std::size_t pairs);
  const Event& begin(std::size_t pair) const { return events_.at(2 * pair); }
  const Event& end(std::size_t pair) const { return events_.at(2 * pair + 1); }
  /// The seconds between a pair's events, once both have happened.
  double seconds(std::size_t pair) const { return seconds_between(begin(pair), end(pair)); }

 private:
  std::vector<Event> events_;
};

}  // namespace sweep
