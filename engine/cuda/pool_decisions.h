#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

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

}  // namespace sweep
