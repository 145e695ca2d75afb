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

/// The blocks that were executed, and every figure of their counts.
class Samples {
 public:
  Samples(std::span<const std::uint64_t> blocks, std::span<const LaunchCount> counts)
      : blocks_(blocks) {
    for (LaunchCount count : counts) {
      const std::vector<std::uint64_t*> values = figures_of(count);
      figures_.resize(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) figures_[i].push_back(*values[i]);
    }
  }

  const std::vector<Figure>& figures() const { return figures_; }

  /// Of the samples but the first and the last, the place of the one that another line begins with;
  /// that of the last where they are on one. Two samples always lie on a line: the longer line
  /// counts.
  std::size_t place_of_change() const {
    const auto is_on_line = [&](std::size_t low, std::size_t sample) {
      return std::ranges::all_of(
          figures_, [&](const Figure& figure) { return is_between(figure, low, low + 1, sample); });
    };
    const std::size_t end = blocks_.size() - 1;
    std::size_t after_first_line = 1;
    while (after_first_line < end && is_on_line(1, after_first_line)) ++after_first_line;
    if (after_first_line == end) return end;
    std::size_t last_line = end;
    while (last_line > 1 && is_on_line(end - 2, last_line - 1)) --last_line;
    return after_first_line - 1 >= end - last_line ? after_first_line : last_line;
  }

  /// Of the blocks but the first and the last, when another line begins with the sample at
  /// `change`.
  std::vector<Piece> pieces(std::size_t change, std::uint64_t total) const {
    const std::size_t last = blocks_.size() - 1;
    if (change == last) return {{1, total - 1, 1, last}};
    return {{1, blocks_[change], 1, change}, {blocks_[change], total - 1, change, last}};
  }

  /// The sum over a piece's blocks of the linear function through its samples, or nothing when they
  /// do not lie on one, or it does not fit.
  std::optional<std::uint64_t> sum_of(const Piece& piece, const Figure& figure) const {
    const std::size_t last = piece.last - 1;
    for (std::size_t i = piece.first; i < piece.last; ++i) {
      if (!is_between(figure, piece.first, last, i)) return std::nullopt;
    }
    // The piece's block numbers, each less the first sample's.
    const auto count = static_cast<Wide>(piece.end - piece.begin);
    const Wide along =
        count * (Wide{piece.begin} + Wide{piece.end} - 1) / 2 - count * Wide{blocks_[piece.first]};
    const Wide run = std::max<Wide>(Wide{blocks_[last]} - Wide{blocks_[piece.first]}, 1);
    const auto flat = product(figure[piece.first], count);
    const auto risen = product(Wide{figure[last]} - Wide{figure[piece.first]}, along);
    if (!flat || !risen || *risen % run != 0) return std::nullopt;
    std::uint64_t sum = 0;
    if (__builtin_add_overflow(*flat, *risen / run, &sum)) return std::nullopt;
    return sum;
  }

 private:
  /// Whether a sample lies on the line through two others.
  bool is_between(const Figure& figure, std::size_t a, std::size_t b, std::size_t sample) const {
    const auto apart = [](std::uint64_t from, std::uint64_t to) { return Wide{to} - Wide{from}; };
    const auto risen = product(apart(figure[a], figure[sample]), apart(blocks_[a], blocks_[b]));
    const auto expected = product(apart(figure[a], figure[b]), apart(blocks_[a], blocks_[sample]));
    return risen && expected && *risen == *expected;
  }

  std::span<const std::uint64_t> blocks_;
  std::vector<Figure> figures_;
};

/// Fewer than three between the first and the last always lie on a line.
constexpr std::size_t fewest_samples = 5;

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
  const Samples samples(blocks, counts);
  const std::size_t change = samples.place_of_change();
  const auto has_gap = [&](std::size_t i) { return blocks[i - 1] + 1 != blocks[i]; };
  const auto between = [&](std::size_t i) {
    return blocks[i - 1] + (blocks[i] - blocks[i - 1]) / 2;
  };
  if (change == blocks.size() - 1) return std::nullopt;
  if (has_gap(change)) return between(change);
  for (const Piece& piece : samples.pieces(change, total)) {
    if (piece.says_enough()) continue;
    for (std::size_t i = piece.first + 1; i < piece.last; ++i) {
      if (has_gap(i)) return between(i);
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
  const Samples samples(blocks, counts);
  const std::size_t change = samples.place_of_change();
  // Between two pieces there must be no block that either could have.
  if (change != blocks.size() - 1 && blocks[change - 1] + 1 != blocks[change]) return std::nullopt;
  const std::vector<Piece> pieces = samples.pieces(change, total);
  if (!std::ranges::all_of(pieces, &Piece::says_enough)) return std::nullopt;
  LaunchCount result = counts.front();
  result += counts.back();
  const std::vector<std::uint64_t*> totals = figures_of(result);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    for (const Piece& piece : pieces) {
      const auto sum = samples.sum_of(piece, samples.figures()[i]);
      if (!sum || __builtin_add_overflow(*totals[i], *sum, totals[i])) return std::nullopt;
    }
  }
  // What addresses look like is not scaled: the blocks that were executed tell it.
  for (const LaunchCount& count : counts.subspan(1, counts.size() - 2)) result.add_shapes(count);
  return result;
}

}  // namespace sweep
