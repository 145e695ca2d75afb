#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "report/document.h"
#include "report/run_analysis.h"

namespace sweep {

/// What a table may be drawn with. `plain` is for files and programs that read them: nothing is cut
/// and nothing is added.
enum class Drawing : std::uint8_t { plain, ascii, unicode };

/// What a table is to fit on. One with more lines is shown as an excerpt: its first rows, its best
/// and its last, with how many are left out and where all of them are.
struct Screen {
  std::size_t lines = 0;   ///< 0: any number
  std::string whole = {};  ///< "results/stride.md"
};

/// A table as lines for a terminal of `width` columns: figures are aligned on the decimal point,
/// columns that are too many continue below. `color` adds ANSI escapes.
///
/// Drawn, too wide headings are broken, keys that leave no place for a figure are cut, a table of
/// one column of figures gets bars from zero where there is place for them, and one with several
/// columns over numbers gets a line with the course of each, from zero to its own maximum.
std::string terminal_table(const TableModel& table, std::size_t width, bool color,
                           Drawing drawing = Drawing::plain, const Screen& screen = {});

/// The run's tables, one below the other, then what its search found, the best configuration
/// and the notes.
std::string write_terminal(const RunAnalysis& run, std::size_t width, bool color,
                           Drawing drawing = Drawing::plain, const Screen& screen = {});

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
