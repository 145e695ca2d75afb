#pragma once

#include <cstddef>

namespace sweep {

/// How many configurations to compile as one program. A program of n takes about
/// fixed + each * n seconds, which this learns from those that are done.
class BatchSize {
 public:
  /// The very first batch; small, so that the first configuration is ready soon. Those that begin
  /// beside it are needed later: each is twice as large, up to `unlearnt`.
  static constexpr std::size_t first = 4;
  /// The largest before any is done and says what it cost.
  static constexpr std::size_t unlearnt = 32;
  /// Beyond it the fixed part has become small for any pattern, while a mistake costs more.
  static constexpr std::size_t largest = 64;

  /// A batch begins.
  void begin() { ++begun_; }
  /// A program of so many configurations took so long.
  void learn(std::size_t configurations, double seconds);

  double fixed_seconds() const;
  double seconds_each() const;

  /// The size of the next batch, of which the fixed part is a small share. At most four times the
  /// largest seen, and few enough that all `compilers` have a part of what remains, unless
  /// the fixed part would then be the most of it. Between 1 and `remaining`, which is at least 1.
  std::size_t next(std::size_t remaining, unsigned compilers) const;

 private:
  // Sums over the programs, the older the less: of 1, n, seconds, n * n, n * seconds.
  double weight_ = 0;
  double sizes_ = 0;
  double seconds_ = 0;
  double squares_ = 0;
  double products_ = 0;
  std::size_t largest_seen_ = 0;
  std::size_t begun_ = 0;
};

}  // namespace sweep
