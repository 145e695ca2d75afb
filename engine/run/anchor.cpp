#include "engine/run/anchor.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "engine/run/two_digits.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

bool is_known(double value) {
  return std::isfinite(value) && value > 0;
}

bool is_apart(const Interval& a, const Interval& b) {
  return a.low > b.high || b.low > a.high;
}

/// ", its clock from 1755 to 1980 MHz"; empty where it is not known or the same.
std::string describe_change(const char* what, double before, double after, const char* unit) {
  if (!is_known(before) || !is_known(after)) return {};
  const std::string from = fmt::format("{:.0f}", before);
  const std::string to = fmt::format("{:.0f}", after);
  return from == to ? "" : fmt::format(", its {} from {} to {} {}", what, from, to, unit);
}

}  // namespace

void AnchorSchedule::on_anchor(double begin, double end) {
  last_cost_ = end - begin;
  if (last_end_) spent_ += last_cost_;
  last_end_ = end;
  points_ = 0;
}

bool AnchorSchedule::has_time(double now, double share) const {
  return spent_ + last_cost_ <= share * (now - start_);
}

bool AnchorSchedule::is_due(double now) const {
  return last_end_ && points_ >= rules_.points && now - *last_end_ >= rules_.seconds &&
         has_time(now, rules_.share);
}

bool AnchorSchedule::is_due_at_end(double now) const {
  return last_end_ && points_ > 0 && has_time(now, rules_.share_at_end);
}

std::optional<AnchorDrift> anchor_drift(std::span<const AnchorReading> readings) {
  const AnchorReading* first = nullptr;
  AnchorDrift drift;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const AnchorReading& reading = readings[i];
    if (!is_known(reading.median)) continue;
    ++drift.readings;
    if (first == nullptr) {
      first = &reading;
      drift.where = i;
      continue;
    }
    drift.over_seconds = reading.at - first->at;
    const double share = reading.median / first->median - 1;
    const bool beyond = is_apart(reading.interval, first->interval);
    const bool counts_more = beyond != drift.beyond_noise
                                 ? beyond
                                 : drift.readings == 2 || std::abs(share) > std::abs(drift.share);
    if (!counts_more) continue;
    drift.share = share;
    drift.beyond_noise = beyond;
    drift.where = i;
  }
  if (drift.readings < 2) return std::nullopt;
  return drift;
}

std::optional<std::string> describe_drift(std::span<const AnchorReading> readings) {
  const std::optional<AnchorDrift> drift = anchor_drift(readings);
  if (!drift) return std::nullopt;
  constexpr double percent = 100;
  constexpr double mega = 1e6;
  const double share = drift->share * percent;
  const double within = std::round(std::abs(share) * percent) / percent;  // two decimals
  std::string text = "the anchor configuration's time ";
  text += drift->beyond_noise
              ? fmt::format("drifted by {}{} %", share < 0 ? "-" : "+", two_digits(std::abs(share)))
              : fmt::format("held within {} %", two_digits(within));
  text += fmt::format(" over {} ({} measurements)", format_duration(drift->over_seconds),
                      drift->readings);
  if (!drift->beyond_noise) return text;
  const AnchorReading* first = nullptr;
  for (const AnchorReading& reading : readings) {
    if (first == nullptr && is_known(reading.median)) first = &reading;
  }
  const AnchorReading& last = readings[drift->where];
  text += describe_change("clock", first->sm_clock_hz / mega, last.sm_clock_hz / mega, "MHz") +
          describe_change("temperature", first->temperature_celsius, last.temperature_celsius, "C");
  return text;
}

}  // namespace sweep
