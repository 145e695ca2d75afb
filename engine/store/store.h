#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/store/record.h"

namespace sweep {

enum class StoreFault {
  missing,       ///< there is no such file, or no such run in it
  not_a_store,   ///< another kind of file
  newer,         ///< written by a newer version
  older,         ///< needs to be brought up to date, but is opened read-only
  damaged,       ///< the file's contents contradict themselves
  locked,        ///< another process holds it
  inaccessible,  ///< permissions, a full disk, a failing device
  other,
};

/// The results database cannot be read or written; the message says which file and why.
class StoreError : public std::runtime_error {
 public:
  explicit StoreError(const std::string& message, StoreFault fault = StoreFault::other)
      : std::runtime_error(message), fault_(fault) {}
  StoreFault fault() const { return fault_; }

 private:
  StoreFault fault_;
};

/// A sweep's results: an SQLite database that holds all runs of it.
///
/// Each point is committed before `add_point` returns, so that a killed process loses at most the
/// point it was measuring. Every function throws StoreError when the file cannot be used.
class Store {
 public:
  enum class Mode { read_only, read_write };

  /// Opens a database. With `read_write` creates it when there is none, in a folder that exists,
  /// and brings an older schema up to date; with `read_only` an older one is read as it is, and a
  /// missing file is an error. A file that is not a sweep database, or one of a newer version, is
  /// an error and stays as it is.
  Store(const std::filesystem::path& path, Mode mode);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::filesystem::path& path() const;

  /// Starts a run and returns its id.
  std::int64_t begin_run(const Provenance& provenance);
  void end_run(std::int64_t run, RunState state);

  /// Records a point as the run's next one.
  void add_point(std::int64_t run, const PointRecord& point);
  /// Makes the newest successful point with this key the run's next one. False when there is none.
  bool reuse_point(std::int64_t run, const PointKey& key);
  /// Whether reuse_point would find one.
  bool has_point(const PointKey& key) const;

  /// Every run, oldest first.
  std::vector<RunRecord> runs() const;
  /// The points of a run in their order.
  std::vector<StoredPoint> points(std::int64_t run) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sweep
