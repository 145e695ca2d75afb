#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <vector>

#include "engine/run/measurer.h"
#include "tests/rapidcheck_case.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(chunk_size)

namespace {

struct Case {
  std::size_t figures;
  double elapsed;
  double each;
  int size;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.figures << " after " << c.elapsed << " s, " << c.each << " s each";
  }
};

// The rules: 10 to 1000 samples, 0.5 s.
const std::vector<Case> cases = {
    {0, 0, 0, 10},            // nothing is known: the fewest at once
    {0, 0, 1e-4, 10},         // and when they are short
    {0, 0, 0.02, 5},          // a tenth of a second's work
    {8, 9, 0.02, 2},          // the fewest are due even when the time is over
    {3, 9, 0.4, 1},           // slow ones one by one
    {10, 0.01, 1e-4, 2},      // a fifth more
    {11, 0.01, 1e-4, 2},      //
    {100, 0.01, 1e-4, 20},    //
    {900, 0.09, 1e-4, 100},   // not above the most
    {999, 0.09, 1e-4, 1},     //
    {800, 0.4995, 1e-4, 5},   // what the time has room for
    {800, 0.49999, 1e-4, 1},  // at least one
    {800, 0.1, 1e-3, 100},    // a tenth of a second again
    {100, 0.6, 1e-3, 1},      // time that is over has room for none
};

}  // namespace

BOOST_DATA_TEST_CASE(sizes_follow_what_was_taken_and_what_is_left, data::make(cases), c) {
  BOOST_TEST(next_chunk_size(MeasureRules{}, c.figures, c.elapsed, c.each) == c.size);
}

BOOST_AUTO_TEST_CASE(the_first_chunk_decides_whether_to_give_up) {
  MeasureRules rules;
  rules.give_up_seconds = 1;
  BOOST_TEST(next_chunk_size(rules, 0, 0, 1e-4) == 3);
  BOOST_TEST(next_chunk_size(rules, 3, 0, 1e-4) == 7);
  BOOST_TEST(next_chunk_size(rules, 0, 0, 1) == 1);
  rules.min_samples = rules.max_samples = 2;
  BOOST_TEST(next_chunk_size(rules, 0, 0, 1e-4) == 2);
}

BOOST_AUTO_TEST_CASE(chunks_reach_the_most_and_never_pass_it) {
  sweep::testing::check_property([] {
    MeasureRules rules;
    rules.min_samples = *rc::gen::inRange(1, 200);
    rules.max_samples = rules.min_samples + *rc::gen::inRange(0, 2000);
    rules.seconds = 0.001 * *rc::gen::inRange(1, 2000);
    const double each = 1e-5 * *rc::gen::inRange(0, 30'000);
    int taken = 0;
    int calls = 0;
    const auto is_over = [&] {
      return taken >= rules.min_samples &&
             (taken >= rules.max_samples || taken * each >= rules.seconds);
    };
    while (!is_over()) {
      const int size = next_chunk_size(rules, static_cast<std::size_t>(taken), taken * each, each);
      RC_ASSERT(size >= 1);
      RC_ASSERT(size == 1 || size * each <= 0.1 + 1e-9);
      taken += size;
      ++calls;
      RC_ASSERT(taken <= rules.max_samples);
    }
    // What is taken beyond the fewest ends with the time allowed, one sample over at most.
    RC_ASSERT(taken <= rules.min_samples || taken * each <= rules.seconds + each + 1e-9);
    if (each == 0) RC_ASSERT(calls <= 60);
  });
}

BOOST_AUTO_TEST_SUITE_END()
