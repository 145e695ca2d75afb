#include "engine/store/store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <limits>
#include <thread>

#include "engine/store/schema.h"
#include "engine/store/store_state.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;
using sqlite::Access;
using sqlite::Database;
using sqlite::Transaction;

[[noreturn]] void fail(const fs::path& path, std::string_view what, StoreFault fault) {
  throw StoreError(fmt::format("the file '{}' {}", path.string(), what), fault);
}

bool is_there(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::none) {
    fail(path, "cannot be used: " + error.message(), StoreFault::inaccessible);
  }
  return fs::exists(status);
}

/// Refuses, without touching it, what is there but is not a database of this version.
void check_existing(const fs::path& path) {
  if (fs::is_directory(path)) fail(path, "is a folder", StoreFault::not_a_store);
  if (const auto header = read_database_header(path)) check_header(*header, path);
}

/// Refuses a folder that no file can be created in; SQLite would not say why.
void check_folder(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (access(folder.c_str(), W_OK | X_OK) == 0) return;
  fail(path,
       fmt::format("cannot be created: folder '{}': {}", folder.string(), std::strerror(errno)),
       StoreFault::inaccessible);
}

/// False on file systems that have no shared memory. Two processes that open a new file at the same
/// time are in each other's way here, and SQLite does not wait of its own.
bool switch_to_write_ahead_log(Database& database) {
  constexpr int attempts = 250;
  constexpr auto pause = std::chrono::milliseconds(20);
  for (int attempt = 1;; ++attempt) {
    try {
      return database.text("PRAGMA journal_mode = WAL") == "wal";
    } catch (const StoreError& error) {
      if (error.fault() != StoreFault::locked || attempt == attempts) throw;
    }
    std::this_thread::sleep_for(pause);
  }
}

std::unique_ptr<Database> open_for_writing(const fs::path& path) {
  if (is_there(path)) {
    check_existing(path);
  } else {
    check_folder(path);
  }
  auto database = std::make_unique<Database>(path, Access::write);
  // Created before the switch to write-ahead logging, the header's marks are in the file itself.
  create_tables(*database);
  // With a write-ahead log, NORMAL loses nothing when a process dies; the rollback journal needs
  // FULL for the same.
  const bool logged = switch_to_write_ahead_log(*database);
  database->execute(logged ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL");
  // Pages: at 128 MiB the log goes into the database, which waits for the disk.
  database->execute("PRAGMA wal_autocheckpoint = 32768");
  return database;
}

/// Opens the database and reads its version: SQLite opens lazily, the first read tells.
std::unique_ptr<Database> open_checked(const fs::path& path, Access access) {
  auto database = std::make_unique<Database>(path, access);
  check_header(*database);
  return database;
}

/// A folder that cannot be written has no room for the side files of a write-ahead log; but then
/// no writer is at work in it either, unless it left its log there.
bool can_be_immutable(const fs::path& path) {
  fs::path log = path;
  log += "-wal";
  return !is_there(log);
}

std::unique_ptr<Database> open_for_reading(const fs::path& path) {
  if (!is_there(path)) fail(path, "does not exist", StoreFault::missing);
  check_existing(path);
  if (fs::file_size(path) == 0) fail(path, "is empty: it holds no runs", StoreFault::missing);
  try {
    return open_checked(path, Access::read);
  } catch (const StoreError& error) {
    const bool may_lack_permission =
        error.fault() == StoreFault::inaccessible || error.fault() == StoreFault::failing;
    if (!may_lack_permission || !can_be_immutable(path)) throw;
    return open_checked(path, Access::immutable);
  }
}

/// Call it within a transaction.
std::optional<ReusedPoint> reuse(PointRows& points, std::int64_t run, std::int64_t ordinal,
                                 const PointKey& key) {
  const auto id = points.find(key);
  if (!id) return std::nullopt;
  points.place(run, ordinal, *id);
  return ReusedPoint{*id, points.collected_counters(*id)};
}

}  // namespace

Store::Store(const fs::path& path, Mode mode)
    : state_(std::make_unique<State>(mode == Mode::read_write ? open_for_writing(path)
                                                              : open_for_reading(path))) {}

Store::~Store() = default;

const fs::path& Store::path() const {
  return state_->database->path();
}

std::int64_t Store::add_point(std::int64_t run, std::int64_t ordinal, const PointRecord& point) {
  if (!state_->database->is_in_place()) {
    fail(path(),
         "was removed or replaced by another program while this run used it: the points that are "
         "not in it are lost",
         StoreFault::gone);
  }
  Transaction transaction(*state_->database, Transaction::Kind::write);
  const std::int64_t id = state_->points.insert(run, point);
  state_->points.place(run, ordinal, id);
  transaction.commit();
  return id;
}

std::optional<ReusedPoint> Store::reuse_point(std::int64_t run, std::int64_t ordinal,
                                              const PointKey& key) {
  Transaction transaction(*state_->database, Transaction::Kind::write);
  const auto reused = reuse(state_->points, run, ordinal, key);
  if (reused) transaction.commit();
  return reused;
}

std::vector<std::optional<ReusedPoint>> Store::reuse_points(
    std::int64_t run, std::size_t count, const std::function<PointKey(std::size_t)>& key_of) {
  Transaction transaction(*state_->database, Transaction::Kind::write);
  std::vector<std::optional<ReusedPoint>> reused;
  reused.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    reused.push_back(reuse(state_->points, run, static_cast<std::int64_t>(i), key_of(i)));
  }
  transaction.commit();
  return reused;
}

bool Store::has_point(const PointKey& key) const {
  return state_->points.find(key).has_value();
}

std::optional<std::vector<Metric>> Store::metrics_of(const PointKey& key) const {
  const Transaction snapshot(*state_->database, Transaction::Kind::read);
  const auto id = state_->points.find(key);
  return id ? std::optional(state_->points.metrics_of(*id)) : std::nullopt;
}

void Store::add_counts(std::int64_t point_id, const std::string& collected_counters,
                       const std::vector<Metric>& metrics, const std::vector<std::string>& notes) {
  Transaction transaction(*state_->database, Transaction::Kind::write);
  state_->points.set_counts(point_id, collected_counters, metrics, notes);
  transaction.commit();
}

void Store::add_metrics(std::int64_t point_id, const std::vector<Metric>& metrics,
                        const std::vector<std::string>& notes) {
  Transaction transaction(*state_->database, Transaction::Kind::write);
  state_->points.add_metrics(point_id, metrics, notes);
  transaction.commit();
}

std::optional<StoredPoint> Store::point(std::int64_t run, std::int64_t ordinal) const {
  const Transaction snapshot(*state_->database, Transaction::Kind::read);
  std::optional<StoredPoint> point;
  state_->points.read(run, ordinal, ordinal,
                      [&](StoredPoint&& found) { point = std::move(found); });
  return point;
}

std::vector<StoredPoint> Store::points(std::int64_t run) const {
  std::vector<StoredPoint> points;
  visit_points(run, [&](StoredPoint&& point) { points.push_back(std::move(point)); });
  return points;
}

void Store::visit_points(std::int64_t run, const std::function<void(StoredPoint&&)>& visit) const {
  const Transaction snapshot(*state_->database, Transaction::Kind::read);
  state_->points.read(run, 0, std::numeric_limits<std::int64_t>::max(), visit);
}

PointCounts Store::count_points(std::int64_t run) const {
  sqlite::Statement count(*state_->database, R"sql(
      SELECT count(*), coalesce(sum(status = 'failed'), 0)
      FROM run_point JOIN point ON point.id = point_id WHERE run_point.run_id = ?)sql");
  count.bind(run).step();
  return {static_cast<std::size_t>(count.integer(0)), static_cast<std::size_t>(count.integer(1))};
}

}  // namespace sweep
