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

using Figures = std::vector<std::uint64_t*>;

void add_figures(GlobalCount& count, Figures& figures) {
  for (std::uint64_t* figure :
       {&count.requests, &count.lanes, &count.bytes_wanted, &count.transactions, &count.sectors,
        &count.lines, &count.tag_wavefronts, &count.data_wavefronts}) {
    figures.push_back(figure);
  }
}

/// Every figure of a launch's counts, in one order.
Figures figures_of(LaunchCount& count) {
  Figures figures = {&count.warp_instructions, &count.thread_instructions};
  for (SiteCount& site : count.sites) {
    add_figures(site.global, figures);
    add_figures(site.local, figures);
    for (std::uint64_t* figure :
         {&site.shared.requests, &site.shared.lanes, &site.shared.bytes_wanted,
          &site.shared.wavefronts, &site.shared.ideal}) {
      figures.push_back(figure);
    }
  }
  return figures;
}

/// Nothing where it does not fit.
std::optional<Wide> product(Wide a, Wide b) {
  Wide result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

/// The sum over blocks [1, total - 1) of the linear function through the samples, or nothing when
/// they do not lie on one.
std::optional<std::uint64_t> sum_between(std::span<const std::uint64_t> blocks,
                                         const std::vector<std::uint64_t>& values,
                                         std::uint64_t total) {
  const auto b0 = static_cast<Wide>(blocks.front());
  const auto v0 = static_cast<Wide>(values.front());
  const Wide run = static_cast<Wide>(blocks.back()) - b0;
  const Wide rise = static_cast<Wide>(values.back()) - v0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto risen = product(static_cast<Wide>(values[i]) - v0, run);
    const auto expected = product(rise, static_cast<Wide>(blocks[i]) - b0);
    if (!risen || !expected || *risen != *expected) return std::nullopt;
  }
  // The numbers 1 to total - 2, each less the first sample's.
  const auto count = static_cast<Wide>(total) - 2;
  const Wide along = count * (static_cast<Wide>(total) - 1) / 2 - count * b0;
  const auto flat = product(v0, count);
  const auto risen = product(rise, along);
  if (!flat || !risen || *risen % run != 0) return std::nullopt;
  Wide sum = 0;
  const bool is_too_large = __builtin_add_overflow(*flat, *risen / run, &sum);
  if (is_too_large || sum < 0 || sum > std::numeric_limits<std::uint64_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(sum);
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

std::optional<LaunchCount> scale_counts(std::span<const std::uint64_t> blocks,
                                        std::span<const LaunchCount> counts, std::uint64_t total) {
  // Fewer than three in between always lie on a line.
  constexpr std::size_t fewest = 5;
  if (blocks.size() < fewest || blocks.front() != 0 || blocks.back() != total - 1) {
    return std::nullopt;
  }
  std::vector<LaunchCount> all(counts.begin(), counts.end());
  std::vector<Figures> figures;
  for (LaunchCount& count : all) figures.push_back(figures_of(count));
  LaunchCount result = counts.front();
  result += counts.back();
  const Figures totals = figures_of(result);
  const auto inner = blocks.subspan(1, blocks.size() - 2);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    std::vector<std::uint64_t> values;
    for (std::size_t block = 1; block + 1 < figures.size(); ++block) {
      values.push_back(*figures[block][i]);
    }
    const auto sum = sum_between(inner, values, total);
    if (!sum || __builtin_add_overflow(*totals[i], *sum, totals[i])) return std::nullopt;
  }
  // What addresses look like is not scaled: the blocks that were executed tell it.
  for (const LaunchCount& count : counts.subspan(1, counts.size() - 2)) result.add_shapes(count);
  return result;
}

}  // namespace sweep
