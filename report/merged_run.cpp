#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/findings.h"

namespace sweep {
namespace {

/// "shard 3 of 8", or of a run that is no shard its number.
std::string name_of(const MergedPart& part) {
  if (part.shards > 1) return fmt::format("shard {} of {}", part.shard, part.shards);
  return fmt::format("run {}", part.run);
}

/// "shards 3 and 5 of 8", of those that no part is; empty where every number is there, or a part is
/// no shard.
std::string missing_shards(std::span<const MergedPart> parts) {
  std::map<std::uint64_t, std::set<std::uint64_t>> numbers;  // by how many shards there are
  for (const MergedPart& part : parts) numbers[part.shards].insert(part.shard);
  // Shards of several divisions overlap: no number is missing for sure.
  if (numbers.size() != 1) return {};
  constexpr std::size_t most_named = 20;
  const auto& [count, present] = *numbers.begin();
  std::vector<std::string> missing;
  for (std::uint64_t number = 1; number <= count && missing.size() < most_named; ++number) {
    if (!present.contains(number)) missing.push_back(std::to_string(number));
  }
  if (missing.empty()) return {};
  const std::size_t others = count - present.size() - missing.size();
  if (others > 0) missing.push_back(fmt::format("{} more", format_thousands(others)));
  return fmt::format("{} {} of {}", missing.size() == 1 ? "shard" : "shards", in_words(missing),
                     format_thousands(count));
}

/// How many different texts that are not empty the parts have.
std::size_t count_different(std::span<const MergedPart> parts, std::string MergedPart::*text) {
  std::set<std::string> different;
  for (const MergedPart& part : parts) different.insert(part.*text);
  different.erase("");
  return different.size();
}

}  // namespace

std::string describe_shard(const RunRecord& run, std::size_t points) {
  const RunShare& share = run.provenance.share;
  if (!share.is_part()) return {};
  std::string of = count_of(share.configurations, "configuration");
  std::string own = format_thousands(points);
  if (share.groups > 0) {
    own = format_thousands(run.tuning ? run.tuning->groups.size() : 0);
    of = count_of(share.groups, "group");
  }
  return fmt::format("shard {} of {}: {} of the sweep's {}", share.shard, share.shards, own, of);
}

std::string describe_parts(const RunRecord& run) {
  if (run.parts.empty()) return {};
  const std::size_t hosts = count_different(run.parts, &MergedPart::host);
  const std::size_t devices = count_different(run.parts, &MergedPart::device);
  return fmt::format("merged from {}, of {} and {}", count_of(run.parts.size(), "run"),
                     count_of(hosts, "host"), count_of(devices, "device"));
}

std::vector<std::string> describe_missing_parts(const RunRecord& run, std::size_t points) {
  if (run.parts.empty() || run.state == RunState::finished) return {};
  std::vector<std::string> notes;
  const RunShare& share = run.provenance.share;
  if (share.groups > 0) {
    notes.push_back(fmt::format("{} of the sweep's {} are here",
                                format_thousands(run.tuning ? run.tuning->groups.size() : 0),
                                count_of(share.groups, "group")));
  } else {
    notes.push_back(fmt::format("{} of the sweep's {} are here", format_thousands(points),
                                count_of(share.configurations, "configuration")));
  }
  if (const std::string missing = missing_shards(run.parts); !missing.empty()) {
    notes.back() += fmt::format(": {} {} not among them", missing,
                                missing.starts_with("shards") ? "are" : "is");
  }
  for (const MergedPart& part : run.parts) {
    if (part.state == RunState::finished) continue;
    notes.push_back(fmt::format("{} ({}) did not finish; the same command again measures the rest",
                                name_of(part), part.file));
  }
  return notes;
}

DocumentTable parts_table(const RunRecord& run) {
  if (run.parts.empty()) return {};
  DocumentTable table = {{"part", "database", figure_column("run here"), figure_column("points"),
                          "device", "host", "started", "state"}};
  for (const MergedPart& part : run.parts) {
    table.rows.push_back({name_of(part), part.file, std::to_string(part.run),
                          format_thousands(part.points), part.device, part.host,
                          readable_time(part.started), std::string(to_string(part.state))});
  }
  return table;
}

}  // namespace sweep
