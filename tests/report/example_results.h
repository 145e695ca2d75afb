#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "report/run_analysis.h"

namespace sweep::testing {

using Parameters = std::initializer_list<std::pair<const char*, Value>>;

inline Value integer(std::int64_t value) {
  return value;
}
inline Value element(const char* name) {
  return ElementType::find(name).value();
}
inline Value word(const char* text) {
  return std::string(text);
}

StoredPoint ok_point(const std::string& pattern, Parameters parameters,
                     std::vector<Metric> metrics);
StoredPoint failed_point(const std::string& pattern, Parameters parameters,
                         const std::string& reason);

using Names = std::vector<std::string>;

/// A table's layout; `where` may be empty.
TableLayout layout(Names rows, Names columns, Names values, const std::string& where = {},
                   const std::string& title = {});

/// A finished run of a sweep over strides, element types and block sizes: measured figures, one
/// reused point, failures of two kinds. The tables of its sweep: two.
RunResults stride_results();

/// A finished run whose best configurations were compared in turn, of two patterns with counts from
/// the hardware and the emulator that do not always agree, with a seed, notes, a drifting anchor,
/// and marked samples. Its sweep asks for no tables.
RunResults compared_results();

/// A finished run of two patterns whose times, from a microsecond to some milliseconds, were both
/// measured and predicted; the last point has no prediction, and one failed. Its sweep asks for no
/// charts.
RunResults predicted_results();

/// A run without a GPU, of two patterns that differ in their parameters, that was interrupted. Its
/// sweep asks for no tables. Names and texts have the characters that need care.
RunResults emulated_results();

}  // namespace sweep::testing
