#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/store/record.h"
#include "engine/store/sqlite.h"

namespace sweep {

/// The patterns' texts, each stored once. Remembers those it has met, so that a text goes through
/// SQLite once and not with every point.
class PatternTable {
 public:
  /// The database must outlive it.
  explicit PatternTable(sqlite::Database& database);

  /// Whether the pattern with this id is that of `key`.
  bool is(std::int64_t id, const PointKey& key);
  /// The id of the pattern of `key`, which is added when there is none. Call it within a
  /// transaction.
  std::int64_t id_of(const PointKey& key);

 private:
  struct Pattern {
    std::string name;
    std::string text;
  };

  sqlite::Database& database_;
  sqlite::Statement compare_;
  sqlite::Statement find_;
  sqlite::Statement insert_;
  std::map<std::int64_t, Pattern> met_;
};

}  // namespace sweep
