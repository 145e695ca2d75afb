#include "engine/search/gaussian_process.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace sweep {
namespace {

// What is likely before anything is known: the ends of a column correlate by exp(-0.5), and noise
// is 2 % of the variance. The logarithms of weights and noise are normally distributed.
constexpr double usual_weight = -0.7;
constexpr double weight_spread = 1;
constexpr double usual_noise = -4;
constexpr double noise_spread = 1.5;

double squared(double x) {
  return x * x;
}

}  // namespace

GaussianProcess::GaussianProcess(std::vector<bool> unordered)
    : unordered_(std::move(unordered)), logarithms_(unordered_.size(), usual_weight) {
  logarithms_.push_back(usual_noise);
}

double GaussianProcess::correlation(const double* a, const double* b) const {
  double sum = 0;
  for (std::size_t column = 0; column < width(); ++column) {
    const double difference = std::abs(a[column] - b[column]);
    sum += weights_[column] * (unordered_[column] && difference != 0 ? 1 : difference);
  }
  return std::exp(-sum);
}

/// Makes all that follows from the points, the targets and the logarithms. The logarithm of their
/// posterior density, but for a constant.
double GaussianProcess::solve() {
  weights_.clear();
  for (std::size_t i = 0; i < width(); ++i) weights_.push_back(std::exp(logarithms_[i]));
  const std::size_t n = targets_.size();
  root_.assign(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    root_[i * n + i] = 1 + std::exp(logarithms_.back());
    for (std::size_t j = i + 1; j < n; ++j) {
      root_[i * n + j] = correlation(&points_[i * width()], &points_[j * width()]);
    }
  }
  // Cholesky's, and with each row U^T x = b for b the ones and the targets.
  double density = 0;
  std::vector<double> ones(n, 1);
  pulls_ = targets_;
  double ones_ones = 0;
  double ones_targets = 0;
  for (std::size_t t = 0; t < n; ++t) {
    double* row = &root_[t * n];
    constexpr double least = 1e-10;  // rounding makes nothing negative
    const double diagonal = std::sqrt(std::max(row[t], least));
    density -= std::log(diagonal);
    for (std::size_t j = t; j < n; ++j) row[j] /= diagonal;
    row[t] = diagonal;
    ones[t] /= diagonal;
    pulls_[t] /= diagonal;
    for (std::size_t i = t + 1; i < n; ++i) {
      double* below = &root_[i * n];
      const double factor = row[i];
      for (std::size_t j = i; j < n; ++j) below[j] -= factor * row[j];
      ones[i] -= factor * ones[t];
      pulls_[i] -= factor * pulls_[t];
    }
    ones_ones += squared(ones[t]);
    ones_targets += ones[t] * pulls_[t];
  }
  mean_ = ones_targets / ones_ones;
  double sum = 0;
  for (std::size_t t = 0; t < n; ++t) {
    pulls_[t] -= mean_ * ones[t];
    sum += squared(pulls_[t]);
  }
  // The variance is the likeliest, of an inverse gamma prior that is worth two points.
  constexpr double prior_sum = 0.1;
  const auto degrees = static_cast<double>(n + 2);
  variance_ = (sum + prior_sum) / degrees;
  density -= degrees / 2 * std::log(variance_);
  for (std::size_t t = n; t-- > 0;) {
    for (std::size_t j = t + 1; j < n; ++j) pulls_[t] -= root_[t * n + j] * pulls_[j];
    pulls_[t] /= root_[t * n + t];
  }
  for (std::size_t i = 0; i < width(); ++i) {
    density -= squared((logarithms_[i] - usual_weight) / weight_spread) / 2;
  }
  return density - squared((logarithms_.back() - usual_noise) / noise_spread) / 2;
}

void GaussianProcess::fit(std::vector<double> points, std::vector<double> targets, bool tune,
                          RandomGenerator& random) {
  points_ = std::move(points);
  targets_ = std::move(targets);
  double best = solve();
  if (!tune) return;
  constexpr int rounds = 2;
  constexpr double least_step = 0.35;
  constexpr double most_step = 1.05;
  for (int round = 0; round < rounds; ++round) {
    for (double& logarithm : logarithms_) {
      const double old = logarithm;
      const double sign = random.chance(0.5) ? 1 : -1;
      // One way, and the other where that is no better.
      for (const double direction : {sign, -sign}) {
        logarithm = old + direction * (least_step + (most_step - least_step) * random.unit());
        const double density = solve();
        if (density > best) {
          best = density;
          break;
        }
        logarithm = old;
      }
    }
  }
  solve();
}

void GaussianProcess::believe(std::span<const double> points) {
  for (const Prediction& prediction : predict(points)) targets_.push_back(prediction.mean);
  points_.insert(points_.end(), points.begin(), points.end());
  solve();
}

std::vector<Prediction> GaussianProcess::predict(std::span<const double> points) const {
  constexpr std::size_t lanes = 8;  // points at a time
  const std::size_t n = targets_.size();
  std::vector<Prediction> result(points.size() / width(), {mean_, variance_});
  std::vector<std::array<double, lanes>> left(n);  // of U^T x = b, b each point's correlations
  for (std::size_t begin = 0; begin < result.size(); begin += lanes) {
    const std::size_t used = std::min(lanes, result.size() - begin);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t lane = 0; lane < used; ++lane) {
        left[i][lane] = correlation(&points[(begin + lane) * width()], &points_[i * width()]);
        result[begin + lane].mean += left[i][lane] * pulls_[i];
      }
    }
    std::array<double, lanes> explained{};
    for (std::size_t t = 0; t < n; ++t) {
      const double* row = &root_[t * n];
      std::array<double, lanes>& x = left[t];
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        x[lane] /= row[t];
        explained[lane] += x[lane] * x[lane];
      }
      for (std::size_t i = t + 1; i < n; ++i) {
        for (std::size_t lane = 0; lane < lanes; ++lane) left[i][lane] -= row[i] * x[lane];
      }
    }
    for (std::size_t lane = 0; lane < used; ++lane) {
      result[begin + lane].variance = variance_ * std::max(1 - explained[lane], 0.0);
    }
  }
  return result;
}

}  // namespace sweep
