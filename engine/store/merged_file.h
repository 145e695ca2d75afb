#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/store/record.h"
#include "engine/store/sqlite.h"

namespace sweep {

/// A run of a database, and where it is in the merged file.
struct RunPlace {
  const RunRecord* run = nullptr;
  std::int64_t id = 0;         ///< in the merged file
  bool is_copied_here = true;  ///< false: from another database, which has more of it
};

/// A run whose points the merged run has, under the merged file's id of it.
struct PartPlace {
  std::int64_t id = 0;
  std::string file;
};

/// What the merged run's points came to.
struct MergedPoints {
  std::uint64_t points = 0;
  std::uint64_t differing = 0;  ///< configurations of which several runs have points of their own
};

/// A results database that is filled from others, whose rows never leave SQLite. Until it is
/// finished nobody else uses it; a file that is not finished goes with this.
class MergedFile {
 public:
  explicit MergedFile(const std::filesystem::path& path);

  /// Adds a run as it is recorded, but for its points and findings; gives its id here.
  std::int64_t add_run(const RunRecord& run);
  /// Copies what a database holds of these runs, which are all but the merged ones that it has:
  /// points, places, findings. Places that hold points of a run that another database gives wait
  /// for `connect`.
  void copy(const std::filesystem::path& source, std::span<const RunPlace> runs);
  /// Fills these places, once every database is copied.
  void connect(const std::filesystem::path& source, std::span<const RunPlace> runs);

  /// Gives the merged run the parts' points, of the first part that has one at a place.
  /// `prefers_success`: of the first that has one which did not fail.
  MergedPoints place_points(std::int64_t merged, std::span<const PartPlace> parts,
                            bool prefers_success);
  /// Gives it the parts' anchors, and their comparisons if these are apart from each other.
  void add_findings(std::int64_t merged, std::span<const PartPlace> parts, bool with_comparisons);
  /// The explanations that the parts have: ids, and places of the configurations.
  std::vector<std::pair<std::int64_t, std::int64_t>> explanations(std::span<const PartPlace> parts);
  void add_explanation(std::int64_t merged, std::int64_t explanation, std::int64_t ordinal);
  void add_note(std::int64_t merged, const std::string& text);
  void set_state(std::int64_t run, RunState state, const std::string& started,
                 const std::string& finished, const std::optional<TuningRecord>& tuning);

  /// Writes all to the disk and gives the file this name, in the place of what is there.
  void finish(const std::filesystem::path& output);

  const std::filesystem::path& path() const { return file_.path; }

 private:
  void map_runs(std::span<const RunPlace> runs);
  void map_lists();

  /// Removes the file at its end, unless it has moved.
  struct Unfinished {
    explicit Unfinished(std::filesystem::path file) : path(std::move(file)) {}
    ~Unfinished();
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

    std::filesystem::path path;
  };

  Unfinished file_;
  std::unique_ptr<sqlite::Database> database_;
  // Ids of the next database's rows begin behind these.
  std::int64_t last_point_ = 0;
  std::int64_t last_explanation_ = 0;
};

}  // namespace sweep
