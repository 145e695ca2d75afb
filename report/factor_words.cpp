#include "report/factor_words.h"

#include <fmt/format.h>

namespace sweep {

std::string percent_text(double share) {
  const double figure = share * 100;
  const int decimals = figure >= 9.95 ? 0 : figure >= 0.995 ? 1 : 2;
  return fmt::format("{:.{}f}", figure, decimals);
}

std::string describe_factor(double factor, std::string_view word) {
  constexpr double twice = 2;
  if (factor >= twice) return fmt::format("{:.1f} times {}", factor, word);
  return fmt::format("{} % {}", percent_text(factor - 1), word);
}

}  // namespace sweep
