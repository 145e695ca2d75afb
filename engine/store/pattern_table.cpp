#include "engine/store/pattern_table.h"

namespace sweep {

PatternTable::PatternTable(sqlite::Database& database)
    : database_(database),
      compare_(database, "SELECT 1 FROM pattern WHERE id = ? AND name = ? AND text = ?"),
      find_(database, "SELECT id FROM pattern WHERE name = ? AND text = ?"),
      insert_(database, "INSERT INTO pattern (name, text) VALUES (?, ?)") {}

bool PatternTable::is(std::int64_t id, const PointKey& key) {
  if (const auto met = met_.find(id); met != met_.end()) {
    return met->second.name == key.pattern_name && met->second.text == key.pattern_text;
  }
  const sqlite::ResetAtEnd reset(compare_);
  if (!compare_.bind(id, key.pattern_name, key.pattern_text).step()) return false;
  met_[id] = {key.pattern_name, key.pattern_text};
  return true;
}

std::int64_t PatternTable::id_of(const PointKey& key) {
  for (const auto& [id, pattern] : met_) {
    if (pattern.text == key.pattern_text && pattern.name == key.pattern_name) return id;
  }
  const sqlite::ResetAtEnd reset(find_);
  if (find_.bind(key.pattern_name, key.pattern_text).step()) {
    const std::int64_t id = find_.integer(0);
    met_[id] = {key.pattern_name, key.pattern_text};
    return id;
  }
  // Not remembered: the transaction may be taken back, and the id given to another pattern.
  insert_.bind(key.pattern_name, key.pattern_text).run();
  return database_.last_row_id();
}

}  // namespace sweep
