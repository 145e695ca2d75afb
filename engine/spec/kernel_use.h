#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/spec/cuda_scanner.h"

namespace sweep {

/// How a kernel's body uses memory that it has a pointer to, as far as its text tells.
struct PointerUse {
  bool is_read = false;
  bool is_written = false;
};
PointerUse pointer_use(CudaTokens body, std::string_view pointer, bool is_const);

/// How a kernel's body numbers threads.
struct ThreadUse {
  std::size_t thread_axes = 1;    ///< of a block that matter: 1 to 3
  std::size_t block_axes = 1;     ///< of the grid
  bool asks_block_size = false;   ///< so that a block may have any
  bool numbers_elements = false;  ///< each thread has a number of its own in the grid, along x
};
ThreadUse thread_use(CudaTokens body);

/// The element type of the array `extern __shared__ T name[]` that the body declares.
std::optional<std::string> dynamic_shared_type(CudaTokens body);

/// How a scalar's name is understood where nothing else says its value.
enum class ScalarRole {
  extent,   ///< how many there are: n, width, num_rows
  stride,   ///< from one row to the next: lda, pitch
  repeats,  ///< steps, iterations
  block,    ///< threads of a block: BLOCK_SIZE
  tile,     ///< elements that a thread or block has along an axis
  place,    ///< offset, index, seed, and what else begins at 0
  other,
};
ScalarRole scalar_role(std::string_view name);

/// The axis that an extent is along, by its name: 0 is x; nothing for other names.
std::optional<std::size_t> extent_axis(std::string_view name);

}  // namespace sweep
