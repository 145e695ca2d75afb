#include "engine/recording/read_recording.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/recording/recorded_json.h"
#include "engine/store/ranking.h"
#include "engine/store/record.h"
#include "engine/store/store.h"
#include "engine/text/read_source.h"

namespace sweep {
namespace {

/// What every SQLite database begins with.
constexpr std::string_view database_header = "SQLite format 3";

bool is_database(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(database_header.size(), '\0');
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) &&
         begin == database_header;
}

Recording read_json(std::string_view text, const std::string& name) {
  constexpr std::array<std::string_view, 2> lists = {"cache", "results"};
  const std::string list = first_member(text, lists);
  if (list == "cache") return read_kernel_tuner_cache(text, name);
  if (list == "results") return read_t4(text, name);
  read_json_entries(text, name, "",
                    [](const std::string& /*key*/, const RecordedJson& /*entry*/) {});
  throw FileError(fmt::format("{}: this JSON has neither 'results', as the T4 format has, nor a "
                              "'cache', as Kernel Tuner's files have",
                              name),
                  false);
}

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

Recording read_recording(const std::filesystem::path& path, std::optional<std::int64_t> run) {
  if (is_database(path)) return read_store(path, run);
  const std::string name = path.string();
  if (run) {
    throw FileError(fmt::format("{}: only a results database has runs to choose from", name),
                    false);
  }
  constexpr std::uintmax_t most_bytes = 512U << 20U;  // `sweep help limits` says so
  const std::string text = read_bounded(path, most_bytes, "a recording");
  constexpr std::string_view spaces = " \t\r\n";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string::npos || text[first] != '{') {
    throw FileError(fmt::format("{}: this is neither a results database nor JSON results", name),
                    false);
  }
  return read_json(text, name);
}

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
