#include "tests/report/golden_file.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace sweep::testing {
namespace {

/// The number of the first line, from 1, on which the texts differ.
std::size_t first_difference(const std::string& a, const std::string& b) {
  const auto place = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return 1 + static_cast<std::size_t>(std::count(a.begin(), place.first, '\n'));
}

}  // namespace

void check_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(SWEEP_SOURCE_DIR) + "/tests/report/golden/" + name;
  if (std::getenv("SWEEP_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string golden(std::istreambuf_iterator<char>(file), {});
  BOOST_TEST(static_cast<bool>(file), "cannot read " << path);
  BOOST_TEST((text == golden),
             name << " differs from line " << first_difference(golden, text) << " on; now it is\n"
                  << text
                  << "\nif this is wanted: SWEEP_UPDATE_GOLDEN=1 test_report --run_test=golden");
}

}  // namespace sweep::testing
