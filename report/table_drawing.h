#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace sweep {

/// A bar from the left, `share` (0 to 1) of `width` columns: in eighths of a column with Unicode's
/// block elements, otherwise in whole ones of '#'. Nothing that is more than zero is without a
/// mark.
std::string draw_bar(double share, std::size_t width, bool unicode);

/// How figures go on, a column each in their order, as block elements that are as high as the
/// figure is of the greatest one; a space where there is none. Of more figures than `width`
/// neighbours share a column, which shows their mean. Empty when no figure is more than zero, or
/// one is less or not finite.
std::string draw_course(std::span<const std::optional<double>> figures, std::size_t width);

}  // namespace sweep
