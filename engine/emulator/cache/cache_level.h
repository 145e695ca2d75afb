#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sweep {

/// One cache of lines of 128 bytes with 4 sectors of 32 bytes: a tag for the line, a valid and a
/// dirty bit for each sector, and the least recently used line of a set as the one that goes.
/// Sectors of a line are given as a mask of its lower four bits.
///
/// Any number of lines is allowed; what does not fill a whole set is left out. The set of a line is
/// its number modulo the sets, rotated by a hash of the rest: a contiguous range of lines spreads
/// evenly, and no stride keeps to a few sets.
class CacheLevel {
 public:
  /// What is in one line.
  struct Line {
    std::uint64_t number = 0;  ///< address / 128
    unsigned valid = 0;
    unsigned dirty = 0;  ///< sectors changed since they were fetched; all are valid
  };

  CacheLevel() = default;
  /// A capacity of less than a line makes a cache that holds nothing.
  CacheLevel(std::uint64_t bytes, unsigned ways);

  bool holds_anything() const { return sets_ != 0; }

  /// The line as it was, with no valid sector where it was missing; `evicted` gets the line that
  /// had to go. From now on it is the most recently used of its set, and `valid` and `dirty` are
  /// added to it.
  Line touch(std::uint64_t number, unsigned valid, unsigned dirty, Line& evicted);
  /// Adds valid sectors to the line touched last.
  void add(unsigned valid);
  /// Forgets sectors of a line, if they are there; its place in the order stays.
  void forget(std::uint64_t number, unsigned sectors);
  /// The number of dirty sectors, all of which become clean.
  std::uint64_t clean();

 private:
  std::uint64_t* set_of(std::uint64_t number);

  std::uint32_t sets_ = 0;
  unsigned ways_ = 0;
  /// Of each set the ways, the most recently used first: line number << 8 | dirty << 4 | valid.
  /// Empty until the cache is first used.
  std::vector<std::uint64_t> entries_;
  std::size_t last_ = 0;  ///< the entry touched last
};

}  // namespace sweep
