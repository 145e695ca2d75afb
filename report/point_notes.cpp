#include "report/point_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/text/units.h"

namespace sweep {
namespace {

std::string describe_share(std::size_t count, std::size_t all) {
  if (all == 1) return "1 point";
  if (count == all) return fmt::format("All {} points", format_thousands(all));
  return fmt::format("{} of {} points", format_thousands(count), format_thousands(all));
}

}  // namespace

std::vector<std::string> describe_notes(std::span<const StoredPoint> points) {
  std::vector<std::string> notes;
  std::map<std::string, std::size_t> counts;
  for (const StoredPoint& stored : points) {
    const std::set<std::string> distinct(stored.point.notes.begin(), stored.point.notes.end());
    for (const std::string& note : stored.point.notes) {
      if (counts.try_emplace(note, 0).second) notes.push_back(note);
    }
    for (const std::string& note : distinct) ++counts[note];
  }
  std::vector<std::string> lines;
  for (const std::string& note : notes) {
    lines.push_back(describe_share(counts[note], points.size()) + ": " + note);
  }
  return lines;
}

}  // namespace sweep
