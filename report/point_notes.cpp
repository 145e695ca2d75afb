#include "report/point_notes.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>

#include "engine/text/units.h"
#include "report/note_kind.h"

namespace sweep {
namespace {

constexpr std::size_t most_shown = 20;

/// What the points say that differs in its numbers alone.
struct Kind {
  NoteRange range;
  const StoredPoint* last = nullptr;
  std::size_t points = 0;
};

/// The kinds in the order they first appear.
std::vector<Kind> kinds_of(std::span<const StoredPoint> points) {
  std::vector<Kind> kinds;
  std::map<std::vector<std::string>, std::size_t> place_of;
  for (const StoredPoint& stored : points) {
    for (const std::string& note : stored.point.notes) {
      const NoteParts parts = take_apart(note);
      const auto [place, is_new] = place_of.emplace(parts.words, kinds.size());
      if (is_new) {
        const Kind kind = {NoteRange(parts)};
        kinds.push_back(kind);
      }
      Kind& kind = kinds[place->second];
      kind.range.add(parts);
      if (kind.last != &stored) ++kind.points;
      kind.last = &stored;
    }
  }
  return kinds;
}

std::string describe_share(std::size_t count, std::size_t all) {
  if (all == 1) return "1 point";
  if (count == all) return fmt::format("All {} points", format_thousands(all));
  return fmt::format("{} of {} points", format_thousands(count), format_thousands(all));
}

}  // namespace

std::vector<std::string> describe_notes(std::span<const StoredPoint> points) {
  std::vector<std::string> lines;
  const std::vector<Kind> kinds = kinds_of(points);
  for (const Kind& kind : kinds) {
    if (lines.size() == most_shown && kinds.size() > most_shown + 1) {
      lines.push_back(
          fmt::format("and {} other notes on points", format_thousands(kinds.size() - most_shown)));
      break;
    }
    lines.push_back(describe_share(kind.points, points.size()) + ": " + kind.range.text());
  }
  return lines;
}

}  // namespace sweep
