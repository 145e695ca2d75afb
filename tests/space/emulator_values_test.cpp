#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <string>

#include "engine/space/enumerate.h"
#include "tests/spec/example_patterns.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(emulator_values)

namespace {

using namespace sweep::testing;

struct Case {
  std::string sweep;  ///< of which the last configuration is taken
  std::string emulator_set;
  std::string expected;  ///< empty: nothing

  friend std::ostream& operator<<(std::ostream& out, const Case& example) {
    return out << example.sweep << example.emulator_set;
  }
};

const std::vector<Case> cases = {
    {"pattern: stride\naxes: {STRIDE: [1, 4], T: [float, double]}\n", "{N: 4096}",
     "stride T=double STRIDE=4 BLOCK=256 N=4096"},
    {"pattern: stride\naxes: {STRIDE: [1, 4], N: [8192, 16384]}\n", "{N: 4096}",
     "stride T=float STRIDE=4 BLOCK=256 N=4096"},
    {"patterns: [stride, tile]\naxes: {STRIDE: [1, 4], N: [8192, 16384]}\nwhere: pattern == "
     "'stride'\n",
     "{N: 4096}", "stride T=float STRIDE=4 BLOCK=256 N=4096"},
    {"pattern: stride\nzip: [{STRIDE: [1, 4], BLOCK: [128, 512]}]\n", "{N: [8192, 4096]}",
     "stride T=float STRIDE=4 BLOCK=512 N=8192"},
    {"pattern: stride\naxes: {BLOCK: [128, 512]}\nwhere: N >= BLOCK\n", "{N: [256, 4096]}",
     "stride T=float STRIDE=1 BLOCK=512 N=4096"},
    {"pattern: stride\naxes: {STRIDE: [1, 4], N: [8192, 4096]}\n", "{N: 4096}", ""},
    {"pattern: stride\naxes: {BLOCK: [128, 512]}\nwhere: N >= BLOCK\n", "{N: 256}", ""},
};

}  // namespace

BOOST_DATA_TEST_CASE(they_replace_the_configuration_s_own, data::make(cases), example) {
  const sweep::Sweep sweep =
      read_sweep(example.sweep + "emulator: {set: " + example.emulator_set + "}\n");
  const sweep::Space space = enumerate(sweep);
  BOOST_REQUIRE(!space.configurations.empty());
  const auto found = with_emulator_values(space.configurations.back(), sweep);
  BOOST_TEST((found ? to_string(*found) : std::string()) == example.expected);
}

BOOST_AUTO_TEST_CASE(a_sweep_without_them_has_none) {
  const sweep::Sweep sweep = read_sweep("pattern: stride\n");
  BOOST_TEST(!with_emulator_values(enumerate(sweep).configurations.front(), sweep).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
