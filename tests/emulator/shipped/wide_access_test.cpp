#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/emulator/execution/emulator_backend.h"
#include "tests/emulator/shipped/emulated_points.h"
#include "tests/emulator/shipped/library.h"
#include "tests/nvrtc_fixture.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace wide_access {
namespace {

constexpr std::int64_t bytes = 1 << 18;
constexpr std::int64_t copies = 0;

Configuration move_32_bytes(const std::string& type, std::int64_t access) {
  Bindings given;
  given.set("T", ElementType::find(type).value());
  given.set("ACCESS", access);
  given.set("BYTES", bytes);
  return shipped_configuration("load_256", given);
}

}  // namespace
}  // namespace wide_access

BOOST_AUTO_TEST_SUITE(wide_access, *boost::unit_test::precondition(has_nvrtc))

// PTX ISA 8.8: .v4.b64 from sm_100 on.
BOOST_DATA_TEST_CASE(an_access_of_32_bytes_is_one_request_from_10_0_on,
                     data::make({80, 90, 100, 103, 120, 121}), capability) {
  constexpr double warps = wide_access::bytes / 32.0 / 32;
  const std::vector<Configuration> configurations = {
      wide_access::move_32_bytes("ulonglong4_32a", wide_access::copies),
      wide_access::move_32_bytes("ulonglong4_16a", wide_access::copies),
      wide_access::move_32_bytes("double4_32a", wide_access::copies),
      wide_access::move_32_bytes("float4", wide_access::copies)};
  const auto points = emulate(configurations, emulator_settings(capability, 2));
  for (std::size_t i = 0; i < points.size(); ++i) {
    BOOST_TEST_CONTEXT(to_string(configurations[i])) {
      BOOST_TEST(points[i].verdict == "correct");
      const auto type = std::get<ElementType>(*configurations[i].parameters.find("T"));
      const bool is_one = type.alignment() == 32 && capability >= 100;
      const auto& metrics = points[i].metrics;
      for (const std::string direction : {"load", "store"}) {
        BOOST_TEST(metrics.at(direction + "_requests") == warps * (is_one ? 1 : 2));
        BOOST_TEST(metrics.at(direction + "_sectors_per_request") ==
                   static_cast<double>(type.size()));
        BOOST_TEST(metrics.at(direction + "_efficiency") ==
                   (is_one || type.size() == 16 ? 100 : 50));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
