#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/store/ranking.h"
#include "engine/text/units.h"
#include "report/compare/comparison_report.h"
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

/// "cold" in "cache: cold, noise: 0.5 %"; empty where the rules have none.
std::string cache_of(const std::string& rules) {
  constexpr std::string_view key = "cache: ";
  if (!rules.starts_with(key)) return {};
  return rules.substr(key.size(), rules.find(',') - key.size());
}

/// The median of the anchor's times, of those that are positive numbers.
std::map<std::int64_t, double> anchor_times_of(const RunRecord& run) {
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

class Differences {
 public:
  explicit Differences(const RunComparison& comparison)
      : comparison_(comparison), a_(comparison.before), b_(comparison.after) {
    for (const ConfigurationComparison& each : comparison.configurations) {
      if (!each.before || !each.after) continue;
      shared_.push_back({&a_.results.points[*each.before], &b_.results.points[*each.after], &each});
    }
  }

  std::vector<RunDifference> find() {
    compare_devices();
    compare_measuring();
    find_same_measurements();
    for (const ComparedRun* run : {&a_, &b_}) {
      if (run->results.run.state == RunState::finished) continue;
      add(fmt::format("{} {}: it may lack configurations", run == &a_ ? "A" : "B",
                      run->results.run.state == RunState::interrupted ? "was interrupted"
                                                                      : "has not finished"));
    }
    compare_texts();
    compare("compilers", &Provenance::compiler);
    compare("versions of sweep", &Provenance::engine_version);
    if (of_a_.device.backend == of_b_.device.backend) {
      compare("drivers", of_a_.device.driver, of_b_.device.driver);
    }
    compare("hosts", &Provenance::host);
    compare_anchors();
    compare_clocks();
    std::ranges::stable_partition(list_, &RunDifference::is_serious);
    return std::move(list_);
  }

 private:
  void add(std::string text, bool is_serious = false) {
    list_.push_back({std::move(text), is_serious});
  }

  /// "the compilers differ: NVRTC 12.4 in A, NVRTC 13.0 in B"
  bool compare(const char* what, const std::string& before, const std::string& after,
               bool is_serious = false) {
    if (before == after) return false;
    const auto shown = [](const std::string& text) { return text.empty() ? "unknown" : text; };
    add(fmt::format("the {} differ: {} in A, {} in B", what, shown(before), shown(after)),
        is_serious);
    return true;
  }
  void compare(const char* what, std::string Provenance::*member) {
    compare(what, of_a_.*member, of_b_.*member);
  }

  void compare_devices() {
    if (compare("devices", of_a_.device.name, of_b_.device.name, true)) return;
    if (of_a_.device.uuid == of_b_.device.uuid) return;
    add(fmt::format("A and B ran on different GPUs of the same kind ({})", of_b_.device.name));
  }

  void compare_measuring() {
    if (!compare("measuring rules", of_a_.measure, of_b_.measure)) return;
    const std::string before = cache_of(of_a_.measure);
    const std::string after = cache_of(of_b_.measure);
    if (before.empty() || after.empty() || before == after) return;
    list_.back().is_serious = true;
    list_.back().text += "; what a warm cache holds does not come from memory";
  }

  void find_same_measurements() {
    if (a_.results.run.id == b_.results.run.id && a_.label == b_.label) {
      return add("A and B are the same run", true);
    }
    // Ids are a database's own, samples are not: a point of another file may be a copy.
    const auto file_of = [](const ComparedRun& run) {
      return run.label.substr(0, run.label.rfind(':'));
    };
    const bool is_one_file = file_of(a_) == file_of(b_);
    const auto same = std::ranges::count_if(shared_, [&](const SharedPoint& shared) {
      return shared.before->point == shared.after->point &&
             (is_one_file || !shared.before->point.samples.empty()) &&
             shared.before->measured_by == shared.after->measured_by;
    });
    if (same == 0) return;
    add(fmt::format("{} of the {} in both runs {} one and the same measurement, which a run used "
                    "again: it cannot differ; sweep run --fresh measures anew",
                    format_thousands(static_cast<std::size_t>(same)),
                    count_of(shared_.size(), "configuration"), same == 1 ? "is" : "are"),
        true);
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
    const bool is_one = different.size() == 1;
    add(fmt::format("the text{0} of the pattern{0} {1} differ{2}", is_one ? "" : "s",
                    in_words({different.begin(), different.end()}), is_one ? "s" : ""));
  }

  /// Anchors are chosen by a run's own order: only one that both chose says something.
  void compare_anchors() {
    const auto before = anchor_times_of(a_.results.run);
    const auto after = anchor_times_of(b_.results.run);
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
    constexpr double noticeable = 0.01;
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
    const double old_clock = median_of(std::move(before));
    const double new_clock = median_of(std::move(after));
    if (std::abs(new_clock / old_clock - 1) < noticeable) return;
    add(fmt::format("the multiprocessors ran at {:.0f} MHz in A and {:.0f} MHz in B", old_clock,
                    new_clock),
        true);
  }

  const RunComparison& comparison_;
  const ComparedRun& a_;
  const ComparedRun& b_;
  const Provenance& of_a_ = a_.results.run.provenance;
  const Provenance& of_b_ = b_.results.run.provenance;
  std::vector<SharedPoint> shared_;
  std::vector<RunDifference> list_;
};

}  // namespace

std::vector<RunDifference> differences_of(const RunComparison& comparison) {
  return Differences(comparison).find();
}

}  // namespace sweep
