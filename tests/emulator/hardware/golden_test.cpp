#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/emulator/hardware/configuration_list.h"
#include "tests/emulator/hardware/emulated_outcome.h"
#include "tests/emulator/hardware/golden_file.h"
#include "tests/nvrtc_fixture.h"

/// The emulator against what an H200 did. `compare_with_gpu` writes the golden file.
using namespace sweep;
using namespace sweep::testing;

namespace hardware {
namespace {

const std::string folder = SWEEP_SOURCE_DIR "/tests/emulator/hardware";

}  // namespace
}  // namespace hardware

BOOST_AUTO_TEST_SUITE(hardware, *boost::unit_test::precondition(has_nvrtc))

BOOST_AUTO_TEST_CASE(the_emulator_does_what_the_hardware_did) {
  const GoldenFile golden = read_golden_file(folder + "/h200.csv");
  const auto configurations = compile_configurations(folder, nvrtc(), false);
  BOOST_TEST_REQUIRE(configurations.size() == golden.rows.size());
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const auto& [text, row] = golden.rows[i];
    BOOST_TEST_REQUIRE(configurations[i].text == text);
    const Outcome emulated = emulate(configurations[i].workload);
    BOOST_TEST_CONTEXT(text << " (recorded on " << golden.device << " with " << golden.compiler
                            << ", now " << nvrtc()->version() << ")") {
      BOOST_TEST(emulated.failure == "");
      for (std::size_t count = 0; count < count_names.size(); ++count) {
        BOOST_TEST(emulated.counts.at(count) == row.counts.at(count),
                   count_names.at(count)
                       << ": " << emulated.counts.at(count) << ", not " << row.counts.at(count));
      }
      BOOST_TEST(hashes_of(emulated) == row.hashes);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
