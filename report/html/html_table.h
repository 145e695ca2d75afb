#pragma once

#include <string>
#include <vector>

#include "report/table_model.h"

namespace sweep {

/// A sweep's table as a <section> with its title and caption. The table scrolls within its own
/// frame.
std::string html_table_section(const TableModel& table);

struct HtmlColumn {
  std::string heading;
  bool right = false;  ///< aligned to the right, as figures are
};

/// A plain table of texts, which are escaped; the first column names the rows.
std::string html_table(const std::string& label, const std::vector<HtmlColumn>& columns,
                       const std::vector<std::vector<std::string>>& rows);

}  // namespace sweep
