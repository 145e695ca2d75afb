// wgmma by way of the run-time compiler: every type, layout and source, bit for bit.
#include <boost/test/data/test_case.hpp>

#include "tests/emulator/execution/emulated_pattern.h"
#include "tests/wgmma_patterns.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(wgmma_of_the_emulator, *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE(matrices_are_multiplied, data::make(wgmma_cases), row) {
  EmulatorSettings settings = emulator_settings(90, 2);
  settings.checks_kernel = true;
  settings.is_exact = true;
  BOOST_TEST(emulate(wgmma_pattern(row), {}, settings).outcome == "correct");
}

BOOST_AUTO_TEST_CASE(what_is_counted) {
  // Without shared memory for a: 8 columns of b of 64 bytes are stored by 16 and 2 bytes.
  const Emulated one = emulate(wgmma_pattern({"f16", "f16", "f32", 8, 16, true}));
  BOOST_TEST(one.metrics.at("float_operations") == 2 * 64 * 8 * 32);
  // What wgmma reads of shared memory is no load of it.
  BOOST_TEST(one.metrics.at("shared_load_requests") == 0);
}

BOOST_AUTO_TEST_SUITE_END()
