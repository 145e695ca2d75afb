#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/run/paired_comparison.h"
#include "engine/run/prepared_points.h"
#include "engine/run/run_stage.h"
#include "engine/store/ranking.h"

namespace sweep {

/// A configuration that is measured again in turn with others.
struct Contender {
  std::int64_t ordinal = 0;          ///< its place in the run's space
  std::vector<double> figures = {};  ///< by round; 0 where it was not measured
  bool goes_on = true;               ///< false once it is known to be slower
};

/// How long a contest goes on.
struct ContestRules {
  std::size_t most_rounds = 12;
  /// It may take as long, in seconds of wall time, whatever the run took, or such a share of that;
  /// more only for the fewest rounds that say something, and those only up to `patience`.
  double free_seconds = 1;
  double share_of_run = 0.1;
  double patience = 60;
  /// Whether it ends as soon as it is clear which is the best: when every other one is slower or,
  /// as far as it matters, the same. Those that are slower are not measured further.
  bool until_clear = false;
};

/// Measures configurations in turn, in several rounds: what slows the device for a while slows all
/// of a round, so that differences show that single measurements cannot tell from noise.
class Contest {
 public:
  /// Those that do not compile take no part.
  Contest(RunStage& stage, std::span<const std::int64_t> ordinals, RankedBy ranked_by,
          const ContestRules& rules = {});

  /// Has those that lack counts counted beside the measuring, where anything counts.
  void count() { counts_ = true; }

  /// One more that is measured along, in every round, though it need not be near the best.
  void add_reference(std::int64_t ordinal);

  /// Compiles and measures. False when there was no time for rounds that say something, or fewer
  /// than two are left of those that take part: one that fails in any round is out.
  bool hold();

  /// Those that did not fail.
  std::span<const Contender> contenders() const { return contenders_; }
  /// The places in the space of those that failed.
  std::span<const std::int64_t> failed() const { return failed_; }
  /// The place of the one that the others are not faster than.
  std::size_t best() const;
  /// How many times as good as the other one is: above 1 where `other` is slower, or less wanted.
  std::optional<PairedComparison> advantage(const Contender& one, const Contender& other) const;
  /// How each compares with the best.
  std::vector<ComparisonRecord> records() const;

 private:
  const Configuration& configuration_of(const Contender& contender) const;
  std::optional<PreparedPoint> prepare_again(const Contender& contender) const;
  void prepare();
  void measure_round(std::size_t round);
  void drop_failed();
  double measure_once(std::size_t i);
  bool is_clear(std::size_t rounds);
  bool is_over(std::size_t rounds, double spent);

  RunStage& stage_;
  ContestRules rules_;
  RankedBy ranked_by_;
  MeasureRules measure_;
  std::vector<Contender> contenders_;
  std::vector<PreparedPoint> prepared_ = {};  ///< one per contender
  std::vector<std::int64_t> failed_ = {};
  std::optional<std::int64_t> reference_ = {};
  bool counts_ = false;
  double begin_ = 0;
};

}  // namespace sweep
