#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/table_model.h"
#include "report/terminal_table.h"

namespace sweep {

enum class Emphasis : std::uint8_t { usual, weak, strong, alarming };

/// A column of a table as it is printed: every text has the column's width.
struct TextColumn {
  std::vector<std::string> heading;  ///< from the top
  std::vector<std::string> texts;    ///< from the top
  std::vector<Emphasis> emphasis;    ///< of each text
  bool is_right_aligned = false;
  std::size_t width = 0;
};

/// All of them have as many lines.
struct TableColumns {
  std::vector<TextColumn> keys;    ///< in every part of the table
  std::vector<TextColumn> others;  ///< those that may continue below
};

/// The columns between which a gap of so many columns of the terminal stands.
constexpr std::size_t column_gap = 2;

/// The table's columns for a width, with what the drawing adds (see terminal_table).
TableColumns fitted_columns(const TableModel& table, std::size_t width, Drawing drawing);

}  // namespace sweep
