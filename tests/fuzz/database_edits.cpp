#include "tests/fuzz/database_edits.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "tests/fuzz/database_templates.h"

namespace sweep::fuzz {
namespace {

struct Table {
  std::string_view name;
  const char* key;  ///< the columns of its primary key
};

constexpr std::array tables = {Table{"run", "id"},
                               Table{"pattern", "id"},
                               Table{"point", "id"},
                               Table{"run_point", "run_id, ordinal"},
                               Table{"note", "point_id, ordinal"},
                               Table{"metric_list", "list_id, ordinal"},
                               Table{"run_note", "run_id, ordinal"},
                               Table{"anchor", "run_id, sequence"},
                               Table{"comparison", "run_id, sequence"},
                               Table{"run_explanation", "run_id, sequence"},
                               Table{"explanation", "id"},
                               Table{"sqlite_schema", "rowid"}};

/// A database in memory that begins as a template.
class Copy {
 public:
  explicit Copy(const std::string& bytes) {
    auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(bytes.size()));
    if (copy == nullptr || sqlite3_open(":memory:", &handle_) != SQLITE_OK) {
      throw std::runtime_error("no database in memory");
    }
    std::memcpy(copy, bytes.data(), bytes.size());
    const auto size = static_cast<sqlite3_int64>(bytes.size());
    sqlite3_deserialize(handle_, "main", copy, size, size,
                        SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    execute("PRAGMA ignore_check_constraints = ON");
    execute("PRAGMA writable_schema = ON");
  }
  ~Copy() { sqlite3_close(handle_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  void execute(const std::string& sql) {
    sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  }
  /// Null for a statement that SQLite refuses.
  sqlite3_stmt* prepare(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
    return statement;
  }
  std::string bytes() const {
    sqlite3_int64 size = 0;
    unsigned char* copy = sqlite3_serialize(handle_, "main", &size, 0);
    std::string result(reinterpret_cast<const char*>(copy), static_cast<std::size_t>(size));
    sqlite3_free(copy);
    return result;
  }

 private:
  sqlite3* handle_ = nullptr;
};

std::string_view take_until(std::string_view& rest, char end) {
  const std::string_view taken = rest.substr(0, rest.find(end));
  rest.remove_prefix(std::min(taken.size() + 1, rest.size()));
  return taken;
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void bind(sqlite3_stmt* statement, int index, std::string_view value) {
  if (value.starts_with('\'')) {
    sqlite3_bind_text64(statement, index, value.data() + 1, value.size() - 1, SQLITE_TRANSIENT,
                        SQLITE_UTF8);
  } else if (value == "null") {
    sqlite3_bind_null(statement, index);
  } else if (const auto integer = number_of<std::int64_t>(value)) {
    sqlite3_bind_int64(statement, index, *integer);
  } else if (const auto real = number_of<double>(value)) {
    sqlite3_bind_double(statement, index, *real);
  } else {
    sqlite3_bind_blob64(statement, index, value.data(), value.size(), SQLITE_TRANSIENT);
  }
}

/// The columns of a table but for one, as an INSERT needs them; empty for a table without any.
std::string other_columns(Copy& copy, const Table& table, std::string_view column) {
  std::string list;
  sqlite3_stmt* statement =
      copy.prepare("SELECT name FROM pragma_table_info('" + std::string(table.name) + "')");
  while (statement != nullptr && sqlite3_step(statement) == SQLITE_ROW) {
    const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    if (name != nullptr && name != column) list += ", " + std::string(name);
  }
  sqlite3_finalize(statement);
  return list;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
}

void apply(Copy& copy, std::string_view edit) {
  const char kind = edit.empty() ? ' ' : edit.front();
  if (kind == '+' || kind == '-') edit.remove_prefix(1);
  std::string_view place = take_until(edit, ' ');
  const std::int64_t row = number_of<std::int64_t>(take_until(edit, ' ')).value_or(0);
  const std::string_view name = take_until(place, '.');
  const std::string column(place);
  const auto* table = std::ranges::find(tables, name, &Table::name);
  if (table == tables.end() || (kind != '-' && !is_name(column))) return;
  const std::string rows = " WHERE (" + std::string(table->key) + ") IN (SELECT " + table->key +
                           " FROM " + std::string(name) + " LIMIT 1 OFFSET ?2)";
  std::string sql;
  if (kind == '-') {
    sql = "DELETE FROM " + std::string(name) + rows;
  } else if (kind == '+') {
    const std::string others = other_columns(copy, *table, column);
    sql = "INSERT INTO " + std::string(name) + " (" + column + others + ") SELECT ?1" + others +
          " FROM " + std::string(name) + rows;
  } else {
    sql = "UPDATE " + std::string(name) + " SET " + column + " = ?1" + rows;
  }
  sqlite3_stmt* statement = copy.prepare(sql);
  if (statement == nullptr) return;
  bind(statement, 1, edit);
  sqlite3_bind_int64(statement, 2, row);
  sqlite3_step(statement);
  sqlite3_finalize(statement);
}

}  // namespace

std::string edited_database(std::string_view edits) {
  Copy copy(database_template(edits.empty() ? 'c' : edits.front()));
  std::size_t begin = edits.find("\n~");
  while (begin != std::string_view::npos) {
    const std::size_t end = edits.find("\n~", begin + 1);
    apply(copy, edits.substr(begin + 2, end == std::string_view::npos ? end : end - begin - 2));
    begin = end;
  }
  return copy.bytes();
}

}  // namespace sweep::fuzz
