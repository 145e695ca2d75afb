#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <vector>

#include "engine/emulator/cubin/kernel_code.h"

namespace data = boost::unit_test::data;

namespace {

using namespace sweep;

struct Case {
  const char* name;
  WidthCount ptx;
  WidthCount machine_code;
  std::string expected;  ///< between "loads: " and the end

  friend std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.name; }
};

const std::vector<Case> cases = {
    {"none", {}, {}, ""},
    {"the same", {{4, 8}}, {{4, 8}}, ""},
    {"fewer", {{4, 8}}, {{8, 4}}, "8 in the PTX, 4 in the machine code"},
    {"fewer of one width", {{4, 8}}, {{4, 7}}, "8 in the PTX, 7 in the machine code"},
    {"unrolled", {{4, 8}}, {{4, 32}}, ""},
    {"unrolled, of two widths", {{4, 2}, {16, 1}}, {{4, 2}, {16, 4}}, ""},
    {"unrolled and merged",
     {{4, 4}},
     {{16, 4}},
     "4 of 4 bytes in the PTX, 4 of 16 bytes in the machine code"},
    {"unrolled and merged, with a remainder",
     {{4, 4}},
     {{4, 4}, {16, 4}},
     "4 of 4 bytes in the PTX, 4 of 4 bytes and 4 of 16 in the machine code"},
    {"moved to a width that was there",
     {{4, 4}, {16, 1}},
     {{16, 8}},
     "4 of 4 bytes and 1 of 16 in the PTX, 8 of 16 bytes in the machine code"},
    {"split", {{16, 1}}, {{4, 4}}, ""},
    {"bytes", {{1, 2}}, {{2, 2}}, "2 of 1 byte in the PTX, 2 of 2 bytes in the machine code"},
    {"generic in the PTX", {}, {{4, 4}}, ""},
};

}  // namespace

BOOST_DATA_TEST_CASE(loads, data::make(cases), row) {
  const std::string expected = row.expected.empty()
                                   ? ""
                                   : "ptxas merged shared-memory loads: " + row.expected +
                                         "; wavefront counts are an upper bound";
  BOOST_TEST(merged_shared_note({row.ptx, {}}, {row.machine_code, {}}) == expected);
}

BOOST_AUTO_TEST_CASE(stores_too) {
  SharedAccesses ptx{{}, {{4, 8}}};
  SharedAccesses machine_code{{}, {{16, 2}}};
  BOOST_TEST(merged_shared_note(ptx, machine_code) ==
             "ptxas merged shared-memory stores: 8 in the PTX, 2 in the machine code; wavefront "
             "counts are an upper bound");
  ptx.loads = {{4, 2}};
  machine_code.loads = {{8, 1}};
  BOOST_TEST(merged_shared_note(ptx, machine_code) ==
             "ptxas merged shared-memory loads: 2 in the PTX, 1 in the machine code; stores: 8 in "
             "the PTX, 2 in the machine code; wavefront counts are an upper bound");
}
