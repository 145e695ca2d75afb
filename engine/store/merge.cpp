#include "engine/store/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "engine/store/merged_file.h"
#include "engine/store/sqlite.h"
#include "engine/store/store.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// A database to merge.
struct MergeSource {
  fs::path path;
  std::vector<RunRecord> runs;
  bool is_output = false;  ///< merged before
};

/// One of the runs whose points the merged run is to have.
struct Part {
  const MergeSource* source = nullptr;
  const RunRecord* run = nullptr;
  std::string file;

  std::string name() const {
    return file == source->path.filename() ? source->path.string()
                                           : fmt::format("{} in {}", file, source->path.string());
  }
};

/// Those of a database: of a merged one those that it was merged from, else the newest run.
std::vector<Part> parts_of(const MergeSource& source) {
  const RunRecord& newest = source.runs.back();
  if (newest.parts.empty()) return {{&source, &newest, source.path.filename().string()}};
  std::vector<Part> parts;
  for (const MergedPart& part : newest.parts) {
    const auto run = std::ranges::find(source.runs, part.run, &RunRecord::id);
    // The store joins the parts with the runs.
    if (!run->parts.empty()) {
      throw StoreError(source.path, "is damaged (a merged run is part of one)",
                       StoreFault::damaged);
    }
    parts.push_back({&source, &*run, part.file});
  }
  return parts;
}

[[noreturn]] void refuse(const Part& part, const std::string& why) {
  throw MergeRefused(fmt::format("{} {}; nothing is merged", part.name(), why));
}

/// Refuses what differs from the first.
void check_same(const Part& part, const Part& first, std::string_view what, const std::string& own,
                const std::string& others) {
  if (own == others) return;
  refuse(part,
         fmt::format("does not belong to {}: its {} is {}, and there it is {}", first.name(), what,
                     own.empty() ? "not known" : own, others.empty() ? "not known" : others));
}

void check_same_patterns(const Part& part, const Part& first) {
  const auto& own = part.run->provenance.share.patterns;
  for (const auto& [name, text] : first.run->provenance.share.patterns) {
    const auto found = own.find(name);
    if (found != own.end() && found->second != text) {
      refuse(part, fmt::format("does not belong to {}: the text of the pattern {} is another; "
                               "measure both with the same text",
                               first.name(), name));
    }
  }
}

std::string describe_search(const RunRecord& run) {
  const std::uint64_t groups = run.provenance.share.groups;
  return groups > 0 ? count_of(groups, "group") + " to search" : "every configuration measured";
}

void check_together(const Part& part, const Part& first) {
  const Provenance& own = part.run->provenance;
  const Provenance& others = first.run->provenance;
  if (own.share.configurations == 0) {
    refuse(part,
           "does not say which configurations it is about: its newest run is none of 'sweep "
           "run', or of an early version; 'sweep run' again measures only what is missing");
  }
  const auto same = [&](std::string_view what, const std::string& a, const std::string& b) {
    check_same(part, first, what, a, b);
  };
  same("sweep", own.sweep_name, others.sweep_name);
  check_same_patterns(part, first);
  if (own.sweep_text != others.sweep_text) {
    refuse(part, fmt::format("does not belong to {}: the sweep's text is another; run both with "
                             "the sweep as it is now, which measures only what is missing",
                             first.name()));
  }
  same("backend", own.device.backend, others.device.backend);
  same("device", own.device.name, others.device.name);
  same("number of multiprocessors", std::to_string(own.device.multiprocessors),
       std::to_string(others.device.multiprocessors));
  same("driver", own.device.driver, others.device.driver);
  same("CUDA version", own.device.cuda, others.device.cuda);
  same("version of sweep", own.engine_version, others.engine_version);
  same("compiler", own.compiler, others.compiler);
  same("way of measuring", own.measure, others.measure);
  if (own.share.space != others.share.space) {
    refuse(part,
           fmt::format("does not belong to {}: they are about other configurations ({} and "
                       "{}), by the commands\n  {}\n  {}",
                       first.name(), format_thousands(own.share.configurations),
                       format_thousands(others.share.configurations), own.command, others.command));
  }
  same("kind of run", describe_search(*part.run), describe_search(*first.run));
  const auto& tuning = part.run->tuning;
  const auto& first_tuning = first.run->tuning;
  if (!tuning || !first_tuning) return;
  same("figure searched by", fmt::format("{} {}", to_string(tuning->origin), tuning->metric),
       fmt::format("{} {}", to_string(first_tuning->origin), first_tuning->metric));
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error);
}

/// Reads the runs of what is to be merged: the sources, each file once, and what is at the output.
std::vector<MergeSource> read_sources(const MergeRequest& request,
                                      std::vector<std::string>& notes) {
  std::vector<MergeSource> sources;
  std::vector<fs::path> paths = request.sources;
  std::error_code error;
  const bool is_there = fs::exists(request.output, error) && fs::file_size(request.output) > 0;
  if (is_there) paths.push_back(request.output);
  for (const fs::path& path : paths) {
    const bool is_known = std::ranges::any_of(
        sources, [&](const MergeSource& source) { return is_same_file(source.path, path); });
    if (is_known) {
      if (!is_same_file(path, request.output)) {
        notes.push_back(fmt::format("{} is named twice and taken once", path.string()));
      }
      continue;
    }
    std::vector<RunRecord> runs = Store(path, Store::Mode::read_only).runs();
    // Its run was killed before it had recorded itself.
    if (runs.empty()) {
      notes.push_back(fmt::format("{} holds no run: nothing of it is merged", path.string()));
      continue;
    }
    sources.push_back({path, std::move(runs), is_same_file(path, request.output)});
  }
  if (sources.empty()) throw MergeRefused("none of these databases holds a run");
  return sources;
}

/// The points that a run of the database has recorded so far.
std::size_t count_points(const MergeSource& source, const RunRecord& run) {
  return Store(source.path, Store::Mode::read_only).count_points(run.id).points;
}

/// Of each run, by its uid, the record that went furthest, where several databases have it.
std::map<std::string, const RunRecord*> furthest_runs(const std::vector<MergeSource>& sources) {
  std::map<std::string, std::pair<const MergeSource*, const RunRecord*>> furthest;
  for (const MergeSource& source : sources) {
    for (const RunRecord& run : source.runs) {
      if (!run.parts.empty()) continue;
      const auto [known, is_new] = furthest.try_emplace(run.uid, &source, &run);
      if (is_new) continue;
      const auto far = [](const MergeSource& of, const RunRecord& record) {
        return std::tuple(record.state == RunState::finished, count_points(of, record));
      };
      const auto& [other, record] = known->second;
      if (far(source, run) > far(*other, *record)) known->second = {&source, &run};
    }
  }
  std::map<std::string, const RunRecord*> runs;
  for (const auto& [uid, known] : furthest) runs.emplace(uid, known.second);
  return runs;
}

/// The parts of all sources, each run once, as it is where it went furthest.
std::vector<Part> all_parts(const std::vector<MergeSource>& sources,
                            const std::map<std::string, const RunRecord*>& furthest,
                            std::vector<std::string>& notes) {
  std::vector<Part> parts;
  std::set<std::string> gone_on;  // runs after which their database has a newer one
  for (const MergeSource& source : sources) {
    const std::vector<Part> own = parts_of(source);
    std::set<std::string> newest;
    for (const Part& part : own) newest.insert(part.run->uid);
    for (const RunRecord& run : source.runs) {
      if (run.parts.empty() && !newest.contains(run.uid)) gone_on.insert(run.uid);
    }
    for (const Part& part : own) {
      const auto known =
          std::ranges::find(parts, part.run->uid, [](const Part& each) { return each.run->uid; });
      if (known == parts.end()) {
        parts.push_back(part);
        parts.back().run = furthest.at(part.run->uid);
      } else if (!source.is_output) {
        notes.push_back(fmt::format("{} holds the same run as {}, which is taken once", part.name(),
                                    known->name()));
      }
    }
  }
  std::erase_if(parts, [&](const Part& part) { return gone_on.contains(part.run->uid); });
  if (parts.empty()) throw MergeRefused("each of these databases holds newer runs than the others");
  return parts;
}

/// What the parts' searches found, in the order of the groups. Of a group that several searched
/// the first that has a winner counts, else the first.
std::optional<TuningRecord> merged_tuning(const std::vector<Part>& parts) {
  std::optional<TuningRecord> merged;
  std::map<std::int64_t, TunedGroup> groups;
  for (const Part& part : parts) {
    const auto& tuning = part.run->tuning;
    if (!tuning) continue;
    if (!merged) merged = tuning;
    for (const TunedGroup& group : tuning->groups) {
      const auto [known, is_new] = groups.emplace(group.place, group);
      if (!is_new && !known->second.winner && group.winner) known->second = group;
    }
  }
  if (!merged) return merged;
  merged->groups.clear();
  for (auto& [place, group] : groups) merged->groups.push_back(std::move(group));
  return merged;
}

/// The texts that are not empty, each once in their order, with commas between.
std::string joined(const std::vector<Part>& parts, std::string Provenance::*text) {
  std::vector<std::string> different;
  for (const Part& part : parts) {
    const std::string& own = part.run->provenance.*text;
    if (!own.empty() && std::ranges::find(different, own) == different.end()) {
      different.push_back(own);
    }
  }
  return fmt::format("{}", fmt::join(different, ", "));
}

/// What the parts have in common.
Provenance merged_provenance(const std::vector<Part>& parts, const std::string& command) {
  Provenance provenance = parts.front().run->provenance;
  provenance.command = command;
  provenance.host = joined(parts, &Provenance::host);
  provenance.share.shard = provenance.share.shards = 1;
  for (const Part& part : parts) {
    const Provenance& own = part.run->provenance;
    if (own.device.uuid != provenance.device.uuid) provenance.device.uuid.clear();
    if (own.device.memory_bytes != provenance.device.memory_bytes) {
      provenance.device.memory_bytes = 0;
    }
    if (own.seed != provenance.seed) provenance.seed = 0;
    for (const auto& [pattern, names] : own.derived) provenance.derived.emplace(pattern, names);
  }
  return provenance;
}

/// The parts' notes, each once; one that not all of them have says whose it is.
std::vector<std::string> merged_notes(const std::vector<Part>& parts) {
  std::vector<std::string> notes;
  for (const Part& part : parts) {
    for (const std::string& note : part.run->notes) {
      const bool is_of_all = std::ranges::all_of(parts, [&](const Part& other) {
        return std::ranges::find(other.run->notes, note) != other.run->notes.end();
      });
      std::string text = is_of_all ? note : part.file + ": " + note;
      if (std::ranges::find(notes, text) == notes.end()) notes.push_back(std::move(text));
    }
  }
  return notes;
}

/// Gives the merged run the explanation of each pattern's best configuration among those that have
/// one: each part's best has.
void choose_explanations(MergedFile& file, std::int64_t merged,
                         const std::vector<PartPlace>& places,
                         const std::optional<TuningRecord>& tuning) {
  const auto explanations = file.explanations(places);
  std::map<std::int64_t, std::int64_t> explanation_of;  // by the configuration's place
  std::vector<StoredPoint> points;
  {
    const Store store(file.path(), Store::Mode::read_only);
    for (const auto& [explanation, ordinal] : explanations) {
      if (!explanation_of.emplace(ordinal, explanation).second) continue;
      if (auto point = store.point(merged, ordinal)) points.push_back(std::move(*point));
    }
  }
  std::map<std::string, std::pair<double, std::int64_t>> best;  // of each pattern
  for (const RankedGroup& group : ranked_groups(points, tuning ? &*tuning : nullptr)) {
    for (const std::size_t i : group.places) {
      const double figure = *figure_of(points[i].point, group.ranked_by);
      const auto [known, is_new] = best.try_emplace(group.pattern, figure, points[i].ordinal);
      const bool is_better = group.ranked_by.better == Better::higher
                                 ? figure > known->second.first
                                 : figure < known->second.first;
      if (!is_new && is_better) known->second = {figure, points[i].ordinal};
    }
  }
  for (const auto& [pattern, found] : best) {
    file.add_explanation(merged, explanation_of.at(found.second), found.second);
  }
}

/// Whether the merged run has all that the sweep asks for.
bool is_whole(const Provenance& provenance, const MergedPoints& points,
              const std::optional<TuningRecord>& tuning) {
  const RunShare& share = provenance.share;
  if (share.groups == 0) return points.points == share.configurations;
  return tuning && tuning->groups.size() == share.groups &&
         std::ranges::none_of(tuning->groups, [](const TunedGroup& group) {
           return group.ended == "was interrupted";
         });
}

void add_merged_run(MergedFile& file, const std::vector<Part>& parts,
                    const std::vector<PartPlace>& places, const std::string& command,
                    std::vector<std::string>& notes) {
  RunRecord record;
  record.provenance = merged_provenance(parts, command);
  const Provenance& provenance = record.provenance;
  const std::int64_t merged = file.add_run(record);
  const std::optional<TuningRecord> tuning = merged_tuning(parts);
  const bool is_search = provenance.share.groups > 0;
  const MergedPoints points = file.place_points(merged, places, !is_search);
  std::vector<std::string> all_notes = merged_notes(parts);
  if (points.differing > 0) {
    all_notes.push_back(fmt::format(
        "{} {} measured by several of the merged runs: {}",
        count_of(points.differing, "configuration"), points.differing == 1 ? "was" : "were",
        is_search ? "the newest point is taken" : "the newest point that did not fail is taken"));
    notes.push_back(all_notes.back());
  }
  if (!is_search && parts.size() > 1 && !provenance.device.is_emulated()) {
    all_notes.push_back(
        "the best of each merged run were measured in turn with each other alone: between runs "
        "the verdicts go by intervals");
  }
  for (const std::string& note : all_notes) file.add_note(merged, note);
  file.add_findings(merged, places, is_search || parts.size() == 1);
  const auto started = [](const Part& part) { return part.run->started; };
  const auto finished = [](const Part& part) { return part.run->finished; };
  file.set_state(merged,
                 is_whole(provenance, points, tuning) ? RunState::finished : RunState::interrupted,
                 started(*std::ranges::min_element(parts, {}, started)),
                 finished(*std::ranges::max_element(parts, {}, finished)), tuning);
  choose_explanations(file, merged, places, tuning);
}

/// Copies every source and adds the merged run.
void fill(MergedFile& file, const std::vector<MergeSource>& sources,
          const std::map<std::string, const RunRecord*>& furthest, const std::vector<Part>& parts,
          const MergeRequest& request, std::vector<std::string>& notes) {
  std::map<std::string, std::int64_t> ids;
  const auto go_on = [&] {
    if (request.stop) throw MergeStopped();
  };
  std::vector<std::vector<RunPlace>> runs_of(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (const RunRecord& run : sources[i].runs) {
      if (!run.parts.empty()) continue;
      const RunRecord& copied = *furthest.at(run.uid);
      auto known = ids.find(run.uid);
      if (known == ids.end()) known = ids.emplace(run.uid, file.add_run(copied)).first;
      runs_of[i].push_back({&run, known->second, &copied == &run});
    }
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    go_on();
    file.copy(sources[i].path, runs_of[i]);
    if (request.on_merged) request.on_merged();
  }
  for (std::size_t i = 0; i < sources.size(); ++i) file.connect(sources[i].path, runs_of[i]);
  go_on();
  std::vector<PartPlace> places;
  for (const Part& part : parts) places.push_back({ids.at(part.run->uid), part.file});
  add_merged_run(file, parts, places, request.command, notes);
  go_on();
}

}  // namespace

std::vector<std::string> merge_databases(const MergeRequest& request) {
  std::vector<std::string> notes;
  const RunLock lock(request.output);
  std::error_code error;
  if (fs::exists(request.output, error) && fs::file_size(request.output) > 0) {
    close_log(request.output);
  }
  const std::vector<MergeSource> sources = read_sources(request, notes);
  const std::map<std::string, const RunRecord*> furthest = furthest_runs(sources);
  std::vector<Part> parts = all_parts(sources, furthest, notes);
  for (const Part& part : parts) check_together(part, parts.front());
  // Of what several have, that of a run that finished is preferred, then the newest.
  std::ranges::stable_sort(parts, std::ranges::greater(), [](const Part& part) {
    return std::tuple(part.run->state == RunState::finished, part.run->started);
  });
  MergedFile file(request.output.string() + ".merging");
  fill(file, sources, furthest, parts, request, notes);
  file.finish(request.output);
  return notes;
}

}  // namespace sweep
