#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <iostream>
#include <numeric>

#include "engine/emulator/execution/emulator_backend.h"
#include "tests/emulator/shipped/emulated_points.h"
#include "tests/emulator/shipped/library.h"
#include "tests/nvrtc_fixture.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace shape_table {
namespace {

using Values = std::vector<std::pair<std::string, Value>>;
using Figures = std::vector<std::pair<std::string, double>>;

/// A configuration of a shipped pattern and the metrics that it is known for.
struct KnownCase {
  std::string pattern;
  Values given;
  Figures figures;
};

std::ostream& operator<<(std::ostream& out, const KnownCase& known) {
  out << known.pattern;
  for (const auto& [name, value] : known.given) out << ' ' << name << '=' << to_string(value);
  return out;
}

std::int64_t integer(int value) {
  return value;
}

KnownCase walk(int start, int move, int base, int iterations, double per_request, double sectors) {
  return {"walk",
          {{"START", integer(start)},
           {"MOVE", integer(move)},
           {"BASE", integer(base)},
           {"ITERATIONS", integer(iterations)}},
          {{"load_sectors_per_request", per_request},
           {"store_sectors_per_request", per_request},
           {"load_sectors", sectors},
           {"store_sectors", sectors},
           {"load_requests", iterations},
           {"store_requests", iterations}}};
}

/// Loads and stores each have gcd(32, OFFSET) - 1 conflicts in every iteration; the zeroing of the
/// array, 1024 stores of 16 bytes, has none.
KnownCase bank_conflicts(int offset, double conflicts) {
  constexpr int iterations = 10000;
  constexpr int zeroing = 1024;
  const double ways = offset == 0 ? 1 : std::gcd(32, offset);
  const double wanted = 2.0 * iterations * (offset == 0 ? 4 : 128) + zeroing * 16.0;
  return {"bank_conflicts",
          {{"OFFSET", integer(offset)}},
          {{"shared_load_requests", iterations},
           {"shared_store_requests", iterations + zeroing},
           {"shared_load_conflicts", conflicts},
           {"shared_store_conflicts", conflicts},
           {"shared_conflicts", 2 * conflicts},
           {"shared_load_wavefronts_per_request", ways},
           {"shared_store_wavefronts", ways * iterations + zeroing},
           {"shared_efficiency", 100 * wanted / (128 * (2 * ways * iterations + zeroing))}}};
}

KnownCase transpose(bool reads_columns, double load_sectors, double store_sectors) {
  return {"transpose",
          {{"READS_COLUMNS", reads_columns}, {"SIZE", integer(512)}},
          {{"load_sectors_per_request", load_sectors},
           {"load_lines_per_request", load_sectors == 4 ? 1 : 32},
           {"store_sectors_per_request", store_sectors},
           {"efficiency", 100.0 * 8 / 36}}};
}

KnownCase transpose_tiled(int pad, bool swizzled, double wavefronts) {
  return {"transpose_tiled",
          {{"PAD", integer(pad)}, {"SWIZZLED", swizzled}, {"SIZE", integer(512)}},
          {{"load_sectors_per_request", 4},
           {"store_sectors_per_request", 4},
           {"efficiency", 100},
           {"shared_load_wavefronts_per_request", wavefronts},
           {"shared_store_wavefronts_per_request", 1},
           {"shared_load_conflicts", (wavefronts - 1) * 512 * 512 / 32},
           {"shared_store_conflicts", 0}}};
}

KnownCase bank_width(const std::string& type, int stride, double wavefronts) {
  return {"bank_width",
          {{"T", *ElementType::find(type)},
           {"STRIDE", integer(stride)},
           {"ITERATIONS", integer(100)},
           {"BLOCKS", integer(8)}},
          {{"shared_load_wavefronts_per_request", wavefronts}}};
}

/// A load of one field of 24-byte structures.
KnownCase structures(const std::string& pattern, double sectors, double lines) {
  return {pattern,
          {{"BYTES", integer(1 << 20)}},
          {{"load_sectors_per_request", sectors},
           {"load_lines_per_request", lines},
           {"store_sectors_per_request", sectors}}};
}

const std::vector<KnownCase> known_cases = {
    walk(1, 32, 0, 1000, 4, 4000),  walk(32, 1, 0, 1000, 32, 32000),
    walk(1, 32, 1, 4000, 5, 20000), bank_conflicts(0, 0),
    bank_conflicts(1, 0),           bank_conflicts(2, 10000),
    bank_conflicts(4, 30000),       bank_conflicts(8, 70000),
    bank_conflicts(16, 150000),     bank_conflicts(32, 310000),
    bank_conflicts(36, 30000),      structures("aos", 24, 6),
    structures("soa", 4, 1),        structures("aosoa", 4, 1),
    transpose(true, 32, 4),         transpose(false, 4, 32),
    transpose_tiled(0, false, 32),  transpose_tiled(1, false, 1),
    transpose_tiled(0, true, 1),    bank_width("float", 2, 2),
    bank_width("float2", 1, 2),     bank_width("float2", 2, 4),
    bank_width("float4", 1, 4),     bank_width("float4", 2, 8),
};

Configuration configuration_of(const std::string& pattern, const Values& given) {
  Bindings bindings;
  for (const auto& [name, value] : given) bindings.set(name, value);
  return shipped_configuration(pattern, bindings);
}

std::vector<EmulatedPoint> emulate_on_hopper(const std::vector<Configuration>& configurations) {
  return emulate(configurations, emulator_settings(90, 2));
}

/// The points of `known_cases`, all compiled together.
const std::vector<EmulatedPoint>& known_points() {
  static const std::vector<EmulatedPoint> points = [] {
    std::vector<Configuration> configurations;
    for (const KnownCase& known : known_cases) {
      configurations.push_back(configuration_of(known.pattern, known.given));
    }
    return emulate_on_hopper(configurations);
  }();
  return points;
}

}  // namespace
}  // namespace shape_table

BOOST_AUTO_TEST_SUITE(shape_table, *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE(a_known_configuration_has_its_known_counts,
                     data::xrange(known_cases.size()) ^ data::make(known_cases), index, known) {
  const EmulatedPoint& point = known_points().at(index);
  BOOST_TEST(point.verdict == "correct");
  for (const auto& [metric, value] : known.figures) {
    BOOST_TEST_INFO(metric);
    BOOST_TEST_REQUIRE(point.metrics.contains(metric));
    BOOST_TEST(point.metrics.at(metric) == value, boost::test_tools::tolerance(1e-9));
  }
}

BOOST_DATA_TEST_CASE(shared_efficiency_is_as_published,
                     data::make({1, 32}) ^ data::make({95.74, 3.14}), offset, published) {
  const auto known = std::ranges::find_if(known_cases, [offset](const KnownCase& one) {
    return one.pattern == "bank_conflicts" && one.given.front().second == Value(integer(offset));
  });
  BOOST_REQUIRE(known != known_cases.end());
  const auto index = static_cast<std::size_t>(known - known_cases.begin());
  const double efficiency = known_points().at(index).metrics.at("shared_efficiency");
  BOOST_TEST(std::round(efficiency * 100) / 100 == published);
}

BOOST_AUTO_TEST_CASE(reversing_a_warp_changes_nothing_but_the_order) {
  const auto points = emulate_on_hopper({configuration_of("walk", {{"REVERSED", false}}),
                                         configuration_of("walk", {{"REVERSED", true}})});
  BOOST_TEST(points[0].verdict == "correct");
  BOOST_TEST(points[1].verdict == "correct");
  for (const std::string metric : {"load_sectors", "load_lines", "store_sectors", "efficiency"}) {
    BOOST_TEST(points[0].metrics.at(metric) == points[1].metrics.at(metric));
  }
}

/// Walks in which threads come to each other's elements and round the array several times.
BOOST_AUTO_TEST_CASE(walk_verifies_every_walk) {
  std::vector<Configuration> configurations;
  for (const int start : {1, 3, 32}) {
    for (const int move : {0, 7, 32, 5000}) {
      for (const int iterations : {1, 1200}) {
        configurations.push_back(configuration_of("walk", {{"START", integer(start)},
                                                           {"MOVE", integer(move)},
                                                           {"LENGTH", integer(1100)},
                                                           {"ITERATIONS", integer(iterations)}}));
      }
    }
  }
  check_all_correct(configurations, emulator_settings(90, 2));
}

BOOST_AUTO_TEST_CASE(bank_conflicts_verifies_every_offset) {
  std::vector<Configuration> configurations;
  for (const int offset : {0, 7, 32, 33}) {
    for (const int words : {2048, 12288}) {
      configurations.push_back(configuration_of(
          "bank_conflicts",
          {{"OFFSET", integer(offset)}, {"WORDS", integer(words)}, {"ITERATIONS", integer(700)}}));
    }
  }
  check_all_correct(configurations, emulator_settings(90, 2));
}

BOOST_AUTO_TEST_SUITE_END()
