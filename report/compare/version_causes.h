#pragma once

#include <string>
#include <vector>

#include "report/compare/run_comparison.h"
#include "report/document.h"

// Why one of two versions of a kernel is faster, as far as counts and lines of source tell.

namespace sweep {

/// A line of source that only one version has, or that both have and whose accesses cost something
/// else.
struct ChangedLine {
  std::size_t before = 0;  ///< its number in A's file; 0: A does not have it
  std::size_t after = 0;   ///< the same of B's
  std::string text;
  std::vector<std::string> costs_before = {};  ///< of A's accesses on it, one each
  std::vector<std::string> costs_after = {};
};

/// The changed lines of a file that both versions have, or of one that only one has.
struct ChangedFile {
  std::string before;  ///< its name; empty: A has no such file
  std::string after;
  std::vector<ChangedLine> lines;
};

/// What the source and the counts of two versions differ in.
struct VersionCauses {
  std::string configuration;  ///< that the counts and the costs are of, in words
  /// It alone, by all counts; nothing where it was not counted in both.
  std::optional<RunComparison> counts = {};
  std::vector<ChangedFile> files = {};
  std::vector<std::string> notes = {};  ///< sentences on what is missing
};

/// Parameters, metric where there are several, figures before and after, ratio with its interval,
/// and the change in words.
TableModel comparison_table(const RunComparison& comparison,
                            const std::vector<ComparisonRow>& rows);

/// How B compares with A where one configuration was compared: "B is slower than A: 2.00 times
/// slower, B / A = 2.0012 (1.9987 to 2.0034): more than noise"; empty where there are several.
std::string describe_versions(const RunComparison& comparison);

/// The counts that differ, those that got worse first: at most `most` rows, and none where no count
/// does.
TableModel cause_table(const VersionCauses& causes, std::size_t most);

/// The changed lines as a patch has them, with what each costs below it: at most `most` lines of
/// source.
std::string changed_lines_text(const VersionCauses& causes, std::size_t most);

/// Both, and the notes, for a terminal of `width` columns.
std::string causes_for_terminal(const RunComparison& comparison, std::size_t width, bool color);

/// The causes as Markdown and pages have them; `language` is that of the changed lines. Empty
/// without causes.
Document cause_document(const RunComparison& comparison, const std::string& language);

}  // namespace sweep
