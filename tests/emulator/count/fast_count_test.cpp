#include "engine/emulator/count/fast_count.h"

#include <boost/test/unit_test.hpp>

#include "tests/emulator/count/arbitrary_access.h"
#include "tests/rapidcheck_case.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(fast_count)

namespace {

constexpr int cases = 2000;

void expect_equal_counts(const MemoryModel& model, const WarpAccess& access, AccessKind kind) {
  RC_ASSERT(fast_count_global(model, access, kind) == count_global(model, access, kind));
  RC_ASSERT(fast_count_shared(model, access, kind) == count_shared(model, access, kind));
}

}  // namespace

BOOST_AUTO_TEST_CASE(counts_as_the_reference) {
  sweep::testing::check_property(
      [] { expect_equal_counts(testing::any_model(), testing::any_access(), testing::any_kind()); },
      cases);
}

BOOST_AUTO_TEST_CASE(counts_as_the_reference_on_current_hardware) {
  sweep::testing::check_property(
      [] { expect_equal_counts(default_model(90), testing::any_access(), testing::any_kind()); },
      cases);
}

BOOST_AUTO_TEST_CASE(counts_addresses_that_are_not_aligned_as_the_reference) {
  sweep::testing::check_property([] {
    WarpAccess access = testing::any_access();
    for (std::uint64_t& address : access.address) address += *rc::gen::inRange<std::uint64_t>(0, 4);
    expect_equal_counts(default_model(90), access, testing::any_kind());
  });
}

BOOST_AUTO_TEST_CASE(a_counter_adds_what_single_counts_add_up_to) {
  sweep::testing::check_property(
      [] {
        const MemoryModel model = testing::any_model();
        const AccessKind kind = testing::any_kind();
        GlobalCounter global(model, kind);
        SharedCounter shared(model, kind);
        GlobalCount global_total;
        GlobalCount global_expected;
        SharedCount shared_total;
        SharedCount shared_expected;
        for (int i = 0; i < 6; ++i) {
          const WarpAccess access = testing::any_access();
          for (int repeat = 0; repeat < 2; ++repeat) {
            global.add(access, global_total);
            shared.add(access, shared_total);
            global_expected += count_global(model, access, kind);
            shared_expected += count_shared(model, access, kind);
          }
        }
        RC_ASSERT(global_total == global_expected);
        RC_ASSERT(shared_total == shared_expected);
      },
      300);
}

BOOST_AUTO_TEST_CASE(a_counter_knows_affine_accesses_by_their_base_and_step) {
  sweep::testing::check_property(
      [] {
        const MemoryModel model = testing::any_model();
        const auto width = *rc::gen::element<std::uint32_t>(1, 2, 4, 8, 16);
        GlobalCounter global(model, AccessKind::load);
        SharedCounter shared(model, AccessKind::load);
        GlobalCount global_total;
        GlobalCount global_expected;
        SharedCount shared_total;
        SharedCount shared_expected;
        for (int i = 0; i < 10; ++i) {
          const std::int64_t base = *rc::gen::inRange(20000, 21000) * std::int64_t{width};
          const std::int64_t step = *rc::gen::inRange(-130, 130) * std::int64_t{width};
          global.add_affine(static_cast<std::uint64_t>(base), step, width, global_total);
          shared.add_affine(static_cast<std::uint64_t>(base), step, width, shared_total);
          const WarpAccess access = testing::affine(base, step, width);
          global_expected += count_global(model, access, AccessKind::load);
          shared_expected += count_shared(model, access, AccessKind::load);
        }
        RC_ASSERT(global_total == global_expected);
        RC_ASSERT(shared_total == shared_expected);
      },
      300);
}

BOOST_AUTO_TEST_CASE(no_active_lane_counts_nothing) {
  GlobalCounter global(default_model(90), AccessKind::load);
  GlobalCount total;
  global.add(testing::affine(0, 4, 4, 0), total);
  BOOST_TEST(total == GlobalCount{});
}

BOOST_AUTO_TEST_SUITE_END()
