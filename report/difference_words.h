#pragma once

#include <string>

#include "report/metric_column.h"

namespace sweep {

/// How a figure that is `ratio` times another one, at least 0, differs from it. Of a time "1.73
/// times slower" and "1.25 times faster"; of anything else "42 % less", "12 % more", and from twice
/// on "2.10 times as much".
std::string describe_difference(double ratio, const MetricColumn& metric);

/// A number of times, at least 1, with two digits or so of what is beyond 1: "1.73", "1.0025",
/// "31.2".
std::string times_text(double factor);

}  // namespace sweep
