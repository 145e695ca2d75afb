#pragma once

#include <cstddef>

namespace sweep {

/// Zeroed memory that takes room only where it is touched. Throws std::bad_alloc. 0 bytes give a
/// null pointer.
void* map_lazy_pages(std::size_t bytes);
void unmap_pages(void* pages, std::size_t bytes) noexcept;

}  // namespace sweep
