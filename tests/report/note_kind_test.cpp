#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "report/findings.h"
#include "tests/rapidcheck_case.h"
#include "tests/store/arbitrary_records.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(note_kind)

namespace {

namespace data = boost::unit_test::data;
using Texts = std::vector<std::string>;

struct Case {
  std::string note;
  Texts numbers;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.note; }
};

const std::vector<Case> cases = {
    {"", {}},
    {"nothing to count", {}},
    {"2 of 16 samples, up to 5 % above", {"2", "16", "5"}},
    {"stopped after 0.5 s (1,024 samples)", {"0.5", "1,024"}},
    {"at 12.", {"12"}},
    {"one of (3,4)", {"3", "4"}},
    {"1,0000", {"1", "0000"}},
    {"by -1.3 %", {"-1.3"}},
    {"sm_90 T4 0x1f 3rd 1.x é5", {}},
    {"10-20", {}},
    {"version 13.0.1", {}},
    {"- -", {}},
};

BOOST_DATA_TEST_CASE(numbers_are_told_from_names, data::make(cases), c) {
  BOOST_TEST(take_apart(c.note).numbers == c.numbers, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_range_has_the_least_and_the_most_of_each_number) {
  NoteRange range(take_apart("3 of 16 samples, 0.5 % above"));
  range.add(take_apart("2 of 16 samples, 1,200 % above"));
  range.add(take_apart("10 of 16 samples, 20 % above"));
  BOOST_TEST(range.text() == "2 to 10 of 16 samples, 0.5 to 1,200 % above");
}

BOOST_AUTO_TEST_CASE(a_note_alone_stays_as_it_is) {
  check_property([] {
    const std::string note = arbitrary_bytes();
    NoteRange range(take_apart(note));
    range.add(take_apart(note));
    RC_ASSERT(range.text() == note);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
