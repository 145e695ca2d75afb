#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/store/ranking.h"
#include "engine/text/units.h"
#include "report/compare/comparison_words.h"
#include "report/compare/run_comparison.h"
#include "report/display_text.h"

namespace sweep {
namespace {

/// What both runs have of one configuration.
struct SharedPoint {
  const StoredPoint* before = nullptr;
  const StoredPoint* after = nullptr;
  const ConfigurationComparison* configuration = nullptr;
};

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

class Differences {
 public:
  explicit Differences(const RunComparison& comparison)
      : comparison_(comparison), before_(comparison.before), after_(comparison.after) {
    for (const ConfigurationComparison& each : comparison.configurations) {
      if (!each.before || !each.after) continue;
      shared_.push_back(
          {&before_.results.points[*each.before], &after_.results.points[*each.after], &each});
    }
  }

  std::vector<RunDifference> find() {
    compare_devices();
    compare_measuring();
    find_same_measurements();
    find_unfinished();
    compare_texts();
    compare_versions();
    compare_anchors();
    compare_clocks();
    std::stable_partition(list_.begin(), list_.end(),
                          [](const RunDifference& difference) { return difference.is_serious; });
    return std::move(list_);
  }

 private:
  const Provenance& old_run() const { return before_.results.run.provenance; }
  const Provenance& new_run() const { return after_.results.run.provenance; }

  void add(std::string text, bool is_serious = false) {
    list_.push_back({std::move(text), is_serious});
  }

  /// "the compilers differ: NVRTC 12.4 in A, NVRTC 13.0 in B"
  bool compare(const char* what, const std::string& before, const std::string& after,
               bool is_serious) {
    if (before == after) return false;
    const auto shown = [](const std::string& text) { return text.empty() ? "unknown" : text; };
    add(fmt::format("the {} differ: {} in A, {} in B", what, shown(before), shown(after)),
        is_serious);
    return true;
  }

  void compare_devices() {
    const Device& before = old_run().device;
    const Device& after = new_run().device;
    if (compare("devices", before.name, after.name, true)) return;
    if (before.uuid != after.uuid) {
      add(fmt::format("A and B ran on different GPUs of the same kind ({})", after.name));
    }
  }

  /// "cold" in "cache: cold, noise: 0.5 %"; empty where the rules have none.
  static std::string cache_of(const std::string& rules) {
    constexpr std::string_view key = "cache: ";
    if (!rules.starts_with(key)) return {};
    return rules.substr(key.size(), rules.find(',') - key.size());
  }

  void compare_measuring() {
    const std::string& before = old_run().measure;
    const std::string& after = new_run().measure;
    if (!compare("measuring rules", before, after, false)) return;
    if (cache_of(before).empty() || cache_of(after).empty()) return;
    if (cache_of(before) == cache_of(after)) return;
    list_.back().is_serious = true;
    list_.back().text += "; what a warm cache holds does not come from memory";
  }

  void find_same_measurements() {
    if (before_.results.run.id == after_.results.run.id && before_.label == after_.label) {
      add("A and B are the same run", true);
      return;
    }
    // Ids are a database's own, samples are not: a point of another file may be a copy.
    const auto file_of = [](const ComparedRun& run) {
      return run.label.substr(0, run.label.rfind(':'));
    };
    const bool is_one_file = file_of(before_) == file_of(after_);
    const auto is_same = [&](const SharedPoint& shared) {
      const auto& samples = shared.before->point.samples;
      return shared.before->point == shared.after->point && (is_one_file || !samples.empty()) &&
             shared.before->measured_by == shared.after->measured_by;
    };
    const auto same = static_cast<std::size_t>(std::ranges::count_if(shared_, is_same));
    if (same == 0) return;
    add(fmt::format("{} of the {} in both runs {} one and the same measurement, which a run used "
                    "again: it cannot differ; sweep run --fresh measures anew",
                    format_thousands(same), count_of(shared_.size(), "configuration"),
                    same == 1 ? "is" : "are"),
        true);
  }

  void find_unfinished() {
    for (const ComparedRun* run : {&before_, &after_}) {
      if (run->results.run.state == RunState::finished) continue;
      add(fmt::format("{} {}: it may lack configurations", run == &before_ ? "A" : "B",
                      run->results.run.state == RunState::interrupted ? "was interrupted"
                                                                      : "has not finished"));
    }
  }

  void compare_texts() {
    std::set<std::string> different;
    for (const SharedPoint& shared : shared_) {
      const PointKey& after = shared.after->point.key;
      if (shared.before->point.key.pattern_text != after.pattern_text) {
        different.insert(after.pattern_name);
      }
    }
    if (different.empty()) return;
    const std::vector<std::string> names(different.begin(), different.end());
    add(names.size() == 1 ? fmt::format("the text of the pattern {} differs", names.front())
                          : fmt::format("the texts of the patterns {} differ", in_words(names)));
  }

  void compare_versions() {
    compare("compilers", old_run().compiler, new_run().compiler, false);
    compare("versions of sweep", old_run().engine_version, new_run().engine_version, false);
    if (old_run().device.backend == new_run().device.backend) {
      compare("drivers", old_run().device.driver, new_run().device.driver, false);
    }
    compare("hosts", old_run().host, new_run().host, false);
  }

  /// The median of the anchor's times, of those that are positive numbers.
  static std::map<std::int64_t, double> anchors_of(const RunRecord& run) {
    std::map<std::int64_t, std::vector<double>> times;
    for (const AnchorRecord& anchor : run.anchors) {
      if (std::isfinite(anchor.seconds) && anchor.seconds > 0) {
        times[anchor.ordinal].push_back(anchor.seconds);
      }
    }
    std::map<std::int64_t, double> anchors;
    for (auto& [ordinal, values] : times) anchors[ordinal] = median_of(std::move(values));
    return anchors;
  }

  /// Anchors are chosen by a run's own order: only one that both chose says something.
  void compare_anchors() {
    const auto before = anchors_of(before_.results.run);
    const auto after = anchors_of(after_.results.run);
    for (const SharedPoint& shared : shared_) {
      const auto old_time = before.find(shared.before->ordinal);
      const auto new_time = after.find(shared.after->ordinal);
      if (old_time == before.end() || new_time == after.end()) continue;
      const bool same_text =
          shared.before->point.key.pattern_text == shared.after->point.key.pattern_text;
      add(fmt::format("the anchor configuration ({}) took {} us in A and {} us in B, {:+.1f} %: {}",
                      describe(*shared.configuration, comparison_.parameters),
                      format_figure(old_time->second * 1e6), format_figure(new_time->second * 1e6),
                      (new_time->second / old_time->second - 1) * 100,
                      same_text ? "a hint of how far the machine itself changed"
                                : "its pattern's text differs, so this need not be the machine"));
    }
  }

  /// Of configurations in both, as metrics of a GPU's run.
  void compare_clocks() {
    std::vector<double> before;
    std::vector<double> after;
    for (const SharedPoint& shared : shared_) {
      const auto old_clock = measured_figure(shared.before->point, "sm_clock");
      const auto new_clock = measured_figure(shared.after->point, "sm_clock");
      if (!old_clock || !new_clock) continue;
      before.push_back(*old_clock);
      after.push_back(*new_clock);
    }
    if (before.empty()) return;
    constexpr double noticeable = 0.01;
    const double old_clock = median_of(std::move(before));
    const double new_clock = median_of(std::move(after));
    if (std::abs(new_clock / old_clock - 1) < noticeable) return;
    add(fmt::format("the multiprocessors ran at {:.0f} MHz in A and {:.0f} MHz in B", old_clock,
                    new_clock),
        true);
  }

  const RunComparison& comparison_;
  const ComparedRun& before_;
  const ComparedRun& after_;
  std::vector<SharedPoint> shared_;
  std::vector<RunDifference> list_;
};

}  // namespace

std::vector<RunDifference> differences_of(const RunComparison& comparison) {
  return Differences(comparison).find();
}

}  // namespace sweep
