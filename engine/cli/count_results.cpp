#include "engine/cli/count_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <thread>

#include "engine/cli/command.h"
#include "engine/cli/compile_settings.h"
#include "engine/cli/emulator_options.h"
#include "engine/cli/exported_sweep.h"
#include "engine/cli/machines.h"
#include "engine/cli/step_progress.h"
#include "engine/cli/stop_signal.h"
#include "engine/jit/program_cache.h"
#include "engine/run/code_capability.h"
#include "engine/run/count_points.h"
#include "engine/spec/included_files.h"
#include "engine/spec/pattern_library.h"
#include "engine/store/run_lock.h"
#include "engine/text/units.h"
#include "report/run_results.h"

namespace sweep {
namespace {

/// The patterns that points were measured with: from their text or, where they include files, those
/// of the folders that are the same.
class MeasuredPatterns {
 public:
  explicit MeasuredPatterns(const GivenFolders& folders)
      : library_(pattern_folders(folders.patterns, {}), include_folders(folders)) {}

  PatternPtr find(const PointKey& key) {
    PatternPtr& pattern = known_[{key.pattern_name, key.pattern_text}];
    if (pattern == nullptr) pattern = from_text(key);
    if (pattern == nullptr) pattern = from_folders(key);
    if (pattern != nullptr) return pattern;
    throw CommandError(
        exit_bad_input,
        fmt::format("{}: the files that this pattern includes are not there as they were when it "
                    "was measured; name its folder with --patterns",
                    key.pattern_name));
  }

 private:
  /// Null where it includes files: their text follows the pattern's, each after a line with its
  /// name.
  static PatternPtr from_text(const PointKey& key) {
    const std::string& text = key.pattern_text;
    const bool includes_files =
        std::ranges::any_of(find_include_sites(text), [&](const IncludeSite& site) {
          return text.find("\n// " + site.name + "\n") != std::string::npos;
        });
    return includes_files ? nullptr : stored_pattern(key);
  }

  /// Null where it is not there, or another one by now.
  PatternPtr from_folders(const PointKey& key) const {
    if (library_.find(key.pattern_name).empty()) return nullptr;
    Diagnostics ignored;
    PatternPtr pattern = library_.load(key.pattern_name, {}, ignored);
    const bool is_same =
        pattern != nullptr && pattern->source->text + pattern->included_text == key.pattern_text;
    return is_same ? pattern : nullptr;
  }

  PatternLibrary library_;
  std::map<std::pair<std::string, std::string>, PatternPtr> known_;
};

std::vector<UncountedPoint> uncounted_points(const RunResults& results,
                                             const GivenFolders& folders) {
  MeasuredPatterns patterns(folders);
  std::vector<UncountedPoint> points;
  for (const StoredPoint& stored : results.points) {
    if (!lacks_counts(stored.point)) continue;
    const PointKey& key = stored.point.key;
    points.push_back({stored.id, resolve(patterns.find(key), key.parameters)});
  }
  return points;
}

}  // namespace

void count_results(const RunOperand& operand, const GivenFolders& folders) {
  const RunLock lock(operand.database);
  Store store(operand.database, Store::Mode::read_write);
  const RunResults results = load_results(store, operand.run);
  const Provenance& provenance = results.run.provenance;
  if (provenance.device.backend != "cuda") {
    throw CommandError(exit_usage,
                       fmt::format("{}: --count is for what a GPU measured; this run is of {}",
                                   operand.database.string(), provenance.device.name));
  }
  const std::vector<UncountedPoint> points = uncounted_points(results, folders);
  if (points.empty()) {
    std::cerr << "every point has the emulator's counts\n";
    return;
  }
  const int capability = provenance.device.compute_capability;
  const unsigned threads = std::max(std::thread::hardware_concurrency(), 1U);
  const EmulatorSettings settings =
      emulator_settings(has_rules(capability) ? capability : usual_model, threads);
  const auto nvrtc = std::make_shared<const Nvrtc>();
  CompileSettings compile =
      compile_settings(nvrtc, code_capability(EmulatorBackend(settings).device(), *nvrtc), nullptr);
  compile.stop = &stop_flag();
  MeasureRules rules;
  rules.caches = models_caches(provenance.measure);
  StepProgress progress("counting", points.size(), false);
  count_points(points, compile, rules, emulators_of(settings, threads), store,
               [&](const UncountedPoint&, const Observation&) { progress.step(); });
}

}  // namespace sweep
