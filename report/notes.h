#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/store/record.h"
#include "report/document.h"
#include "report/run_analysis.h"

namespace sweep {

struct RunNote {
  std::string text;
  bool is_concern = false;  ///< it may have changed the figures
};

/// What there is to know about a run beside its points, in sentences: what it noted itself, how far
/// its anchor configuration drifted, why sampling ended early, and how many samples stand apart.
std::vector<RunNote> run_notes(const RunResults& results);

/// Their texts.
std::vector<std::string> describe_run_notes(const RunResults& results);

/// The metric that says how much of a point's result was verified, in %.
constexpr const char* verified_share = "verified_share";

/// Points of whose results only a part was verified.
struct PartlyVerified {
  std::size_t points = 0;
  double least = 1;  ///< share of the elements
};

PartlyVerified partly_verified(std::span<const StoredPoint> points);

/// What was verified of their results, why not all, and the way out; empty where all was.
std::string note_on_verification(std::span<const StoredPoint> points);

/// ", 3 verified in part" after "36 ok, 2 failed"; empty where all was verified.
std::string count_partly_verified(std::span<const StoredPoint> points);

/// The points' notes, each once in the order they first appear, with the number of points it
/// applies to: "36 of 192 points: executed 5 of 4096 blocks", "All 4 points: ...". Notes that
/// differ in their numbers alone are one, with the numbers' ranges: "2 to 7 of 16 samples ...".
/// After twenty of them only the number of the others.
std::vector<std::string> describe_notes(std::span<const StoredPoint> points);

/// A sentence taken apart into its numbers and the words between them: "2 of 16 samples" and "3 of
/// 20 samples" are of one kind. Digits within a name (sm_90, 0x1f, T4) are words.
struct NoteParts {
  std::vector<std::string> words;    ///< one more than there are numbers; some are empty
  std::vector<std::string> numbers;  ///< as written: "1,024", "0.5", "-3"
};

NoteParts take_apart(std::string_view note);

/// Many sentences of one kind as one, whose numbers are ranges where they differ: "2 to 3 of 16 to
/// 20 samples".
class NoteRange {
 public:
  explicit NoteRange(NoteParts first) : low_(first), high_(std::move(first)) {}

  /// Another one of the same words.
  void add(const NoteParts& note);
  std::string text() const;

 private:
  NoteParts low_;
  NoteParts high_;
};

/// "2025-01-31T12:00:00Z" -> "2025-01-31 12:00:00 UTC"; other texts stay.
std::string readable_time(const std::string& time);

/// What a report says about where a run's figures come from, line by line: "driver" and
/// "580.159.04, CUDA 13.0". What is not known is left out.
std::vector<std::pair<std::string, std::string>> describe_provenance(const RunRecord& run);
/// The same as a table.
DocumentTable provenance_table(const RunRecord& run);

}  // namespace sweep
