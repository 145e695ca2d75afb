#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "engine/backend/backend.h"
#include "engine/cuda/driver.h"

namespace sweep {

/// Which block each size gets: the smallest free one that it fits into, larger sizes first, so
/// that as many as possible get one; nothing where none is left.
std::vector<std::optional<std::size_t>> assign_blocks(std::span<const std::uint64_t> capacities,
                                                      std::span<const std::uint64_t> sizes);

/// How much to allocate for a buffer, so that buffers a little larger fit too: up to an eighth
/// more, in whole pages of 2 MiB where it is larger than one.
std::uint64_t pooled_capacity(std::uint64_t bytes);

/// Which of the idle blocks to free to get `bytes`: the smallest first, which are of least use.
std::vector<std::size_t> blocks_to_free(std::span<const std::uint64_t> idle_capacities,
                                        std::uint64_t bytes);

/// The sum, or the largest number when it is larger.
std::uint64_t total_of(std::span<const std::uint64_t> sizes);

/// Device memory that one configuration after the other uses: allocating gigabytes anew for each
/// would cost more than measuring. Blocks that do not fit now are kept for later ones, as long as
/// an eighth of the device's memory stays free; all of them go when memory is short.
class BufferPool {
 public:
  explicit BufferPool(std::uint64_t device_bytes) : device_bytes_(device_bytes) {}

  /// Addresses of buffers of at least these sizes. What was handed out before is invalid.
  /// Throws ExecutionFailure when the device does not have the memory.
  std::vector<CUdeviceptr> acquire(const std::vector<std::uint64_t>& sizes);
  /// One more buffer, valid until the next `acquire`; nothing when there is no memory for it.
  std::optional<CUdeviceptr> acquire_more(std::uint64_t bytes);
  /// Frees everything; what was handed out is invalid.
  void clear() { blocks_.clear(); }

  /// How often device memory was allocated so far.
  std::uint64_t allocations() const { return allocations_; }

 private:
  struct Block {
    DeviceMemory memory;
    std::uint64_t capacity = 0;
    bool in_use = false;
  };

  std::optional<std::vector<CUdeviceptr>> try_acquire(const std::vector<std::uint64_t>& sizes,
                                                      bool with_reserve);
  std::optional<CUdeviceptr> take(std::uint64_t bytes, bool with_reserve);
  bool allocate(std::uint64_t bytes);
  void free_idle();
  void keep_memory_free();

  std::uint64_t device_bytes_;
  std::vector<Block> blocks_;
  std::uint64_t allocations_ = 0;
};

/// Memory in any place that kernels reach by an address.
class PlacedMemory {
 public:
  /// In the current context, which is that of the GPU that owns it. Throws CudaError.
  PlacedMemory(Place place, std::uint64_t bytes);
  ~PlacedMemory();
  PlacedMemory(const PlacedMemory&) = delete;
  PlacedMemory& operator=(const PlacedMemory&) = delete;

  CUdeviceptr get() const { return address_; }

 private:
  void compress(std::uint64_t bytes);

  DeviceMemory memory_;
  PinnedMemory pinned_;
  CUmemGenericAllocationHandle physical_ = 0;  ///< of compressed memory
  std::uint64_t mapped_bytes_ = 0;
  CUdeviceptr address_ = 0;
};

/// The memory of buffers that do not lie in the device's own, kept for configurations that want the
/// same place.
class PlacedBuffers {
 public:
  /// A buffer of at least this size, valid until `release`. `owner` is the context of the GPU that
  /// owns the memory, or with managed memory touches it first. Throws ExecutionFailure when there
  /// is no room.
  CUdeviceptr acquire(Place place, CUcontext owner, std::uint64_t bytes);
  /// What was handed out is free for others.
  void release();
  void clear() { blocks_.clear(); }
  /// Frees what is not in use. Whether there was any.
  bool free_idle() {
    return std::erase_if(blocks_, [](const Block& block) { return !block.in_use; }) > 0;
  }

 private:
  struct Block {
    Place place;
    CUcontext owner;
    std::uint64_t bytes;
    std::unique_ptr<PlacedMemory> memory;
    bool in_use = true;
  };
  std::vector<Block> blocks_;
};

/// The arrays of files on the device, as they stand there: buffers are filled from them, and
/// results compared with them, one configuration after the other.
class DeviceFiles {
 public:
  /// Frees all but what these are filled with.
  void keep(const std::vector<const BufferPlan*>& plans);
  /// Brings the file of a plan onto the device, unless it is there. Waits for the stream. Throws
  /// CudaError, and ExecutionFailure where the file is not as it was.
  void load(const BufferPlan& plan, CUstream stream);
  /// Where it lies, once it is loaded.
  CUdeviceptr address(const BufferPlan& plan) const;

 private:
  struct Loaded {
    FileBytes file;
    std::uint64_t bytes = 0;
    DeviceMemory memory;

    bool is_of(const BufferPlan& plan) const { return file == plan.file && bytes == plan.bytes; }
  };
  std::vector<Loaded> loaded_;
};

/// What the generated checks write, on the device and on the host, for several checks at a time.
class CheckResults {
 public:
  explicit CheckResults(CUstream stream);

  /// Queues `count` results without a failure. Waits for the stream when it must grow.
  void queue_reset(std::size_t count);
  /// The place on the device that a check writes to. Between checks anything may be written there.
  CUdeviceptr place(std::size_t index) const {
    return on_device_.get() + index * sizeof(CheckResult);
  }
  /// Queues copying the results of the last reset to the host.
  void queue_fetch() const;
  /// A fetched result.
  const CheckResult& operator[](std::size_t index) const {
    return static_cast<const CheckResult*>(on_host_.get())[index];
  }

 private:
  void grow(std::size_t capacity);

  CUstream stream_;
  std::size_t capacity_ = 0;
  std::size_t count_ = 0;
  DeviceMemory on_device_;
  PinnedMemory on_host_;
};

}  // namespace sweep
