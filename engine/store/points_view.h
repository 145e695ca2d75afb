#pragma once

#include <set>
#include <string>
#include <string_view>

#include "engine/spec/metric.h"

// The view `points` of a results database: a row for each point of each run, for those who read the
// file with a tool of their own. The CSV and JSON Lines of a run call their columns the same.

namespace sweep {

/// The version of the view, which the view `points_version` gives. It grows when a column changes
/// its meaning or goes away; columns may be added.
constexpr int points_view_version = 1;

/// As messages and files name a metric: with its origin unless it was measured.
std::string display_name(std::string_view name, Origin origin);

/// Names the columns of one table of points, each once: no two names are the same in small letters,
/// as SQL has it. Empty for what has no free name.
class PointColumnNames {
 public:
  PointColumnNames();
  /// The parameter's own name; "parameter.time" where a column of all such tables has it.
  /// Parameters are to be named before metrics.
  std::string of_parameter(const std::string& name);
  /// The metric's own name where it was measured, else with its origin: "time.predicted". Also
  /// with its origin, "registers.measured", where a parameter has the name.
  std::string of_metric(const std::string& name, Origin origin);

 private:
  std::string first_free(const std::string& one, const std::string& other);

  std::set<std::string> taken_;
};

/// Whether two columns with the ends of its 95 % confidence interval follow that of the measured
/// metric: "bandwidth_low" and "bandwidth_high", as the time's own have it.
bool has_interval_columns(std::string_view metric);

namespace sqlite {
class Database;
}

/// Whether there is a view of this version.
bool has_points_view(sqlite::Database& database);
/// Makes the view, with a column for each parameter and each metric of the points; nothing where it
/// is as it should be. To be called within a transaction.
void write_points_view(sqlite::Database& database);

}  // namespace sweep
