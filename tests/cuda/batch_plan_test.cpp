#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "engine/cuda/cuda_execution.h"
#include "tests/rapidcheck_case.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(batch_plan)

namespace {

constexpr double micro = 1e-6;
constexpr std::uint64_t mebi = std::uint64_t{1} << 20U;
constexpr std::uint64_t gibi = std::uint64_t{1} << 30U;

struct PlanCase {
  double microseconds;
  std::size_t copies;
  BatchPlan plan;

  friend std::ostream& operator<<(std::ostream& out, const PlanCase& c) {
    return out << c.microseconds << " us, " << c.copies << " copies";
  }
};

// A sample is to last 20 us.
const std::vector<PlanCase> plan_cases = {
    {1000, 128, {1, 1}}, {20, 128, {1, 1}},     {19, 128, {2, 1}},  {10, 128, {2, 1}},
    {2, 128, {16, 1}},   {2, 1, {1, 16}},       {2, 4, {4, 4}},     {2, 5, {4, 4}},
    {2, 17, {16, 1}},    {0.01, 128, {128, 1}}, {0.01, 1, {1, 32}}, {0.01, 2, {2, 32}},
    {0.01, 64, {64, 2}}, {0, 128, {128, 1}},    {0, 0, {1, 32}},    {-1, 3, {2, 32}},
};

}  // namespace

BOOST_DATA_TEST_CASE(short_launches_are_timed_together_as_far_as_there_are_copies,
                     data::make(plan_cases), c) {
  const BatchPlan plan = plan_batch(c.microseconds * micro, 20 * micro, c.copies);
  BOOST_TEST(plan.launches_per_round == c.plan.launches_per_round);
  BOOST_TEST(plan.rounds == c.plan.rounds);
}

BOOST_AUTO_TEST_CASE(a_sample_lasts_200_steps_of_the_clock_and_20_us) {
  BOOST_TEST(sample_target(0.5 * micro) == 100 * micro, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(sample_target(0.032 * micro) == 20 * micro, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(a_plan_reaches_the_target_unless_a_limit_stops_it) {
  testing::check_property([] {
    const double seconds = *rc::gen::inRange(1, 10'000'000) * 1e-9;
    const auto copies = *rc::gen::inRange<std::size_t>(1, 200);
    const BatchPlan plan = plan_batch(seconds, 20 * micro, copies);
    RC_ASSERT(plan.launches_per_round >= 1);
    RC_ASSERT(static_cast<std::size_t>(plan.launches_per_round) <= copies);
    RC_ASSERT(plan.launches() <= most_launches_per_sample);
    RC_ASSERT(plan.rounds <= most_rounds_per_sample);
    const bool limited =
        plan.rounds == most_rounds_per_sample || plan.launches() == most_launches_per_sample;
    RC_ASSERT(limited || plan.launches() * seconds >= 20 * micro * 0.999);
    // Not more than twice what is needed.
    RC_ASSERT(plan.launches() == 1 || plan.launches() * seconds < 40 * micro * 1.001);
  });
}

BOOST_AUTO_TEST_CASE(a_block_never_overflows_the_queue) {
  testing::check_property([] {
    const double seconds = *rc::gen::inRange(1, 1'000'000) * 1e-9;
    const auto copies = *rc::gen::inRange<std::size_t>(1, 200);
    const BatchPlan plan = plan_batch(seconds, 20 * micro, copies);
    const BatchPlan warm = plan_batch(seconds, 20 * micro, most_launches_per_sample);
    const int cold_samples = samples_per_block(plan, CacheState::cold);
    const int warm_samples = samples_per_block(warm, CacheState::warm);
    RC_ASSERT(cold_samples >= 1 && cold_samples <= most_samples_per_block);
    RC_ASSERT(warm_samples >= 1 && warm_samples <= most_samples_per_block);
    RC_ASSERT(cold_samples * (plan.rounds * (plan.launches_per_round + 3) + 1) <= 400);
    RC_ASSERT(warm_samples * (warm.launches() + 4) <= 400);
  });
}

BOOST_AUTO_TEST_CASE(copies_lie_as_allocations_of_their_own_would) {
  const std::vector<std::uint64_t> sizes = {100, 3 * mebi, 7, 2 * mebi};
  const CopyLayout layout = lay_out_copy(sizes);
  const std::vector<std::uint64_t> offsets = {0, 2 * mebi, 5 * mebi, 6 * mebi};
  BOOST_TEST(layout.offsets == offsets, boost::test_tools::per_element());
  BOOST_TEST(layout.bytes_per_copy == 8 * mebi);
  BOOST_TEST(lay_out_copy({}).bytes_per_copy == 0U);
  const std::vector<std::uint64_t> small = {4000};
  BOOST_TEST(lay_out_copy(small).bytes_per_copy == 4096U);
}

BOOST_AUTO_TEST_CASE(copies_take_a_bounded_share_of_the_memory) {
  const auto allowed = [](std::uint64_t bytes, std::uint64_t memory) {
    const std::vector<std::uint64_t> sizes = {bytes};
    return copies_allowed(lay_out_copy(sizes), memory);
  };
  BOOST_TEST(allowed(4000, 140 * gibi) == 128U);
  BOOST_TEST(allowed(gibi, 140 * gibi) == 5U);
  BOOST_TEST(allowed(gibi, 16 * gibi) == 3U);
  BOOST_TEST(allowed(5 * gibi, 140 * gibi) == 1U);
  BOOST_TEST(allowed(~std::uint64_t{0} - 5, 140 * gibi) == 1U);
  BOOST_TEST(copies_allowed(lay_out_copy({}), gibi) == 128U);
}

BOOST_AUTO_TEST_SUITE_END()
