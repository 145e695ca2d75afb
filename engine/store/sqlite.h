#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

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
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs one or more statements that take no values and whose rows are of no interest.
  void execute(const std::string& sql);
  /// The first column of the first row of `sql`.
  std::int64_t integer(std::string_view sql);
  std::string text(std::string_view sql);

  std::int64_t last_row_id() const;
  /// The rows that the last statement changed.
  int changes() const;
  bool in_transaction() const;
  /// Whether its path still names the file that is open: SQLite would go on writing into one that
  /// was removed, whose contents nobody can read any more.
  bool is_in_place() const;

  /// Throws what `code`, the result of an SQLite call, means for this file; `system_error` is the
  /// errno that the call left behind.
  [[noreturn]] void fail(int code, int system_error = 0);
  /// Throws that the file's contents contradict themselves.
  [[noreturn]] void fail_as_damaged(std::string_view what) const;
  /// What `read` makes of the file's contents. Its std::invalid_argument says how these contradict
  /// themselves.
  template <class Read>
  auto understood(const Read& read) const {
    try {
      return read();
    } catch (const std::invalid_argument& error) {
      fail_as_damaged(error.what());
    }
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  friend class Statement;

  void distrust();

  std::filesystem::path path_;
  std::chrono::milliseconds patience_;
  sqlite3* handle_ = nullptr;
  std::uint64_t device_ = 0;  ///< and the inode: the file's identity
  std::uint64_t inode_ = 0;
};

/// A prepared statement. The database must outlive it.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
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
  /// Lets go of the rows and of the snapshot of the database that they are read from.
  void reset();

  // The current row's columns, from 0.
  std::int64_t integer(int column) const;
  /// NULL is not a number: SQLite stores NaN so.
  double real(int column) const;
  std::string text(int column) const;

 private:
  void bind_at(int index, std::int64_t value);
  void bind_at(int index, int value) { bind_at(index, std::int64_t{value}); }
  void bind_at(int index, double value);
  void bind_at(int index, std::string_view value);
  void check(int code);

  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

/// Resets a statement that is kept for later: one that is left amid its rows would hold its
/// snapshot of the database.
class ResetAtEnd {
 public:
  explicit ResetAtEnd(Statement& statement) : statement_(statement) {}
  ~ResetAtEnd() { statement_.reset(); }
  ResetAtEnd(const ResetAtEnd&) = delete;
  ResetAtEnd& operator=(const ResetAtEnd&) = delete;

 private:
  Statement& statement_;
};

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
