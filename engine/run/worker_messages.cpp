#include "engine/run/worker_messages.h"

#include <utility>

namespace sweep {
namespace {

enum class Kind : std::uint8_t { hello, ready, job, load_job, count_job, alive, result, counts };

}  // namespace

// The members of the structs that travel. Naming them by a structured binding makes a member that
// is missing here an error of the compiler. `Of` is the struct, const for writing.

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, Device>
void fields(Archive& archive, Of& device) {
  auto& [backend, index, name, uuid, compute_capability, multiprocessors, l2_bytes, memory_bytes,
         memory_clock_hz, memory_bus_bits, driver, cuda] = device;
  archive(backend, index, name, uuid, compute_capability, multiprocessors, l2_bytes, memory_bytes,
          memory_clock_hz, memory_bus_bits, driver, cuda);
}

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, Extent3>
void fields(Archive& archive, Of& extent) {
  auto& [x, y, z] = extent;
  archive(x, y, z);
}

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, BufferPlan>
void fields(Archive& archive, Of& buffer) {
  auto& [name, length, bytes, init_entry, is_const] = buffer;
  archive(name, length, bytes, init_entry, is_const);
}

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, VerificationPlan>
void fields(Archive& archive, Of& plan) {
  auto& [check_entry, length, buffer, condition] = plan;
  archive(check_entry, length, buffer, condition);
}

/// All but the program, which travels by its slot.
template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, Workload>
void fields(Archive& archive, Of& workload) {
  auto& [program, kernel_entry, buffers, scalars, verify, grid, block, shared_bytes] = workload;
  archive(kernel_entry, buffers, scalars, verify, grid, block, shared_bytes);
}

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, MeasureRules>
void fields(Archive& archive, Of& rules) {
  auto& [cache, noise, min_samples, max_samples, seconds, caches, give_up_seconds] = rules;
  archive.choice(cache, CacheState::warm);
  archive(noise, min_samples, max_samples, seconds, caches, give_up_seconds);
}

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, UsefulTraffic>
void fields(Archive& archive, Of& useful) {
  auto& [device, shared] = useful;
  archive(device, shared);
}

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, CounterRequest>
void fields(Archive& archive, Of& request) {
  auto& [names, cache] = request;
  archive(names);
  archive.choice(cache, CacheState::warm);
}

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, Metric>
void fields(Archive& archive, Of& metric) {
  auto& [name, origin, value] = metric;
  archive(name);
  archive.choice(origin, Origin::emulated);
  archive(value);
}

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, SampleRecord>
void fields(Archive& archive, Of& sample) {
  auto& [seconds, sm_clock_hz, mark] = sample;
  archive(seconds, sm_clock_hz);
  archive.choice(mark, SampleMark::outlier);
}

/// All but the key, which the process that asked knows.
template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, PointRecord>
void fields(Archive& archive, Of& point) {
  auto& [key, status, reason, stopped_by, samples, metrics, notes, counted, derived] = point;
  archive.choice(status, PointStatus::failed);
  archive(reason, stopped_by, samples, metrics, notes, counted, derived);
}

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, PhaseTimes>
void fields(Archive& archive, Of& times) {
  for (std::size_t i = 0; i < phase_count; ++i) {
    double seconds = times[static_cast<Phase>(i)];
    archive(seconds);
    if constexpr (!std::is_const_v<Of>) times[static_cast<Phase>(i)] = seconds;
  }
}

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, Measurement>
void fields(Archive& archive, Of& measurement) {
  auto& [point, times, busy_seconds] = measurement;
  archive(point, times, busy_seconds);
}

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, Observation>
void fields(Archive& archive, Of& observation) {
  auto& [metrics, notes] = observation;
  archive(metrics, notes);
}

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, CounterResults>
void fields(Archive& archive, Of& results) {
  auto& [workloads, problems] = results;
  archive(workloads, problems);
}

namespace {

template <class... Values>
Bytes message(Kind kind, const Values&... values) {
  Bytes bytes;
  MessageWriter write(bytes);
  write(static_cast<std::uint8_t>(kind), values...);
  return bytes;
}

void write_workload(Bytes& bytes, const Workload& workload, SentPrograms& sent) {
  MessageWriter write(bytes);
  const SentPrograms::Place place = sent.place_of(workload.program);
  write(place.slot, place.is_new);
  if (place.is_new) {
    const Program& program = *workload.program;
    bytes.reserve(bytes.size() + program.cubin.size() + program.ptx.size() + 4096);
    write(program.cubin, program.ptx);
  }
  write(workload);
}

Workload read_workload(MessageReader& read, KeptPrograms& kept) {
  std::uint32_t slot = 0;
  bool is_new = false;
  read(slot, is_new);
  if (is_new) {
    auto program = std::make_shared<Program>();
    read(program->cubin, program->ptx);
    kept.put(slot, std::move(program));
  }
  Workload workload;
  workload.program = kept.get(slot);
  read(workload);
  return workload;
}

Kind kind_of(MessageReader& read) {
  Kind kind{};
  read.choice(kind, Kind::counts);
  return kind;
}

[[noreturn]] void refuse() {
  throw std::runtime_error("a message of another kind than expected");
}

}  // namespace

Bytes encode(const WorkerHello& hello) {
  return message(Kind::hello, hello.device, hello.error);
}

Bytes encode(const WorkerReady& ready) {
  return message(Kind::ready, ready.disturbances, ready.error);
}

Bytes encode(const WorkerJob& job, SentPrograms& sent) {
  Bytes bytes = message(Kind::job, job.rules, job.useful);
  write_workload(bytes, job.workload, sent);
  return bytes;
}

Bytes encode(const WorkerLoadJob& job, SentPrograms& sent) {
  Bytes bytes = message(Kind::load_job);
  write_workload(bytes, job.workload, sent);
  return bytes;
}

Bytes encode(const WorkerCountJob& job, SentPrograms& sent) {
  Bytes bytes = message(Kind::count_job, job.request, std::uint64_t{job.workloads.size()});
  for (const Workload& workload : job.workloads) write_workload(bytes, workload, sent);
  return bytes;
}

Bytes encode(const WorkerAlive& alive) {
  return message(Kind::alive, alive.step);
}

Bytes encode(const WorkerResult& result) {
  return message(Kind::result, result.measurement, result.usable);
}

Bytes encode(const WorkerCounts& counts) {
  return message(Kind::counts, counts.results, counts.usable);
}

WorkerHello decode_hello(std::span<const std::uint8_t> bytes) {
  MessageReader read(bytes);
  if (kind_of(read) != Kind::hello) refuse();
  WorkerHello hello;
  read(hello.device, hello.error);
  read.end();
  return hello;
}

WorkerReady decode_ready(std::span<const std::uint8_t> bytes) {
  MessageReader read(bytes);
  if (kind_of(read) != Kind::ready) refuse();
  WorkerReady ready;
  read(ready.disturbances, ready.error);
  read.end();
  return ready;
}

WorkerTask decode_task(std::span<const std::uint8_t> bytes, KeptPrograms& kept) {
  MessageReader read(bytes);
  const Kind kind = kind_of(read);
  if (kind == Kind::job) {
    WorkerJob job;
    read(job.rules, job.useful);
    job.workload = read_workload(read, kept);
    read.end();
    return job;
  }
  if (kind == Kind::load_job) {
    WorkerLoadJob job{read_workload(read, kept)};
    read.end();
    return job;
  }
  if (kind != Kind::count_job) refuse();
  WorkerCountJob job;
  std::uint64_t workloads = 0;
  read(job.request, workloads);
  for (std::uint64_t i = 0; i < workloads; ++i) {
    job.workloads.push_back(read_workload(read, kept));
  }
  read.end();
  return job;
}

WorkerReply decode_reply(std::span<const std::uint8_t> bytes) {
  MessageReader read(bytes);
  const Kind kind = kind_of(read);
  WorkerAlive alive;
  WorkerResult result;
  WorkerCounts counts;
  if (kind == Kind::alive) {
    read(alive.step);
  } else if (kind == Kind::result) {
    read(result.measurement, result.usable);
  } else if (kind == Kind::counts) {
    read(counts.results, counts.usable);
  } else {
    refuse();
  }
  read.end();
  if (kind == Kind::alive) return alive;
  if (kind == Kind::result) return result;
  return counts;
}

}  // namespace sweep
