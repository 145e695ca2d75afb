#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "engine/run/compile_pool.h"
#include "tests/rapidcheck_case.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(batch_size)

namespace {

/// After batches of the sizes it asks for, each of which takes fixed + each * n.
BatchSize taught(double fixed, double each, int batches = 8) {
  BatchSize size;
  for (int i = 0; i < batches; ++i) {
    const std::size_t n = size.next(100'000, 1, 0);
    size.begin(n, 0);
    size.learn(n, fixed + each * static_cast<double>(n));
  }
  return size;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_first_batch_is_small_and_the_next_grow_with_what_was_seen) {
  BatchSize size;
  for (const std::size_t expected : {4U, 8U, 16U, 32U, 32U}) {
    BOOST_TEST(size.next(10'000, 16, 0) == expected);
    size.begin(expected, 0);
  }
  size.learn(4, 0.02 + 0.002 * 4);
  BOOST_TEST(size.next(10'000, 2, 0) == 32U);
  size.learn(16, 0.02 + 0.002 * 16);
  BOOST_TEST(size.next(10'000, 2, 0) == 64U);
}

BOOST_DATA_TEST_CASE(the_costs_are_learnt,
                     data::make({0.02, 0.005, 0.1}) * data::make({0.002, 0.0005, 0.05}), fixed,
                     each) {
  const BatchSize size = taught(fixed, each);
  BOOST_TEST(size.seconds_each() == each, boost::test_tools::tolerance(0.01));
  BOOST_TEST(size.fixed_seconds() == fixed, boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(the_fixed_part_is_a_small_share) {
  BOOST_TEST(taught(0.020, 0.002).next(100'000, 16, 0) == BatchSize::largest);
  BOOST_TEST(taught(0.00195, 0.002).next(100'000, 16, 0) == 19U);
  BOOST_TEST(taught(0.0001, 0.002).next(100'000, 16, 0) == BatchSize::first);
}

BOOST_AUTO_TEST_CASE(at_the_end_all_compilers_have_a_part) {
  const BatchSize size = taught(0.002, 0.002);
  BOOST_TEST(size.next(160, 16, 0) == 9U);
  BOOST_TEST(size.next(17, 16, 0) == 2U);
  BOOST_TEST(size.next(1, 16, 0) == 1U);
  // Unless the fixed part would be the most of it.
  BOOST_TEST(taught(0.009, 0.002).next(16, 16, 0) == 5U);
  BOOST_TEST(taught(0.100, 0.002).next(160, 16, 0) == 16U);
}

BOOST_AUTO_TEST_CASE(a_compiler_takes_more_while_others_are_at_work) {
  BatchSize size = taught(0.020, 0.002);
  BOOST_TEST(size.next(160, 2, 0) == 72U);
  size.begin(40, 0);  // 0.1 s, as 50 configurations
  BOOST_TEST(size.next(160, 2, 0) == 95U);
  BOOST_TEST(size.next(160, 2, 0.05) == 84U);
  BOOST_TEST(size.next(160, 2, 9) == 72U);
  size.learn(40, 0.1);
  BOOST_TEST(size.next(160, 2, 0) == 72U);
  // But never all, however long they take.
  for (int i = 0; i < 20; ++i) size.begin(BatchSize::largest, 0);
  BOOST_TEST(size.next(100, 4, 0) == 50U);
}

BOOST_AUTO_TEST_CASE(few_programs_come_of_many_configurations) {
  constexpr unsigned compilers = 16;
  constexpr double fixed = 0.023;
  constexpr double each = 0.0026;
  BatchSize size;
  struct Busy {
    double until = 0;
    double begun = 0;
    std::size_t configurations = 0;
  };
  std::vector<Busy> busy(compilers);
  std::size_t remaining = 2000;
  std::size_t programs = 0;
  double end = 0;
  while (remaining > 0) {
    Busy& free = *std::ranges::min_element(busy, {}, &Busy::until);
    const double now = free.until;
    if (free.configurations > 0) size.learn(free.configurations, now - free.begun);
    const std::size_t n = size.next(remaining, compilers, now);
    size.begin(n, now);
    free = {now + fixed + each * static_cast<double>(n), now, n};
    remaining -= n;
    ++programs;
    end = std::max(end, free.until);
  }
  BOOST_TEST_CONTEXT(programs << " programs in " << end << " s") {
    BOOST_TEST(programs <= 52U);
    const double work = fixed * static_cast<double>(programs) + each * 2000;
    BOOST_TEST(end < 1.08 * work / compilers);
  }
}

BOOST_AUTO_TEST_CASE(whatever_it_learns_the_size_is_possible) {
  testing::check_property([](const std::vector<std::pair<unsigned char, int>>& programs,
                             unsigned short remaining, unsigned char compilers) {
    BatchSize size;
    if (remaining % 2 == 0) size.begin(compilers, 0);
    for (const auto& [n, milliseconds] : programs) size.learn(n, milliseconds * 1e-3);
    const std::size_t most = std::size_t{remaining} + 1;
    const std::size_t next = size.next(most, compilers, 1e-3 * remaining);
    RC_ASSERT(next >= 1U);
    RC_ASSERT(next <= std::min(most, BatchSize::largest));
    RC_ASSERT(size.fixed_seconds() >= 0);
    RC_ASSERT(size.seconds_each() >= 0);
  });
}

BOOST_AUTO_TEST_SUITE_END()
