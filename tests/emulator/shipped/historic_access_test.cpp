#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <iostream>

#include "engine/emulator/execution/emulator_backend.h"
#include "tests/emulator/shipped/emulated_points.h"
#include "tests/emulator/shipped/library.h"
#include "tests/nvrtc_fixture.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace historic_access {
namespace {

/// What a full warp's load of 4-byte elements comes to.
struct Cost {
  double transactions = 0;
  double sectors = 0;  ///< bytes moved / 32
};

/// A model and its costs: aligned, shifted by an element, with a stride of two, and reversed.
struct HistoricCase {
  int capability = 0;
  bool uses_l1 = false;
  std::array<Cost, 4> costs;
};

std::ostream& operator<<(std::ostream& out, const HistoricCase& historic) {
  return out << historic.capability << (historic.uses_l1 ? " with L1" : "");
}

constexpr std::array<Cost, 4> strict = {{{2, 4}, {32, 32}, {32, 32}, {32, 32}}};
constexpr std::array<Cost, 4> segments = {{{2, 4}, {3, 7}, {2, 8}, {2, 4}}};
constexpr std::array<Cost, 4> lines = {{{1, 4}, {2, 8}, {2, 8}, {1, 4}}};
constexpr std::array<Cost, 4> sectors = {{{4, 4}, {5, 5}, {8, 8}, {4, 4}}};

// CUDA C Programming Guide 4.2, appendix F; sectors from 5.0 on.
const std::vector<HistoricCase> historic_cases = {
    {10, false, strict},   {11, false, strict},   {12, false, segments}, {13, false, segments},
    {20, true, lines},     {20, false, sectors},  {30, false, sectors},  {35, true, lines},
    {35, false, sectors},  {50, false, sectors},  {60, false, sectors},  {70, false, sectors},
    {80, false, sectors},  {90, false, sectors},  {100, false, sectors}, {103, false, sectors},
    {120, false, sectors}, {121, false, sectors},
};

Configuration access(std::int64_t stride, std::int64_t offset, bool reversed) {
  Bindings given;
  given.set("STRIDE", stride);
  given.set("OFFSET", offset);
  given.set("REVERSED", reversed);
  given.set("BYTES", std::int64_t{1} << 18U);
  return shipped_configuration("access", given);
}

}  // namespace
}  // namespace historic_access

BOOST_AUTO_TEST_SUITE(historic_access, *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE(each_capability_has_its_own_costs, data::make(historic_cases), historic) {
  EmulatorSettings settings = emulator_settings(historic.capability, 2);
  settings.model.l1_for_global = historic.uses_l1;
  const std::vector<Configuration> configurations = {access(1, 0, false), access(1, 1, false),
                                                     access(2, 0, false), access(1, 0, true)};
  const auto points = emulate(configurations, settings);
  for (std::size_t i = 0; i < points.size(); ++i) {
    BOOST_TEST_CONTEXT(to_string(configurations[i])) {
      BOOST_TEST(points[i].verdict == "correct");
      const auto& metrics = points[i].metrics;
      BOOST_TEST(metrics.at("load_transactions_per_request") == historic.costs.at(i).transactions);
      BOOST_TEST(metrics.at("load_sectors_per_request") == historic.costs.at(i).sectors);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
