#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/backend/backend.h"
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
  /// For a worker that has just started and has none.
  void clear() { *this = {}; }

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

/// A workload to measure.
struct WorkerJob {
  Workload workload;
  MeasureRules rules;
};

/// A workload that is to be measured soon. There is no answer.
struct WorkerLoadJob {
  Workload workload;
};

/// Workloads to count with the hardware's counters.
struct WorkerCountJob {
  std::vector<Workload> workloads;
  CounterRequest request;
};

/// A sign of life during a job: the step that begins.
struct WorkerAlive {
  std::string step;
};

/// A job's result.
struct WorkerResult {
  Measurement measurement;
  bool usable = true;  ///< false: the worker ends itself now, its device's context is poisoned
};

/// A count job's results.
struct WorkerCounts {
  CounterResults results;
  bool usable = true;  ///< as above
};

using WorkerTask = std::variant<WorkerJob, WorkerLoadJob, WorkerCountJob>;
using WorkerReply = std::variant<WorkerHello, WorkerAlive, WorkerResult, WorkerCounts>;

/// The programs that the worker does not have go along.
std::string encode(WorkerTask task, SentPrograms& sent);
std::string encode(const WorkerReply& reply);

// Decoding throws std::runtime_error for anything that encoding does not give.
WorkerTask decode_task(std::string_view message, KeptPrograms& kept);
WorkerReply decode_reply(std::string_view message);

}  // namespace sweep
