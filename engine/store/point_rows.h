#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/record.h"
#include "engine/store/sqlite.h"

namespace sweep {

/// The key as one text. Equal keys have equal texts and different keys different ones: every part
/// is preceded by its length.
std::string key_text(const PointKey& key);

/// The XXH3-128 of the key's text in 32 hexadecimal digits: finds a key's points quickly. Whether
/// the keys are equal is still to be checked.
std::string key_hash(const PointKey& key);

/// The patterns' texts, each stored once. Remembers those it has met, so that a text goes through
/// SQLite once and not with every point.
class PatternTable {
 public:
  explicit PatternTable(sqlite::Database& database);

  /// The id of the pattern of `key`, if it is stored.
  std::optional<std::int64_t> find(const PointKey& key);
  /// The same; a pattern that is not stored is added.
  std::int64_t id_of(const PointKey& key);

 private:
  struct Pattern {
    std::int64_t id = 0;
    std::string name;
    std::string text;
  };

  sqlite::Database& database_;
  sqlite::Statement find_;
  sqlite::Statement insert_;
  std::vector<Pattern> met_;
};

/// Which metrics points have, in their order. Most points of a run have the same, so that each such
/// list is stored once and a point has its number, and the values alone. Remembers the lists that
/// it has read.
class MetricListTable {
 public:
  explicit MetricListTable(sqlite::Database& database);

  /// The number of the list of these metrics, which is added when there is none.
  std::int64_t id_of(const std::vector<Metric>& metrics);
  /// The metrics of list `id` with these values, as JSON. Throws StoreError when they do not fit.
  std::vector<Metric> metrics(std::int64_t id, const std::string& values);

 private:
  struct Entry {
    std::string name;
    Origin origin = Origin::measured;
    std::string unit;
  };
  using List = std::vector<Entry>;

  const std::int64_t* find(const std::vector<Metric>& metrics) const;
  std::int64_t insert(const std::vector<Metric>& metrics);
  void read_new_lists();

  sqlite::Database& database_;
  sqlite::Statement select_;
  sqlite::Statement next_id_;
  sqlite::Statement insert_;
  std::map<std::int64_t, List> lists_;
};

/// The points' rows, by statements that are prepared once. Whatever writes, or reads more than one
/// row, is to be called within a transaction. The database must outlive it.
class PointRows {
 public:
  explicit PointRows(sqlite::Database& database);

  /// The newest successful point whose key is equal to this one.
  std::optional<std::int64_t> find(const PointKey& key);
  /// Adds a point with its samples, metrics and notes, measured by `run`, and returns its id.
  std::int64_t insert(std::int64_t run, const PointRecord& point);
  /// Gives a point its place in the run.
  void place(std::int64_t run, std::int64_t ordinal, std::int64_t point);
  std::string collected_counters(std::int64_t point);
  /// Throws StoreError for an unknown point.
  std::vector<Metric> metrics_of(std::int64_t point);
  /// Replaces what the hardware's counters said of a point, and the notes on it. Throws StoreError
  /// for an unknown point.
  void set_counts(std::int64_t point, const std::string& collected_counters,
                  const std::vector<Metric>& metrics, const std::vector<std::string>& notes);
  /// Adds metrics of an origin that the point has none of, and notes. Throws likewise.
  void add_metrics(std::int64_t point, const std::vector<Metric>& metrics,
                   const std::vector<std::string>& notes);
  /// Gives the points at the places `first` to `last` of a run, in their order, to `visit`.
  void read(std::int64_t run, std::int64_t first, std::int64_t last,
            const std::function<void(StoredPoint&&)>& visit);

 private:
  void update_metrics(std::int64_t point, const std::string& collected_counters,
                      const std::vector<Metric>& metrics);
  void insert_notes(std::int64_t point, std::int64_t ordinal, bool on_counts,
                    const std::vector<std::string>& notes);
  std::int64_t next_note_ordinal(std::int64_t point);
  Bindings parameters_of(const std::string& json) const;
  StoredPoint current_point();
  std::vector<std::string> notes_of(std::int64_t point);

  sqlite::Database& database_;
  PatternTable patterns_;
  MetricListTable metric_lists_;
  sqlite::Statement candidates_;
  sqlite::Statement insert_point_;
  sqlite::Statement insert_note_;
  sqlite::Statement insert_place_;
  sqlite::Statement select_counters_;
  sqlite::Statement select_metrics_;
  sqlite::Statement update_metrics_;
  sqlite::Statement delete_notes_;
  sqlite::Statement next_note_;
  sqlite::Statement points_;
  sqlite::Statement notes_;
};

}  // namespace sweep
