// Prints how many configurations each strategy tries on the synthetic spaces until it has reached
// 95 % and 99 % of the best: the median and the 90th percentile over the seeds, and the time that
// choosing took. Arguments: the number of seeds (100), then names of strategies (all that are
// not exhaustive).

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "engine/search/comparison.h"
#include "tests/search/synthetic_spaces.h"

namespace {

constexpr std::array<double, 2> shares = {0.95, 0.99};

void compare(const sweep::testing::SyntheticSpace& synthetic, const std::string& name,
             std::size_t seeds) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<std::string> names = {name};
  const auto standings = sweep::compare_strategies(synthetic.space, synthetic.costs, names, shares,
                                                   seeds, synthetic.space.size());
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  fmt::print("  {:<10}  {:>6}  {:>6}  {:>6}  {:>6}  {:>8.1f}\n", name, standings[0].median,
             standings[0].ninetieth, standings[1].median, standings[1].ninetieth,
             elapsed.count() * 1e3 / static_cast<double>(seeds));
}

void compare_all(std::size_t seeds, const std::vector<std::string>& names) {
  for (const auto& synthetic : sweep::testing::synthetic_spaces()) {
    fmt::print("{}\n  {:<10}  {:>6}  {:>6}  {:>6}  {:>6}  {:>8}\n", synthetic.name, "strategy",
               "95 %", "90th", "99 %", "90th", "ms/seed");
    for (const std::string& name : names) compare(synthetic, name, seeds);
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    std::vector<std::string> names;
    if (arguments.size() > 1) {
      names.assign(arguments.begin() + 1, arguments.end());
    } else {
      for (const std::string& name : sweep::strategy_names()) {
        if (name != "exhaustive") names.push_back(name);
      }
    }
    compare_all(arguments.empty() ? 100 : std::stoul(arguments[0]), names);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return EXIT_FAILURE;
  }
}
