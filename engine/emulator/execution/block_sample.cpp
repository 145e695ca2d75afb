#include "engine/emulator/execution/block_sample.h"

#include <algorithm>

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
  std::vector<std::uint64_t*> figures;
  const auto add = [&](auto& part) {
    for (const auto figure : part.figures) figures.push_back(&(part.*figure));
  };
  add(static_cast<WorkCount&>(count));
  for (SiteCount& site : count.sites) {
    add(site.global);
    add(site.local);
    add(site.shared);
    add(site.remote);
  }
  return figures;
}

/// Some blocks that follow each other, with the samples among them.
struct Piece {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t first = 0;  ///< of the samples
  std::size_t last = 0;   ///< behind the last

  /// Two always lie on a line; all of a piece's blocks need not.
  bool says_enough() const {
    constexpr std::size_t fewest = 3;
    return last - first >= fewest || last - first == end - begin;
  }
};

using Figure = std::vector<std::uint64_t>;  // by sample

/// Fewer than three between the first and the last always lie on a line.
constexpr std::size_t fewest_samples = 5;

/// The blocks that were executed, and every figure of their counts. A grid has fewer than 2^63
/// blocks, so that a figure times a number of blocks fits into a Wide.
struct Samples {
  std::span<const std::uint64_t> blocks;
  std::vector<Figure> figures;
  /// Of the samples but the first and the last, the place of the one that another line begins with;
  /// that of the last where they are on one.
  std::size_t change = 0;
  std::vector<Piece> pieces;  ///< of the blocks but the first and the last

  Samples(std::span<const std::uint64_t> executed, std::span<const LaunchCount> counts,
          std::uint64_t total)
      : blocks(executed) {
    for (LaunchCount count : counts) {
      const std::vector<std::uint64_t*> values = figures_of(count);
      figures.resize(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) figures[i].push_back(*values[i]);
    }
    const std::size_t last = blocks.size() - 1;
    change = place_of_change(last);
    pieces = {{1, total - 1, 1, last}};
    if (change != last) {
      pieces = {{1, blocks[change], 1, change}, {blocks[change], total - 1, change, last}};
    }
  }

  /// Two samples always lie on a line: the longer line counts.
  std::size_t place_of_change(std::size_t end) const {
    const auto is_on_line = [&](std::size_t low, std::size_t sample) {
      return std::ranges::all_of(
          figures, [&](const Figure& figure) { return is_between(figure, low, low + 1, sample); });
    };
    std::size_t after_first_line = 1;
    while (after_first_line < end && is_on_line(1, after_first_line)) ++after_first_line;
    if (after_first_line == end) return end;
    std::size_t last_line = end;
    while (last_line > 1 && is_on_line(end - 2, last_line - 1)) --last_line;
    return after_first_line - 1 >= end - last_line ? after_first_line : last_line;
  }

  /// Whether a sample lies on the line through two others.
  bool is_between(const Figure& figure, std::size_t a, std::size_t b, std::size_t sample) const {
    const auto apart = [](std::uint64_t from, std::uint64_t to) { return Wide{to} - Wide{from}; };
    return apart(figure[a], figure[sample]) * apart(blocks[a], blocks[b]) ==
           apart(figure[a], figure[b]) * apart(blocks[a], blocks[sample]);
  }

  /// Whether another sample may lie before this one.
  bool has_gap_before(std::size_t sample) const { return blocks[sample - 1] + 1 != blocks[sample]; }

  /// Adds the sum over a piece's blocks of the linear function through its samples; false when
  /// they do not lie on one, or it does not fit.
  bool add_sum(const Piece& piece, const Figure& figure, std::uint64_t& sum) const {
    const std::size_t last = piece.last - 1;
    for (std::size_t i = piece.first; i < piece.last; ++i) {
      if (!is_between(figure, piece.first, last, i)) return false;
    }
    // The piece's block numbers, each less the first sample's.
    const auto count = static_cast<Wide>(piece.end - piece.begin);
    const Wide along =
        count * (Wide{piece.begin} + Wide{piece.end} - 1) / 2 - count * Wide{blocks[piece.first]};
    const Wide run = std::max<Wide>(Wide{blocks[last]} - Wide{blocks[piece.first]}, 1);
    Wide risen = 0;
    if (__builtin_mul_overflow(Wide{figure[last]} - Wide{figure[piece.first]}, along, &risen) ||
        risen % run != 0) {
      return false;
    }
    std::uint64_t more = 0;
    return !__builtin_add_overflow(figure[piece.first] * count, risen / run, &more) &&
           !__builtin_add_overflow(sum, more, &sum);
  }
};

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
  if (blocks.size() < fewest_samples || blocks.size() == total) return std::nullopt;
  // A short first or last piece has no other block in the sample.
  if (blocks[1] != 1) return 1;
  if (blocks[blocks.size() - 2] != total - 2) return total - 2;
  const Samples samples(blocks, counts, total);
  const auto between = [&](std::size_t i) {
    return blocks[i - 1] + (blocks[i] - blocks[i - 1]) / 2;
  };
  if (samples.pieces.size() == 1) return std::nullopt;
  if (samples.has_gap_before(samples.change)) return between(samples.change);
  for (const Piece& piece : samples.pieces) {
    if (piece.says_enough()) continue;
    for (std::size_t i = piece.first + 1; i < piece.last; ++i) {
      if (samples.has_gap_before(i)) return between(i);
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
  if (blocks.size() < fewest_samples || blocks.front() != 0 || blocks.back() != total - 1) {
    return std::nullopt;
  }
  const Samples samples(blocks, counts, total);
  // Between two pieces there must be no block that either could have.
  if (samples.pieces.size() > 1 && samples.has_gap_before(samples.change)) return std::nullopt;
  if (!std::ranges::all_of(samples.pieces, &Piece::says_enough)) return std::nullopt;
  LaunchCount result = counts.front();
  result += counts.back();
  const std::vector<std::uint64_t*> totals = figures_of(result);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    for (const Piece& piece : samples.pieces) {
      if (!samples.add_sum(piece, samples.figures[i], *totals[i])) return std::nullopt;
    }
  }
  // What addresses look like is not scaled: the blocks that were executed tell it.
  for (const LaunchCount& count : counts.subspan(1, counts.size() - 2)) {
    result.add_shapes(count);
    result.atomics += count.atomics;
    result.longest_block = std::max(result.longest_block, count.longest_block);
  }
  return result;
}

}  // namespace sweep
