#include "engine/cuda/device_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "engine/text/read_source.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

/// The indices of `values`, those of smaller values first.
std::vector<std::size_t> ascending(std::span<const std::uint64_t> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  return order;
}

struct MemoryInfo {
  std::size_t free = 0;
  std::size_t total = 0;
};

MemoryInfo memory_info() {
  MemoryInfo info;
  Driver::get().memory_info(&info.free, &info.total);
  return info;
}

[[noreturn]] void report_shortage(const std::vector<std::uint64_t>& sizes) {
  const MemoryInfo info = memory_info();
  throw ExecutionFailure(fmt::format(
      "out of memory: the buffers need {}, of the device's {} are {} free",
      format_bytes(total_of(sizes)), format_bytes(info.total), format_bytes(info.free)));
}

}  // namespace

std::vector<std::optional<std::size_t>> assign_blocks(std::span<const std::uint64_t> capacities,
                                                      std::span<const std::uint64_t> sizes) {
  std::vector<std::size_t> free = ascending(capacities);
  std::vector<std::size_t> order = ascending(sizes);
  std::ranges::reverse(order);
  std::vector<std::optional<std::size_t>> result(sizes.size());
  for (const std::size_t i : order) {
    const auto fits = std::ranges::find_if(
        free, [&](std::size_t block) { return capacities[block] >= sizes[i]; });
    if (fits == free.end()) continue;
    result[i] = *fits;
    free.erase(fits);
  }
  return result;
}

std::uint64_t pooled_capacity(std::uint64_t bytes) {
  constexpr std::uint64_t page = 2U << 20U;
  constexpr std::uint64_t smallest = 512;
  constexpr std::uint64_t parts = 8;
  const std::uint64_t part = std::bit_floor(bytes) / parts;
  const std::uint64_t unit = std::max(part, bytes > page ? page : smallest);
  const std::uint64_t rest = bytes % unit;
  if (rest == 0 || bytes > ~std::uint64_t{0} - unit) return std::max(bytes, smallest);
  return bytes - rest + unit;
}

std::vector<std::size_t> blocks_to_free(std::span<const std::uint64_t> idle_capacities,
                                        std::uint64_t bytes) {
  std::vector<std::size_t> chosen;
  std::uint64_t freed = 0;
  for (const std::size_t i : ascending(idle_capacities)) {
    if (freed >= bytes) break;
    chosen.push_back(i);
    freed += idle_capacities[i];
  }
  return chosen;
}

std::uint64_t total_of(std::span<const std::uint64_t> sizes) {
  std::uint64_t total = 0;
  for (const std::uint64_t size : sizes) {
    if (__builtin_add_overflow(total, size, &total)) return ~std::uint64_t{0};
  }
  return total;
}

std::vector<CUdeviceptr> BufferPool::acquire(const std::vector<std::uint64_t>& sizes) {
  if (device_bytes_ > 0 && total_of(sizes) > device_bytes_) report_shortage(sizes);
  const std::uint64_t allocations_before = allocations_;
  const auto attempt = [&](bool with_reserve) {
    for (Block& block : blocks_) block.in_use = false;
    return try_acquire(sizes, with_reserve);
  };
  auto addresses = attempt(true);
  if (!addresses) {
    free_idle();
    addresses = attempt(false);
  }
  if (!addresses) {
    clear();  // blocks larger than what they are used for may hold the memory that lacks
    addresses = attempt(false);
  }
  if (!addresses) {
    clear();
    report_shortage(sizes);
  }
  if (allocations_ > allocations_before) keep_memory_free();
  return *addresses;
}

std::optional<std::vector<CUdeviceptr>> BufferPool::try_acquire(
    const std::vector<std::uint64_t>& sizes, bool with_reserve) {
  std::vector<std::uint64_t> capacities;
  for (const Block& block : blocks_) capacities.push_back(block.in_use ? 0 : block.capacity);
  const auto assigned = assign_blocks(capacities, sizes);
  std::vector<CUdeviceptr> addresses(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!assigned[i]) continue;
    Block& block = blocks_[*assigned[i]];
    block.in_use = true;
    addresses[i] = block.memory.get();
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (assigned[i]) continue;
    const auto address = take(sizes[i], with_reserve);
    if (!address) return std::nullopt;
    addresses[i] = *address;
  }
  return addresses;
}

std::optional<CUdeviceptr> BufferPool::acquire_more(std::uint64_t bytes) {
  const std::uint64_t allocations_before = allocations_;
  auto addresses = try_acquire({bytes}, true);
  if (!addresses) {
    free_idle();
    addresses = try_acquire({bytes}, false);
  }
  if (!addresses) return std::nullopt;
  if (allocations_ > allocations_before) keep_memory_free();
  return addresses->front();
}

/// A new block in use.
std::optional<CUdeviceptr> BufferPool::take(std::uint64_t bytes, bool with_reserve) {
  if (!(with_reserve && allocate(pooled_capacity(bytes))) && !allocate(bytes)) return std::nullopt;
  blocks_.back().in_use = true;
  return blocks_.back().memory.get();
}

/// False when there is not enough memory.
bool BufferPool::allocate(std::uint64_t bytes) {
  try {
    blocks_.push_back({allocate_device_memory(bytes), bytes});
    ++allocations_;
    return true;
  } catch (const CudaError& error) {
    if (error.result() == CUDA_ERROR_OUT_OF_MEMORY) return false;
    throw;
  }
}

void BufferPool::free_idle() {
  std::erase_if(blocks_, [](const Block& block) { return !block.in_use; });
}

/// Modules and the driver itself need memory too.
void BufferPool::keep_memory_free() {
  constexpr std::size_t share = 8;
  std::vector<std::size_t> idle;
  std::vector<std::uint64_t> capacities;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].in_use) continue;
    idle.push_back(i);
    capacities.push_back(blocks_[i].capacity);
  }
  if (idle.empty()) return;
  const MemoryInfo info = memory_info();
  const std::size_t wanted = info.total / share;
  if (info.free >= wanted) return;
  for (const std::size_t i : blocks_to_free(capacities, wanted - info.free)) {
    blocks_[idle[i]].memory = {};
  }
  std::erase_if(blocks_, [](const Block& block) { return !block.memory; });
}

PlacedMemory::PlacedMemory(Place place, std::uint64_t bytes) {
  const Driver& driver = Driver::get();
  if (place == Place::host || place == Place::host_write_combined) {
    unsigned flags = CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE;
    if (place == Place::host_write_combined) flags |= CU_MEMHOSTALLOC_WRITECOMBINED;
    pinned_ = PinnedMemory(driver.pinned_allocate.value(std::size_t{bytes}, flags));
    address_ = driver.pinned_device_address.value(pinned_.get(), 0U);
  } else if (place == Place::compressed) {
    compress(bytes);
  } else {
    memory_ = is_managed(place) ? DeviceMemory(driver.managed_allocate.value(
                                      std::size_t{bytes}, unsigned{CU_MEM_ATTACH_GLOBAL}))
                                : allocate_device_memory(bytes);
    address_ = memory_.get();
  }
}

void PlacedMemory::compress(std::uint64_t bytes) {
  const Driver& driver = Driver::get();
  CUdevice device = 0;
  driver.context_device(&device);
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  wanted.location.id = device;
  wanted.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
  const std::size_t unit =
      driver.physical_granularity.value(&wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  const std::size_t size = (bytes + unit - 1) / unit * unit;
  // Where a later call fails, the destructor does not run: what was taken is given back here.
  physical_ = driver.physical_create.value(size, &wanted, 0ULL);
  try {
    CUmemAllocationProp given{};
    driver.physical_properties(&given, physical_);
    if (given.allocFlags.compressionType != CU_MEM_ALLOCATION_COMP_GENERIC) {
      throw CudaError(CUDA_ERROR_NOT_SUPPORTED,
                      "the driver gave plain memory where compressible was asked for");
    }
    address_ = driver.address_reserve.value(size, std::size_t{0}, CUdeviceptr{0}, 0ULL);
    driver.physical_map(address_, size, 0, physical_, 0);
    mapped_bytes_ = size;
    CUmemAccessDesc access{};
    access.location = wanted.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    driver.physical_set_access(address_, size, &access, 1);
  } catch (const CudaError&) {
    if (mapped_bytes_ > 0) driver.physical_unmap.result(address_, size);
    if (address_ != 0) driver.address_free.result(address_, size);
    driver.physical_release.result(physical_);
    throw;
  }
}

PlacedMemory::~PlacedMemory() {
  if (mapped_bytes_ == 0) return;
  try {
    const Driver& driver = Driver::get();
    driver.physical_unmap.result(address_, mapped_bytes_);
    driver.address_free.result(address_, mapped_bytes_);
    driver.physical_release.result(physical_);
  } catch (const std::exception&) {
    // What made the memory is there to free it.
  }
}

CUdeviceptr PlacedBuffers::acquire(Place place, CUcontext owner, std::uint64_t bytes) {
  const auto is_idle = [&](const Block& block) {
    return !block.in_use && block.place == place && block.owner == owner;
  };
  for (Block& block : blocks_) {
    if (!is_idle(block) || block.bytes < bytes) continue;
    block.in_use = true;
    return block.memory->get();
  }
  std::erase_if(blocks_, is_idle);
  const ContextScope scope(owner);
  const auto allocate = [&] {
    blocks_.push_back({place, owner, bytes, std::make_unique<PlacedMemory>(place, bytes)});
    return blocks_.back().memory->get();
  };
  try {
    return allocate();
  } catch (const CudaError& error) {
    if (error.result() != CUDA_ERROR_OUT_OF_MEMORY) throw;
  }
  free_idle();
  try {
    return allocate();
  } catch (const CudaError& error) {
    if (error.result() != CUDA_ERROR_OUT_OF_MEMORY) throw;
    throw ExecutionFailure(fmt::format("out of memory: there is no room for {} with the place {}",
                                       format_bytes(bytes), to_string(place)));
  }
}

void PlacedBuffers::release() {
  for (Block& block : blocks_) block.in_use = false;
}

void DeviceFiles::keep(const std::vector<const BufferPlan*>& plans) {
  std::erase_if(loaded_, [&](const Loaded& loaded) {
    return std::ranges::none_of(plans, [&](const BufferPlan* plan) { return loaded.is_of(*plan); });
  });
}

void DeviceFiles::load(const BufferPlan& plan, CUstream stream) {
  constexpr std::uint64_t piece = std::uint64_t{16} << 20U;
  const auto is_of_plan = [&](const Loaded& loaded) { return loaded.is_of(plan); };
  try {
    // What was written meanwhile is not what the results are kept for, though it be loaded.
    const FileDescriptor opened = open_data(plan.file);
    if (std::ranges::any_of(loaded_, is_of_plan)) return;
    Loaded loaded = {plan.file, plan.bytes, allocate_device_memory(plan.bytes)};
    const std::uint64_t most = std::min(piece, plan.bytes);
    const PinnedMemory staging = allocate_pinned_memory(most);
    for (std::uint64_t at = 0; at < plan.bytes; at += most) {
      const auto count = static_cast<std::size_t>(std::min(most, plan.bytes - at));
      read_data(opened, plan.file, at, {static_cast<std::byte*>(staging.get()), count});
      Driver::get().copy_to_device(loaded.memory.get() + at, staging.get(), count, stream);
      synchronize(stream);
    }
    loaded_.push_back(std::move(loaded));
  } catch (const FileError& error) {
    throw ExecutionFailure(error.what());
  }
}

CUdeviceptr DeviceFiles::address(const BufferPlan& plan) const {
  const auto found =
      std::ranges::find_if(loaded_, [&](const Loaded& loaded) { return loaded.is_of(plan); });
  return found != loaded_.end() ? found->memory.get() : 0;
}

CheckResults::CheckResults(CUstream stream) : stream_(stream) {
  constexpr std::size_t usual = 8;
  grow(usual);
}

void CheckResults::grow(std::size_t capacity) {
  synchronize(stream_);
  on_device_ = allocate_device_memory(capacity * sizeof(CheckResult));
  on_host_ = allocate_pinned_memory(capacity * sizeof(CheckResult));
  capacity_ = capacity;
}

void CheckResults::queue_reset(std::size_t count) {
  if (count > capacity_) grow(count);
  count_ = count;
  auto* results = static_cast<CheckResult*>(on_host_.get());
  std::fill_n(results, count, CheckResult{});
  Driver::get().copy_to_device(on_device_.get(), results, count * sizeof(CheckResult), stream_);
}

void CheckResults::queue_fetch() const {
  Driver::get().copy_to_host(on_host_.get(), on_device_.get(), count_ * sizeof(CheckResult),
                             stream_);
}

}  // namespace sweep
