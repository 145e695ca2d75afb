#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/run/measure.h"
#include "engine/run/message_bytes.h"
#include "engine/run/program_slots.h"
#include "engine/store/record.h"

namespace sweep {

// What a worker process and the process that started it say to each other.

/// A worker's first message: its device, or why it has none.
struct WorkerHello {
  Device device;
  std::string error;  ///< empty when there is a device
};

/// Its second message: the device has started, or why it does not.
struct WorkerReady {
  std::vector<std::string> disturbances;  ///< as Backend::disturbances
  std::string error;                      ///< empty when the device has started
};

/// A workload to measure.
struct WorkerJob {
  Workload workload;
  MeasureRules rules;
  UsefulTraffic useful;
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
using WorkerReply = std::variant<WorkerAlive, WorkerResult, WorkerCounts>;

Bytes encode(const WorkerHello& hello);
Bytes encode(const WorkerReady& ready);
/// The programs that the worker does not have go along.
Bytes encode(const WorkerJob& job, SentPrograms& sent);
Bytes encode(const WorkerLoadJob& job, SentPrograms& sent);
Bytes encode(const WorkerCountJob& job, SentPrograms& sent);
Bytes encode(const WorkerAlive& alive);
Bytes encode(const WorkerResult& result);
Bytes encode(const WorkerCounts& counts);

// Decoding throws std::runtime_error for anything that encoding does not give.
WorkerHello decode_hello(std::span<const std::uint8_t> message);
WorkerReady decode_ready(std::span<const std::uint8_t> message);
WorkerTask decode_task(std::span<const std::uint8_t> message, KeptPrograms& kept);
WorkerReply decode_reply(std::span<const std::uint8_t> message);

}  // namespace sweep
