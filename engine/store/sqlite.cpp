#include "engine/store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "engine/store/store.h"

namespace sweep::sqlite {
namespace {

/// `path` as an SQLite URI: for reading alone, or with the promise that nobody writes the file.
std::string uri_of(const std::filesystem::path& path, Access access) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    const bool is_special = c == '%' || c == '?' || c == '#';
    uri += is_special ? fmt::format("%{:02x}", static_cast<int>(c)) : std::string(1, c);
  }
  return uri + (access == Access::immutable ? "?immutable=1" : "?mode=ro");
}

std::string damage(std::string_view what) {
  return fmt::format("is damaged ({}); `sqlite3 FILE .recover` may save what is readable", what);
}

/// What went wrong, in words that go on after the file's name.
std::pair<StoreFault, std::string> explain(int code, const std::string& detail, int system_error) {
  const int kind = code & 0xff;
  const bool may_lack_space =
      kind == SQLITE_FULL || kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN;
  std::string_view lack;
  if (system_error == EDQUOT) lack = "the disk quota is used up";
  if (system_error == EFBIG) {
    lack = "it has reached the largest size that a file may have here (ulimit -f)";
  }
  if (kind == SQLITE_FULL || system_error == ENOSPC) lack = "the disk is full";
  const auto words = [&](std::string_view otherwise) {
    if (may_lack_space && !lack.empty()) {
      return fmt::format("cannot be written: {}; what it holds already is kept", lack);
    }
    const std::string cause =
        system_error != 0 ? fmt::format(": {}", std::strerror(system_error)) : "";
    return fmt::format("cannot be {} ({}{})", otherwise, detail, cause);
  };
  switch (kind) {
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:  // the statements are right: the tables are not what the version says
      return {StoreFault::damaged, damage(detail)};
    case SQLITE_NOTADB:
      return {StoreFault::not_a_store, "is not a results database"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {StoreFault::locked, "is locked by another process"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {StoreFault::inaccessible, "cannot be written: the file or its folder is read-only"};
    case SQLITE_CANTOPEN:
      return {StoreFault::inaccessible, words("opened")};
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return {StoreFault::failing,
              words(code == SQLITE_IOERR_WRITE ? "written" : "read or written")};
    default:
      return {StoreFault::other, fmt::format("cannot be used: {} (SQLite error {})", detail, code)};
  }
}

}  // namespace

Database::Database(const std::filesystem::path& path, Access access,
                   std::chrono::milliseconds patience)
    : path_(path), access_(access), handle_(nullptr, sqlite3_close) {
  const bool immutable = access == Access::immutable;
  // What is attached later has a URI.
  const std::string name =
      immutable ? uri_of(path, access) : std::filesystem::absolute(path).string();
  // One thread at a time uses a connection: SQLite's own mutexes would only cost time.
  // Who reads may write too, as far as SQLite sees it: only so the last one to close a database
  // removes the side files of its log.
  const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI |
                    (immutable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) |
                    (access == Access::write ? SQLITE_OPEN_CREATE : 0);
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &opened, flags, nullptr);
  handle_.reset(opened);
  if (code != SQLITE_OK) fail(code);
  sqlite3_extended_result_codes(opened, 1);
  sqlite3_busy_timeout(opened, static_cast<int>(patience.count()));
  // A file from a stranger may be made to harm its reader (SQLite, "Defense Against The Dark
  // Arts"). The engine has no triggers, and reads tables alone.
  for (const auto& [option, value] :
       {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1), std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
        std::pair(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), std::pair(SQLITE_DBCONFIG_ENABLE_VIEW, 0)}) {
    const int set = sqlite3_db_config(opened, option, value, nullptr);
    if (set != SQLITE_OK) fail(set);
  }
  constexpr int longest_value = 256 << 20;
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, longest_value);
  execute("PRAGMA cell_size_check = ON");
  execute("PRAGMA mmap_size = 0");
  execute("PRAGMA foreign_keys = ON");
  if (access == Access::read) execute("PRAGMA query_only = ON");
  // SQLite opens a file without write permission all the same, and fails later.
  if (access == Access::write && sqlite3_db_readonly(opened, "main") == 1) fail(SQLITE_READONLY);
  struct stat file = {};
  if (stat(path_.c_str(), &file) == 0) {
    device_ = file.st_dev;
    inode_ = file.st_ino;
  }
}

void Database::execute(const std::string& sql) {
  errno = 0;
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code, errno);
}

std::int64_t Database::integer(std::string_view sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::string Database::text(std::string_view sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.text(0) : std::string();
}

std::int64_t Database::last_row_id() const {
  return sqlite3_last_insert_rowid(handle_.get());
}

int Database::changes() const {
  return sqlite3_changes(handle_.get());
}

bool Database::in_transaction() const {
  return sqlite3_get_autocommit(handle_.get()) == 0;
}

void Database::attach(const std::filesystem::path& path, Access access) {
  attached_ = path;
  Statement(*this, "ATTACH ? AS source").bind(uri_of(path, access)).run();
}

void Database::detach() {
  idle_.clear();  // prepared for this file's tables
  execute("DETACH source");
  attached_.clear();
}

bool Database::is_in_place() const {
  struct stat file = {};
  return stat(path_.c_str(), &file) == 0 && file.st_dev == device_ && file.st_ino == inode_;
}

void Database::fail(int code, int system_error) const {
  const std::string detail = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  // SQLite does not note the system's error for a commit.
  const int noted = handle_ ? sqlite3_system_errno(handle_.get()) : 0;
  // What was read from another file contradicts itself when it breaks a rule of the tables.
  const bool is_broken = (code & 0xff) == SQLITE_CONSTRAINT && !attached_.empty();
  const auto [fault, what] =
      explain(is_broken ? SQLITE_CORRUPT : code, detail, noted != 0 ? noted : system_error);
  const bool is_of_contents = fault == StoreFault::damaged || fault == StoreFault::not_a_store;
  throw StoreError(is_of_contents && !attached_.empty() ? attached_ : path_, what, fault);
}

void Database::fail_as_damaged(std::string_view what) const {
  throw StoreError(attached_.empty() ? path_ : attached_, damage(what), StoreFault::damaged);
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  auto known = database.idle_.find(sql);
  if (known == database.idle_.end()) {
    check(sqlite3_prepare_v2(database.handle_.get(), sql.data(), static_cast<int>(sql.size()),
                             &handle_, nullptr));
    known = database.idle_.emplace(sql, Database::StatementHandle(handle_, sqlite3_finalize));
  }
  handle_ = known->second.get();
  kept_ = database.idle_.extract(known);
}

Statement::~Statement() {
  reset();
  database_.idle_.insert(std::move(kept_));
}

bool Statement::step() {
  errno = 0;
  const int code = sqlite3_step(handle_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_.fail(code, errno);
  return code == SQLITE_ROW;
}

void Statement::run() {
  step();
  reset();
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_, column);
}

double Statement::real(int column) const {
  if (sqlite3_column_type(handle_, column) == SQLITE_NULL) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return sqlite3_column_double(handle_, column);
}

std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
  return bytes != nullptr ? std::string(bytes, size) : std::string();
}

// A failed step has been reported; sqlite3_reset only repeats its code.
void Statement::reset() {
  sqlite3_reset(handle_);
}

void Statement::bind_integer(int index, std::int64_t value) {
  check(sqlite3_bind_int64(handle_, index, value));
}

void Statement::bind_at(int index, double value) {
  check(sqlite3_bind_double(handle_, index, value));
}

void Statement::bind_at(int index, std::string_view value) {
  // A null pointer would be NULL, not an empty text.
  const char* bytes = value.data() != nullptr ? value.data() : "";
  check(sqlite3_bind_text64(handle_, index, bytes, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.fail(code);
}

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  database_.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  if (!database_.in_transaction()) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const StoreError&) {
    // Whoever opens the file next takes the transaction back.
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
}

}  // namespace sweep::sqlite
