#include "engine/text/suggestion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "engine/text/characters.h"
#include "engine/text/text_limits.h"

namespace sweep {
namespace {

bool same(char a, char b) {
  return to_small(a) == to_small(b);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the optimal string alignment table: two back, one back, current.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = previous[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replace});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > text_limits::suggestion_bytes) return {};
  const std::string* best = nullptr;
  // Fewer edits than letters, or every one-letter name would be close to every other.
  std::size_t best_distance =
      word.size() < 2 ? word.size() : std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best != nullptr ? fmt::format("did you mean '{}'?", *best) : std::string();
}

std::string suggest(std::string_view word, std::span<const std::string> candidates,
                    std::string_view prefix) {
  std::string suggestion = did_you_mean(word, candidates);
  if (!suggestion.empty() || candidates.empty()) return suggestion;
  const auto shown = candidates.first(std::min(candidates.size(), text_limits::shown_candidates));
  return fmt::format("{}: {}{}", prefix, fmt::join(shown, ", "),
                     shown.size() < candidates.size() ? ", ..." : "");
}

}  // namespace sweep
