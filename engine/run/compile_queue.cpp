#include "engine/run/compile_queue.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "engine/run/compiler_process.h"

namespace sweep {

void lower_own_priority() {
  constexpr int nicer = 5;
  // A priority is a thread's own on Linux; 0 is the one that asks.
  const int own = getpriority(PRIO_PROCESS, 0);
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), own + nicer);
}

namespace {

constexpr std::size_t smallest_limit = 512;
constexpr std::size_t look_up_window = 256;
/// Enough for the early batches.
constexpr std::size_t first_look_up_window = 32;

}  // namespace

void CompileQueue::submit(std::span<const Configuration* const> configurations,
                          unsigned compilers) {
  const std::lock_guard lock(mutex_);
  configurations_.insert(configurations_.end(), configurations.begin(), configurations.end());
  open_ += configurations.size();
  compilers_ = std::max(compilers_, compilers);
  work_.notify_all();
}

std::size_t CompileQueue::open() const {
  const std::lock_guard lock(mutex_);
  return open_;
}

std::size_t CompileQueue::most_ahead() const {
  return std::max(smallest_limit, 2 * BatchSize::largest * compilers_);
}

/// Not for a few at a time: they would become small batches.
bool CompileQueue::can_admit() const {
  const std::size_t rest = submitted() - admitted_;
  return rest > 0 && room() >= std::min(rest, BatchSize::largest);
}

void CompileQueue::admit(std::size_t count) {
  admitted_ += count;
  outcomes_.resize(admitted_ - taken_);
}

void CompileQueue::make_pending(std::size_t place) {
  pending_.push_back(candidates_.make(*configurations_[place - taken_], place));
}

CompileQueue::Task CompileQueue::take_batch(std::size_t size) {
  const bool is_early = batch_size_.is_early();
  Task task = {Task::Kind::compile,
               is_early ? first_in_order(pending_, size) : choose_batch(pending_, size)};
  batch_size_.begin(task.places.size(), seconds_since(begin_));
  // Those that were not to have it may take the next one.
  if (is_early) work_.notify_all();
  std::erase_if(pending_, [&](const CompileCandidate& one) {
    return std::ranges::binary_search(task.places, one.place);
  });
  return task;
}

/// Not before it is known which come first.
bool CompileQueue::may_compile_early(bool has_started) const {
  return has_started && std::ranges::none_of(looked_up_, [&](std::size_t begin) {
           return begin < pending_.front().place;
         });
}

std::optional<CompileQueue::Task> CompileQueue::try_take(bool has_started) {
  if (!looks_up_) {
    while (can_admit()) {
      const std::size_t begin = admitted_;
      admit(std::min(room(), submitted() - admitted_));
      for (std::size_t place = begin; place < admitted_; ++place) make_pending(place);
      // There may be a batch for others in them too.
      work_.notify_all();
    }
  }
  const std::size_t not_admitted = submitted() - admitted_;
  const std::size_t remaining = pending_.size() + not_admitted;
  if (remaining == 0) return std::nullopt;
  const std::size_t size = batch_size_.next(remaining, compilers_, seconds_since(begin_));
  if (pending_.size() < size && can_admit()) {
    Task task = {Task::Kind::look_up, {}};
    const std::size_t begin = admitted_;
    admit(std::min({begin == 0 ? first_look_up_window : look_up_window, room(), not_admitted}));
    for (std::size_t place = begin; place < admitted_; ++place) task.places.push_back(place);
    looked_up_.push_back(begin);
    return task;
  }
  if (pending_.empty()) return std::nullopt;
  if (batch_size_.is_early() && !may_compile_early(has_started)) return std::nullopt;
  // Too few for a batch can wait for others as long as they are not needed soon.
  const bool is_needed_soon = pending_.front().place < taken_ + most_ahead() / 2;
  if (pending_.size() < size && not_admitted > 0 && !is_needed_soon) return std::nullopt;
  return take_batch(size);
}

std::optional<CompileQueue::Task> CompileQueue::take_task(bool has_started) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (stopped_ || failure_ != nullptr) return std::nullopt;
    if (auto task = try_take(has_started)) {
      for (const std::size_t place : task->places) {
        task->configurations.push_back(configurations_[place - taken_]);
      }
      return task;
    }
    work_.wait(lock);
  }
}

void CompileQueue::deliver(const Task& task, std::vector<std::optional<CompileOutcome>> outcomes,
                           double seconds) {
  const std::lock_guard lock(mutex_);
  if (task.kind == Task::Kind::look_up) std::erase(looked_up_, task.places.front());
  if (task.kind == Task::Kind::compile) batch_size_.learn(task.places.size(), seconds);
  for (std::size_t i = 0; i < task.places.size(); ++i) {
    const std::size_t place = task.places[i];
    if (i < outcomes.size() && outcomes[i]) {
      outcomes_[place - taken_] = std::move(outcomes[i]);
      --open_;
    } else {
      make_pending(place);
    }
  }
  // Several look-ups may be under way at a time.
  std::ranges::sort(pending_, {}, &CompileCandidate::place);
  ready_.notify_all();
  work_.notify_all();
}

bool CompileQueue::is_ready() const {
  const std::lock_guard lock(mutex_);
  return has_outcome();
}

CompileOutcome CompileQueue::next(const std::atomic<bool>* stop) {
  std::unique_lock lock(mutex_);
  if (configurations_.empty()) throw std::out_of_range("no configuration is left");
  // A signal's handler can set the flag, but not wake anybody up.
  while (
      !ready_.wait_for(lock, stop_notice, [&] { return has_outcome() || failure_ != nullptr; })) {
    if (stop != nullptr && *stop) throw CompilingStopped();
  }
  if (!has_outcome()) std::rethrow_exception(failure_);
  CompileOutcome outcome = std::move(*outcomes_.front());
  outcomes_.pop_front();
  configurations_.pop_front();
  ++taken_;
  if (admitted_ < submitted()) work_.notify_one();
  return outcome;
}

void CompileQueue::fail(std::exception_ptr what) {
  const std::lock_guard lock(mutex_);
  if (failure_ == nullptr) failure_ = std::move(what);
  ready_.notify_all();
  work_.notify_all();
}

void CompileQueue::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  work_.notify_all();
}

}  // namespace sweep
