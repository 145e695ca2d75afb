#include "engine/predict/predicted_metrics.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace sweep {
namespace {

/// The names of the times of each bound alone, by its number.
constexpr std::array<std::string_view, bound_count> time_names = {
    "launch_time", "block_time",  "latency_time", "issue_time", "pipe_time",  "tensor_time",
    "l1_time",     "shared_time", "l2_time",      "dram_time",  "atomic_time"};

class Counts {
 public:
  explicit Counts(std::span<const Metric> metrics) : metrics_(metrics) {}

  std::optional<double> find(std::string_view name, Origin origin = Origin::emulated) const {
    const auto found = std::ranges::find_if(metrics_, [&](const Metric& metric) {
      return metric.name == name && metric.origin == origin;
    });
    return found != metrics_.end() ? std::optional(found->value) : std::nullopt;
  }
  /// 0 for what is not there.
  double operator[](std::string_view name) const { return counted(name).value_or(0); }
  /// A total that the emulator counted, else one that is estimated.
  std::optional<double> counted(std::string_view name) const {
    const auto exact = find(name);
    return exact ? exact : find(name, Origin::predicted);
  }
  /// The figure that the device itself says where it does.
  double either(std::string_view name, double otherwise) const {
    const auto measured = find(name, Origin::measured);
    return measured ? *measured : find(name).value_or(otherwise);
  }

 private:
  std::span<const Metric> metrics_;
};

/// Of what the compiler spills the emulator, which executes PTX, sees nothing: each of the machine
/// code's accesses to local memory counts as often as its instructions are executed in the mean.
void add_spills(const Counts& count, Demand& demand) {
  if (count["local_load_sectors"] + count["local_store_sectors"] > 0 || demand.warps <= 0) return;
  constexpr double sectors_of_warp = 4;
  const double code = std::max(count["code_instructions"], 1.0);
  const double times = demand.warps * std::max(demand.instructions / demand.warps / code, 1.0);
  demand.spill_load_sectors = sectors_of_warp * times * count["spill_loads"];
  demand.spill_store_sectors = sectors_of_warp * times * count["spill_stores"];
}

/// The share of L2's reads that find what they look for: what is written always does.
double read_hits(const Counts& count) {
  const double reads = count["l2_read_sectors"];
  if (reads <= 0) return count["l2_hit_rate"] / 100;
  const double others = count["l2_write_sectors"] + count["atomic_sectors"];
  const double hits = count["l2_hit_rate"] / 100 * (reads + others) - others;
  return std::clamp(hits / reads, 0.0, 1.0);
}

}  // namespace

std::optional<Demand> demand_of(std::span<const Metric> metrics) {
  const Counts count(metrics);
  for (const char* needed : {"instructions", "blocks", "l2_read_sectors"}) {
    if (!count.counted(needed)) return std::nullopt;
  }
  if (count["cluster_requests"] > 0) return std::nullopt;
  Demand demand;
  demand.launches = count.counted("launches").value_or(1);
  demand.cold_launches = count["cold_launches"];
  demand.blocks = count["blocks"];
  demand.warps = count["warps"];
  demand.resident_blocks = count.either("resident_blocks", 1);
  demand.instructions = count.counted("issued_instructions").value_or(count["instructions"]);
  demand.alu = count["alu_instructions"];
  demand.fma = count["fma_instructions"];
  demand.fp64 = count["fp64_instructions"];
  demand.special = count["special_instructions"];
  demand.conversions = count["conversion_instructions"];
  demand.tensor = count["tensor_operations"];
  demand.global_waits = count["global_waits"];
  demand.shared_waits = count["shared_waits"];
  demand.dependent_steps = count["dependent_steps"];
  demand.barriers = count["barriers"];
  const double path = count["instructions"] / std::max(demand.warps, 1.0);
  demand.longest_paths = path > 0 ? count["longest_path"] / path : 0;
  demand.shared_wavefronts = count["shared_load_wavefronts"] + count["shared_store_wavefronts"];
  // A texture request takes one pass, as measured on an H200.
  demand.l1_data_wavefronts =
      count["load_data_wavefronts"] + count["store_data_wavefronts"] + count["texture_requests"];
  demand.l1_tag_wavefronts = count["load_tag_wavefronts"] + count["store_tag_wavefronts"];
  demand.load_sectors = count["load_sectors"];
  demand.l1_hits = count["l1_hit_rate"] / 100;
  demand.l2_read_sectors = count["l2_read_sectors"];
  demand.l2_write_sectors = count["l2_write_sectors"];
  // What L1 joins is as scattered as the rest.
  const double of_store = count["store_sectors"];
  demand.l2_write_lines =
      of_store > 0 ? demand.l2_write_sectors * count["store_lines"] / of_store : 0;
  demand.l2_hits = read_hits(count);
  const double of_load = count["load_sectors"];
  demand.l2_read_lines = of_load > 0 ? demand.l2_read_sectors * count["load_lines"] / of_load : 0;
  demand.dram_read_bytes = count["dram_read_bytes"];
  demand.dram_write_bytes = count["dram_write_bytes"];
  demand.dram_read_regions = count["dram_read_regions"];
  demand.dram_write_lines = count["dram_write_lines"];
  demand.dram_write_regions = count["dram_write_regions"];
  demand.local_bytes = count.either("local_bytes", 0);
  add_spills(count, demand);
  demand.atomic_sectors = count["atomic_sectors"];
  demand.busiest_line = count["busiest_line"];
  return demand;
}

void predict_metrics(const TimingProfile& gpu, const UsefulTraffic& useful,
                     std::vector<Metric>& metrics) {
  std::erase_if(metrics, [](const Metric& metric) {
    if (metric.origin != Origin::predicted) return false;
    const MetricDefinition* known = find_metric(metric.name);
    return known == nullptr || is_of_time(*known);
  });
  // What links do is not modelled.
  if (is_far(useful.place)) return;
  const auto demand = demand_of(metrics);
  if (!demand) return;
  constexpr double percent = 100;
  constexpr double micro = 1e6;
  constexpr double bytes_per_gb = 1e9;
  const Prediction prediction = predict(*demand, gpu);
  const auto add = [&](std::string_view name, double value) {
    metrics.push_back({std::string(name), Origin::predicted, value});
  };
  add("time", prediction.seconds * micro);
  add("time_low", prediction.low * micro);
  add("time_high", prediction.high * micro);
  if (useful.device > 0 && prediction.seconds > 0) {
    const double bandwidth = static_cast<double>(useful.device) / prediction.seconds / bytes_per_gb;
    add("bandwidth", bandwidth);
    if (gpu.peak_bandwidth > 0) add("percent_of_peak", percent * bandwidth / gpu.peak_bandwidth);
  }
  if (useful.shared > 0 && prediction.seconds > 0) {
    add("shared_bandwidth", static_cast<double>(useful.shared) / prediction.seconds / bytes_per_gb);
  }
  const auto [first, second] = prediction.first_bounds();
  add("bottleneck", static_cast<double>(first));
  add("next_bound", percent * prediction.of(second) / prediction.of(first));
  for (std::size_t i = 0; i < bound_count; ++i) {
    if (prediction.alone[i] > 0) add(time_names[i], prediction.alone[i] * micro);
  }
}

}  // namespace sweep
