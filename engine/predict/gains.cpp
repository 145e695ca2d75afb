#include "engine/predict/gains.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace sweep {
namespace {

struct Change {
  const char* words;
  std::function<void(Demand&)> apply;
};

void scale_loads(Demand& demand, double by) {
  for (double* part : {&demand.load_sectors, &demand.l1_data_wavefronts, &demand.l1_tag_wavefronts,
                       &demand.l2_read_sectors, &demand.dram_read_bytes}) {
    *part *= by;
  }
}

void scale_stores(Demand& demand, double by) {
  demand.l2_write_sectors *= by;
  demand.dram_write_bytes *= by;
}

std::string_view words_for(Bound bound) {
  return find_metric("bottleneck")->words[static_cast<std::size_t>(bound)];
}

}  // namespace

std::vector<Gain> possible_gains(std::span<const Metric> metrics, const TimingProfile& gpu) {
  constexpr double least = 1.05;
  const auto demand = demand_of(metrics);
  if (!demand) return {};
  const auto share = [&](const char* name) {
    const auto found = std::ranges::find_if(metrics, [&](const Metric& metric) {
      return metric.name == name && metric.origin == Origin::emulated;
    });
    return found != metrics.end() ? std::clamp(found->value / 100, 0.0, 1.0) : 1.0;
  };
  const Change changes[] = {
      {"without bank conflicts",
       [&](Demand& d) { d.shared_wavefronts *= share("shared_efficiency"); }},
      {"with coalesced loads", [&](Demand& d) { scale_loads(d, share("load_efficiency")); }},
      {"with coalesced stores", [&](Demand& d) { scale_stores(d, share("store_efficiency")); }},
      {"with twice as many accesses in flight", [](Demand& d) { d.global_waits /= 2; }},
      {"with half as many blocks that do twice as much each", [](Demand& d) { d.blocks /= 2; }},
      {"with atomic operations spread over many addresses", [](Demand& d) { d.busiest_line = 0; }},
      {"with half the instructions", [](Demand& d) {
         for (double* part : {&d.instructions, &d.alu, &d.fma, &d.fp64, &d.special}) *part /= 2;
       }}};
  const double now = predict(*demand, gpu).seconds;
  std::vector<Gain> gains;
  for (const Change& change : changes) {
    Demand changed = *demand;
    change.apply(changed);
    const Prediction then = predict(changed, gpu);
    const double factor = now / then.seconds;
    if (factor >= least) gains.push_back({change.words, factor, then.first_bounds().front()});
  }
  std::ranges::stable_sort(gains, std::ranges::greater(), &Gain::factor);
  return gains;
}

std::vector<std::string> describe_prediction(std::span<const Metric> metrics,
                                             const TimingProfile& gpu) {
  constexpr double micro = 1e6;
  const auto demand = demand_of(metrics);
  if (!demand) return {};
  const Prediction prediction = predict(*demand, gpu);
  const auto [first, second] = prediction.first_bounds();
  std::vector<std::string> sentences = {fmt::format(
      "predicted on the {}: {:.4g} us, {:.4g} to {:.4g} us with 90 %, bound by {}; {} takes {:.0f} "
      "% "
      "of that",
      gpu.gpu, prediction.seconds * micro, prediction.low * micro, prediction.high * micro,
      words_for(first), words_for(second), 100 * prediction.of(second) / prediction.of(first))};
  for (const Gain& gain : possible_gains(metrics, gpu)) {
    sentences.push_back(fmt::format("{}: {:.2f} times faster, then bound by {}", gain.change,
                                    gain.factor, words_for(gain.then)));
  }
  return sentences;
}

}  // namespace sweep
