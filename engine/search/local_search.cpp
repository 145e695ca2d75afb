#include "engine/search/local_search.h"

#include "engine/search/mutation.h"
#include "engine/search/tried_rows.h"

namespace sweep {
namespace {

constexpr double restart_near_best = 0.5;  // share of the restarts; the others are anywhere
constexpr std::size_t kicked_parameters = 3;
constexpr std::size_t first_rows = 8;

class LocalSearch final : public Strategy {
 public:
  LocalSearch(const SearchSpace& space, std::uint64_t seed)
      : space_(space), random_(seed), tried_(space.size()) {}

  std::optional<std::size_t> ask() override {
    while (first_ == 0 && current_ && next_ < order_.size()) {
      const std::size_t row = order_[next_++];
      if (tried_.untried(row)) return tried_.take(row);
      if (tried_.better(row, *current_)) step_to(row);
    }
    // The answers to the first rows are compared before the first step.
    if (first_ > 0) {
      --first_;
    } else {
      current_.reset();
    }
    const std::optional<std::size_t> start = restart();
    if (start) tried_.take(*start);
    return start;
  }

  void tell(std::size_t row, std::optional<double> cost) override {
    if (!tried_.record(row, cost)) return;
    if (!tried_.cost(row)) return;
    if (!current_ || tried_.better(row, *current_)) step_to(row);
  }

 private:
  void step_to(std::size_t row) {
    current_ = row;
    order_ = space_.neighbours(row, Neighbourhood::hamming);
    random_.shuffle(order_);
    next_ = 0;
  }

  std::optional<std::size_t> restart() {
    if (first_ == 0 && tried_.best() && random_.chance(restart_near_best)) {
      const auto near = untried_mutant(space_, tried_, *tried_.best(), kicked_parameters, random_);
      if (near) return near;
    }
    return tried_.pick(random_);
  }

  const SearchSpace& space_;
  RandomGenerator random_;
  TriedRows tried_;
  std::size_t first_ = first_rows;      ///< random rows still to propose before the first step
  std::optional<std::size_t> current_;  ///< the row whose neighbours are tried
  std::vector<std::size_t> order_;      ///< its neighbours
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> local_search(const SearchSpace& space, std::uint64_t seed) {
  return std::make_unique<LocalSearch>(space, seed);
}

}  // namespace sweep
