#include "engine/search/annealing_search.h"

#include <algorithm>
#include <cmath>

#include "engine/search/cost_scale.h"
#include "engine/search/tried_rows.h"

namespace sweep {
namespace {

// Temperatures are shares of the standard deviation of the costs.
constexpr double hot = 0.05;
constexpr double cold = 0.002;
constexpr double cooling = 0.95;  // per row tried
constexpr double reheat_at_best = 0.5;
constexpr std::size_t first_rows = 8;
constexpr int free_steps = 200;  // between known rows, before a new start is due

class AnnealingSearch final : public Strategy {
 public:
  AnnealingSearch(const SearchSpace& space, std::uint64_t seed)
      : space_(space), random_(seed), tried_(space.size()) {}

  std::optional<std::size_t> ask() override {
    for (int step = 0; first_ == 0 && current_ && step < free_steps; ++step) {
      if (neighbours_.empty()) break;
      const std::size_t row = neighbours_[random_.below(neighbours_.size())];
      if (tried_.untried(row)) return tried_.take(row);
      if (accepts(row)) step_to(row);
    }
    // The answers to the first rows are compared before the first step.
    if (first_ > 0) {
      --first_;
    } else {
      current_.reset();
    }
    temperature_ = hot;
    const std::optional<std::size_t> start = tried_.pick(random_);
    if (start) tried_.take(*start);
    return start;
  }

  void tell(std::size_t row, std::optional<double> cost) override {
    if (!tried_.record(row, cost)) return;
    const bool is_better = tried_.cost(row) && (!current_ || tried_.better(row, *current_));
    if (is_better || (first_ == 0 && current_ && accepts(row))) step_to(row);
    if (!current_ || first_ > 0) return;
    temperature_ *= cooling;
    if (temperature_ < cold) reheat();
  }

 private:
  bool accepts(std::size_t row) {
    if (!tried_.cost(row)) return false;
    if (!tried_.better(*current_, row)) return true;
    measure_spread();
    const double worse = scaled(row) - scaled(*current_);
    return spread_ > 0 && random_.chance(std::exp(-worse / (temperature_ * spread_)));
  }

  double scaled(std::size_t row) const { return scale_(*tried_.cost(row)); }

  /// Anew whenever a tenth more costs are known.
  void measure_spread() {
    constexpr std::size_t growth = 10;
    const std::size_t count = tried_.known().size();
    if (count < measured_ + std::max<std::size_t>(1, measured_ / growth)) return;
    measured_ = count;
    std::vector<double> costs;
    for (const std::size_t row : tried_.known()) costs.push_back(*tried_.cost(row));
    scale_ = CostScale(costs);
    double sum = 0;
    double squares = 0;
    for (const double cost : costs) sum += scale_(cost);
    const double mean = sum / static_cast<double>(count);
    for (const double cost : costs) squares += (scale_(cost) - mean) * (scale_(cost) - mean);
    spread_ = std::sqrt(squares / static_cast<double>(count));
  }

  void step_to(std::size_t row) {
    current_ = row;
    neighbours_ = space_.neighbours(row, Neighbourhood::hamming);
  }

  void reheat() {
    temperature_ = hot;
    if (random_.chance(reheat_at_best)) {
      step_to(*tried_.best());
    } else {
      current_.reset();
    }
  }

  const SearchSpace& space_;
  RandomGenerator random_;
  TriedRows tried_;
  std::size_t first_ = first_rows;      ///< random rows still to propose before the first step
  std::optional<std::size_t> current_;  ///< where it is
  std::vector<std::size_t> neighbours_;
  double temperature_ = hot;
  CostScale scale_{{}};
  std::size_t measured_ = 0;  ///< costs the spread is of
  double spread_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> annealing_search(const SearchSpace& space, std::uint64_t seed) {
  return std::make_unique<AnnealingSearch>(space, seed);
}

}  // namespace sweep
