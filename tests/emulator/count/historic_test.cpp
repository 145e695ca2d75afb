#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <vector>

#include "engine/emulator/count/model.h"
#include "tests/emulator/count/arbitrary_access.h"

namespace data = boost::unit_test::data;
using namespace sweep;
using sweep::testing::affine;

BOOST_AUTO_TEST_SUITE(historic)

namespace {

using Sizes = std::vector<unsigned>;

const WarpAccess aligned = affine(4096, 4, 4);
const WarpAccess shifted = affine(4100, 4, 4);
const WarpAccess every_second = affine(4096, 8, 4);
const WarpAccess reversed = affine(4096 + 124, -4, 4);

struct Transactions {
  const char* what;
  int capability;
  WarpAccess access;
  Sizes expected;

  friend std::ostream& operator<<(std::ostream& out, const Transactions& row) {
    return out << row.capability << ' ' << row.what;
  }
};

const std::vector<Transactions> transactions = {
    {"aligned", 10, aligned, {64, 64}},
    {"shifted", 10, shifted, Sizes(32, 32)},
    {"stride 2", 10, every_second, Sizes(32, 32)},
    {"reversed", 10, reversed, Sizes(32, 32)},
    {"with gaps", 11, affine(4096, 4, 4, 0xfff0ff0f), {64, 64}},
    {"8 bytes", 11, affine(4096, 8, 8), {128, 128}},
    {"16 bytes", 10, affine(4096, 16, 16), {128, 128, 128, 128}},
    {"bytes", 10, affine(4096, 1, 1), Sizes(32, 32)},
    {"one half-warp", 10, affine(4096, 4, 4, 0xffff), {64}},
    {"aligned", 13, aligned, {64, 64}},
    {"shifted", 13, shifted, {128, 64, 32}},
    {"stride 2", 12, every_second, {128, 128}},
    {"reversed", 13, reversed, {64, 64}},
    {"bytes", 12, affine(4096, 1, 1), {32, 32}},
    {"2 bytes", 12, affine(4096, 2, 2), {32, 32}},
    {"16 bytes", 13, affine(4096, 16, 16), {128, 128, 128, 128}},
    {"aligned", 20, aligned, {128}},
    {"shifted", 20, shifted, {128, 128}},
    {"stride 2", 21, every_second, {128, 128}},
    {"reversed", 20, reversed, {128}},
    {"8 bytes", 20, affine(4096, 8, 8), {128, 128}},
    {"one 16-byte address", 20, affine(4096, 0, 16), Sizes(4, 128)},
    {"shifted", 35, shifted, Sizes(5, 32)},
    {"aligned", 50, aligned, Sizes(4, 32)},
    {"shifted", 61, shifted, Sizes(5, 32)},
    {"stride 2", 75, every_second, Sizes(8, 32)},
    {"reversed", 90, reversed, Sizes(4, 32)},
    {"one 16-byte address", 120, affine(4096, 0, 16), Sizes(1, 32)},
};

struct SharedRow {
  const char* what;
  MemoryModel model;
  WarpAccess access;
  std::uint64_t wavefronts;
  std::uint64_t ideal;

  friend std::ostream& operator<<(std::ostream& out, const SharedRow& row) {
    return out << row.model.compute_capability << ' ' << row.what;
  }
};

const MemoryModel v1 = default_model(13);
const MemoryModel v2 = default_model(20);
const MemoryModel v3 = default_model(30);
const MemoryModel v3_wide{30, false, true};

const std::vector<SharedRow> shared = {
    {"words", v1, affine(0, 4, 4), 2, 2},
    {"stride 2", v1, affine(0, 8, 4), 4, 2},
    {"one word", v1, affine(0, 0, 4), 2, 2},
    {"pairs of words: one broadcast a step", v1, affine(0, 2, 2), 4, 2},
    {"bytes", v1, affine(0, 1, 1), 8, 2},
    {"doubles: two requests, each with stride 2", v1, affine(0, 8, 8), 8, 4},
    {"words", v2, affine(0, 4, 4), 1, 1},
    {"bytes", v2, affine(0, 1, 1), 1, 1},
    {"stride 2", v2, affine(0, 8, 4), 2, 1},
    {"stride 32", v2, affine(0, 128, 4), 32, 1},
    {"doubles", v2, affine(0, 8, 8), 2, 2},
    {"16 bytes: one more each", v2, affine(0, 16, 16), 8, 4},
    {"words", v3, affine(0, 4, 4), 1, 1},
    {"stride 2: words i and i + 32", v3, affine(0, 8, 4), 1, 1},
    {"stride 2 across segments", v3, affine(128, 8, 4), 2, 1},
    {"stride 4", v3, affine(0, 16, 4), 2, 1},
    {"stride 32", v3, affine(0, 128, 4), 16, 1},
    {"doubles", v3, affine(0, 8, 8), 1, 1},
    {"16 bytes", v3, affine(0, 16, 16), 2, 2},
    {"words", v3_wide, affine(0, 4, 4), 1, 1},
    {"stride 2", v3_wide, affine(128, 8, 4), 1, 1},
    {"stride 32", v3_wide, affine(0, 128, 4), 16, 1},
    {"doubles", v3_wide, affine(128, 8, 8), 1, 1},
    {"doubles, stride 2", v3_wide, affine(0, 16, 8), 2, 1},
};

}  // namespace

BOOST_DATA_TEST_CASE(loads_split_into_transactions, data::make(transactions), row) {
  const MemoryModel model = default_model(row.capability);
  if (row.capability < 50) {
    BOOST_TEST(historic_transactions(model, row.access, AccessKind::load) == row.expected,
               boost::test_tools::per_element());
  }
  const GlobalCount count = count_global(model, row.access, AccessKind::load);
  unsigned bytes = 0;
  for (const unsigned size : row.expected) bytes += size;
  BOOST_TEST(count.requests == 1U);
  BOOST_TEST(count.transactions == row.expected.size());
  BOOST_TEST(count.sectors == bytes / 32);
}

BOOST_DATA_TEST_CASE(shared_loads_take_wavefronts, data::make(shared), row) {
  const SharedCount count = count_shared(row.model, row.access, AccessKind::load);
  BOOST_TEST(count.wavefronts == row.wavefronts);
  BOOST_TEST(count.ideal == row.ideal);
}

BOOST_AUTO_TEST_CASE(stores_of_2_x_go_to_l2_in_sectors) {
  BOOST_TEST(historic_transactions(default_model(20), shifted, AccessKind::store) == Sizes(5, 32),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(l1_is_a_choice_on_2_x_and_3_x) {
  MemoryModel without = default_model(20);
  without.l1_for_global = false;
  BOOST_TEST(count_global(without, shifted, AccessKind::load).transactions == 5U);
  MemoryModel with = default_model(35);
  with.l1_for_global = true;
  BOOST_TEST(count_global(with, shifted, AccessKind::load).transactions == 2U);
}

BOOST_AUTO_TEST_CASE(relatives_of_known_models_have_rules) {
  for (const int capability : known_models()) BOOST_TEST(has_rules(capability));
  for (const int capability : {21, 32, 37, 52, 61, 72, 87, 103, 121})
    BOOST_TEST(has_rules(capability));
  for (const int capability : {0, 9, 14, 40, 49, 110, 130, -10}) BOOST_TEST(!has_rules(capability));
}

BOOST_AUTO_TEST_SUITE_END()
