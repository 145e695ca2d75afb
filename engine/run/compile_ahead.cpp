#include "engine/run/compile_ahead.h"

#include <algorithm>

namespace sweep {
namespace {

constexpr std::size_t first_batch = 4;
constexpr std::size_t largest_batch = 32;

}  // namespace

CompileAhead::CompileAhead(const Compiler& compiler, std::span<const Configuration> configurations)
    : compiler_(compiler), remaining_(configurations), batch_size_(first_batch) {
  start_batch();
}

CompileAhead::~CompileAhead() {
  if (ahead_.valid()) ahead_.wait();
}

void CompileAhead::start_batch() {
  if (remaining_.empty()) return;
  const auto batch = remaining_.first(std::min(batch_size_, remaining_.size()));
  remaining_ = remaining_.subspan(batch.size());
  batch_size_ = std::min(batch_size_ * 2, largest_batch);
  ahead_ = std::async(std::launch::async, [this, batch] { return compiler_.compile(batch); });
}

CompileOutcome CompileAhead::next() {
  if (taken_ == ready_.size()) {
    ready_ = ahead_.get();
    taken_ = 0;
    start_batch();
  }
  return std::move(ready_[taken_++]);
}

}  // namespace sweep
