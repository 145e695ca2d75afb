#include "engine/search/exhaustive_search.h"

#include "engine/search/tried_rows.h"

namespace sweep {
namespace {

class ExhaustiveSearch final : public Strategy {
 public:
  explicit ExhaustiveSearch(const SearchSpace& space) : count_(space.size()), tried_(count_) {}

  std::optional<std::size_t> ask() override {
    while (next_ < count_ && !tried_.untried(next_)) ++next_;
    if (next_ == count_) return std::nullopt;
    return tried_.take(next_);
  }

  void tell(std::size_t row, std::optional<double> cost) override { tried_.record(row, cost); }

 private:
  std::size_t count_ = 0;
  std::size_t next_ = 0;
  TriedRows tried_;
};

}  // namespace

std::unique_ptr<Strategy> exhaustive_search(const SearchSpace& space) {
  return std::make_unique<ExhaustiveSearch>(space);
}

}  // namespace sweep
