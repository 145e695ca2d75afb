#include "engine/predict/fit.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace sweep {
namespace {

using Profile = TimingProfile;

constexpr std::array<std::string_view, 18> all_sweeps = {
    "profile-memory",         "profile-flight",         "profile-footprint",  "profile-writes",
    "profile-latency",        "profile-memory-latency", "profile-sectors",    "profile-pages",
    "profile-stride",         "profile-camping",        "profile-shared",     "profile-barriers",
    "profile-shared-latency", "profile-atomics",        "profile-arithmetic", "profile-launches",
    "profile-cold-launches",  "profile-turnover"};

/// Which sweeps tell a constant.
struct Teller {
  std::string_view constant;
  std::vector<std::string_view> sweeps;
};

const std::vector<Teller>& tellers() {
  static const std::vector<Teller> all = {
      {"launch", {"profile-launches"}},
      {"cold_launch", {"profile-cold-launches"}},
      {"block", {"profile-launches"}},
      {"turnover", {"profile-turnover", "profile-flight"}},
      {"turnover_warp", {"profile-turnover"}},
      {"dram_read", {"profile-memory"}},
      {"dram_write", {"profile-memory"}},
      {"dram_turn", {"profile-memory"}},
      {"dram_region", {"profile-stride"}},
      {"l2_read", {"profile-camping", "profile-footprint"}},
      {"l2_write", {"profile-writes"}},
      {"atomic_same", {"profile-atomics"}},
      {"atomic_sector", {"profile-atomics"}},
      {"shared_wavefront", {"profile-shared"}},
      {"l1_latency", {"profile-latency"}},
      {"l2_latency", {"profile-latency"}},
      {"dram_latency", {"profile-memory-latency"}},
      {"sector", {"profile-sectors"}},
      {"shared_latency", {"profile-shared-latency"}},
      {"barrier", {"profile-barriers"}},
      {"barrier_warp", {"profile-barriers"}},
      {"step", {"profile-arithmetic"}},
      {"alu", {"profile-arithmetic"}},
      {"fma", {"profile-arithmetic"}},
      {"fp64", {"profile-arithmetic"}},
      {"special", {"profile-arithmetic"}},
  };
  return all;
}

/// Of predicted over measured.
double log_error(const TimedPoint& point, const Profile& profile) {
  return std::log(predict(point.demand, profile).seconds / point.seconds);
}

/// How far off a prediction is, whichever way: 0.1 for 10 % more or less.
double size_of(double log_error) {
  return std::expm1(std::abs(log_error));
}

/// The value below which a share of them lies.
double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const auto last = static_cast<double>(values.size() - 1);
  return values[static_cast<std::size_t>(std::ceil(share * last))];
}

/// One constant and its points, in terms of the constant's logarithm.
class ConstantFit {
 public:
  ConstantFit(const Teller& teller, std::span<const TimedPoint> points)
      : from_(fmt::format("{}", fmt::join(teller.sweeps, " and "))) {
    const auto keys = timing_keys();
    constant_ = std::ranges::find(keys, teller.constant, &TimingKey::name)->constant;
    for (const TimedPoint& point : points) {
      if (std::ranges::count(teller.sweeps, point.sweep) > 0) points_.push_back(&point);
    }
  }

  /// Moves the constant to where its points' loss is least, or back where they do not tell it.
  void improve(Profile& profile, const Profile& start) const {
    constexpr int places = 64;
    const auto [first, last] = range(start);
    const double step = (last - first) / places;
    double best = std::log(of(profile));
    double least = loss(profile, best);
    for (int i = 0; i <= places; ++i) {
      const double at = first + step * i;
      const double here = loss(profile, at);
      if (here < least) {
        least = here;
        best = at;
      }
    }
    of(profile).value = std::exp(golden_section(profile, best - step, best + step));
    if (!is_told(profile, start)) of(profile) = start.*constant_;
  }

  /// Whether the loss grows on both sides of the constant by as much as an interval takes.
  bool is_told(const Profile& profile, const Profile& start) const {
    if (points_.size() < 2) return false;
    const auto [first, last] = range(start);
    const double most = allowed(profile);
    return loss(profile, first) > most && loss(profile, last) > most;
  }

  /// Finds the constant's interval, and says where it is from; one that its points do not tell is
  /// what it was.
  void finish(Profile& profile, const Profile& start) const {
    if (!is_told(profile, start)) {
      of(profile) = start.*constant_;
      return;
    }
    constexpr double least_share = 0.005;  // of what is measured
    const auto [first, last] = range(start);
    TimingConstant& constant = of(profile);
    const double at = std::log(constant.value);
    const double most = allowed(profile);
    constant.low =
        std::min(std::exp(edge(profile, at, first, most)), constant.value * (1 - least_share));
    constant.high =
        std::max(std::exp(edge(profile, at, last, most)), constant.value * (1 + least_share));
    constant.from = from_;
  }

 private:
  TimingConstant& of(Profile& profile) const { return profile.*constant_; }

  /// Logarithms between which it is looked for.
  std::pair<double, double> range(const Profile& start) const {
    constexpr double farthest = 32;
    const double at = std::log(std::max((start.*constant_).value, 1e-6));
    return {at - std::log(farthest), at + std::log(farthest)};
  }

  /// With the constant at a value, and the profile's others.
  double loss(const Profile& profile, double log_value) const {
    constexpr double usual = 0.1;  // an error that is not yet large
    Profile changed = profile;
    of(changed).value = std::exp(log_value);
    double sum = 0;
    for (const TimedPoint* point : points_) {
      const double error = log_error(*point, changed) / usual;
      sum += std::log1p(error * error);
    }
    return sum;
  }

  double allowed(const Profile& profile) const {
    constexpr double of_90_percent = 2.71;  // of chi squared with one degree of freedom
    const double least = loss(profile, std::log((profile.*constant_).value));
    const auto count = static_cast<double>(points_.size());
    return least + of_90_percent * std::max(least / count, 1e-4);
  }

  double golden_section(const Profile& profile, double low, double high) const {
    constexpr double ratio = 1 / std::numbers::phi;
    constexpr double near = 1e-4;
    double a = high - ratio * (high - low);
    double b = low + ratio * (high - low);
    double loss_a = loss(profile, a);
    double loss_b = loss(profile, b);
    while (high - low > near) {
      if (loss_a < loss_b) {
        high = std::exchange(b, a);
        loss_b = loss_a;
        a = high - ratio * (high - low);
        loss_a = loss(profile, a);
      } else {
        low = std::exchange(a, b);
        loss_a = loss_b;
        b = low + ratio * (high - low);
        loss_b = loss(profile, b);
      }
    }
    return (low + high) / 2;
  }

  /// Where the loss comes to `most` on the way from the constant to a far value.
  double edge(const Profile& profile, double from, double to, double most) const {
    constexpr int halvings = 24;
    for (int i = 0; i < halvings; ++i) {
      const double middle = (from + to) / 2;
      (loss(profile, middle) > most ? to : from) = middle;
    }
    return (from + to) / 2;
  }

  std::string from_;
  TimingConstant Profile::*constant_;
  std::vector<const TimedPoint*> points_;
};

void fit_all(Profile& profile, const Profile& start, std::span<const ConstantFit> constants) {
  constexpr int most_rounds = 20;
  constexpr double enough = 1e-3;
  for (int round = 0; round < most_rounds; ++round) {
    const Profile before = profile;
    for (const ConstantFit& constant : constants) constant.improve(profile, start);
    double change = 0;
    for (const TimingKey& key : timing_keys()) {
      const double value = profile.*key.constant;
      if (value > 0) change = std::max(change, std::abs(std::log(value / before.*key.constant)));
    }
    if (change < enough) return;
  }
}

}  // namespace

std::span<const std::string_view> profile_sweeps() {
  return all_sweeps;
}

TimingProfile scaled_profile(TimingProfile known, unsigned multiprocessors, double clock,
                             double peak_bandwidth) {
  const double faster_clock = clock / known.clock;
  const double faster_memory = peak_bandwidth / known.peak_bandwidth;
  const double wider = multiprocessors / static_cast<double>(std::max(known.multiprocessors, 1U));
  const std::string from = known.gpu + " scaled";
  for (const TimingKey& key : timing_keys()) {
    if (!key.name.starts_with("spread_")) (known.*key.constant).from = from;
  }
  const auto scale = [&](std::initializer_list<TimingConstant Profile::*> constants, double by) {
    for (const auto each : constants) {
      TimingConstant& constant = known.*each;
      constant.value *= by;
      constant.low *= by;
      constant.high *= by;
    }
  };
  scale({&Profile::dram_read, &Profile::dram_write}, faster_memory);
  scale({&Profile::l2_read, &Profile::l2_write}, faster_clock * wider);
  scale({&Profile::dram_region}, 1 / faster_memory);
  scale({&Profile::block, &Profile::atomic_same, &Profile::atomic_sector}, 1 / faster_clock);
  scale({&Profile::dram_latency}, faster_clock);
  known.multiprocessors = multiprocessors;
  known.clock = {clock, clock, clock, from};
  known.peak_bandwidth = {peak_bandwidth, peak_bandwidth, peak_bandwidth, from};
  return known;
}

TimingProfile fit_profile(std::span<const TimedPoint> points, const TimingProfile& start) {
  std::vector<ConstantFit> constants;
  for (const Teller& teller : tellers()) constants.emplace_back(teller, points);
  Profile profile = start;
  fit_all(profile, start, constants);
  for (const ConstantFit& constant : constants) constant.finish(profile, start);
  return profile;
}

std::vector<SweepFit> errors_of(std::span<const TimedPoint> points, const TimingProfile& profile) {
  std::vector<SweepFit> fits;
  std::vector<std::vector<double>> errors;
  for (const TimedPoint& point : points) {
    auto place = std::ranges::find(fits, point.sweep, &SweepFit::sweep) - fits.begin();
    if (place == std::ssize(fits)) {
      fits.push_back({point.sweep});
      errors.emplace_back();
    }
    errors[static_cast<std::size_t>(place)].push_back(log_error(point, profile));
  }
  for (std::size_t i = 0; i < fits.size(); ++i) {
    std::vector<double> sizes;
    double sum = 0;
    for (const double error : errors[i]) {
      sizes.push_back(size_of(error));
      sum += error;
    }
    fits[i].points = sizes.size();
    fits[i].median_error = quantile(sizes, 0.5);
    fits[i].worst_error = quantile(sizes, 1);
    fits[i].bias = std::exp(sum / static_cast<double>(sizes.size()));
  }
  return fits;
}

}  // namespace sweep
