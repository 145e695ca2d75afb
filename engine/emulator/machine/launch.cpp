#include "engine/emulator/machine/launch.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "engine/emulator/machine/access_sites.h"

namespace sweep {
namespace {

using Kind = ConstantSlot::Kind;

/// Gives every lane of a slot its value.
template <class ValueOf>
void fill(const Warp& warp, const ConstantSlot& slot, ValueOf value_of) {
  if (slot.bits == 1) {
    warp.predicate(slot.slot) = value_of(0) != 0 ? full_mask : 0;
    return;
  }
  const std::uint64_t kept = slot.bits == 16 ? 0xffff : ~std::uint64_t{0};
  if (slot.bits == 64) {
    auto* const lanes = warp.slot<std::uint64_t>(slot.slot);
    for (unsigned lane = 0; lane < warp_size; ++lane) lanes[lane] = value_of(lane);
  } else {
    auto* const lanes = warp.slot<std::uint32_t>(slot.slot);
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      lanes[lane] = static_cast<std::uint32_t>(value_of(lane) & kept);
    }
  }
}

std::uint64_t parameter_value(const Launch& launch, const ConstantSlot& slot) {
  const unsigned size = ptx::bytes_of(slot.type);
  std::uint64_t value = 0;
  std::memcpy(&value, launch.parameters.data() + slot.value, size);
  if (ptx::is_signed(slot.type) && size < 8) {
    const unsigned unused = 64 - 8 * size;
    value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
  }
  return value;
}

/// The value that a slot has in all blocks of a launch.
std::uint64_t launch_value(const Launch& launch, const ConstantSlot& slot, const Warp& warp,
                           unsigned lane) {
  if (slot.kind == Kind::immediate) return slot.value;
  if (slot.kind == Kind::parameter) return parameter_value(launch, slot);
  if (slot.kind == Kind::parameter_base) return launch.parameters_address + slot.value;
  if (slot.kind == Kind::shared_address) return slot.value;
  if (slot.kind == Kind::variable) {
    return launch.variable_addresses[static_cast<std::size_t>(slot.value)] +
           static_cast<std::uint64_t>(slot.offset);
  }
  // The special registers by their kinds' order: first tid, ntid, ctaid, which differs by block,
  // and nctaid, each along x, y and z.
  const auto kind = static_cast<std::size_t>(slot.kind) - static_cast<std::size_t>(Kind::tid_x);
  if (slot.kind < Kind::laneid) {
    const Dim3 thread = launch.block.at(std::uint64_t{warp.index} * warp_size + lane);
    const Dim3 place = std::array<Dim3, 4>{thread, launch.block, {}, launch.grid}.at(kind / 3);
    return std::array{place.x, place.y, place.z}.at(kind % 3);
  }
  const std::uint64_t bit = std::uint64_t{1} << lane;
  const std::uint64_t reserved = launch.reserved_shared_begin();
  const Dim3 clusters = launch.clusters();
  constexpr unsigned half = 32;
  const std::array<std::uint64_t, 29> others = {
      lane,                                           // laneid
      warp.index,                                     // warpid
      launch.warps(),                                 // nwarpid
      0,                                              // smid, which differs by block
      launch.multiprocessors,                         // nsmid
      1,                                              // gridid
      bit,                                            // lanemask_eq
      2 * bit - 1,                                    // lanemask_le
      bit - 1,                                        // lanemask_lt
      full_mask & ~(bit - 1),                         // lanemask_ge
      full_mask & ~(2 * bit - 1),                     // lanemask_gt
      launch.dynamic_shared_bytes,                    // dynamic_shared_size
      launch.shared_bytes(),                          // total_shared_size
      launch.shared_bytes() + reserved_shared_bytes,  // all_shared_size
      reserved,
      reserved + reserved_shared_bytes,
      reserved_shared_bytes,
      reserved,
      reserved + reserved_shared_part,
      clusters.x,  // nclusterid
      clusters.y,
      clusters.z,
      launch.cluster.x,  // cluster_nctaid
      launch.cluster.y,
      launch.cluster.z,
      launch.cluster.count(),                // cluster_nctarank
      launch.is_explicit_cluster ? 1U : 0U,  // is_explicit_cluster
      launch.grid_workspace >> half,         // envreg1
      launch.grid_workspace & 0xffffffff,    // envreg2
  };
  static_assert(static_cast<std::size_t>(Kind::envreg2) ==
                static_cast<std::size_t>(Kind::laneid) + others.size() - 1);
  return others.at(kind - 12);
}

bool differs_by_block(const Launch& launch, const ConstantSlot& slot) {
  if (slot.kind == Kind::shared_address) return launch.cluster.count() > 1;
  return slot.kind == Kind::ctaid_x || slot.kind == Kind::ctaid_y || slot.kind == Kind::ctaid_z ||
         slot.kind == Kind::smid || slot.kind >= Kind::clusterid_x;
}

/// What a slot says of the cluster of the block at a place of the grid.
std::uint64_t cluster_value(const Launch& launch, const ConstantSlot& slot, const Dim3& block,
                            std::uint32_t rank) {
  if (slot.kind == Kind::cluster_ctarank) return rank;
  if (slot.kind == Kind::shared_address) return slot.value + rank * window_size;
  const Dim3& cluster = launch.cluster;
  const bool is_in_cluster = slot.kind >= Kind::cluster_ctaid_x;
  const Kind first = is_in_cluster ? Kind::cluster_ctaid_x : Kind::clusterid_x;
  const std::array<std::uint32_t, 3> place =
      is_in_cluster ? std::array{block.x % cluster.x, block.y % cluster.y, block.z % cluster.z}
                    : std::array{block.x / cluster.x, block.y / cluster.y, block.z / cluster.z};
  return place.at(static_cast<std::size_t>(slot.kind) - static_cast<std::size_t>(first));
}

}  // namespace

void plan_execution(Launch& launch) {
  // A function's threads are those of other elements each time.
  const auto& varying = launch.is_kernel() ? launch.block_constants : launch.kernel->constants;
  launch.plan = ExecutionPlan(*launch.kernel, varying);
}

void prepare_launch(Launch& launch) {
  const Kernel& kernel = *launch.kernel;
  if (launch.parameters.size() != kernel.parameter_bytes) {
    throw KernelFault(FaultKind::misuse, {}, {},
                      fmt::format("the kernel {} takes {} bytes of parameters, not {}", kernel.name,
                                  kernel.parameter_bytes, launch.parameters.size()));
  }
  for (const ConstantSlot& slot : kernel.constants) {
    if (differs_by_block(launch, slot)) launch.block_constants.push_back(slot);
    if (slot.kind == Kind::ctaid_x || slot.kind == Kind::tid_x) {
      launch.lane_constants.push_back(slot);
    }
  }
  plan_execution(launch);
  launch.address_leaders = find_address_leaders(kernel);
  launch.moves.resize(kernel.memory.size());
  for (const Op& op : kernel.ops) {
    if (op.kind != OpKind::load && op.kind != OpKind::store) continue;
    const MemoryOp& memory = kernel.memory[op.detail];
    for (const std::uint8_t bits : memory.bits) {
      const LaneMove move =
          op.kind == OpKind::load ? find_load(memory.type, bits) : find_store(memory.type, bits);
      if (move == nullptr) {
        throw KernelFault(FaultKind::misuse, {}, {},
                          fmt::format("{}: its values do not fit its registers",
                                      kernel.instructions[op.instruction].opcode));
      }
      launch.moves[op.detail].push_back(move);
    }
  }
}

void fill_launch_constants(const Launch& launch, const Warp& warp) {
  for (const ConstantSlot& slot : launch.kernel->constants) {
    if (differs_by_block(launch, slot)) continue;
    fill(warp, slot, [&](unsigned lane) { return launch_value(launch, slot, warp, lane); });
  }
}

void fill_block_constants(const Launch& launch, const Warp& warp, std::uint64_t block_index,
                          std::uint32_t rank) {
  const Dim3 block = launch.grid.at(block_index);
  for (const ConstantSlot& slot : launch.block_constants) {
    const std::uint64_t value = slot.kind == Kind::ctaid_x   ? block.x
                                : slot.kind == Kind::ctaid_y ? block.y
                                : slot.kind == Kind::ctaid_z ? block.z
                                : slot.kind == Kind::smid
                                    ? block_index % launch.multiprocessors
                                    : cluster_value(launch, slot, block, rank);
    fill(warp, slot, [value](unsigned) { return value; });
  }
}

std::string describe_block(const Launch& launch, std::uint64_t block_index) {
  const Dim3 place = launch.grid.at(block_index);
  return fmt::format("block ({}, {}, {})", place.x, place.y, place.z);
}

std::string describe_thread(const Launch& launch, std::uint64_t block_index, std::uint32_t warp,
                            unsigned lane) {
  const Dim3 thread = launch.block.at(std::uint64_t{warp} * warp_size + lane);
  return fmt::format("{}, thread ({}, {}, {})", describe_block(launch, block_index), thread.x,
                     thread.y, thread.z);
}

ptx::Place user_place(const InstructionInfo& instruction) {
  if (instruction.places.empty()) return {};
  const ptx::Place& outermost = instruction.places.back();
  for (const ptx::Place& place : instruction.places) {
    if (place.file == outermost.file) return place;
  }
  return outermost;
}

std::string describe_instruction(const Kernel& kernel, std::uint32_t instruction) {
  if (instruction == none) return "the end of the kernel";
  const InstructionInfo& info = kernel.instructions[instruction];
  const ptx::Place place = user_place(info);
  if (place.line == 0) return fmt::format("line {} of the PTX ({})", info.ptx_line, info.opcode);
  const std::filesystem::path file = kernel.file_names[place.file];
  return fmt::format("{}:{} ({})", file.filename().string(), place.line, info.opcode);
}

std::string describe_shared_byte(const Kernel& kernel, std::uint64_t byte) {
  for (const SharedVariable& variable : kernel.shared_variables) {
    const std::uint64_t distance = byte - variable.offset;
    if (distance < variable.bytes) return fmt::format("byte {} of '{}'", distance, variable.name);
  }
  if (byte < kernel.static_shared_bytes) return "no variable's";
  return fmt::format("byte {} of dynamic shared memory", byte - kernel.static_shared_bytes);
}

FaultPlace fault_place(const Kernel& kernel, std::uint32_t instruction) {
  if (instruction == none) return {};
  const ptx::Place place = user_place(kernel.instructions[instruction]);
  if (place.line == 0) return {};
  return {kernel.file_names[place.file], place.line};
}

KernelFault race_between_blocks(const Launch& launch, const Allocation& buffer,
                                const GridRaces::Conflict& conflict) {
  const auto thread_of = [&](const GridRaces::Access& access) {
    return describe_thread(launch, access.block, access.thread / warp_size,
                           access.thread % warp_size);
  };
  const auto [now, earlier, is_known, byte] = conflict;
  const auto verb_of = [](const GridRaces::Access& access) {
    return is_atomic(access.kind)            ? "updates"
           : access.kind == AccessKind::load ? "reads"
                                             : "writes";
  };
  const std::string before =
      is_known ? fmt::format("{} {} at {}", thread_of(earlier), verb_of(earlier),
                             describe_instruction(*launch.kernel, earlier.instruction))
               : std::string("another block reads");
  return {
      FaultKind::misuse, fault_place(*launch.kernel, now.instruction),
      describe_instruction(*launch.kernel, now.instruction),
      fmt::format("{}: a race between blocks: it {} {}[{}], which {}; nothing orders the two: "
                  "blocks meet at a fence and an atomic, or in another launch",
                  thread_of(now), verb_of(now), buffer.name, byte / buffer.element_bytes, before)};
}

KernelFault function_fault(const Launch& launch, std::uint32_t instruction,
                           const std::string& what) {
  constexpr std::string_view subject = "it ";
  const std::string message =
      what.starts_with(subject) ? fmt::format("{} {}", launch.function, what.substr(subject.size()))
                                : fmt::format("{}: {}", launch.function, what);
  const std::vector<ptx::Place>& places = launch.kernel->instructions[instruction].places;
  if (places.empty()) return {FaultKind::misuse, {}, {}, message};
  const FaultPlace place = {launch.kernel->file_names[places.back().file], places.back().line};
  const std::string file = std::filesystem::path(place.file).filename().string();
  return {FaultKind::misuse, place, fmt::format("{}:{}", file, place.line), message};
}

}  // namespace sweep
