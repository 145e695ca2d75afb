#include "engine/run/compile_batches.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

namespace sweep {
namespace {

/// The fixed part of a batch of the size aimed at.
constexpr double fixed_share = 0.05;
/// How much less a program counts than the one after it: patterns and loads change.
constexpr double forgetting = 0.95;
/// Before sizes differ, the fixed part is taken to be that of so many configurations.
constexpr double usual_fixed = 4;
/// A batch that is this large is worth its fixed part whatever it is.
constexpr double most_for_fixed = 16;
/// How far the costs that were learnt are trusted beyond the sizes they were learnt from.
constexpr std::size_t growth = 4;
/// How much of its share a compiler takes at once: the rest evens out what was estimated wrongly.
constexpr double taken_share = 0.9;

}  // namespace

void BatchSize::begin(std::size_t configurations, double now) {
  ++begun_;
  under_way_.push_back({configurations, now});
}

void BatchSize::learn(std::size_t configurations, double seconds) {
  const auto done = std::ranges::find(under_way_, configurations, &Program::configurations);
  if (done != under_way_.end()) under_way_.erase(done);
  if (configurations == 0 || !(seconds >= 0)) return;
  const auto size = static_cast<double>(configurations);
  for (double* sum : {&weight_, &sizes_, &seconds_, &squares_, &products_}) *sum *= forgetting;
  weight_ += 1;
  sizes_ += size;
  seconds_ += seconds;
  squares_ += size * size;
  products_ += size * seconds;
  largest_seen_ = std::max(largest_seen_, configurations);
}

double BatchSize::seconds_each() const {
  if (weight_ <= 0) return 0;
  const double mean_size = sizes_ / weight_;
  const double mean_seconds = seconds_ / weight_;
  const double variance = squares_ / weight_ - mean_size * mean_size;
  // Two sizes half a configuration apart say nothing.
  if (variance < 0.25) return mean_seconds / (mean_size + usual_fixed);
  const double slope = (products_ / weight_ - mean_size * mean_seconds) / variance;
  // Noise may tilt the line; a configuration costs something, and no more than its share.
  return std::clamp(slope, 0.05 * mean_seconds / mean_size, mean_seconds / mean_size);
}

double BatchSize::fixed_seconds() const {
  if (weight_ <= 0) return 0;
  return std::max(0.0, (seconds_ - seconds_each() * sizes_) / weight_);
}

double BatchSize::seconds_under_way(double now) const {
  double seconds = 0;
  for (const Program& program : under_way_) {
    const double whole =
        fixed_seconds() + seconds_each() * static_cast<double>(program.configurations);
    seconds += std::max(0.0, whole - (now - program.begun));
  }
  return seconds;
}

/// All that is not done, evenly divided.
std::size_t BatchSize::share_of(std::size_t remaining, unsigned compilers, double now) const {
  const std::size_t parts = std::max(compilers, 1U);
  const std::size_t fair = (remaining + parts - 1) / parts;
  const double each = seconds_each();
  if (each <= 0 || parts == 1) return fair;
  const double not_done = static_cast<double>(remaining) + seconds_under_way(now) / each;
  const auto share = std::ceil(taken_share * not_done / static_cast<double>(parts));
  // A wrong estimate of what is under way must not leave the others without work.
  return static_cast<std::size_t>(std::min(share, 2.0 * static_cast<double>(fair)));
}

std::size_t BatchSize::next(std::size_t remaining, unsigned compilers, double now) const {
  static_assert(first << early_batches == unlearnt);
  std::size_t size = first << std::min(begun_, early_batches);
  double fixed_as_sizes = 1;
  if (const double each = seconds_each(); each > 0) {
    fixed_as_sizes = fixed_seconds() / each;
    const double wanted = std::ceil(fixed_as_sizes * (1 - fixed_share) / fixed_share);
    size = static_cast<std::size_t>(std::clamp(wanted, 1.0, static_cast<double>(largest)));
    size = std::min(std::max(size, first), std::max(unlearnt, growth * largest_seen_));
  }
  const auto worthwhile =
      static_cast<std::size_t>(std::clamp(std::ceil(fixed_as_sizes), 1.0, most_for_fixed));
  const std::size_t share = std::max(share_of(remaining, compilers, now), worthwhile);
  return std::clamp<std::size_t>(std::min(size, share), 1, std::max<std::size_t>(remaining, 1));
}

namespace {

/// A candidate and how far it is from the first.
struct Ranked {
  std::size_t differing = 0;  ///< functions that it does not share with the first
  std::size_t group = 0;      ///< the first place of those that have all functions in common
  bool has_other_body = false;
  std::size_t place = 0;

  friend auto operator<=>(const Ranked&, const Ranked&) = default;
};

std::size_t count_differing(const CompileCandidate& one, const CompileCandidate& other) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < one.functions.size(); ++i) {
    if (one.functions[i] != other.functions[i]) ++count;
  }
  return count;
}

std::vector<Ranked> rank(std::span<const CompileCandidate> candidates) {
  const CompileCandidate& first = candidates.front();
  std::map<std::vector<std::size_t>, std::size_t> groups;
  std::vector<Ranked> ranked;
  for (const CompileCandidate& one : candidates) {
    if (one.pattern != first.pattern) continue;
    const std::size_t group = groups.try_emplace(one.functions, one.place).first->second;
    ranked.push_back({count_differing(one, first), group, one.body != first.body, one.place});
  }
  return ranked;
}

/// How many of the first `count` to take so that no group's small part is torn off.
std::size_t without_torn_group(const std::vector<Ranked>& ranked, std::size_t count) {
  constexpr std::size_t smallest_part = 4;  // of a batch, as a fraction: 1 / 4
  if (count == ranked.size()) return count;
  std::size_t begin = count;
  while (begin > 0 && ranked[begin - 1].group == ranked[count].group) --begin;
  const bool is_small = (count - begin) * smallest_part < count;
  return begin > 0 && is_small ? begin : count;
}

}  // namespace

CompileCandidate CandidateMaker::make(const Configuration& configuration, std::size_t place) {
  const Pattern* pattern = configuration.pattern.get();
  auto known = dependences_.find(pattern);
  if (known == dependences_.end()) {
    known = dependences_.emplace(pattern, text_dependence(*pattern)).first;
  }
  const TextDependence& dependence = known->second;
  const std::hash<std::string> hash;
  CompileCandidate candidate;
  candidate.place = place;
  candidate.pattern = pattern;
  candidate.body = hash(values_of(configuration, dependence.body));
  for (const auto* functions : {&dependence.init, &dependence.check}) {
    for (const FunctionDependence& function : *functions) {
      if (function.needs_body || function.parameters.empty()) continue;
      candidate.functions.push_back(hash(values_of(configuration, function.parameters)));
    }
  }
  return candidate;
}

std::vector<std::size_t> choose_batch(std::span<const CompileCandidate> candidates,
                                      std::size_t size) {
  std::vector<Ranked> ranked = rank(candidates);
  std::ranges::sort(ranked);
  const std::size_t count =
      without_torn_group(ranked, std::clamp<std::size_t>(size, 1, ranked.size()));
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < count; ++i) places.push_back(ranked[i].place);
  std::ranges::sort(places);
  return places;
}

std::vector<std::size_t> first_in_order(std::span<const CompileCandidate> candidates,
                                        std::size_t size) {
  std::vector<std::size_t> places;
  for (const CompileCandidate& one : candidates.first(std::min(size, candidates.size()))) {
    if (one.pattern == candidates.front().pattern) places.push_back(one.place);
  }
  return places;
}

}  // namespace sweep
