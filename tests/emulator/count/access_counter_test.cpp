#include <boost/test/unit_test.hpp>

#include "engine/emulator/count/model.h"
#include "tests/emulator/count/arbitrary_access.h"
#include "tests/emulator/count/plain_rules.h"
#include "tests/rapidcheck_case.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(access_counter)

namespace {

constexpr int cases = 2000;

}  // namespace

BOOST_AUTO_TEST_CASE(counts_by_the_plain_rules_on_current_hardware) {
  sweep::testing::check_property(
      [] {
        const WarpAccess access = testing::any_access();
        const AccessKind kind = testing::any_kind();
        RC_ASSERT(count_global(default_model(90), access, kind) ==
                  testing::plain_global(access, kind));
        RC_ASSERT(count_shared(default_model(90), access, kind) ==
                  testing::plain_shared(access, kind));
      },
      2 * cases);
}

BOOST_AUTO_TEST_CASE(every_model_counts_bytes_and_lines_and_atomics_by_the_plain_rules) {
  sweep::testing::check_property(
      [] {
        const MemoryModel model = testing::any_model();
        const WarpAccess access = testing::any_access();
        const AccessKind kind = testing::any_kind();
        const GlobalCount global = count_global(model, access, kind);
        const SharedCount shared = count_shared(model, access, kind);
        const GlobalCount plain = testing::plain_global(access, kind);
        RC_ASSERT(global.bytes_wanted == plain.bytes_wanted);
        RC_ASSERT(global.lines == plain.lines);
        RC_ASSERT(shared.bytes_wanted == plain.bytes_wanted);
        if (!is_atomic(kind)) return;
        RC_ASSERT(global.transactions == plain.transactions);
        RC_ASSERT(global.sectors == plain.sectors);
        RC_ASSERT(shared == testing::plain_shared(access, kind));
      },
      cases);
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
          const auto active = *rc::gen::element(~0U, 1U, 0x80000000U, 0xffffU, 0x7ffffff0U);
          global.add_affine(static_cast<std::uint64_t>(base), step, width, global_total, active);
          shared.add_affine(static_cast<std::uint64_t>(base), step, width, shared_total, active);
          const WarpAccess access = testing::affine(base, step, width, active);
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
