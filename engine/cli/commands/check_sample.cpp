#include "engine/cli/commands/check_sample.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "engine/search/strategy.h"

namespace sweep {
namespace {

using Rank = std::uint32_t;
constexpr Rank no_rank = std::numeric_limits<Rank>::max();

/// For each axis the row that a configuration has.
using Ranks = std::vector<Rank>;

/// The axis' row; begins to search at `hint`, since neighbours in a space are alike.
Rank rank_on(const Axis& axis, const Bindings& parameters, Rank hint) {
  const std::size_t rows = axis.rows.size();
  if (parameters.find(axis.names.front()) == nullptr) return no_rank;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t row = (hint + i) % rows;
    const bool has_row = std::ranges::equal(axis.names, axis.rows[row],
                                            [&](const std::string& name, const Value& wanted) {
                                              const Value* value = parameters.find(name);
                                              return value != nullptr && *value == wanted;
                                            });
    if (has_row) return static_cast<Rank>(row);
  }
  return no_rank;
}

/// How many axes differ.
std::size_t distance(std::span<const Rank> one, std::span<const Rank> other) {
  std::size_t differing = 0;
  for (std::size_t i = 0; i < one.size(); ++i) differing += one[i] != other[i] ? 1 : 0;
  return differing;
}

/// The place that is nearest so far.
struct Nearest {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::size_t place = 0;
  std::size_t distance = none;

  void offer(std::size_t other, std::size_t its_distance) {
    if (its_distance < distance) *this = {other, its_distance};
  }
};

class Sampler {
 public:
  Sampler(const Sweep& sweep, const Space& space) : axes_(sweep.axes), space_(space) {
    Ranks last(axes_.size(), 0);
    ranks_.reserve(space.configurations.size() * axes_.size());
    for (const Configuration& configuration : space.configurations) {
      for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        const Rank rank = rank_on(axes_[axis], configuration.parameters, last[axis]);
        if (rank != no_rank) last[axis] = rank;
        ranks_.push_back(rank);
      }
    }
    for (const Axis& axis : axes_) {
      const auto number = [](const std::vector<Value>& row) {
        return std::get_if<std::int64_t>(&row.front());
      };
      auto ends = std::pair(axis.rows.begin(), axis.rows.end() - 1);
      if (std::ranges::all_of(axis.rows, number)) {
        const auto [low, high] = std::ranges::minmax_element(
            axis.rows, {}, [&](const std::vector<Value>& row) { return *number(row); });
        ends = {low, high};
      }
      extremes_[0].push_back(static_cast<Rank>(ends.first - axis.rows.begin()));
      extremes_[1].push_back(static_cast<Rank>(ends.second - axis.rows.begin()));
    }
  }

  std::vector<std::size_t> sample(const std::vector<TuningGroup>& groups, std::size_t most) {
    for (const TuningGroup& group : groups) find_strata(group);
    std::vector<std::size_t> places(space_.configurations.size());
    std::iota(places.begin(), places.end(), 0);
    RandomGenerator random(0);
    random.shuffle(places);
    random.shuffle(defaults_);
    random.shuffle(corners_);
    // A quarter for each kind, and what one leaves for the next.
    std::set<std::size_t> taken;
    const auto take = [&](const std::vector<std::size_t>& of_kind, std::size_t up_to) {
      for (const std::size_t place : of_kind) {
        if (taken.size() < up_to) taken.insert(place);
      }
    };
    take(defaults_, most / 4);
    take(with_each_value(places), most / 2);
    take(corners_, most - most / 4);
    take(places, most);
    return {taken.begin(), taken.end()};
  }

 private:
  std::span<const Rank> ranks_of(std::size_t place) const {
    return std::span(ranks_).subspan(place * axes_.size(), axes_.size());
  }

  void find_strata(const TuningGroup& group) {
    if (group.default_configuration) defaults_.push_back(*group.default_configuration);
    // A space has one pattern after the other.
    for (std::span<const std::size_t> rest(group.configurations); !rest.empty();) {
      const PatternPtr& pattern = space_.configurations[rest.front()].pattern;
      const auto end = std::ranges::find_if(
          rest, [&](std::size_t place) { return space_.configurations[place].pattern != pattern; });
      const auto size = static_cast<std::size_t>(end - rest.begin());
      find_corners(rest.first(size), group);
      rest = rest.subspan(size);
    }
  }

  /// Of the places of one pattern and group.
  void find_corners(std::span<const std::size_t> places, const TuningGroup& group) {
    // The row of each axis that the pattern's defaults have.
    Ranks standard(axes_.size(), no_rank);
    try {
      const PatternPtr& pattern = space_.configurations[places.front()].pattern;
      const Bindings parameters = resolve(pattern, group.values).parameters;
      for (std::size_t i = 0; i < axes_.size(); ++i) standard[i] = rank_on(axes_[i], parameters, 0);
    } catch (const InputError&) {
      // No defaults go with the group's values: all are equally far from them.
    }
    Nearest middle;
    // With each axis at its lowest row, each at its highest, all at the lowest, all at the highest.
    const std::size_t axes = axes_.size();
    std::vector<Nearest> corners(2 * axes + 2);
    for (const std::size_t place : places) {
      const auto ranks = ranks_of(place);
      const std::size_t off = distance(ranks, standard);
      middle.offer(place, off);
      for (const std::size_t end : {0U, 1U}) {
        corners[2 * axes + end].offer(place, distance(ranks, extremes_[end]));
        for (std::size_t axis = 0; axis < axes; ++axis) {
          if (ranks[axis] != extremes_[end][axis]) continue;
          corners[end * axes + axis].offer(place, off - (ranks[axis] != standard[axis] ? 1 : 0));
        }
      }
    }
    defaults_.push_back(middle.place);
    for (const Nearest& corner : corners) {
      if (corner.distance != Nearest::none) corners_.push_back(corner.place);
    }
  }

  /// Of these places the first ones with each value of each axis in each pattern.
  std::vector<std::size_t> with_each_value(const std::vector<std::size_t>& places) const {
    std::set<std::tuple<const Pattern*, std::size_t, Rank>> seen;
    std::vector<std::size_t> result;
    for (const std::size_t place : places) {
      const Pattern* pattern = space_.configurations[place].pattern.get();
      bool is_new = false;
      for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        const Rank rank = ranks_of(place)[axis];
        if (rank != no_rank) is_new |= seen.emplace(pattern, axis, rank).second;
      }
      if (is_new) result.push_back(place);
    }
    return result;
  }

  const std::vector<Axis>& axes_;
  const Space& space_;
  std::vector<Rank> ranks_;        ///< of all configurations, one after the other
  std::array<Ranks, 2> extremes_;  ///< of each axis the row with the lowest number or the first
  std::vector<std::size_t> defaults_;
  std::vector<std::size_t> corners_;
};

}  // namespace

std::vector<std::size_t> check_sample(const Sweep& sweep, const Space& space,
                                      const std::vector<TuningGroup>& groups, std::size_t most) {
  return Sampler(sweep, space).sample(groups, most);
}

}  // namespace sweep
