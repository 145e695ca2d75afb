// ld, st, atom, red, ldmatrix, stmatrix, cp.async, cp.async.bulk, cp.reduce, mbarrier, nanosleep.

#include <algorithm>
#include <array>
#include <optional>

#include "engine/emulator/lower/lowering.h"

namespace sweep {
namespace {

using ptx::Operand;
using ptx::Space;

template <std::size_t count>
bool is_one_of(std::string_view name, const std::array<std::string_view, count>& names) {
  return std::ranges::find(names, name) != names.end();
}

constexpr std::array<std::string_view, 4> scopes = {"cta", "cluster", "gpu", "sys"};
/// Hints that change neither what an access does nor what is counted.
constexpr std::array<std::string_view, 9> hints = {"weak", "ca", "cs", "lu",   "wb",
                                                   "wt",   "nc", "sc", "alias"};

bool may_be_global(const MemoryOp& memory) {
  return memory.space == Space::global || memory.space == Space::generic;
}

/// What st.async and red.async say of how they end; emit_completion executes it.
constexpr std::array<std::string_view, 2> asynchronous = {"async", "mbarrier::complete_tx::bytes"};

/// What the modifiers of an access say, other than an atomic's operation.
MemoryOp memory_op(Lowering& lowering, bool is_atomic = false) {
  MemoryOp memory;
  memory.space = Space::generic;
  bool has_type = false;
  const bool is_async = lowering.has_modifier("async");
  // Those of memory-mapped registers are complete when they are made.
  if (is_async && !lowering.has_modifier("mbarrier::complete_tx::bytes") &&
      (!lowering.has_modifier("mmio") || lowering.operand_count() != 2)) {
    lowering.refuse();
  }
  std::string_view scope;
  for (const std::string_view modifier : lowering.instruction().modifiers) {
    const std::string_view base = modifier.substr(0, modifier.find("::"));
    if (const auto space = ptx::find_space(base)) {
      memory.space = *space;
      memory.is_of_cluster = modifier == "shared::cluster";
    } else if (is_async && is_one_of(modifier, asynchronous)) {
      continue;
    } else if (is_ordering(modifier)) {
      memory.is_volatile = true;
      memory.is_release = modifier == "release" || modifier == "acq_rel";
    } else if (is_one_of(modifier, scopes)) {
      scope = modifier;
    } else if (modifier == "cg" || modifier == "cv") {
      memory.policy = CachePolicy::level_2_only;
    } else if (modifier == "v2" || modifier == "v4" || modifier == "v8") {
      memory.elements = static_cast<std::uint32_t>(modifier[1] - '0');
    } else if (const auto type = ptx::find_type(modifier)) {
      memory.type = *type;
      has_type = true;
    } else if (base != "L1" && base != "L2" && !is_one_of(modifier, hints)) {
      const auto is_operation = [&](const auto& row) { return row.first == modifier; };
      const bool is_of_atomic =
          modifier == "noftz" || std::ranges::any_of(atomic_operations, is_operation);
      if (!is_atomic || !is_of_atomic) lowering.refuse();
    }
  }
  constexpr unsigned widest_access = 32;
  if (!has_type || memory.bytes() == 0 || memory.bytes() > widest_access) lowering.refuse();
  memory.is_release &= scope != "cta";
  // It orders memory between blocks: those of a grid, or of a cluster, which run together anyway.
  if (memory.is_volatile && scope != "cta") {
    memory.policy = CachePolicy::level_2_only;
    lowering.kernel().is_linked |= may_be_global(memory) && scope != "cluster";
  }
  return memory;
}

/// What st.async and red.async do behind their access: they tell an mbarrier of its bytes.
void emit_completion(Lowering& lowering, std::size_t operand, const MemoryOp& access) {
  if (access.space != Space::shared && access.space != Space::generic) lowering.refuse();
  MbarrierOp barrier = {.mode = MbarrierMode::complete_tx,
                        .space = Space::generic,
                        .address = lowering.address(operand),
                        .value = lowering.constant(access.bytes(), 32),
                        .is_of_cluster = true,
                        .beside = access.address};
  if (access.space == Space::shared) barrier.space = Space::shared;
  lowering.emit(lowering.detailed(OpKind::mbarrier, lowering.kernel().mbarriers, barrier));
}

/// Parameters of the kernel are constants of a launch; those of calls lie in local memory.
bool load_parameter(Lowering& lowering, const MemoryOp& memory) {
  const Operand& from = lowering.operand(1);
  if (from.base != Operand::Base::variable) return false;
  const Lowering::VariablePlace place = lowering.place_of(from.variable);
  if (!place.is_kernel_parameter) return false;
  const unsigned size = ptx::bytes_of(memory.type);
  const std::vector<const Operand*> to = elements_of(lowering.operand(0));
  if (to.size() != memory.elements) lowering.refuse();
  const std::uint64_t begin = place.offset + static_cast<std::uint64_t>(from.value);
  const std::uint64_t end = lowering.kernel().parameter_bytes;
  if (begin > end || size * to.size() > end - begin) {
    lowering.refuse("it reads past the kernel's parameters");
  }
  if (memory.type == ptx::Type::b128) return false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto [d, bits] = lowering.wide_destination(*to[i], std::max(8 * size, 16U));
    if (bits == 1 || bits == 128 || bits < 8 * size) lowering.refuse("a register does not fit");
    const std::uint32_t value = lowering.add_constant({.kind = ConstantSlot::Kind::parameter,
                                                       .bits = static_cast<std::uint8_t>(bits),
                                                       .type = memory.type,
                                                       .value = begin + i * size});
    lowering.emit_copy(d, value, bits);
  }
  return true;
}

/// A load or store with the registers of its vector. 128-bit elements are moved as two halves.
void emit_access(Lowering& lowering, OpKind kind, MemoryOp memory) {
  const bool is_load = kind == OpKind::load;
  const unsigned bits = ptx::bits_of(memory.type);
  const bool is_wide = memory.type == ptx::Type::b128;
  const std::vector<const Operand*> elements = elements_of(lowering.operand(is_load ? 0 : 1));
  for (const Operand* element : elements) {
    const auto [slot, register_bits] =
        is_load ? lowering.wide_destination(*element, bits) : lowering.wide_source(*element, bits);
    if (register_bits == 1 || register_bits < bits) lowering.refuse("a register is too narrow");
    if (register_bits == 128 && !is_wide) lowering.refuse("a register is too wide");
    memory.values.push_back(slot);
    if (is_wide) memory.values.push_back(slot + upper_half);
    memory.bits.push_back(static_cast<std::uint8_t>(std::max(register_bits, 16U)));
  }
  if (elements.size() != memory.elements) lowering.refuse("its vector does not fit");
  if (is_wide) {
    memory.bits.assign(memory.values.size(), 64);
    memory.type = ptx::Type::b64;
    memory.elements *= 2;
  }
  lowering.emit_memory(kind, std::move(memory));
}

/// cp.async.{ca,cg}.shared.global [to], [from], bytes{, source bytes | ignore}{, policy};
void lower_lane_copy(Lowering& lowering) {
  MemoryOp memory;
  memory.space = Space::global;
  memory.policy = lowering.has_modifier("cg") ? CachePolicy::level_2_only : CachePolicy::all_levels;
  memory.to_address = lowering.address(0);
  memory.address = lowering.address(1);
  const Operand& bytes = lowering.operand(2);
  const bool is_valid = bytes.kind == Operand::Kind::integer &&
                        (bytes.value == 4 || bytes.value == 8 || bytes.value == 16);
  if (!is_valid) lowering.refuse("it copies 4, 8 or 16 bytes");
  memory.copy_bytes = static_cast<std::uint32_t>(bytes.value);
  const bool has_policy = lowering.has_modifier("L2::cache_hint");
  if (lowering.operand_count() > (has_policy ? 4U : 3U)) {
    const Operand& extra = lowering.operand(3);
    const bool is_predicate =
        extra.kind == Operand::Kind::reg && lowering.wide_source(extra, 32).bits == 1;
    if (is_predicate) {
      memory.ignore_source = lowering.predicate(extra);
    } else {
      memory.size = lowering.source(extra, 32);
    }
  }
  lowering.emit_memory(OpKind::async_copy, std::move(memory));
}

/// A bulk copy's modifiers begin with where it goes to and where it comes from.
void lower_bulk_copy(Lowering& lowering, bool is_reduction) {
  std::vector<Space> spaces;
  MemoryOp memory;
  for (const std::string_view modifier : lowering.instruction().modifiers) {
    const std::string_view base = modifier.substr(0, modifier.find("::"));
    if (modifier == "cp_mask") lowering.refuse();
    if (base == "shared" || base == "global") spaces.push_back(*ptx::find_space(base));
    if (modifier == "shared::cluster") memory.is_of_cluster = true;
    if (const auto type = ptx::find_type(modifier)) memory.type = *type;
  }
  const bool has_shared = std::ranges::find(spaces, Space::shared) != spaces.end();
  if (spaces.size() != 2 || !has_shared) lowering.refuse();
  if (is_reduction) memory.operation = lowering.modifier<AtomicOperation>(atomic_operations);
  const unsigned element = ptx::bytes_of(memory.type);
  if (is_reduction && (element < 2 || element > 8 || !has_atomic(memory.operation, memory.type))) {
    lowering.refuse();
  }
  memory.to_space = spaces[0];
  memory.space = spaces[1];
  memory.is_reduction = is_reduction;
  memory.to_address = lowering.address(0);
  memory.address = lowering.address(1);
  memory.size = lowering.source(2, 32);
  if (lowering.has_modifier("mbarrier::complete_tx::bytes")) {
    memory.barrier = lowering.address(3);
  }
  if (lowering.has_modifier("multicast::cluster")) memory.multicast = lowering.source(4, 16);
  lowering.kernel().is_linked |= is_reduction && memory.to_space == Space::global;
  lowering.emit_memory(OpKind::bulk_copy, std::move(memory));
}

constexpr std::pair<std::string_view, MbarrierMode> mbarrier_modes[] = {
    {"init", MbarrierMode::init},
    {"inval", MbarrierMode::invalidate},
    {"expect_tx", MbarrierMode::expect_tx},
    {"complete_tx", MbarrierMode::complete_tx},
    {"arrive", MbarrierMode::arrive},
    {"arrive_drop", MbarrierMode::arrive_drop},
    {"test_wait", MbarrierMode::wait},
    {"try_wait", MbarrierMode::wait},
    {"pending_count", MbarrierMode::pending_count}};

void lower_copy_group(Lowering& lowering) {
  CopyGroupOp group = {.is_bulk = lowering.has_modifier("bulk"),
                       .commits = !lowering.has_modifier("wait_group"),
                       .waits = !lowering.has_modifier("commit_group"),
                       .waits_for_reads = lowering.has_modifier("read")};
  if (lowering.has_modifier("wait_group")) {
    const Operand& most = lowering.operand(0);
    if (most.kind != Operand::Kind::integer || most.value < 0) {
      lowering.refuse("it waits for a number of groups");
    }
    group.most = static_cast<std::uint64_t>(most.value);
  }
  lowering.emit(lowering.detailed(OpKind::copy_group, lowering.kernel().copy_groups, group));
}

void emit_mbarrier(Lowering& lowering, MbarrierOp barrier) {
  const bool is_shared =
      std::ranges::any_of(lowering.instruction().modifiers,
                          [](std::string_view modifier) { return modifier.starts_with("shared"); });
  barrier.space = is_shared ? Space::shared : Space::generic;
  barrier.is_of_cluster = !is_shared || lowering.has_modifier("shared::cluster");
  lowering.emit(lowering.detailed(OpKind::mbarrier, lowering.kernel().mbarriers, barrier));
}

}  // namespace

bool has_atomic(AtomicOperation operation, ptx::Type type) {
  if (!ptx::is_floating(type)) return true;
  if (type == ptx::Type::tf32 || type == ptx::Type::f32x2) return false;
  return operation == AtomicOperation::add || operation == AtomicOperation::minimum ||
         operation == AtomicOperation::maximum;
}

bool is_ordering(std::string_view modifier) {
  static constexpr std::array<std::string_view, 6> orders = {"volatile", "relaxed", "acquire",
                                                             "release",  "acq_rel", "mmio"};
  return is_one_of(modifier, orders);
}

void lower_load(Lowering& lowering) {
  MemoryOp memory = memory_op(lowering);
  if (memory.space == Space::param && load_parameter(lowering, memory)) return;
  const Operand& from = lowering.operand(1);
  memory.address = lowering.address(from);
  if (memory.space == Space::param) {
    // Only the kernel itself can have an address of its parameters.
    const bool is_of_kernel = from.base == Operand::Base::variable
                                  ? lowering.place_of(from.variable).is_kernel_parameter
                                  : lowering.is_in_kernel_frame();
    memory.is_counted = false;
    memory.space = is_of_kernel ? Space::global : Space::local;
  }
  if (memory.space == Space::constant) {
    memory.space = Space::global;
    memory.is_counted = false;
  }
  emit_access(lowering, OpKind::load, std::move(memory));
}

/// PTX ISA, "prefetch": what goes to L1, or may be of other spaces, is taken for a hint.
void lower_prefetch(Lowering& lowering) {
  const bool is_to_l2 =
      std::ranges::any_of(lowering.instruction().modifiers,
                          [](std::string_view modifier) { return modifier.starts_with("L2"); });
  if (!is_to_l2 || !lowering.has_modifier("global")) return;
  MemoryOp memory;
  memory.type = ptx::Type::b8;
  memory.address = lowering.address(0);
  memory.policy = CachePolicy::prefetch;
  memory.moves_no_data = true;
  memory.is_counted = false;
  lowering.emit_memory(OpKind::load, std::move(memory));
}

void lower_store(Lowering& lowering) {
  MemoryOp memory = memory_op(lowering);
  memory.address = lowering.address(0);
  if (memory.space == Space::param) {
    memory.is_counted = false;
    memory.space = Space::local;
  }
  if (memory.space == Space::constant) lowering.refuse("constant memory cannot be written");
  emit_access(lowering, OpKind::store, memory);
  if (lowering.has_modifier("mbarrier::complete_tx::bytes")) emit_completion(lowering, 2, memory);
}

/// PTX ISA, "atom", "red": vectors of up to 16 bytes in global memory.
static bool has_vector_atomic(const MemoryOp& memory) {
  constexpr unsigned widest = 16;
  const bool is_half = ptx::is_floating(memory.type) && ptx::bits_of(memory.type) <= 16;
  const bool is_pair = memory.type == ptx::Type::f16x2 || memory.type == ptx::Type::bf16x2;
  const bool is_sum = memory.operation == AtomicOperation::add;
  return may_be_global(memory) && memory.bytes() <= widest &&
         (is_half || is_pair || (memory.type == ptx::Type::f32 && is_sum));
}

void lower_atomic(Lowering& lowering) {
  const bool has_result = lowering.instruction().mnemonic == "atom";
  MemoryOp memory = memory_op(lowering, true);
  memory.operation = lowering.modifier<AtomicOperation>(atomic_operations);
  if (memory.elements != 1 && !has_vector_atomic(memory)) lowering.refuse();
  lowering.kernel().is_linked |= may_be_global(memory) && !lowering.has_modifier("cluster");
  const unsigned bits = ptx::bits_of(memory.type);
  if (!has_atomic(memory.operation, memory.type) || bits < 16 || bits > 128 ||
      (bits == 128 && memory.operation != AtomicOperation::exchange &&
       memory.operation != AtomicOperation::compare_exchange)) {
    lowering.refuse();
  }
  memory.has_unused_result = !has_result || lowering.is_result_unused();
  std::size_t next = 0;
  if (has_result && memory.elements == 1) {
    memory.result = lowering.destination(next++, bits);
  } else if (has_result) {
    for (const Operand* each : elements_of(lowering.operand(next++))) {
      memory.results.push_back(lowering.destination(*each, bits));
    }
  }
  memory.address = lowering.address(next++);
  const std::size_t values = memory.operation == AtomicOperation::compare_exchange ? 2 : 1;
  const bool is_async = lowering.has_modifier("async");
  if (is_async && (has_result || memory.operation >= AtomicOperation::exchange)) lowering.refuse();
  const Operand& value = lowering.operand(next);
  memory.is_increment = memory.has_unused_result && memory.operation == AtomicOperation::add &&
                        bits == 32 && value.kind == Operand::Kind::integer && value.value == 1;
  for (std::size_t i = 0; i < values; ++i) {
    for (const Operand* each : elements_of(lowering.operand(next++))) {
      memory.values.push_back(lowering.source(*each, bits));
      memory.bits.push_back(static_cast<std::uint8_t>(bits));
    }
  }
  const bool has_fitting_result =
      memory.results.empty() || memory.results.size() == memory.elements;
  if (memory.values.size() != values * memory.elements || !has_fitting_result) {
    lowering.refuse("its vector does not fit");
  }
  lowering.emit_memory(OpKind::atomic, memory);
  if (lowering.has_modifier("mbarrier::complete_tx::bytes")) {
    emit_completion(lowering, next, memory);
  }
}

void lower_matrix(Lowering& lowering) {
  const bool is_load = lowering.instruction().mnemonic == "ldmatrix";
  MemoryOp memory;
  memory.space = Space::shared;
  memory.type = ptx::Type::b16;
  for (const std::string_view modifier : lowering.instruction().modifiers) {
    if (modifier == "trans") {
      memory.is_transposed = true;
    } else if (modifier == "x1" || modifier == "x2" || modifier == "x4") {
      memory.matrices = static_cast<std::uint32_t>(modifier[1] - '0');
    } else if (modifier != "sync" && modifier != "aligned" && modifier != "m8n8" &&
               modifier != "shared" && modifier != "shared::cta" && modifier != "b16") {
      lowering.refuse();
    }
  }
  const std::size_t address = is_load ? 1 : 0;
  memory.address = lowering.address(address);
  for (const Operand* element : elements_of(lowering.operand(1 - address))) {
    memory.values.push_back(is_load ? lowering.destination(*element, 32)
                                    : lowering.source(*element, 32));
  }
  if (memory.matrices == 0 || memory.values.size() != memory.matrices) lowering.refuse();
  lowering.emit_memory(is_load ? OpKind::load_matrix : OpKind::store_matrix, std::move(memory));
}

void lower_mbarrier(Lowering& lowering) {
  // The first modifier is the operation; `arrive` may expect bytes too.
  MbarrierOp barrier = {.mode = lowering.modifier<MbarrierMode>(mbarrier_modes)};
  std::size_t address = 0;
  switch (barrier.mode) {
    case MbarrierMode::pending_count:
      barrier.d = lowering.destination(0, 32);
      barrier.value = lowering.source(1, 64);
      barrier.value_bits = 64;
      return emit_mbarrier(lowering, barrier);
    case MbarrierMode::arrive:
    case MbarrierMode::arrive_drop:
      if (barrier.mode == MbarrierMode::arrive && lowering.has_modifier("expect_tx")) {
        barrier.mode = MbarrierMode::arrive_expect_tx;
      }
      barrier.d = lowering.destination(address++, 64);
      if (lowering.operand_count() > 2) barrier.value = lowering.source(2, 32);
      break;
    case MbarrierMode::wait:
      if (lowering.has_modifier("parity")) barrier.mode = MbarrierMode::wait_parity;
      barrier.value_bits = barrier.mode == MbarrierMode::wait ? 64 : 32;
      barrier.d = lowering.destination(address++, 1);
      barrier.value = lowering.source(2, barrier.value_bits);
      break;
    case MbarrierMode::invalidate:
      break;
    default:
      barrier.value = lowering.source(1, 32);
  }
  barrier.address = lowering.address(address);
  emit_mbarrier(lowering, barrier);
}

void lower_copy(Lowering& lowering) {
  if (lowering.has_modifier("prefetch")) return;
  if (lowering.has_modifier("commit_group") || lowering.has_modifier("wait_group") ||
      lowering.has_modifier("wait_all")) {
    return lower_copy_group(lowering);
  }
  if (lowering.has_modifier("mbarrier")) {
    return emit_mbarrier(lowering, {.mode = MbarrierMode::async_arrive,
                                    .address = lowering.address(0),
                                    .is_without_increment = lowering.has_modifier("noinc")});
  }
  if (lowering.has_modifier("bulk")) {
    const bool is_reduction = lowering.instruction().modifiers.front() == "reduce";
    if (lowering.has_modifier("tensor")) return lower_tensor_copy(lowering, is_reduction);
    return lower_bulk_copy(lowering, is_reduction);
  }
  lower_lane_copy(lowering);
}

void lower_nanosleep(Lowering& lowering) {
  lowering.emit(OpKind::nanosleep);
}

}  // namespace sweep
