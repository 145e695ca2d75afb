#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engine/jit/compiler.h"
#include "engine/run/compile_batches.h"

namespace sweep {

/// How soon whoever waits for a compiler notices that nobody wants the outcome any more.
constexpr std::chrono::milliseconds stop_notice{50};

/// Makes the calling thread give way to the one that measures and to the driver's: five steps nicer
/// than it was, as far as there are any.
void lower_own_priority();

/// What those who compile measure their time by.
inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline std::vector<const Configuration*> pointers_to(std::span<const Configuration> all) {
  std::vector<const Configuration*> pointers;
  for (const Configuration& configuration : all) pointers.push_back(&configuration);
  return pointers;
}

/// Divides configurations into batches for several compilers, and puts the outcomes back into the
/// order in which the configurations were submitted. Only so many are worked on ahead of the one
/// that takes the outcomes. Safe to use from several threads.
class CompileQueue {
 public:
  /// What to do next, with the configurations at these places of the order.
  struct Task {
    enum class Kind { look_up, compile };
    Kind kind = Kind::compile;
    std::vector<std::size_t> places;
    std::vector<const Configuration*> configurations = {};
  };

  /// With `looks_up` each configuration is looked up before it is compiled.
  explicit CompileQueue(bool looks_up) : looks_up_(looks_up) {}

  /// Further configurations, which must outlive the taking of their outcomes. From now on there are
  /// so many compilers, if there were fewer.
  void submit(std::span<const Configuration* const> configurations, unsigned compilers);

  /// How many configurations have no outcome yet.
  std::size_t open() const;

  /// The next task; waits until there is one. Nothing once there will be none. The configurations
  /// of a batch are of one pattern: at first the next ones in order, which are needed soon and not
  /// given to one of the later compilers that has yet to start; later the first in order and those
  /// that share most with it.
  std::optional<Task> take_task(bool has_started = true);
  /// The outcomes of a task's configurations; those without are to be compiled, as all are where
  /// there are no outcomes. `seconds` is how long compiling took; negative where that tells nothing
  /// of how long it takes for others.
  void deliver(const Task& task, std::vector<std::optional<CompileOutcome>> outcomes,
               double seconds = not_timed);
  static constexpr double not_timed = -1;

  /// The outcome of the next configuration, in order; waits for it. Throws what `fail` was given,
  /// and CompilingStopped soon after `stop`, which may be null, is set meanwhile.
  CompileOutcome next(const std::atomic<bool>* stop = nullptr);

  /// Whether `next` need not wait.
  bool is_ready() const;

  /// No further tasks; `next` throws what happened.
  void fail(std::exception_ptr what);
  /// No further tasks.
  void stop();

 private:
  std::size_t submitted() const { return taken_ + configurations_.size(); }
  /// How many may be admitted ahead of the one that is taken next.
  std::size_t most_ahead() const;
  std::size_t room() const { return taken_ + most_ahead() - admitted_; }
  bool can_admit() const;
  void admit(std::size_t count);
  void make_pending(std::size_t place);
  bool has_outcome() const { return !outcomes_.empty() && outcomes_.front().has_value(); }
  std::optional<Task> try_take(bool has_started);
  bool may_compile_early(bool has_started) const;
  Task take_batch(std::size_t size);

  const bool looks_up_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();

  mutable std::mutex mutex_;  ///< over all that follows
  std::condition_variable work_;
  std::condition_variable ready_;
  unsigned compilers_ = 1;
  std::size_t taken_ = 0;                               ///< by next()
  std::deque<const Configuration*> configurations_;     ///< of [taken_, submitted())
  std::size_t admitted_ = 0;                            ///< looked up, pending, compiling, or done
  std::size_t open_ = 0;                                ///< without an outcome
  std::vector<CompileCandidate> pending_;               ///< in order
  std::vector<std::size_t> looked_up_;                  ///< the first places of what is looked up
  std::deque<std::optional<CompileOutcome>> outcomes_;  ///< of [taken_, admitted_)
  BatchSize batch_size_;
  CandidateMaker candidates_;
  std::exception_ptr failure_;
  bool stopped_ = false;
};

}  // namespace sweep
