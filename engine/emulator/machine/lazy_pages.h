#pragma once

#include <cstddef>

namespace sweep {

/// Zeroed memory that takes room only where it is touched, from the beginning of a page on.
class LazyPages {
 public:
  /// Throws std::bad_alloc. 0 bytes have a null pointer.
  explicit LazyPages(std::size_t bytes);
  ~LazyPages();
  LazyPages(const LazyPages&) = delete;
  LazyPages& operator=(const LazyPages&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace sweep
