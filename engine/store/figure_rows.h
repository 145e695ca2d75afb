#pragma once

#include <cstdint>
#include <vector>

#include "engine/store/record.h"
#include "engine/store/sqlite.h"

namespace sweep {

/// Reads points' samples and metrics where versions 1 and 2 of the schema keep them: a row each.
class FigureRows {
 public:
  /// The database must outlive it.
  explicit FigureRows(sqlite::Database& database);

  std::vector<SampleRecord> samples(std::int64_t point);
  std::vector<Metric> metrics(std::int64_t point);

 private:
  sqlite::Database& database_;
  sqlite::Statement samples_;
  sqlite::Statement metrics_;
};

}  // namespace sweep
