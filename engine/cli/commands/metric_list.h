#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/metric.h"

namespace sweep {

/// A text beside what stands in the first `column` columns: its lines end before `width` columns,
/// and those after the first begin under it. Below 20 columns it is not squeezed. No line break at
/// its end.
std::string hanging_text(std::string_view text, std::size_t column, std::size_t width);

// What there is to say about metrics: unit, where they come from, which direction is better, what
// they mean, nvprof's name, and the hardware's counters behind them.

/// All of them by group, and the sets of counters, in lines of at most `width` columns.
std::string list_metrics(std::size_t width);
/// One of them, in such lines.
std::string describe_metric(const MetricDefinition& metric, std::size_t width);
/// The same as list_metrics, as a page of Markdown and as one JSON object.
std::string metric_page();
std::string metrics_json();

}  // namespace sweep
