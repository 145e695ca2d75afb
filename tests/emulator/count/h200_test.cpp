#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "engine/emulator/count/model.h"
#include "tests/emulator/count/arbitrary_access.h"
#include "tests/emulator/count/golden_cases.h"
#include "tests/emulator/count/plain_rules.h"

using namespace sweep;
using sweep::testing::GoldenCase;

BOOST_AUTO_TEST_SUITE(h200)

BOOST_AUTO_TEST_CASE(shared_wavefronts_and_conflicts_are_those_measured) {
  const auto rows = testing::read_golden_cases("h200_shared_cases.csv");
  BOOST_TEST(rows.size() > 900);
  for (const GoldenCase& row : rows) {
    const SharedCount count = count_shared(default_model(90), row.access, row.kind);
    BOOST_TEST_CONTEXT(row) {
      BOOST_TEST(count.wavefronts == row.first);
      // The hardware counts a conflict of a compare-and-swap once, though it costs two wavefronts.
      const std::uint64_t wavefronts_each = row.kind == AccessKind::compare_and_swap ? 2 : 1;
      BOOST_TEST(count.conflicts() == wavefronts_each * row.second);
    }
  }
}

BOOST_AUTO_TEST_CASE(global_requests_and_sectors_are_those_measured) {
  const auto rows = testing::read_golden_cases("h200_global_cases.csv");
  BOOST_TEST(rows.size() > 200);
  for (const GoldenCase& row : rows) {
    const GlobalCount count = count_global(default_model(90), row.access, row.kind);
    BOOST_TEST_CONTEXT(row) {
      BOOST_TEST(count.requests == row.first);
      const bool is_atomic = row.kind != AccessKind::load && row.kind != AccessKind::store;
      if (is_atomic && count.lines > 4) {
        // L1's tag stage takes few lines at once: now and then it parts the lanes of a sector.
        BOOST_TEST(row.second >= count.sectors);
        BOOST_TEST(row.second <= count.sectors + 2);
      } else {
        BOOST_TEST(count.sectors == row.second);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_plain_rules_count_the_same) {
  for (const GoldenCase& row : testing::read_golden_cases("h200_shared_cases.csv"))
    BOOST_TEST(testing::plain_shared(row.access, row.kind) ==
               count_shared(default_model(90), row.access, row.kind));
  for (const GoldenCase& row : testing::read_golden_cases("h200_global_cases.csv"))
    BOOST_TEST(testing::plain_global(row.access, row.kind) ==
               count_global(default_model(90), row.access, row.kind));
}

BOOST_AUTO_TEST_SUITE_END()
