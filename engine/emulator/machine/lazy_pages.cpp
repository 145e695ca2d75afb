#include "engine/emulator/machine/lazy_pages.h"

#include <sys/mman.h>

#include <new>

namespace sweep {

void* map_lazy_pages(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  // Pages of 2 MiB would be taken whole where a byte of them is touched. Without such pages in the
  // kernel the advice fails, and is not needed.
  madvise(pages, bytes, MADV_NOHUGEPAGE);
  return pages;
}

void unmap_pages(void* pages, std::size_t bytes) noexcept {
  if (pages != nullptr) munmap(pages, bytes);
}

}  // namespace sweep
