#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sweep {

/// What one point or several have to say about a metric.
struct Cell {
  enum class Kind {
    missing,  ///< no point, or none with this metric
    figure,   ///< `low`
    range,    ///< `low` to `high`: several points that differ where neither is better
    failed,   ///< all of its points failed
  };
  Kind kind = Kind::missing;
  double low = 0;
  double high = 0;
  bool is_best = false;     ///< of the table, or as good as the best to the reader's eye
  bool is_cut_off = false;  ///< measured with a few samples only, before a search gave it up

  friend bool operator==(const Cell&, const Cell&) = default;
};

/// What stands in the cell: "4254", of a cut-off point "~4254", "1-3", "failed". `dash` stands for
/// what is missing and between the ends of a range.
std::string text_of(const Cell& cell, std::string_view dash);

/// How much of a table is shown: a person reads no more, and a large run has as many rows as
/// points.
struct TableLimits {
  std::size_t rows = 1000;
  std::size_t columns = 100;
};

/// A table as a report shows it, before it is written as Markdown or for a terminal.
struct TableModel {
  /// A column on the left, whose texts tell the lines apart.
  struct KeyColumn {
    std::string name;
    bool numeric = false;
  };
  struct Row {
    std::vector<std::string> keys;
    std::vector<Cell> cells;
    std::string remark = {};
    bool is_alarming = false;  ///< what the remark says
  };

  std::string title;
  std::string caption;  ///< what the cells are, in sentences; may be empty; see caption_of
  std::vector<KeyColumn> key_columns;
  /// Of each further column the lines of its heading, as many for each: "T = float", or a metric.
  std::vector<std::vector<std::string>> headings;
  std::vector<Row> rows;
  std::string remark_heading = {};  ///< of a last column with the rows' remarks; empty: none
};

/// The table's caption, with what `~` means where it has cut-off points.
std::string caption_of(const TableModel& table);

}  // namespace sweep
