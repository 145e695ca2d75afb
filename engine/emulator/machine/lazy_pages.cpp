#include "engine/emulator/machine/lazy_pages.h"

#include <sys/mman.h>

#include <new>

namespace sweep {

LazyPages::LazyPages(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  // Pages of 2 MiB would be taken whole where a byte of them is touched. Without such pages in the
  // kernel the advice fails, and is not needed.
  madvise(pages, bytes, MADV_NOHUGEPAGE);
  data_ = static_cast<std::byte*>(pages);
}

LazyPages::~LazyPages() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace sweep
