#include "engine/search/random_search.h"

#include "engine/search/tried_rows.h"

namespace sweep {
namespace {

class RandomSearch final : public Strategy {
 public:
  RandomSearch(const SearchSpace& space, std::uint64_t seed)
      : random_(seed), tried_(space.size()) {}

  std::optional<std::size_t> ask() override {
    const std::optional<std::size_t> row = tried_.pick(random_);
    if (row) tried_.take(*row);
    return row;
  }

  void tell(std::size_t row, std::optional<double> cost) override { tried_.record(row, cost); }

 private:
  RandomGenerator random_;
  TriedRows tried_;
};

}  // namespace

std::unique_ptr<Strategy> random_search(const SearchSpace& space, std::uint64_t seed) {
  return std::make_unique<RandomSearch>(space, seed);
}

}  // namespace sweep
