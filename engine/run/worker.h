#pragma once

#include <variant>

#include "engine/run/measurer.h"
#include "engine/run/worker_process.h"

namespace sweep {

/// How a worker comes to its backend. Both throw DeviceError.
struct WorkerDevice {
  std::function<Device()> find;
  std::function<std::unique_ptr<Backend>(const Device&)> start;  ///< may take a while
};

/// The life of a worker process: says which device it has, starts it, measures one job after the
/// other until the channel closes or the backend is no longer usable.
void serve_jobs(Channel& channel, const WorkerDevice& device);

/// The programs that a worker keeps, each in a slot. The process that sends jobs chooses the slots
/// and so knows what the worker has; the worker puts what it is sent where it is told.
constexpr std::size_t program_slots = 64;

/// The sender's side: which program the worker has in which slot.
class SentPrograms {
 public:
  struct Place {
    std::uint32_t slot = 0;
    bool is_new = false;  ///< the worker does not have it: send it along
  };
  /// Where the program is for the job that is written now; a new one takes the place of the one
  /// not used for longest.
  Place place_of(const std::shared_ptr<const Program>& program);

 private:
  struct Slot {
    std::shared_ptr<const Program> program;
    std::uint64_t last_use = 0;  ///< 0: never
  };
  std::array<Slot, program_slots> slots_;
  std::uint64_t uses_ = 0;
};

/// The worker's side: a program in each slot, null at first.
using KeptPrograms = std::array<std::shared_ptr<const Program>, program_slots>;

// What a worker process and the process that started it say to each other.

/// A worker's first message, its device, and its second, once that has started.
struct WorkerHello {
  Device device;
  std::vector<std::string> disturbances;  ///< as Backend::disturbances, in the second
  std::string error;  ///< why there is no device, or it does not start; else empty
};

/// What a worker is to do with workloads.
struct WorkerTask {
  enum class Kind {
    measure,  ///< the only workload; the answer is a WorkerResult
    load,     ///< the only workload, which is to be measured soon; there is no answer
    count,    ///< all workloads, with the hardware's counters; the answer is WorkerCounts
  };
  Kind kind = Kind::measure;
  std::vector<Workload> workloads = {};
  MeasureRules rules = {};      ///< of measuring
  CounterRequest request = {};  ///< of counting
};

/// A sign of life during a job: the step that begins.
struct WorkerAlive {
  std::string step;
};

/// A measurement's result.
struct WorkerResult {
  Measurement measurement;
  bool usable = true;  ///< false: the worker ends itself now, its device's context is poisoned
};

struct WorkerCounts {
  CounterResults results;
  bool usable = true;  ///< as above
};

using WorkerReply = std::variant<WorkerHello, WorkerAlive, WorkerResult, WorkerCounts>;

/// The programs that the worker does not have go along.
std::string encode(const WorkerTask& task, SentPrograms& sent);
std::string encode(const WorkerReply& reply);

// Decoding throws std::runtime_error for anything that encoding does not give.
WorkerTask decode_task(std::string_view message, KeptPrograms& kept);
WorkerReply decode_reply(std::string_view message);

/// Measures in a process of its own, since an illegal access leaves a process without CUDA for
/// good and a kernel that never ends can be stopped in no other way. A worker that dies, hangs or
/// loses its device is replaced; its point fails.
class WorkerMeasurer : public Measurer {
 public:
  static constexpr double usual_patience = 30;  ///< seconds

  /// `command` starts a worker that talks over the file descriptor `WorkerProcess::child_channel`
  /// (see serve_jobs). A worker is taken to hang after `patience` seconds without a sign of life.
  /// `started` is such a worker that was started ahead, or null. Waits until the device is known,
  /// not until it has started. Throws DeviceError with the worker's own words when there is none.
  explicit WorkerMeasurer(std::vector<std::string> command, double patience = usual_patience,
                          std::unique_ptr<WorkerProcess> started = nullptr);
  ~WorkerMeasurer() override;
  WorkerMeasurer(const WorkerMeasurer&) = delete;
  WorkerMeasurer& operator=(const WorkerMeasurer&) = delete;

  const Device& device() const override { return device_; }
  const std::vector<std::string>& disturbances() override;
  Measurement measure(const Workload& workload, const MeasureRules& rules,
                      const std::function<void()>& meanwhile = nullptr) override;
  void load(const Workload& workload) override;
  CounterResults count(std::span<const Workload> workloads, const CounterRequest& request) override;
  void close() override;

 private:
  void start(std::unique_ptr<WorkerProcess> worker);
  void await_start();
  template <class Answer>
  Answer receive(WorkerProcess& worker) const;
  template <class Answer>
  Answer ask(const WorkerTask& task, const std::function<void()>& meanwhile);

  std::vector<std::string> command_;
  double patience_;
  Device device_;
  std::vector<std::string> disturbances_;
  std::unique_ptr<WorkerProcess> worker_;
  bool has_started_ = false;  ///< the worker's device
  SentPrograms sent_;
  MessageDeduplicator problems_;  ///< of counting; a new worker says them again
};

}  // namespace sweep
