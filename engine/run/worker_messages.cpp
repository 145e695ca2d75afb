#include "engine/run/worker_messages.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "engine/text/byte_sequence.h"

namespace sweep {

SentPrograms::Place SentPrograms::place_of(const std::shared_ptr<const Program>& program) {
  auto slot = std::ranges::find_if(slots_, [&](const Slot& candidate) {
    return candidate.last_use > 0 && candidate.program == program;
  });
  const bool is_new = slot == slots_.end();
  if (is_new) slot = std::ranges::min_element(slots_, {}, &Slot::last_use);
  slot->program = program;
  slot->last_use = ++uses_;
  return {static_cast<std::uint32_t>(slot - slots_.begin()), is_new};
}

void KeptPrograms::put(std::uint32_t slot, std::shared_ptr<const Program> program) {
  if (slot >= slots_.size()) throw std::runtime_error("a program for a slot that there is not");
  slots_.at(slot) = std::move(program);
}

std::shared_ptr<const Program> KeptPrograms::get(std::uint32_t slot) const {
  if (slot >= slots_.size() || slots_.at(slot) == nullptr) {
    throw std::runtime_error("a job without a program");
  }
  return slots_.at(slot);
}

constexpr CacheState last_choice(CacheState) {
  return CacheState::warm;
}
constexpr Origin last_choice(Origin) {
  return Origin::emulated;
}
constexpr SampleMark last_choice(SampleMark) {
  return SampleMark::outlier;
}
constexpr PointStatus last_choice(PointStatus) {
  return PointStatus::failed;
}

/// A workload's program travels by its slot.
void serialize(auto& /*archive*/, const std::shared_ptr<const Program>& /*program*/) {}
/// The process that asked for a point knows its key.
void serialize(auto& /*archive*/, const PointKey& /*key*/) {}

template <class Times>
requires std::is_same_v<std::remove_const_t<Times>, PhaseTimes>
void serialize(auto& archive, Times& times) {
  for (auto& seconds : times) archive(seconds);
}

namespace {

std::span<Workload> workloads_of(WorkerTask& task) {
  if (auto* job = std::get_if<WorkerCountJob>(&task)) return job->workloads;
  if (auto* job = std::get_if<WorkerJob>(&task)) return {&job->workload, 1};
  return {&std::get<WorkerLoadJob>(task).workload, 1};
}

}  // namespace

// A task's programs come before it.

std::string encode(WorkerTask task, SentPrograms& sent) {
  ByteWriter write;
  const std::span<Workload> workloads = workloads_of(task);
  write(std::uint64_t{workloads.size()});
  for (const Workload& workload : workloads) {
    const SentPrograms::Place place = sent.place_of(workload.program);
    write(place.slot, place.is_new);
    if (place.is_new) write(*workload.program);
  }
  write(task);
  return write.take();
}

WorkerTask decode_task(std::string_view message, KeptPrograms& kept) {
  MessageReader read(message);
  std::uint64_t count = 0;
  read(count);
  std::vector<std::shared_ptr<const Program>> programs;
  for (; count > 0; --count) {
    SentPrograms::Place place;
    read(place);
    if (place.is_new) {
      Program program;
      read(program);
      kept.put(place.slot, std::make_shared<const Program>(std::move(program)));
    }
    programs.push_back(kept.get(place.slot));
  }
  WorkerTask task;
  read(task);
  read.end();
  const std::span<Workload> workloads = workloads_of(task);
  if (workloads.size() != programs.size()) throw std::runtime_error("a job without a program");
  for (std::size_t i = 0; i < programs.size(); ++i) workloads[i].program = std::move(programs[i]);
  return task;
}

std::string encode(const WorkerReply& reply) {
  return encode_message(reply);
}

WorkerReply decode_reply(std::string_view message) {
  return decode_message<WorkerReply>(message);
}

}  // namespace sweep
