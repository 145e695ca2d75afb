#include "engine/store/record.h"

#include <algorithm>
#include <string>

namespace sweep {

std::string_view to_string(RunState state) {
  switch (state) {
    case RunState::running:
      return "running";
    case RunState::finished:
      return "finished";
    case RunState::interrupted:
      break;
  }
  return "interrupted";
}

std::string_view to_string(SampleMark mark) {
  switch (mark) {
    case SampleMark::plain:
      return "";
    case SampleMark::low_clock:
      return "low clock";
    case SampleMark::outlier:
      break;
  }
  return "outlier";
}

std::optional<SampleMark> find_sample_mark(std::string_view name) {
  for (const SampleMark mark : {SampleMark::plain, SampleMark::low_clock, SampleMark::outlier}) {
    if (to_string(mark) == name) return mark;
  }
  return std::nullopt;
}

bool is_cut_off(const PointRecord& point) {
  return point.status == PointStatus::ok && point.stopped_by == "cut-off";
}

bool lacks_counts(const PointRecord& point) {
  const auto says_why = [](const std::string& note) { return note.starts_with(not_counted); };
  return point.status == PointStatus::ok &&
         std::ranges::find(point.metrics, Origin::emulated, &Metric::origin) ==
             point.metrics.end() &&
         std::ranges::none_of(point.notes, says_why);
}

Bindings with_pattern(std::string_view pattern, const Bindings& parameters) {
  Bindings bindings;
  bindings.set("pattern", std::string(pattern));
  for (const auto& [name, value] : parameters.entries()) bindings.set(name, value);
  return bindings;
}

}  // namespace sweep
