#include "engine/recording/store_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/store/ranking.h"
#include "engine/store/record.h"
#include "engine/store/store.h"

namespace sweep {
namespace {

struct RunPoints {
  RunRecord run;
  std::vector<StoredPoint> points;
};

RunPoints load(const Store& store, std::optional<std::int64_t> wanted) {
  std::optional<RunPoints> best;
  for (RunRecord& run : store.runs()) {
    if (wanted && run.id != *wanted) continue;
    RunPoints candidate{std::move(run), {}};
    candidate.points = store.points(candidate.run.id);
    const auto rank = [](const RunPoints& of) {
      return std::tuple(of.points.size(), of.run.state == RunState::finished, of.run.id);
    };
    if (!best || rank(candidate) > rank(*best)) best = std::move(candidate);
  }
  if (best) return std::move(*best);
  const std::string path = store.path().string();
  throw StoreError(wanted ? fmt::format("{}: there is no run {}", path, *wanted)
                          : fmt::format("{}: there is no run in it", path),
                   StoreFault::missing);
}

std::string objective_of(const RunRecord& run, std::span<const StoredPoint> points) {
  if (run.tuning) return display_name(run.tuning->metric, run.tuning->origin);
  const std::vector<RankedGroup> groups = ranked_groups(points);
  if (groups.empty()) return {};
  const bool agree = std::ranges::all_of(groups, [&](const RankedGroup& group) {
    return group.ranked_by == groups.front().ranked_by;
  });
  return agree ? groups.front().ranked_by.metric : "time";
}

RecordedEntry entry_of(const PointRecord& point) {
  RecordedEntry entry;
  entry.configuration = with_pattern(point.key.pattern_name, point.key.parameters);
  entry.status = point.status;
  entry.reason = point.reason;
  if (point.status == PointStatus::ok) entry.metrics = point.metrics;
  return entry;
}

}  // namespace

Recording recording_of(const RunRecord& run, std::span<const StoredPoint> points) {
  Recording recording;
  std::vector<std::string> patterns;
  for (const StoredPoint& stored : points) {
    const std::string& pattern = stored.point.key.pattern_name;
    if (std::ranges::find(patterns, pattern) == patterns.end()) patterns.push_back(pattern);
    recording.entries.push_back(entry_of(stored.point));
  }
  recording.origin.format = fmt::format("results database, run {}", run.id);
  const Device& device = run.provenance.device;
  recording.origin.device = device.name;
  recording.origin.is_emulated = device.backend == emulator_backend;
  recording.origin.multiprocessors = device.multiprocessors;
  recording.origin.l2_bytes = device.l2_bytes;
  recording.origin.kernel = fmt::format("{}", fmt::join(patterns, ", "));
  recording.origin.objective = objective_of(run, points);
  recording.unfinished = run.state != RunState::finished;
  complete(recording);
  return recording;
}

Recording read_store(const std::filesystem::path& path, std::optional<std::int64_t> run) {
  const Store store(path, Store::Mode::read_only);
  const RunPoints found = load(store, run);
  Recording recording = recording_of(found.run, found.points);
  recording.origin.file = path.string();
  return recording;
}

}  // namespace sweep
