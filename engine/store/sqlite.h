#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

struct sqlite3;
struct sqlite3_stmt;

namespace sweep::sqlite {

enum class Access {
  read,       ///< of a database that other processes may write
  immutable,  ///< reads without locks or side files: nobody may write the file meanwhile
  write,      ///< creates the file when there is none
};

/// A connection to a database file. Foreign keys are enforced. Every failure is a StoreError that
/// names the file and says in plain words what is wrong with it.
class Database {
 public:
  /// `patience` is how long it waits for a lock that another process holds.
  Database(const std::filesystem::path& path, Access access,
           std::chrono::milliseconds patience = std::chrono::seconds(5));

  /// Runs one or more statements that take no values and whose rows are of no interest.
  void execute(const std::string& sql);
  /// The first column of the first row of `sql`.
  std::int64_t integer(std::string_view sql);
  std::string text(std::string_view sql);

  std::int64_t last_row_id() const;
  /// The rows that the last statement changed.
  int changes() const;
  bool in_transaction() const;
  /// Makes the tables of another file readable as `source.NAME`, in the way in which they can be.
  /// Until `detach` a message about contents is one about that file.
  void attach(const std::filesystem::path& path, Access access);
  void detach();
  /// Whether its path still names the file that is open: SQLite would go on writing into one that
  /// was removed, whose contents nobody can read any more.
  bool is_in_place() const;

  /// Throws what `code`, the result of an SQLite call, means for this file; `system_error` is the
  /// errno that the call left behind.
  [[noreturn]] void fail(int code, int system_error = 0) const;
  /// Throws that the file's contents contradict themselves.
  [[noreturn]] void fail_as_damaged(std::string_view what) const;
  /// What `read` makes of a text of the file's. Its std::invalid_argument says how the file's
  /// contents contradict themselves.
  template <class Read>
  auto understood(const Read& read, const std::string& text) const {
    try {
      return read(text);
    } catch (const std::invalid_argument& error) {
      fail_as_damaged(error.what());
    }
  }
  const std::filesystem::path& path() const { return path_; }
  Access access() const { return access_; }

 private:
  friend class Statement;
  using Handle = std::unique_ptr<sqlite3, int (*)(sqlite3*)>;
  using StatementHandle = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;
  /// Prepared statements that nobody uses now, by their SQL.
  using Statements = std::multimap<std::string, StatementHandle, std::less<>>;

  std::filesystem::path path_;
  Access access_;
  std::filesystem::path attached_;  ///< empty while there is none
  Handle handle_;
  Statements idle_;
  std::uint64_t device_ = 0;  ///< and the inode: the file's identity
  std::uint64_t inode_ = 0;
};

/// A statement in use. The database, which must outlive it, keeps it prepared for the next use.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  /// Lets go of the rows and of the snapshot of the database that they are read from.
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Starts over with these values for the statement's parameters, in their order.
  template <class... Values>
  Statement& bind(const Values&... values) {
    reset();
    int index = 0;
    (bind_at(++index, values), ...);
    return *this;
  }

  /// Goes to the next row; false when there is none.
  bool step();
  /// Runs a statement that yields no rows, and makes it ready for the next values.
  void run();

  /// Reads the current row's first columns.
  template <class... Fields>
  void read(Fields&... fields) const {
    int column = 0;
    (get(column++, fields), ...);
  }
  // The current row's columns, from 0.
  std::int64_t integer(int column) const;
  /// NULL is not a number: SQLite stores NaN so.
  double real(int column) const;
  std::string text(int column) const;

 private:
  void reset();
  void bind_at(int index, std::integral auto value) {
    bind_integer(index, static_cast<std::int64_t>(value));
  }
  void bind_at(int index, double value);
  void bind_at(int index, std::string_view value);
  void bind_integer(int index, std::int64_t value);
  void get(int column, std::integral auto& field) const {
    field = static_cast<std::remove_reference_t<decltype(field)>>(integer(column));
  }
  void get(int column, double& field) const { field = real(column); }
  void get(int column, std::string& field) const { field = text(column); }
  void check(int code) const;

  Database& database_;
  Database::Statements::node_type kept_;
  sqlite3_stmt* handle_;
};

/// Runs a statement that yields no rows with these values for its parameters.
template <class... Values>
void run(Database& database, std::string_view sql, const Values&... values) {
  Statement(database, sql).bind(values...).run();
}

/// Everything until `commit` happens wholly or not at all.
class Transaction {
 public:
  enum class Kind { read, write };

  Transaction(Database& database, Kind kind);
  /// Takes back what was not committed.
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Database& database_;
};

}  // namespace sweep::sqlite

namespace sweep {

struct Provenance;

// Both open a results database, and throw StoreError for what is there but is not one of this
// version, and leave it as it is.

/// Creates the file when there is none, in a folder that exists.
std::unique_ptr<sqlite::Database> open_for_writing(const std::filesystem::path& path);
/// Throws StoreError for a file that is not there or holds no runs, too.
std::unique_ptr<sqlite::Database> open_for_reading(const std::filesystem::path& path);

/// Adds a run that begins now and gives its id. Without a `uid` it gets a new one.
std::int64_t insert_run(sqlite::Database& database, const Provenance& provenance,
                        std::string_view uid = {});

/// Creates the tables in a file of that name, in the place of what is there, for one process to
/// fill: without the index of the points' keys, and without care for a process that dies. What is
/// called at last adds the index and waits for the disk.
std::unique_ptr<sqlite::Database> create_for_filling(const std::filesystem::path& path);
void finish_filling(sqlite::Database& database);

/// Moves what is in the file's write-ahead log into the file, so that another can take its place.
/// Throws StoreError where another process has it open.
void close_log(const std::filesystem::path& path);

/// Whether it has a table; a file that an early version wrote and nobody has written since lacks
/// those of runs' shares and devices.
bool has_table(sqlite::Database& database, std::string_view name);

}  // namespace sweep
