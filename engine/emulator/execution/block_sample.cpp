#include "engine/emulator/execution/block_sample.h"

#include <algorithm>
#include <limits>

namespace sweep {
namespace {

__extension__ using Wide = __int128;

/// A fixed sequence without short periods (splitmix64 by S. Vigna).
std::uint64_t scattered(std::uint64_t number) {
  std::uint64_t value = number + 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// Every figure of a launch's counts, in one order.
std::vector<std::uint64_t*> figures_of(LaunchCount& count) {
  std::vector<std::uint64_t*> figures = {&count.warp_instructions, &count.thread_instructions};
  const auto add = [&](auto& part) {
    for (const auto figure : part.figures) figures.push_back(&(part.*figure));
  };
  for (SiteCount& site : count.sites) {
    add(site.global);
    add(site.local);
    add(site.shared);
  }
  return figures;
}

/// Nothing where it does not fit.
std::optional<Wide> product(Wide a, Wide b) {
  Wide result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

/// A linear function through samples, and how many of them it goes through.
struct Line {
  Wide b0 = 0;
  Wide v0 = 0;
  Wide run = 1;
  Wide rise = 0;

  bool meets(std::uint64_t block, std::uint64_t value) const {
    const auto risen = product(static_cast<Wide>(value) - v0, run);
    const auto expected = product(rise, static_cast<Wide>(block) - b0);
    return risen && expected && *risen == *expected;
  }
};

/// Some blocks that follow each other, with the counts of those that were executed.
struct Piece {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t first = 0;  ///< of the samples
  std::size_t last = 0;   ///< behind the last
};

/// The line through a piece's first and last sample.
Line line_of(std::span<const std::uint64_t> blocks, std::span<const std::uint64_t> values,
             std::size_t first, std::size_t last) {
  Line line = {static_cast<Wide>(blocks[first]), static_cast<Wide>(values[first])};
  if (last - first < 2) return line;
  line.run = static_cast<Wide>(blocks[last - 1]) - line.b0;
  line.rise = static_cast<Wide>(values[last - 1]) - line.v0;
  return line;
}

/// The sum over a piece's blocks of the linear function through its samples, or nothing when they
/// do not lie on one.
std::optional<std::uint64_t> sum_of(const Piece& piece, std::span<const std::uint64_t> blocks,
                                    std::span<const std::uint64_t> values) {
  const Line line = line_of(blocks, values, piece.first, piece.last);
  for (std::size_t i = piece.first; i < piece.last; ++i) {
    if (!line.meets(blocks[i], values[i])) return std::nullopt;
  }
  // The piece's block numbers, each less the first sample's.
  const auto count = static_cast<Wide>(piece.end - piece.begin);
  const Wide along =
      count * (static_cast<Wide>(piece.begin) + static_cast<Wide>(piece.end) - 1) / 2 -
      count * line.b0;
  const auto flat = product(line.v0, count);
  const auto risen = product(line.rise, along);
  if (!flat || !risen || *risen % line.run != 0) return std::nullopt;
  Wide sum = 0;
  const bool is_too_large = __builtin_add_overflow(*flat, *risen / line.run, &sum);
  if (is_too_large || sum < 0 || sum > std::numeric_limits<std::uint64_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(sum);
}

using Values = std::vector<std::vector<std::uint64_t>>;

/// The figures of samples, each with its values in the samples' order.
Values values_of(std::span<const LaunchCount> counts) {
  Values values;
  for (LaunchCount count : counts) {
    const std::vector<std::uint64_t*> figures = figures_of(count);
    values.resize(figures.size());
    for (std::size_t i = 0; i < figures.size(); ++i) values[i].push_back(*figures[i]);
  }
  return values;
}

/// Of the samples but the first and the last, the place of the one that another line begins with;
/// that of the last where they are on one. Two samples always lie on a line: the longer line
/// counts.
std::size_t place_of_change(std::span<const std::uint64_t> blocks, const Values& values) {
  // Whether a sample lies, in every figure, on the line through `low` and the one after it.
  const auto is_on_line = [&](std::size_t low, std::size_t sample) {
    return std::ranges::all_of(values, [&](const std::vector<std::uint64_t>& figure) {
      return line_of(blocks, figure, low, low + 2).meets(blocks[sample], figure[sample]);
    });
  };
  const std::size_t end = blocks.size() - 1;
  std::size_t after_first_line = 1;
  while (after_first_line < end && is_on_line(1, after_first_line)) ++after_first_line;
  if (after_first_line == end) return end;
  std::size_t last_line = end;
  while (last_line > 1 && is_on_line(end - 2, last_line - 1)) --last_line;
  return after_first_line - 1 >= end - last_line ? after_first_line : last_line;
}

/// Two always lie on a line; all of a piece's blocks need not.
bool says_enough(const Piece& piece) {
  constexpr std::size_t fewest = 3;
  const std::size_t samples = piece.last - piece.first;
  return samples >= fewest || samples == piece.end - piece.begin;
}

/// Of the blocks but the first and the last, when another line begins with the sample at `change`.
std::vector<Piece> pieces_of(std::span<const std::uint64_t> blocks, std::size_t change,
                             std::uint64_t total) {
  const std::size_t last = blocks.size() - 1;
  if (change == last) return {{1, total - 1, 1, last}};
  return {{1, blocks[change], 1, change}, {blocks[change], total - 1, change, last}};
}

}  // namespace

std::vector<std::uint64_t> choose_blocks(std::uint64_t total, std::uint64_t wanted) {
  std::vector<std::uint64_t> blocks;
  if (wanted >= total) {
    for (std::uint64_t block = 0; block < total; ++block) blocks.push_back(block);
    return blocks;
  }
  blocks = {0, total - 1};
  const std::uint64_t between = wanted > 2 ? wanted - 2 : 0;
  for (std::uint64_t i = 0; i < between; ++i) {
    // One block out of each of as many equal parts.
    const auto begin = static_cast<std::uint64_t>(static_cast<Wide>(total) * i / between);
    const auto end = static_cast<std::uint64_t>(static_cast<Wide>(total) * (i + 1) / between);
    blocks.push_back(begin + scattered(i) % std::max<std::uint64_t>(end - begin, 1));
  }
  std::ranges::sort(blocks);
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

std::optional<std::uint64_t> block_to_tell_pieces(std::span<const std::uint64_t> blocks,
                                                  std::span<const LaunchCount> counts,
                                                  std::uint64_t total) {
  constexpr std::size_t fewest = 5;
  if (blocks.size() < fewest || blocks.size() == total) return std::nullopt;
  // A short first or last piece has no other block in the sample.
  if (blocks[1] != 1) return 1;
  if (blocks[blocks.size() - 2] != total - 2) return total - 2;
  const std::size_t change = place_of_change(blocks, values_of(counts));
  const auto between = [&](std::size_t i) {
    return blocks[i - 1] + (blocks[i] - blocks[i - 1]) / 2;
  };
  if (change == blocks.size() - 1) return std::nullopt;
  if (blocks[change - 1] + 1 != blocks[change]) return between(change);
  for (const Piece& piece : pieces_of(blocks, change, total)) {
    if (says_enough(piece)) continue;
    for (std::size_t i = piece.first + 1; i < piece.last; ++i) {
      if (blocks[i - 1] + 1 != blocks[i]) return between(i);
    }
  }
  return std::nullopt;
}

std::vector<std::uint64_t> partners_of_first(const Dim3& grid,
                                             std::span<const std::uint64_t> chosen,
                                             std::uint64_t most) {
  const std::uint64_t total = grid.count();
  std::vector<std::uint64_t> partners;
  const auto add = [&](std::uint64_t block) {
    const bool is_known = std::ranges::find(partners, block) != partners.end() ||
                          std::ranges::binary_search(chosen, block);
    if (block < total && partners.size() < most && !is_known) partners.push_back(block);
  };
  add(1);
  add(grid.x);
  add(std::uint64_t{grid.x} * grid.y);
  for (std::uint64_t apart = total / 2; apart > 1; apart /= 2) add(apart);
  for (std::uint64_t apart = 2; apart < total; apart *= 2) add(apart);
  return partners;
}

std::optional<LaunchCount> scale_counts(std::span<const std::uint64_t> blocks,
                                        std::span<const LaunchCount> counts, std::uint64_t total) {
  // Fewer than three in between always lie on a line.
  constexpr std::size_t fewest = 5;
  if (blocks.size() < fewest || blocks.front() != 0 || blocks.back() != total - 1) {
    return std::nullopt;
  }
  const Values values = values_of(counts);
  const std::size_t last = blocks.size() - 1;
  const std::size_t change = place_of_change(blocks, values);
  // Between two pieces there must be no block that either could have.
  if (change != last && blocks[change - 1] + 1 != blocks[change]) return std::nullopt;
  const std::vector<Piece> pieces = pieces_of(blocks, change, total);
  if (!std::ranges::all_of(pieces, says_enough)) return std::nullopt;
  LaunchCount result = counts.front();
  result += counts.back();
  const std::vector<std::uint64_t*> totals = figures_of(result);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    for (const Piece& piece : pieces) {
      const auto sum = sum_of(piece, blocks, values[i]);
      if (!sum || __builtin_add_overflow(*totals[i], *sum, totals[i])) return std::nullopt;
    }
  }
  // What addresses look like is not scaled: the blocks that were executed tell it.
  for (const LaunchCount& count : counts.subspan(1, counts.size() - 2)) result.add_shapes(count);
  return result;
}

}  // namespace sweep
