#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/run/measure.h"
#include "engine/store/record.h"

namespace sweep {

// What a worker process and the process that started it say to each other, as MessagePack.

using Bytes = std::vector<std::uint8_t>;

/// A worker's first message: its device, or why it has none.
struct WorkerHello {
  Device device;
  std::string error;  ///< empty when there is a device
};

/// A workload to measure. The program is left out when it is that of the job before.
struct WorkerJob {
  Workload workload;
  MeasureRules rules;
  UsefulTraffic useful;
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

Bytes encode(const WorkerHello& hello);
Bytes encode(const WorkerJob& job, bool with_program);
Bytes encode(const WorkerAlive& alive);
Bytes encode(const WorkerResult& result);

// Decoding throws std::runtime_error for anything that encoding does not give.
WorkerHello decode_hello(std::span<const std::uint8_t> message);
/// `previous` is the program of the job before; it may be null.
WorkerJob decode_job(std::span<const std::uint8_t> message,
                     const std::shared_ptr<const Program>& previous);
std::variant<WorkerAlive, WorkerResult> decode_reply(std::span<const std::uint8_t> message);

}  // namespace sweep
