#include "engine/run/compile_candidates.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <tuple>

namespace sweep {
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
