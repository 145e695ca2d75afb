#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "engine/jit/translation_unit.h"

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
  /// How many batches are smaller than that.
  static constexpr std::size_t early_batches = 3;
  /// Beyond it the fixed part has become small for any pattern, while a mistake costs more.
  static constexpr std::size_t largest = 128;

  /// A program of so many configurations begins. All times are seconds from one moment on.
  void begin(std::size_t configurations, double now);
  /// One of so many configurations is done and took so long. Nothing is learnt of a time below 0.
  void learn(std::size_t configurations, double seconds);

  /// Whether the next batch is one of the small first ones, whose configurations are needed soon.
  bool is_early() const { return begun_ < early_batches; }

  double fixed_seconds() const;
  double seconds_each() const;

  /// The size of the next batch, of which the fixed part is a small share. At most four times the
  /// largest seen, and a little less than lets all `compilers`, those that are at work included,
  /// end together, unless the fixed part would then be the most of it. Between 1 and `remaining`,
  /// which is at least 1.
  std::size_t next(std::size_t remaining, unsigned compilers, double now) const;

 private:
  struct Program {
    std::size_t configurations = 0;
    double begun = 0;
  };

  double seconds_under_way(double now) const;
  std::size_t share_of(std::size_t remaining, unsigned compilers, double now) const;

  // Sums over the programs, the older the less: of 1, n, seconds, n * n, n * seconds.
  double weight_ = 0;
  double sizes_ = 0;
  double seconds_ = 0;
  double squares_ = 0;
  double products_ = 0;
  std::size_t largest_seen_ = 0;
  std::size_t begun_ = 0;
  std::vector<Program> under_way_;
};

/// A configuration that waits for a compiler.
struct CompileCandidate {
  std::size_t place = 0;  ///< among all configurations
  const Pattern* pattern = nullptr;
  std::vector<std::size_t> functions;  ///< of the functions that stand alone, equal where they are
  std::size_t body = 0;                ///< equal where the bodies are

  friend bool operator==(const CompileCandidate&, const CompileCandidate&) = default;
};

/// Makes candidates; remembers what the patterns' texts depend on.
class CandidateMaker {
 public:
  CompileCandidate make(const Configuration& configuration, std::size_t place);

 private:
  std::map<const Pattern*, TextDependence> dependences_;
};

/// Chooses a batch of at most `size` from candidates, of which there is at least one, in the order
/// of their places: the first, and of its pattern those with which it shares most functions, so
/// that a program has few of them. The last few may be left out for the batch that has more of
/// their kind. Gives places, rising.
std::vector<std::size_t> choose_batch(std::span<const CompileCandidate> candidates,
                                      std::size_t size);

/// The first `size` at most, as long as they are of one pattern: for what is needed soon.
std::vector<std::size_t> first_in_order(std::span<const CompileCandidate> candidates,
                                        std::size_t size);

}  // namespace sweep
