#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/spec/metric.h"
#include "engine/store/record.h"
#include "report/parameter_values.h"

namespace sweep {

/// Caches and DRAM are a model: hit rates agree within 10 percentage points, DRAM bytes and the
/// sectors between L1 and L2 within 10 %. The hardware counts wavefronts of shared memory, and with
/// them conflicts, also where an access waits for others: up to 20 % more. Other shares in % agree
/// within 0.5 percentage points, totals within 0.5 % or 1, ratios and lanes within 0.5 %.
CountTolerance tolerance_for(const std::string& metric);
/// Whether the hardware's counter of this metric has more in it than the accesses themselves need:
/// what theory says of them is true of the emulator's figure.
bool counts_waiting(const std::string& metric);
/// "within 0.5 % or 1"
std::string describe(const CountTolerance& tolerance, const std::string& metric);

/// By how much the emulator's figure is larger than the hardware's: in % of it, or in percentage
/// points for a metric in %. Nothing when one of them is missing, infinite when only the hardware's
/// is 0.
std::optional<double> count_difference(const PointRecord& point, const std::string& metric);

/// The metrics that some point has both from the hardware and the emulator, as reports order them.
/// Without numbers of instructions: the emulator's are PTX, the hardware's machine code.
std::vector<std::string> counted_twice(std::span<const PointRecord* const> points);

/// How one metric of hardware and emulator agrees over the points.
struct CountAgreement {
  std::string metric;
  std::size_t agreeing = 0;
  std::vector<const PointRecord*> disagreeing = {};
  const PointRecord* farthest = nullptr;  ///< where the difference is largest; null: nowhere any
};

/// "+3.2 %", "-4 percentage points": the `count_difference` of a point that has one.
std::string describe_difference(const PointRecord& point, const std::string& metric);

/// One for each metric that is counted twice. The points must outlive the results.
std::vector<CountAgreement> compare_counts(std::span<const PointRecord* const> points);

}  // namespace sweep
