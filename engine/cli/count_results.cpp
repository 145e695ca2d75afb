#include "engine/cli/count_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <thread>

#include "engine/cli/command.h"
#include "engine/cli/compile_settings.h"
#include "engine/cli/emulator_options.h"
#include "engine/cli/find_pattern.h"
#include "engine/cli/machines.h"
#include "engine/cli/step_progress.h"
#include "engine/cli/stop_signal.h"
#include "engine/jit/program_cache.h"
#include "engine/run/code_capability.h"
#include "engine/run/count_points.h"
#include "engine/store/run_lock.h"
#include "engine/text/units.h"
#include "report/run_results.h"

namespace sweep {
namespace {

/// The patterns that points were measured with, from their text.
class MeasuredPatterns {
 public:
  explicit MeasuredPatterns(const GivenFolders& folders) : folders_(folders) {}

  PatternPtr find(const PointKey& key) {
    PatternPtr& pattern = known_[{key.pattern_name, key.pattern_text}];
    if (pattern == nullptr) pattern = from_folders(key);
    if (pattern == nullptr) pattern = from_text(key);
    if (pattern != nullptr) return pattern;
    throw CommandError(
        exit_bad_input,
        fmt::format("{}: the files that this pattern includes are not there as they were when it "
                    "was measured; name its folder with --patterns",
                    key.pattern_name));
  }

 private:
  PatternPtr from_folders(const PointKey& key) const {
    try {
      PatternPtr pattern = find_pattern(key.pattern_name, folders_);
      return pattern->source->text + pattern->included_text == key.pattern_text ? pattern : nullptr;
    } catch (const std::exception&) {
      return nullptr;  // it is not there, or another one by now
    }
  }

  /// Null where the text is more than the pattern's own.
  static PatternPtr from_text(const PointKey& key) {
    if (key.pattern_text.find("#include \"") != std::string::npos) return nullptr;
    Diagnostics diagnostics;
    const std::string file = key.pattern_name + ".cu";
    return parse_pattern(std::make_shared<Source>(Source{file, key.pattern_text}), file,
                         diagnostics);
  }

  const GivenFolders& folders_;
  std::map<std::pair<std::string, std::string>, PatternPtr> known_;
};

std::vector<UncountedPoint> uncounted_points(const RunResults& results,
                                             const GivenFolders& folders) {
  MeasuredPatterns patterns(folders);
  std::vector<UncountedPoint> points;
  for (const StoredPoint& stored : results.points) {
    if (stored.point.status != PointStatus::ok || was_counted(stored.point)) continue;
    const PointKey& key = stored.point.key;
    points.push_back({stored.id, resolve(patterns.find(key), key.parameters)});
  }
  return points;
}

}  // namespace

void count_results(const RunOperand& operand, const GivenFolders& folders, bool is_quiet) {
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
    if (!is_quiet) std::cerr << "every point has the emulator's counts\n";
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
  rules.caches = provenance.measure.ends_with(", caches: true");
  StepProgress progress("counting", points.size(), is_quiet);
  count_points(points, compile, rules, emulators_of(settings, threads), store,
               [&](const UncountedPoint&, const PointRecord&) { progress.step(); });
}

}  // namespace sweep
