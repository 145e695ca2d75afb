#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/emulator/machine/launch.h"

namespace sweep {

/// Numbers of `wanted` of `total` blocks, rising: the first, the last, and others spread over the
/// grid without a period.
std::vector<std::uint64_t> choose_blocks(std::uint64_t total, std::uint64_t wanted);

/// Up to `most` blocks beside those chosen that are the likeliest to share memory with the first:
/// its neighbours along each dimension and those that are a power of two away.
std::vector<std::uint64_t> partners_of_first(const Dim3& grid,
                                             std::span<const std::uint64_t> chosen,
                                             std::uint64_t most);

/// The counts of the whole grid from those of some blocks: when the counts of all blocks between
/// the first and the last are one linear function of the block's number, in every figure and
/// exactly, or two, one after the other, with the place known where they meet: blocks that share
/// out what is not divisible by their number. Empty when they are not, or a total does not fit.
std::optional<LaunchCount> scale_counts(std::span<const std::uint64_t> blocks,
                                        std::span<const LaunchCount> counts, std::uint64_t total);

/// A block that is not among the samples and whose counts tell where the first linear function ends
/// and another begins. Empty when that place is known, or all samples lie on one.
std::optional<std::uint64_t> block_to_tell_pieces(std::span<const std::uint64_t> blocks,
                                                  std::span<const LaunchCount> counts,
                                                  std::uint64_t total);

}  // namespace sweep
