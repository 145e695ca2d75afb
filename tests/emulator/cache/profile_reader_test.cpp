#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "engine/emulator/cache/device_profile.h"
#include "engine/text/diagnostic.h"
#include "tests/text/message_case.h"

namespace data = boost::unit_test::data;

namespace profile_reader_test {
namespace {

using namespace sweep;

DeviceProfile read(const std::string& text) {
  return read_profile(std::make_shared<Source>(Source{"device.yaml", text}));
}

std::string mistakes(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return sweep::testing::messages(error.diagnostics());
  }
  return "no mistake";
}

struct Mistake {
  std::string text;
  std::string expected;

  friend std::ostream& operator<<(std::ostream& out, const Mistake& row) { return out << row.text; }
};

const std::string capabilities =
    "the capabilities are: 1.0, 1.1, 1.2, 1.3, 2.0, 2.1, 3.0, 3.5, 3.7, 5.0, 5.2, 6.0, 6.1, 7.0, "
    "7.5, 8.0, 8.6, 8.9, 9.0, 10.0, 10.3, 12.0, 12.1";

const std::vector<Mistake> cases = {
    {"name: mine\n",
     "1:1+1 the device profile needs the key 'compute_capability' | for example "
     "compute_capability: 9.0"},
    {"compute_capability: 9\n", "1:21+1 '9' is not a known compute capability | " + capabilities},
    {"compute_capability: 9.1\n",
     "1:21+3 '9.1' is not a known compute capability | " + capabilities},
    {"compute_capability: 9.00\n",
     "1:21+4 '9.00' is not a known compute capability | " + capabilities},
    {"compute_capability: [9.0]\n", "1:21+1 'compute_capability' must be a single value"},
    {"compute_capability: 9.0\nl2_byte: 1 Mi\n",
     "2:1+7 the device profile has no key 'l2_byte' | did you mean 'l2_bytes'?"},
    {"compute_capability: 9.0\nl2_bytes: much\n",
     "2:11+4 'much' is not an integer, a boolean or an element type"},
    {"compute_capability: 9.0\nl2_bytes: 2 Gi\n",
     "2:11+4 'l2_bytes' must be an integer from 0 to 1 Gi"},
    {"compute_capability: 9.0\nl2_bytes: true\n",
     "2:11+4 'l2_bytes' must be an integer from 0 to 1 Gi"},
    {"compute_capability: 9.0\nmultiprocessors: 0\nl1_ways: 0\n",
     "2:18+1 'multiprocessors' must be an integer from 1 to 1 Ki\n"
     "3:10+1 'l1_ways' must be an integer from 1 to 1 Ki"},
    {"compute_capability: 9.0\ndram_granularity: 48\n",
     "2:19+2 'dram_granularity' must be 32, 64 or 128"},
    {"compute_capability: 9.0\nl1_is_unified: 1\n", "2:16+1 'l1_is_unified' must be true or false"},
    {"compute_capability: 9.0\nshared_bytes_per_block: 228 Ki + 1\n",
     "2:25+10 'shared_bytes_per_block' (233473) is more than 'shared_bytes_per_multiprocessor' "
     "(233472) | give both; what is left out is taken from a built-in profile"},
    {"compute_capability: 9.0\nl1_bytes: 128 Ki\n",
     "2:11+6 'shared_bytes_per_multiprocessor' (233472) is more than 'l1_bytes' (131072) | give "
     "both; what is left out is taken from a built-in profile"},
    {"- 1\n",
     "1:1+1 the device profile must be a map of keys and values | the keys are: name, "
     "compute_capability, multiprocessors, max_threads_per_multiprocessor, "
     "max_blocks_per_multiprocessor, max_threads_per_block, registers_per_multiprocessor, "
     "registers_per_block, shared_bytes_per_multiprocessor, shared_bytes_per_block, l1_bytes, "
     "l1_is_unified, l1_ways, l2_bytes, l2_ways, l2_parts, l2_coalescers, dram_granularity, "
     "times"},
};

}  // namespace

BOOST_DATA_TEST_CASE(mistakes_have_their_place, data::make(cases), row) {
  BOOST_TEST(mistakes(row.text) == row.expected);
}

BOOST_AUTO_TEST_CASE(what_is_left_out_is_built_in) {
  BOOST_TEST((read("compute_capability: 9.0\n") == builtin_profile(90)));
  BOOST_TEST((read("compute_capability: 10.3\n") == builtin_profile(103)));
  BOOST_TEST((read("compute_capability: 12.0\n") == builtin_profile(120)));
}

BOOST_AUTO_TEST_CASE(every_field_is_read) {
  const DeviceProfile expected = {"Mine", 80,        7,   1536,  12,    512, 65536, 32768, 131072,
                                  false,  50U << 20, 128, 32768, 16384, 8,   32,    3,     6};
  BOOST_TEST((read(R"(
name: Mine
compute_capability: 8.0
multiprocessors: 7
max_threads_per_multiprocessor: 1536
max_blocks_per_multiprocessor: 12
max_threads_per_block: 512
registers_per_multiprocessor: 32 Ki
registers_per_block: 16 Ki
shared_bytes_per_multiprocessor: 64 Ki
shared_bytes_per_block: 32 Ki
l1_bytes: 128 Ki
l1_is_unified: false
l1_ways: 8
l2_bytes: 50 Mi
l2_ways: 32
l2_parts: 3
l2_coalescers: 6
dram_granularity: 128
)") == expected));
}

}  // namespace profile_reader_test
