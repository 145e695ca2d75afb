#include "engine/cli/commands/compare_versions.h"

#include <stdlib.h>

#include <algorithm>
#include <iostream>

#include "engine/cli/commands/executor.h"
#include "engine/cli/commands/run_ending.h"
#include "engine/cli/commands/versions.h"
#include "engine/run/run_stage.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// Two versions that are measured in turn differ by noise alone by less than that.
constexpr double usual_threshold = 0.01;

/// A folder for the results of measuring, which nobody needs afterwards.
class PassingFolder {
 public:
  PassingFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "sweep-compare-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr) {
      throw CommandError(exit_cannot_create,
                         "no folder for temporary files can be made; name one with TMPDIR");
    }
    path_ = name;
  }
  ~PassingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PassingFolder(const PassingFolder&) = delete;
  PassingFolder& operator=(const PassingFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Says of which version a failed point is: both may have one name.
class VersionProgress : public Progress {
 public:
  VersionProgress(ProgressSettings settings, const KernelVersions& versions)
      : Progress(std::move(settings)), versions_(versions) {}

  void on_point(const Configuration& configuration, const PointRecord& point) override {
    if (point.status == PointStatus::ok) return Progress::on_point(configuration, point);
    PointRecord named = point;
    const std::size_t version = configuration.pattern == versions_.patterns[0] ? 0 : 1;
    named.reason = fmt::format("{}: {}", name_of(versions_, version), point.reason);
    Progress::on_point(configuration, named);
  }
  /// What was not counted beside the measuring is, as far as it is needed.
  void on_note(const std::string& note) override {
    if (note != too_late_to_count) Progress::on_note(note);
  }

 private:
  const KernelVersions& versions_;
};

/// What a comparison of versions works with.
struct Comparing {
  const KernelVersions& versions;
  const Executor& executor;
  RunRequest& request;
  Store& store;
  RunSummary summary = {};
};

RunSummary measure_versions(Comparing& comparing) {
  ProgressSettings settings = {[] { return terminal_of(STDERR_FILENO); }, steady_clock(),
                               BestSoFar(comparing.versions.sweep), &stop_flag()};
  VersionProgress progress(std::move(settings), comparing.versions);
  std::jthread ticker;
  if (terminal_of(STDERR_FILENO).live) {
    ticker = repeat_every(std::chrono::milliseconds(100), [&] { progress.tick(); });
  }
  RunSummary summary = run_sweep(comparing.request, *comparing.executor.measurer, comparing.store,
                                 progress, stop_flag());
  progress.finish();
  return summary;
}

/// The points of one version as a run of their own.
ComparedRun run_of(const Comparing& comparing, std::size_t version, const RunResults& results) {
  const Pattern& pattern = *comparing.versions.patterns[version];
  ComparedRun own = {pattern.source->name, results};
  if (comparing.versions.sweep.path == comparing.versions.patterns[1]->path) {
    own.results.run.provenance.sweep_name = pattern.name;
  }
  std::erase_if(own.results.points, [&](const StoredPoint& stored) {
    return static_cast<std::size_t>(stored.ordinal) % 2 != version;
  });
  for (StoredPoint& stored : own.results.points) {
    stored.point.derived = derived_parameters(pattern, comparing.versions.sweep.axes);
  }
  return own;
}

/// What measuring in turn found, by the places of A's points.
std::vector<std::optional<Estimate>> ratios_in_turn(const RunSummary& summary,
                                                    const ComparedRun& before) {
  std::vector<std::optional<Estimate>> ratios;
  for (const StoredPoint& stored : before.results.points) {
    const auto pair = static_cast<std::size_t>(stored.ordinal) / 2;
    ratios.emplace_back();
    if (pair >= summary.pairs.size() || !summary.pairs[pair]) continue;
    const PairedComparison& found = *summary.pairs[pair];
    ratios.back() = Estimate{found.ratio, Interval{found.low, found.high}};
  }
  return ratios;
}

/// The configuration that shows best what changed: the first one of what got worse most, else
/// better, else the first that both versions have.
const ConfigurationComparison* telling_configuration(const RunComparison& comparison) {
  if (const auto rows = changed_rows(comparison); !rows.empty()) return rows.front().configuration;
  for (const ConfigurationComparison& each : comparison.configurations) {
    if (each.before && each.after) return &each;
  }
  return nullptr;
}

/// The two points, counted on the emulator if they were not beside the measuring.
std::array<StoredPoint, 2> counted_points(const Comparing& comparing,
                                          std::array<StoredPoint, 2> points) {
  std::vector<UncountedPoint> uncounted;
  for (const StoredPoint& each : points) {
    const auto place = static_cast<std::size_t>(each.ordinal);
    if (!lacks_counts(each.point)) continue;
    uncounted.push_back({each.id, comparing.request.space.configurations[place]});
  }
  if (uncounted.empty() || stop_flag()) return points;
  CompileSettings compile = comparing.request.compile;
  compile.stop = &stop_flag();
  compile.compute_capability =
      code_capability(comparing.executor.measurer->device(), *compile.nvrtc);
  count_points(uncounted, compile, comparing.versions.sweep.measure,
               counting_emulators(comparing.executor.settings, 2), comparing.store,
               [](const UncountedPoint&, const Observation&) {});
  for (StoredPoint& each : points) {
    each = comparing.store.point(comparing.summary.run, each.ordinal).value_or(each);
  }
  return points;
}

/// All counts of one configuration; nothing where none is in both.
std::optional<RunComparison> compare_counts(const Comparing& comparing,
                                            const RunComparison& comparison,
                                            const std::array<StoredPoint, 2>& points,
                                            const ComparisonRequest& match) {
  constexpr double noticeable = 0.001;
  constexpr std::array<std::string_view, 2> shares = {"executed_share", "verified_share"};
  const std::array records = {&points[0].point, &points[1].point};
  const bool has_sectors_for_transactions =
      comparing.executor.settings.model.compute_capability >= 50;
  ComparisonRequest request;
  request.threshold = noticeable;
  request.ignored = match.ignored;
  request.renamed = match.renamed;
  for (const MetricColumn& column : metric_columns(records)) {
    const bool is_compared = comparison.configurations.size() == 1 &&
                             std::ranges::find(comparison.metrics, column,
                                               &ComparedMetric::after) != comparison.metrics.end();
    const bool is_repeated =
        has_sectors_for_transactions && column.name.find("_transactions") != std::string::npos;
    const bool is_no_count =
        column.origin == Origin::measured || std::ranges::find(shares, column.name) != shares.end();
    const PointPair pair = {records[0], records[1]};
    if (is_compared || is_repeated || is_no_count || !any_has_both({&pair, 1}, column, column)) {
      continue;
    }
    request.metrics.push_back({column.name, column.origin, column.origin});
  }
  if (request.metrics.empty()) return std::nullopt;
  std::array<ComparedRun, 2> runs = {comparison.before, comparison.after};
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].results.points = {points[i]};
  return compare_runs(std::move(runs[0]), std::move(runs[1]), request);
}

VersionCauses find_causes(const Comparing& comparing, const RunComparison& comparison,
                          const ComparisonRequest& match) {
  VersionCauses causes;
  std::array<std::optional<Explanation>, 2> explanations;
  const ConfigurationComparison* telling = telling_configuration(comparison);
  if (telling != nullptr && telling->before && telling->after) {
    causes.configuration = describe(*telling, comparison.parameters);
    std::array<StoredPoint, 2> points = {comparison.before.results.points[*telling->before],
                                         comparison.after.results.points[*telling->after]};
    if (telling->status == PairStatus::compared) {
      points = counted_points(comparing, std::move(points));
      causes.counts = compare_counts(comparing, comparison, points, match);
    }
    EmulatorSettings settings = comparing.executor.settings;
    settings.cancelled = &stop_flag();
    // Compiled anew: what is kept may name its lines by another folder's files.
    CompileSettings compile = comparing.request.compile;
    compile.cache = nullptr;
    for (std::size_t i = 0; i < points.size() && !stop_flag(); ++i) {
      const auto place = static_cast<std::size_t>(points[i].ordinal);
      if (points[i].point.status != PointStatus::ok) continue;
      try {
        explanations[i] =
            explain_unchecked(comparing.request.space.configurations[place], compile, settings);
      } catch (const std::exception& error) {
        causes.notes.push_back(fmt::format("what the lines of {} cost is not known: {}",
                                           name_of(comparing.versions, i), error.what()));
      }
    }
  }
  causes.files = changed_files(comparing.versions, explanations);
  if (causes.files.empty()) causes.notes.emplace_back("no line of the two versions differs");
  return causes;
}

/// "B fails in 3 of 36 configurations ..."; nothing where it fails in none that the other is right
/// in.
void add_failures(const KernelVersions& versions, RunComparison& comparison) {
  const auto add = [&](PairStatus status, std::size_t version, const char* meaning) {
    const std::size_t count = comparison.count(status);
    if (count == 0) return;
    comparison.differences.insert(
        comparison.differences.begin(),
        {fmt::format("{} fails in {} of {}: {}", name_of(versions, version), count,
                     count_of(comparison.configurations.size(), "configuration"), meaning),
         true});
  };
  add(PairStatus::fixed, 0, "there is nothing to compare B's speed with there");
  add(PairStatus::failed_after, 1,
      "it cannot take A's place, and how fast it is there is not compared");
}

void add_notes(const Comparing& comparing, RunComparison& comparison) {
  std::vector<std::string>& notes = comparison.notes;
  notes.insert(notes.end(), comparing.versions.notes.begin(), comparing.versions.notes.end());
  if (comparing.executor.is_emulated()) {
    notes.emplace_back(
        "nothing was timed: without a GPU the versions are compared by counts alone, and the one "
        "that moves less need not be the faster one");
  } else if (comparison.is_of_speed()) {
    notes.emplace_back(
        "B / A of the speed is that of rounds in which the two were measured one after the other");
  }
}

RunRequest request_for(const KernelVersions& versions, const Executor& executor,
                       ProgramCache* cache) {
  RunRequest request = {
      versions.sweep,         versions.space, provenance_now(versions.sweep, 1), {}, true, {},
      versions.sweep.counters};
  request.compile = {.nvrtc = executor.nvrtc, .cache = cache, .processes = executor.compilers};
  request.emulate = executor.emulators_beside();
  request.measure = executor.emulators_in_place(versions.space.configurations.size());
  for (std::size_t i = 0; i < versions.space.configurations.size(); i += 2) {
    request.pairs.push_back({i, i + 1});
  }
  return request;
}

}  // namespace

bool is_version(const std::string& operand) {
  return fs::path(operand).extension() == ".cu";
}

void add_version_options(CommandLine& line) {
  add_set_option(line);
  add_patterns_option(line);
  line.option("device", "DEVICE",
              "of two versions: auto (the first GPU, without one the emulator), emulator, or the "
              "number of a GPU");
  line.option("max-configurations", "N",
              "of two versions: refuse a sweep with more configurations than that; a million "
              "unless given");
  add_cache_option(line);
  add_emulator_options(line);
}

void refuse_version_options(const GivenOptions& given) {
  for (const char* option : {"set", "patterns", "include", "device", "max-configurations",
                             "no-cache", "model", "l1", "banks", "profile"}) {
    if (!given.has(option)) continue;
    throw UsageError(
        "--{} is for two versions of a pattern, which are measured; runs of databases are compared "
        "as they are",
        option);
  }
}

RunComparison compare_versions(const GivenOptions& given, ComparisonRequest request) {
  if (!request.ignored.empty() || !request.renamed.empty()) {
    throw UsageError(
        "--{} is for runs of databases; two versions of a pattern have parameters of the same "
        "names, and may have others that keep their defaults",
        request.ignored.empty() ? "rename" : "ignore");
  }
  const std::string device = given.has("device") ? given.text("device") : "auto";
  if (names_recording(device)) {
    throw UsageError("--device {}: a recording measures nothing; write auto or emulator", device);
  }
  StartedAhead ahead = start_ahead(device);
  KernelVersions versions = read_versions(given, request.where);
  request.where.clear();
  ahead.sees_others = std::ranges::any_of(
      versions.sweep.patterns, [](const PatternPtr& pattern) { return places_buffers(*pattern); });
  const Executor executor = start_executor(device, std::move(ahead), given);
  const std::unique_ptr<ProgramCache> cache = given_program_cache(given);
  if (executor.is_emulated()) apply_emulator_set(versions.sweep);
  const Device& on = executor.measurer->device();
  pair_configurations(versions, {on.multiprocessors, static_cast<std::int64_t>(on.l2_bytes)},
                      given_space_limits(given));
  std::cerr << fmt::format("{} of each version on {}\n",
                           count_of(versions.space.configurations.size() / 2, "configuration"),
                           describe_device(on));

  stop_flag();
  const PassingFolder folder;
  Store store(folder.path() / "versions.db", Store::Mode::read_write);
  RunRequest run = request_for(versions, executor, cache.get());
  Comparing comparing = {versions, executor, run, store};
  comparing.summary = measure_versions(comparing);
  std::cerr << describe_problem(cache.get());

  const RunResults results = load_results(store, comparing.summary.run);
  ComparedRun before = run_of(comparing, 0, results);
  ComparedRun after = run_of(comparing, 1, results);
  if (stop_flag() && (before.results.points.empty() || after.results.points.empty())) {
    throw CommandError(static_cast<ExitCode>(stopped_exit_code()),
                       "stopped before anything was measured of both versions");
  }
  request.ignored = versions.ignored;
  if (versions.patterns[0]->name != versions.patterns[1]->name) {
    request.renamed = {{versions.patterns[0]->name, versions.patterns[1]->name}};
  }
  request.in_turn = ratios_in_turn(comparing.summary, before);
  if (!request.threshold && !on.is_emulated()) request.threshold = usual_threshold;
  RunComparison comparison = compare_runs(std::move(before), std::move(after), request);
  add_failures(versions, comparison);
  add_notes(comparing, comparison);
  comparison.causes = std::make_shared<VersionCauses>(find_causes(comparing, comparison, request));
  executor.measurer->close();
  executor.compilers->close();
  return comparison;
}

}  // namespace sweep
