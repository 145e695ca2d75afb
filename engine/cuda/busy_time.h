#pragma once

#include <utility>

#include "engine/cuda/cuda_context.h"

namespace sweep {

/// Adds up the time that the device works on what is queued between begin and end, one piece at a
/// time.
class BusyTime {
 public:
  explicit BusyTime(CudaContext& context) : context_(context) {}

  void queue_begin() const { record(context_.begin, context_.stream.get()); }
  void queue_end() const { record(context_.end, context_.stream.get()); }
  /// Waits for everything queued and counts the time between the two.
  void wait_and_add() {
    synchronize(context_.stream.get());
    seconds_ += seconds_between(context_.begin, context_.end);
    if (std::exchange(has_work_ahead_, false)) {
      seconds_ += seconds_between(context_.begin_ahead, context_.end_ahead);
    }
  }

  /// Queues work ahead of the next piece without waiting for it; it is counted with that piece.
  template <class Work>
  void queue_ahead(Work queue_work) {
    record(context_.begin_ahead, context_.stream.get());
    queue_work();
    record(context_.end_ahead, context_.stream.get());
    has_work_ahead_ = true;
  }

  /// Counts what `queue_work` queues, and waits for it.
  template <class Work>
  void run(Work queue_work) {
    queue_begin();
    queue_work();
    queue_end();
    wait_and_add();
  }

  double seconds() const { return seconds_; }

 private:
  CudaContext& context_;
  double seconds_ = 0;
  bool has_work_ahead_ = false;
};

}  // namespace sweep
