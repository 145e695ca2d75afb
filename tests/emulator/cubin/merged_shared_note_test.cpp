#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <utility>
#include <vector>

#include "engine/emulator/cubin/memory_instructions.h"

namespace data = boost::unit_test::data;

namespace {

using namespace sweep;

/// Bytes and how many accesses of them.
using Widths = std::vector<std::pair<unsigned, unsigned>>;

WidthCount counted(const Widths& widths) {
  WidthCount count;
  for (const auto& [width, number] : widths) count.add(width, number);
  return count;
}

struct Case {
  const char* name;
  Widths ptx;
  Widths machine_code;
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
  MemoryInstructionCount ptx;
  MemoryInstructionCount machine_code;
  ptx.shared_loads = counted(row.ptx);
  machine_code.shared_loads = counted(row.machine_code);
  const std::string expected = row.expected.empty()
                                   ? ""
                                   : "ptxas merged shared-memory loads: " + row.expected +
                                         "; wavefront counts are an upper bound";
  BOOST_TEST(merged_shared_note(ptx, machine_code) == expected);
}

BOOST_AUTO_TEST_CASE(stores_too) {
  MemoryInstructionCount ptx;
  MemoryInstructionCount machine_code;
  ptx.shared_stores.add(4, 8);
  machine_code.shared_stores.add(16, 2);
  BOOST_TEST(merged_shared_note(ptx, machine_code) ==
             "ptxas merged shared-memory stores: 8 in the PTX, 2 in the machine code; wavefront "
             "counts are an upper bound");
  ptx.shared_loads.add(4, 2);
  machine_code.shared_loads.add(8, 1);
  BOOST_TEST(merged_shared_note(ptx, machine_code) ==
             "ptxas merged shared-memory loads: 2 in the PTX, 1 in the machine code; stores: 8 in "
             "the PTX, 2 in the machine code; wavefront counts are an upper bound");
}

BOOST_AUTO_TEST_CASE(other_spaces_do_not_matter) {
  MemoryInstructionCount ptx;
  ptx.global_loads.add(4, 8);
  ptx.local_stores.add(4, 8);
  BOOST_TEST(merged_shared_note(ptx, {}).empty());
}

BOOST_AUTO_TEST_CASE(counting_widths) {
  WidthCount count;
  count.add(4);
  count.add(4, 2);
  count.add(16);
  count.add(3);
  count.add(0);
  BOOST_TEST(count.of(4) == 3U);
  BOOST_TEST(count.of(16) == 1U);
  BOOST_TEST(count.of(1) == 0U);
  BOOST_TEST(count.of(3) == 0U);
  BOOST_TEST(count.total() == 4U);
}
