#include "engine/run/contest.h"

#include <algorithm>

#include "engine/run/compile_pool.h"
#include "engine/run/counts_beside.h"
#include "engine/run/workload.h"

namespace sweep {
namespace {

constexpr int samples_a_round = 5;
/// The rounds after which it may become clear: with every look a chance grows to be misled.
constexpr std::size_t look_every = 8;
/// Nobody minds which of two is taken that differ by less.
constexpr double matters = 0.003;

}  // namespace

Contest::Contest(RunStage& stage, std::span<const std::int64_t> ordinals, RankedBy ranked_by,
                 const ContestRules& rules)
    : stage_(stage),
      rules_(rules),
      ranked_by_(std::move(ranked_by)),
      measure_(stage.request.sweep.measure) {
  for (const std::int64_t ordinal : ordinals) contenders_.push_back({ordinal});
  measure_.min_samples = measure_.max_samples = samples_a_round;
}

void Contest::add_reference(std::int64_t ordinal) {
  reference_ = ordinal;
  if (std::ranges::find(contenders_, ordinal, &Contender::ordinal) == contenders_.end()) {
    contenders_.push_back({ordinal});
  }
}

const Configuration& Contest::configuration_of(const Contender& contender) const {
  return stage_.request.space.configurations.at(static_cast<std::size_t>(contender.ordinal));
}

/// Nothing where its program is to be compiled again.
std::optional<PreparedPoint> Contest::prepare_again(const Contender& contender) const {
  const Workload* recent = stage_.recent.find(static_cast<std::size_t>(contender.ordinal));
  if (recent == nullptr) return std::nullopt;
  PreparedPoint point;
  point.workload = *recent;
  point.useful = useful_traffic_of(configuration_of(contender));
  return point;
}

void Contest::prepare() {
  std::vector<std::optional<PreparedPoint>> points;
  std::vector<Configuration> forgotten;
  for (const Contender& contender : contenders_) {
    points.push_back(prepare_again(contender));
    if (!points.back()) forgotten.push_back(configuration_of(contender));
  }
  CompilePool compiled(stage_.compile);
  PreparedPoints prepared(compiled, forgotten, nullptr, measure_);
  std::vector<Contender> able;
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    if (!points[i]) {
      points[i] = stage_.watch.time(Phase::compile, [&] { return prepared.next(); });
    }
    if (!points[i]->workload) continue;
    if (counts_ && stage_.counts != nullptr) {
      stage_.counts->begin(static_cast<std::size_t>(contenders_[i].ordinal), *points[i]->workload,
                           points[i]->useful);
    }
    able.push_back(contenders_[i]);
    prepared_.push_back(std::move(*points[i]));
  }
  contenders_ = std::move(able);
}

double Contest::measure_once(std::size_t i) {
  const PreparedPoint& prepared = prepared_[i];
  const PointRecord point =
      stage_.measure(*prepared.workload, measure_, prepared.useful, Phase::compare).point;
  return figure_of(point, ranked_by_).value_or(0);
}

void Contest::measure_round(std::size_t round) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    contenders_[i].figures.push_back(0);
    if (contenders_[i].goes_on) places.push_back(i);
  }
  for (const std::size_t i : round_order(places.size(), round)) {
    contenders_[places[i]].figures.back() = measure_once(places[i]);
  }
  drop_failed();
}

void Contest::drop_failed() {
  for (std::size_t i = contenders_.size(); i-- > 0;) {
    const Contender& contender = contenders_[i];
    if (!contender.goes_on || contender.figures.back() > 0) continue;
    failed_.push_back(contender.ordinal);
    contenders_.erase(contenders_.begin() + static_cast<std::ptrdiff_t>(i));
    prepared_.erase(prepared_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// Whether no other may be better than the best, or only by so little that it does not matter.
/// Drops those that are not.
bool Contest::is_clear(std::size_t rounds) {
  if (!rules_.until_clear || rounds % look_every != 0 || contenders_.empty()) return false;
  const std::size_t leader = best();
  bool clear = true;
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    if (!contenders_[i].goes_on) continue;
    const bool is_reference = reference_ == contenders_[i].ordinal;
    const auto found = advantage(contenders_[leader], contenders_[i]);
    const bool is_slower = i != leader && found && found->low > 1;
    contenders_[i].goes_on = !is_slower || is_reference;
    if (i == leader || is_slower || is_reference) continue;
    clear = clear && found && found->low > 1 - matters && found->high < 1 + matters;
  }
  return clear;
}

bool Contest::is_over(std::size_t rounds, double spent) {
  const double allowed = std::max(rules_.free_seconds, rules_.share_of_run * begin_);
  if (rounds >= fewest_for_interval && spent > allowed) return true;
  return spent / static_cast<double>(rounds) * static_cast<double>(fewest_for_interval) >
         rules_.patience;
}

bool Contest::hold() {
  prepare();
  begin_ = stage_.watch.elapsed();
  std::size_t rounds = 0;
  while (contenders_.size() >= 2 && rounds < rules_.most_rounds && !stage_.stop) {
    measure_round(rounds++);
    if (is_over(rounds, stage_.watch.elapsed() - begin_) || is_clear(rounds)) break;
  }
  return contenders_.size() >= 2 && rounds >= fewest_for_interval;
}

std::optional<PairedComparison> Contest::advantage(const Contender& one,
                                                   const Contender& other) const {
  return ranked_by_.better == Better::higher ? compare_paired(one.figures, other.figures)
                                             : compare_paired(other.figures, one.figures);
}

std::size_t Contest::best() const {
  std::size_t best = 0;
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    const auto against = advantage(contenders_[best], contenders_[i]);
    if (against && against->ratio < 1) best = i;
  }
  return best;
}

std::vector<ComparisonRecord> Contest::records() const {
  const Contender& leader = contenders_[best()];
  std::vector<ComparisonRecord> records;
  for (const Contender& contender : contenders_) {
    if (contender.ordinal == leader.ordinal) {
      const auto measured =
          std::ranges::count_if(contender.figures, [](double f) { return f > 0; });
      records.push_back({contender.ordinal, static_cast<int>(measured)});
    } else if (const auto found = advantage(leader, contender)) {
      records.push_back({contender.ordinal, static_cast<int>(found->rounds), found->low,
                         found->ratio, found->high});
    }
  }
  return records;
}

}  // namespace sweep
