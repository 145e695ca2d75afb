#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sweep {

/// A text beside what stands in the first `column` columns: its lines end before `width` columns,
/// and those after the first begin under it. Below 20 columns it is not squeezed. No line break at
/// its end.
std::string hanging_text(std::string_view text, std::size_t column, std::size_t width);

}  // namespace sweep
