#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/display_text.h"
#include "report/point_columns.h"
#include "report/run_analysis.h"

namespace sweep {
namespace {

/// "H200" of "emulator of 9.0 (H200), with caches"; of others the whole name.
std::string gpu_of(const Device& device) {
  const std::size_t begin = device.name.find('(');
  const std::size_t end = device.name.find(')');
  if (!device.is_emulated() || end == std::string::npos || begin > end) return device.name;
  return device.name.substr(begin + 1, end - begin - 1);
}

/// Of each run; those of the same GPU have their runs' numbers too.
std::vector<std::string> gpus_of(std::span<const RunResults> runs) {
  std::vector<std::string> names;
  for (const RunResults& results : runs) names.push_back(gpu_of(results.run.provenance.device));
  const std::vector<std::string> bare = names;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (std::ranges::count(bare, bare[i]) == 1) continue;
    names[i] += fmt::format(", run {}", runs[i].run.id);
  }
  // Runs of several databases may have the same number.
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto before = std::span(names).first(i);
    if (std::ranges::find(before, names[i]) != before.end())
      names[i] += fmt::format(" ({})", i + 1);
  }
  return names;
}

/// A name that no pattern's parameter has.
std::string free_name(std::span<const RunResults> runs) {
  std::string name = "GPU";
  const auto is_taken = [&](const RunResults& results) {
    return std::ranges::any_of(results.points, [&](const StoredPoint& stored) {
      return stored.point.key.parameters.find(name) != nullptr;
    });
  };
  while (std::ranges::any_of(runs, is_taken)) name += '_';
  return name;
}

/// What the devices have in common.
Device common_device(std::span<const RunResults> runs, std::span<const std::string> gpus) {
  Device device = runs.front().run.provenance.device;
  device.name = in_words({gpus.begin(), gpus.end()});
  if (device.is_emulated()) device.name = "emulator of the " + device.name;
  for (const RunResults& results : runs) {
    const Device& other = results.run.provenance.device;
    const auto keep_common = [&](auto Device::*figure) {
      if (device.*figure != other.*figure) device.*figure = {};
    };
    keep_common(&Device::uuid);
    keep_common(&Device::driver);
    keep_common(&Device::cuda);
    keep_common(&Device::compute_capability);
    keep_common(&Device::multiprocessors);
    keep_common(&Device::l2_bytes);
    keep_common(&Device::memory_bytes);
    keep_common(&Device::memory_clock_hz);
    keep_common(&Device::memory_bus_bits);
  }
  return device;
}

/// After each table or chart of bandwidths the same as shares of each GPU's peak, where it has
/// none.
template <class Layouts>
void add_shares(Layouts& layouts) {
  const auto is_of = [](const auto& layout, std::string_view metric) {
    return !layout.values.empty() && layout.values.front() == metric;
  };
  Layouts all;
  for (const auto& layout : layouts) {
    all.push_back(layout);
    if (!is_of(layout, "bandwidth")) continue;
    auto shares = layout;
    shares.values = {"percent_of_peak"};
    if (!shares.title.empty()) shares.title += ", as shares of the GPU's peak";
    all.push_back(std::move(shares));
  }
  const bool has_shares = std::ranges::any_of(
      layouts, [&](const auto& layout) { return is_of(layout, "percent_of_peak"); });
  if (!has_shares) layouts = std::move(all);
}

/// Whether the GPUs' peaks differ, and points have their share of it.
bool have_different_peaks(std::span<const RunResults> runs) {
  return std::ranges::all_of(runs, [&](const RunResults& results) {
    const double peak = results.run.provenance.device.peak_bandwidth();
    const bool differs = std::ranges::any_of(runs, [&](const RunResults& other) {
      return other.run.provenance.device.peak_bandwidth() != peak;
    });
    return differs && std::ranges::any_of(results.points, [](const StoredPoint& stored) {
             return figure_of(stored.point, MetricColumn{"percent_of_peak"}).has_value();
           });
  });
}

void show_apart(ReportLayout& layout, const std::string& name) {
  for (TableLayout& table : layout.tables) table.columns.push_back(name);
  if (!layout.charts) return;
  for (ChartLayout& chart : *layout.charts) {
    (chart.kind == ChartKind::heatmap ? chart.facets : chart.series).push_back(name);
  }
}

}  // namespace

std::string why_not_together(std::span<const RunResults> runs) {
  for (const RunResults& results : runs) {
    if (results.run.tuning) {
      return fmt::format("run {} is a search, whose winner is that of its GPU alone",
                         results.run.id);
    }
    const std::string& name = results.run.provenance.sweep_name;
    const std::string& first = runs.front().run.provenance.sweep_name;
    if (name != first) return fmt::format("one is of the sweep {}, another of {}", first, name);
  }
  return {};
}

RunResults together(std::vector<RunResults> runs) {
  const std::vector<std::string> gpus = gpus_of(runs);
  const std::string name = free_name(runs);
  const Device device = common_device(runs, gpus);
  const bool has_shares = have_different_peaks(runs);
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const std::string& note : runs[i].run.notes) {
      const bool is_of_all = std::ranges::all_of(runs, [&](const RunResults& other) {
        return std::ranges::find(other.run.notes, note) != other.run.notes.end();
      });
      std::string text = is_of_all ? note : gpus[i] + ": " + note;
      if (std::ranges::find(notes, text) == notes.end()) notes.push_back(std::move(text));
    }
  }
  RunResults all = std::move(runs.front());
  const std::int64_t id = all.run.id;
  all.run.provenance.device = device;
  all.run.notes = std::move(notes);
  all.apart = {name};
  show_apart(all.layout, name);
  if (has_shares) {
    add_shares(all.layout.tables);
    if (all.layout.charts) add_shares(*all.layout.charts);
  }
  // Places among the points: those of each run follow those of the one before.
  std::int64_t next = 0;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    RunResults& own = i == 0 ? all : runs[i];
    const std::int64_t begin = next;
    for (StoredPoint& stored : own.points) {
      stored.point.key.parameters.set(name, gpus[i]);
      stored.ordinal += begin;
      if (stored.measured_by == own.run.id) stored.measured_by = id;
      next = std::max(next, stored.ordinal + 1);
    }
    for (ComparisonRecord& each : own.run.comparisons) each.ordinal += begin;
    for (AnchorRecord& each : own.run.anchors) each.ordinal += begin;
    for (PatternExplanation& each : own.run.explanations) each.ordinal += begin;
    if (i == 0) continue;
    std::ranges::move(own.points, std::back_inserter(all.points));
    std::ranges::move(own.run.comparisons, std::back_inserter(all.run.comparisons));
    std::ranges::move(own.run.anchors, std::back_inserter(all.run.anchors));
    // What accesses cost is shown once for each pattern.
    for (PatternExplanation& each : own.run.explanations) {
      const auto& shown = all.run.explanations;
      if (std::ranges::find(shown, each.pattern, &PatternExplanation::pattern) == shown.end()) {
        all.run.explanations.push_back(std::move(each));
      }
    }
    all.run.provenance.derived.merge(own.run.provenance.derived);
    all.run.finished = own.run.finished;
    if (own.run.state != RunState::finished) all.run.state = own.run.state;
  }
  return all;
}

}  // namespace sweep
