#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/store/record.h"
#include "engine/system/file_descriptor.h"

namespace sweep {

enum class StoreFault {
  missing,        ///< there is no such file, or no such run in it
  not_a_store,    ///< another kind of file
  other_version,  ///< written by a version with another schema
  damaged,        ///< the file's contents contradict themselves
  locked,         ///< another process holds it
  inaccessible,   ///< it cannot be opened or created, or only be read
  gone,           ///< removed or replaced while it was open
  failing,        ///< reading or writing fails: a full disk, a failing device
  other,
};

/// The results database cannot be read or written; the message says which file and why.
class StoreError : public std::runtime_error {
 public:
  explicit StoreError(const std::string& message, StoreFault fault = StoreFault::other)
      : std::runtime_error(message), fault_(fault) {}
  /// "the file 'results.db' " and what is wrong with it.
  StoreError(const std::filesystem::path& file, std::string_view what, StoreFault fault);
  StoreFault fault() const { return fault_; }

 private:
  StoreFault fault_;
};

/// The right to be the one run that measures into a database: an advisory lock (flock) on a file
/// beside it, `NAME.db.lock`, which says who holds it. The lock ends with the process, however that
/// ends, so that a file left behind is in nobody's way. Reading the database needs no lock.
class RunLock {
 public:
  /// Throws StoreError with the fault `locked` when another run holds it, and `inaccessible` when
  /// the lock's file cannot be used. Where there can be no lock, on a file system without locks or
  /// in a folder that cannot be written, none is held.
  explicit RunLock(const std::filesystem::path& database);
  /// Removes the file.
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  bool held() const { return static_cast<bool>(file_); }

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
};

/// A point of an earlier run that serves again.
struct ReusedPoint {
  std::int64_t id = 0;
  std::string collected_counters;  ///< that it has already
};

/// What is done to a point's metrics.
using ChangeMetrics = std::function<void(std::vector<Metric>& metrics)>;
/// By points' ids.
using MetricChanges = std::vector<std::pair<std::int64_t, ChangeMetrics>>;

/// How many points a run has.
struct PointCounts {
  std::size_t points = 0;
  std::size_t failed = 0;  ///< of them

  friend bool operator==(const PointCounts&, const PointCounts&) = default;
};

/// A sweep's results: an SQLite database that holds all runs of it.
///
/// Every function that records something has committed it when it returns, so that a killed process
/// loses at most the point it was measuring. Every function throws StoreError when the file cannot
/// be used; what was recorded before stays, unless somebody else removed or replaced the file
/// (StoreFault::gone), which add_point finds. One thread at a time may use a store.
class Store {
 public:
  enum class Mode { read_only, read_write };

  /// Opens a database. With `read_write` creates it when there is none, in a folder that exists;
  /// with `read_only` a missing file is an error. A file that is not a sweep database, or one of
  /// another version, is an error and stays as it is.
  Store(const std::filesystem::path& path, Mode mode);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::filesystem::path& path() const;

  /// Starts a run and returns its id.
  std::int64_t begin_run(const Provenance& provenance);
  void end_run(std::int64_t run, RunState state);

  /// Records a point and returns its id. `ordinal` is its place within the run, which no other
  /// point of the run may have; points may come in any order.
  std::int64_t add_point(std::int64_t run, std::int64_t ordinal, const PointRecord& point);
  /// Gives the newest successful point with this key a place in the run. Nothing when there is
  /// none.
  std::optional<ReusedPoint> reuse_point(std::int64_t run, std::int64_t ordinal,
                                         const PointKey& key);
  /// The same for several places and their keys, all at once: an entry for each.
  std::vector<std::optional<ReusedPoint>> reuse_points(
      std::int64_t run, std::span<const std::size_t> ordinals,
      const std::function<PointKey(std::size_t ordinal)>& key_of);
  /// Takes the points at these places out of the run; in the database they stay.
  void take_out(std::int64_t run, std::span<const std::size_t> ordinals);
  /// The metrics of the point that reuse_point would find; nothing when there is none.
  std::optional<std::vector<Metric>> metrics_of(const PointKey& key) const;
  /// Replaces the point's metrics of origin hardware, the counters they stand for, and the notes
  /// of an earlier call. `derive` then computes what follows from all of the point's metrics.
  void add_counts(std::int64_t point_id, const std::string& collected_counters,
                  const std::vector<Metric>& metrics, const std::vector<std::string>& notes,
                  const ChangeMetrics& derive = nullptr);

  /// Adds metrics of an origin that the point has none of yet, and notes on them.
  void add_metrics(std::int64_t point_id, const std::vector<Metric>& metrics,
                   const std::vector<std::string>& notes, const ChangeMetrics& derive = nullptr);

  /// Changes the metrics of points.
  void change_metrics(const MetricChanges& changes);

  /// Records a sentence about the run.
  void add_note(std::int64_t run, const std::string& text);
  void add_anchor(std::int64_t run, const AnchorRecord& anchor);
  /// Replaces the run's comparisons.
  void set_comparisons(std::int64_t run, const std::vector<ComparisonRecord>& comparisons);
  /// Gives a run that measured nothing itself the comparisons of the newest earlier run of exactly
  /// the same points. False when there are none.
  bool take_over_comparisons(std::int64_t run);
  /// The same of the devices of a run on several.
  void set_devices(std::int64_t run, const std::vector<DeviceRecord>& devices);
  bool take_over_devices(std::int64_t run);

  /// Replaces what the run's search found so far.
  void set_tuning(std::int64_t run, const TuningRecord& tuning);

  /// Adds the explanation of the configuration at its place in the run, whose pattern is the
  /// point's. `made_by` is everything besides the configuration that decides what it says.
  void add_explanation(std::int64_t run, const PatternExplanation& explanation,
                       const std::string& made_by);
  /// The same with what an earlier run has of this configuration, made by the same. False when
  /// there is none.
  bool reuse_explanation(std::int64_t run, std::int64_t ordinal, const std::string& made_by);

  /// Every run, oldest first.
  std::vector<RunRecord> runs() const;
  /// The point at a place of a run, if there is one.
  std::optional<StoredPoint> point(std::int64_t run, std::int64_t ordinal) const;
  /// The points of a run by their place.
  std::vector<StoredPoint> points(std::int64_t run) const;
  /// The same one after the other, for what need not have all of them in memory. `visit` must not
  /// write to this store.
  void visit_points(std::int64_t run, const std::function<void(StoredPoint&&)>& visit) const;
  PointCounts count_points(std::int64_t run) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sweep
