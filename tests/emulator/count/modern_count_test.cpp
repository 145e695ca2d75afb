#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <ostream>
#include <vector>

#include "engine/emulator/count/model.h"
#include "tests/emulator/count/arbitrary_access.h"
#include "tests/rapidcheck_case.h"

namespace data = boost::unit_test::data;
using namespace sweep;
using sweep::testing::affine;

BOOST_AUTO_TEST_SUITE(modern_count)

namespace {

const MemoryModel hopper = default_model(90);

struct Row {
  const char* what;
  WarpAccess access;
  std::uint64_t sectors;
  std::uint64_t lines;
  std::uint64_t bytes;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.what; }
};

const std::vector<Row> rows = {
    {"1 byte", affine(0, 1, 1), 1, 1, 32},
    {"2 bytes", affine(0, 2, 2), 2, 1, 64},
    {"4 bytes", affine(0, 4, 4), 4, 1, 128},
    {"8 bytes", affine(0, 8, 8), 8, 2, 256},
    {"16 bytes", affine(0, 16, 16), 16, 4, 512},
    {"32 bytes", affine(0, 32, 32), 32, 8, 1024},
    {"1 byte, shifted", affine(1, 1, 1), 2, 1, 32},
    {"2 bytes, shifted", affine(2, 2, 2), 3, 1, 64},
    {"4 bytes, shifted", affine(4, 4, 4), 5, 2, 128},
    {"8 bytes, shifted", affine(8, 8, 8), 9, 3, 256},
    {"16 bytes, shifted", affine(16, 16, 16), 17, 5, 512},
    {"a field of 24-byte structures", affine(0, 24, 4), 24, 6, 128},
    {"one address", affine(0, 0, 4), 1, 1, 4},
    {"one lane", affine(0, 4, 4, 1), 1, 1, 4},
};

WarpAccess shuffled(WarpAccess access, unsigned seed) {
  std::vector<unsigned> order(32);
  std::iota(order.begin(), order.end(), 0U);
  for (unsigned i = 31; i > 0; --i) {
    seed = seed * 1664525U + 1013904223U;
    std::swap(order[i], order[(seed >> 8) % (i + 1)]);
  }
  const WarpAccess before = access;
  access.active = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    access.address[order[lane]] = before.address[lane];
    access.active |= (before.active >> lane & 1) << order[lane];
  }
  return access;
}

MemoryModel any_modern() {
  return default_model(*rc::gen::element(50, 60, 61, 70, 75, 80, 86, 89, 90, 100, 103, 120, 121));
}

}  // namespace

BOOST_DATA_TEST_CASE(sectors_and_lines, data::make(rows), row) {
  for (const AccessKind kind : {AccessKind::load, AccessKind::store}) {
    const GlobalCount count = count_global(hopper, row.access, kind);
    BOOST_TEST(count.requests == 1U);
    BOOST_TEST(count.sectors == row.sectors);
    BOOST_TEST(count.transactions == row.sectors);
    BOOST_TEST(count.lines == row.lines);
    BOOST_TEST(count.tag_wavefronts == (row.lines + 3) / 4);
    BOOST_TEST(count.bytes_wanted == row.bytes);
  }
}

BOOST_DATA_TEST_CASE(a_stride_takes_its_sectors, data::xrange(0, 41) * data::make({1, 2, 4, 8, 16}),
                     stride, width) {
  const auto element = static_cast<std::uint64_t>(width);
  const std::uint64_t step = static_cast<std::uint64_t>(stride) * element;
  const std::uint64_t expected = step <= 32 ? (31 * step + element + 31) / 32 : 32;
  const WarpAccess access = affine(0, stride * width, static_cast<std::uint32_t>(width));
  BOOST_TEST(count_global(hopper, access, AccessKind::load).sectors == expected);
}

BOOST_AUTO_TEST_CASE(counts_keep_their_bounds) {
  testing::check_property(
      [] {
        const MemoryModel model = any_modern();
        const WarpAccess access = testing::any_access();
        const GlobalCount global = count_global(model, access, AccessKind::load);
        RC_ASSERT(global.sectors >= (global.bytes_wanted + 31) / 32);
        RC_ASSERT(global.sectors <= global.lanes);
        RC_ASSERT(global.lines <= global.sectors);
        RC_ASSERT(global.sectors <= 4 * global.lines);
        RC_ASSERT(global.bytes_wanted <= global.lanes * access.width);
        const SharedCount shared = count_shared(model, access, testing::any_kind());
        RC_ASSERT(shared.wavefronts >= shared.ideal);
        RC_ASSERT(shared.ideal >= 1U);
        const SharedCount load = count_shared(model, access, AccessKind::load);
        RC_ASSERT(load.wavefronts <= (access.width <= 4 ? 32U : 64U));
        RC_ASSERT(load.wavefronts * 128 >= load.bytes_wanted);
      },
      1000);
}

BOOST_AUTO_TEST_CASE(the_order_of_lanes_does_not_matter_for_sectors_nor_for_words) {
  testing::check_property(
      [] {
        const WarpAccess access = testing::any_access();
        const WarpAccess other = shuffled(access, *rc::gen::arbitrary<unsigned>());
        for (const AccessKind kind : {AccessKind::load, AccessKind::atomic}) {
          const GlobalCount count = count_global(hopper, access, kind);
          RC_ASSERT(count_global(hopper, other, kind).sectors == count.sectors);
          RC_ASSERT(count_global(hopper, other, kind).lines == count.lines);
        }
        if (access.width <= 4)
          RC_ASSERT(count_shared(hopper, other, AccessKind::load) ==
                    count_shared(hopper, access, AccessKind::load));
      },
      1000);
}

BOOST_AUTO_TEST_CASE(a_shift_by_whole_lines_changes_nothing) {
  testing::check_property(
      [] {
        const MemoryModel model = testing::any_model();
        const AccessKind kind = testing::any_kind();
        const WarpAccess access = testing::any_access();
        WarpAccess other = access;
        // Segments of 3.x banks are of 256 bytes.
        for (std::uint64_t& address : other.address)
          address += model.compute_capability / 10 == 3 ? 256 : 128;
        RC_ASSERT(count_global(model, other, kind) == count_global(model, access, kind));
        RC_ASSERT(count_shared(model, other, kind) == count_shared(model, access, kind));
      },
      1000);
}

BOOST_AUTO_TEST_CASE(atomics_at_one_address_take_turns) {
  const WarpAccess same = affine(256, 0, 4);
  BOOST_TEST(count_global(hopper, same, AccessKind::atomic).sectors == 32U);
  BOOST_TEST(count_shared(hopper, same, AccessKind::atomic).wavefronts == 32U);
  BOOST_TEST(count_shared(hopper, same, AccessKind::increment).wavefronts == 1U);
  BOOST_TEST(count_shared(hopper, same, AccessKind::compare_and_swap).wavefronts == 64U);
}

BOOST_AUTO_TEST_CASE(counts_add_up) {
  GlobalCount global{1, 2, 3, 4, 5, 6, 7, 8};
  global += GlobalCount{10, 20, 30, 40, 50, 60, 70, 80};
  const GlobalCount global_sum{11, 22, 33, 44, 55, 66, 77, 88};
  BOOST_TEST(global == global_sum);
  SharedCount shared{1, 2, 3, 9, 5};
  shared += SharedCount{10, 20, 30, 40, 30};
  const SharedCount shared_sum{11, 22, 33, 49, 35};
  BOOST_TEST(shared == shared_sum);
  BOOST_TEST(shared.conflicts() == 14U);
}

BOOST_AUTO_TEST_SUITE_END()
