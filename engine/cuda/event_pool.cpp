#include "engine/cuda/event_pool.h"

namespace sweep {

void EventPool::reserve(std::size_t pairs) {
  while (events_.size() < 2 * pairs) events_.push_back(make_event());
}

}  // namespace sweep
