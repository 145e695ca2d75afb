#pragma once

#include "engine/run/run_stage.h"
#include "engine/run/statistics.h"
#include "engine/store/record.h"

namespace sweep {

/// A configuration that is measured again in turn with others.
struct Candidate {
  std::size_t point_index = 0;
  std::vector<double> figures = {};  ///< by round; 0 where it was not measured
  bool goes_on = true;               ///< false once it is known to be slower
  Workload workload = {};
};

/// How a comparison goes on.
struct ComparisonRules {
  std::size_t most_rounds = 12;
  /// It may take so many seconds of wall time or a tenth of the run's; more only for the fewest
  /// rounds that say something.
  double free_seconds = 1;
  /// Whether it ends as soon as it is clear which is the best: when every other one is slower or,
  /// as far as it matters, the same. Those that are slower are not measured further.
  bool until_clear = false;
  /// Whether those that lack counts are counted beside the measuring, where anything counts.
  bool counts = false;
  /// One that is measured along, in every round, though it need not be near the best.
  std::optional<std::size_t> reference = {};  ///< its point index
  /// Whether each of the run's devices measures rounds of its own, all at the same time.
  bool on_every_device = false;
};

/// Measures configurations in turn, in several rounds: what slows the device for a while slows all
/// of a round, so that differences show that single measurements cannot tell from noise.
class InterleavedComparison {
 public:
  /// Those that do not compile take no part.
  InterleavedComparison(RunStage& stage, std::span<const std::size_t> point_indices,
                        RankedBy ranked_by, const ComparisonRules& rules = {});

  /// Compiles and measures. False when there was no time for rounds that say something, or fewer
  /// than two are left of those that take part: one that fails in any round is out.
  bool run();

  /// Those that did not fail.
  std::span<const Candidate> candidates() const { return candidates_; }
  /// The point indices of those that failed.
  std::span<const std::size_t> failed() const { return failed_; }
  /// Which other processes computed on the device meanwhile, in a sentence; empty for none.
  const std::string& disturbance() const { return disturbance_; }
  /// The one that the others are not faster than, among the candidates.
  std::size_t best() const;
  /// How many times as good as the other one is: above 1 where `other` is slower, or less wanted.
  std::optional<PairedComparison> advantage(const Candidate& one, const Candidate& other) const;
  /// How each compares with the best.
  std::vector<ComparisonRecord> records() const;

 private:
  void prepare();
  std::size_t measure_rounds(std::size_t first);
  bool is_clear(std::size_t rounds);
  bool is_over(std::size_t rounds, double spent) const;

  RunStage& stage_;
  ComparisonRules rules_;
  RankedBy ranked_by_;
  MeasureRules measure_;
  std::vector<Measurer*> devices_;
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> failed_ = {};
  std::string disturbance_ = {};
  double begin_ = 0;
};

/// Compares the best configurations of each pattern in this way, and records how they compare. A
/// run that reuses all its points takes over what an earlier run of the same points found, if one
/// did.
void compare_best(RunStage& stage);

/// Compares the request's pairs in this way, for the run's summary.
void compare_pairs(RunStage& stage);

}  // namespace sweep
