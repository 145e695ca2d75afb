#include "engine/emulator/cache/cache_model.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "tests/emulator/cache/tiny_profile.h"

namespace data = boost::unit_test::data;

namespace sweep {

std::ostream& operator<<(std::ostream& out, const CacheCount& count) {
  return out << "L1 loads " << count.l1_load_hits << '/' << count.l1_load_sectors << "; L2 reads "
             << count.l2_read_hits << '/' << count.l2_read_sectors << ", writes "
             << count.l2_write_sectors << ", atomics " << count.l2_atomic_hits << '/'
             << count.l2_atomic_sectors << "; DRAM bytes read " << count.dram_read_bytes
             << ", written " << count.dram_write_bytes;
}

}  // namespace sweep

namespace {

using namespace sweep;
using namespace sweep::testing;

/// One warp instruction of multiprocessor `from`, on `count` sectors from `first` on.
struct Step {
  RequestKind kind;
  unsigned from;
  std::uint64_t first;
  unsigned count = 1;
  std::uint64_t stride = 1;
};

constexpr RequestKind load = RequestKind::load;
constexpr RequestKind bypass = RequestKind::bypassing_load;
constexpr RequestKind store = RequestKind::store;
constexpr RequestKind atomic = RequestKind::atomic;
constexpr RequestKind prefetch = RequestKind::prefetch;

struct Case {
  const char* name;
  unsigned l1_lines;
  unsigned l2_lines;
  unsigned granularity;
  std::vector<Step> steps;
  CacheCount expected;

  friend std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.name; }
};

void perform(CacheModel& model, const Step& step) {
  model.send(step.from, request_of(step.kind, sectors_from(step.first, step.count, step.stride)));
}

// l1 loads, hits; l2 reads, hits, writes, atomics, hits; DRAM bytes read, written
const std::vector<Case> cases = {
    {"nothing", 4, 8, 64, {}, {}},
    {"a whole line", 4, 8, 64, {{load, 0, 0, 4}}, {4, 0, 4, 0, 0, 0, 0, 128, 0}},
    {"the same line again",
     4,
     8,
     64,
     {{load, 0, 0, 4}, {load, 0, 0, 4}},
     {8, 4, 4, 0, 0, 0, 0, 128, 0}},
    {"from another multiprocessor",
     4,
     8,
     64,
     {{load, 0, 0, 4}, {load, 1, 0, 4}},
     {8, 0, 8, 4, 0, 0, 0, 128, 0}},
    {"two lines in one request", 4, 8, 64, {{load, 0, 2, 4}}, {4, 0, 4, 0, 0, 0, 0, 128, 0}},
    // A granule's other sector waits in L2, not in L1.
    {"one sector, granule of 64", 4, 8, 64, {{load, 0, 4}}, {1, 0, 1, 0, 0, 0, 0, 64, 0}},
    {"then the granule's other sector",
     4,
     8,
     64,
     {{load, 0, 4}, {load, 0, 5}},
     {2, 0, 2, 1, 0, 0, 0, 64, 0}},
    {"then the next granule",
     4,
     8,
     64,
     {{load, 0, 4}, {load, 0, 6}},
     {2, 0, 2, 0, 0, 0, 0, 128, 0}},
    {"one sector, granule of 32",
     4,
     8,
     32,
     {{load, 0, 4}, {load, 0, 5}},
     {2, 0, 2, 0, 0, 0, 0, 64, 0}},
    {"one sector, granule of 128",
     4,
     8,
     128,
     {{load, 0, 5}, {load, 0, 4}, {load, 0, 7}},
     {3, 0, 3, 2, 0, 0, 0, 128, 0}},
    {"every other granule", 4, 8, 64, {{load, 0, 1, 4, 2}}, {4, 0, 4, 0, 0, 0, 0, 256, 0}},
    {"two sectors of one granule miss together",
     4,
     8,
     64,
     {{load, 0, 0, 2}},
     {2, 0, 2, 0, 0, 0, 0, 64, 0}},
    {"a load that bypasses L1",
     4,
     8,
     64,
     {{bypass, 0, 0, 4}, {bypass, 0, 0, 4}, {load, 0, 0, 4}},
     {12, 0, 12, 8, 0, 0, 0, 128, 0}},
    {"a bypassing load leaves L1 alone",
     4,
     8,
     64,
     {{load, 0, 0, 4}, {bypass, 0, 0, 4}, {load, 0, 0, 4}},
     {12, 4, 8, 4, 0, 0, 0, 128, 0}},

    {"a store fetches nothing", 4, 8, 64, {{store, 0, 0, 4}}, {0, 0, 0, 0, 4, 0, 0, 0, 128}},
    {"a second store finds the first",
     4,
     8,
     64,
     {{store, 0, 0, 4}, {store, 1, 0, 4}},
     {0, 0, 0, 0, 8, 0, 0, 0, 128}},
    {"a store allocates in L1",
     4,
     8,
     64,
     {{store, 0, 0, 4}, {load, 0, 0, 4}},
     {4, 4, 0, 0, 4, 0, 0, 0, 128}},
    {"a store leaves what L1 has",
     4,
     8,
     64,
     {{load, 0, 0, 4}, {store, 0, 0, 4}, {load, 0, 0, 4}},
     {8, 4, 4, 0, 4, 0, 0, 128, 128}},
    {"a load beside a stored sector",
     4,
     8,
     64,
     {{store, 0, 0}, {load, 0, 1}},
     {1, 0, 1, 0, 1, 0, 0, 32, 32}},
    {"only changed sectors are written back",
     4,
     8,
     64,
     {{load, 0, 0, 4}, {store, 0, 2}},
     {4, 0, 4, 0, 1, 0, 0, 128, 32}},

    {"an atomic reads and changes L2",
     4,
     8,
     64,
     {{atomic, 0, 3}, {atomic, 1, 3}},
     {0, 0, 0, 0, 0, 2, 2, 64, 32}},
    {"an atomic takes the sector from its L1",
     4,
     8,
     64,
     {{load, 0, 0, 2}, {atomic, 0, 0}, {load, 0, 0, 2}},
     {4, 1, 3, 1, 0, 1, 1, 64, 32}},
    {"but not from another's",
     4,
     8,
     64,
     {{load, 1, 0, 2}, {atomic, 0, 0}, {load, 1, 0, 2}},
     {4, 2, 2, 0, 0, 1, 1, 64, 32}},

    // Lines 0, 1, 2 through an L2 of two lines.
    {"the least recently used line goes",
     0,
     2,
     64,
     {{load, 0, 0, 4}, {load, 0, 4, 4}, {load, 0, 8, 4}, {load, 0, 4, 4}, {load, 0, 0, 4}},
     {0, 0, 20, 4, 0, 0, 0, 512, 0}},
    {"use keeps a line",
     0,
     2,
     64,
     {{load, 0, 0, 4}, {load, 0, 4, 4}, {load, 0, 0, 4}, {load, 0, 8, 4}, {load, 0, 0, 4}},
     {0, 0, 20, 8, 0, 0, 0, 384, 0}},
    {"a sector that misses keeps its line too",
     0,
     2,
     32,
     {{load, 0, 0}, {load, 0, 4}, {load, 0, 1}, {load, 0, 8}, {load, 0, 0}},
     {0, 0, 5, 1, 0, 0, 0, 128, 0}},
    {"beyond L1, within L2",
     1,
     8,
     64,
     {{load, 0, 0, 12}, {load, 0, 0, 12}},
     {24, 0, 24, 12, 0, 0, 0, 384, 0}},
    {"beyond L2", 1, 2, 64, {{load, 0, 0, 12}, {load, 0, 0, 12}}, {24, 0, 24, 0, 0, 0, 0, 768, 0}},

    {"a dirty line is written when it goes, once",
     2,
     2,
     64,
     {{store, 0, 0, 3}, {store, 0, 4, 4}, {store, 0, 8, 4}, {load, 0, 0, 4}},
     {4, 0, 4, 0, 11, 0, 0, 128, 352}},
    {"a clean line is not",
     2,
     2,
     64,
     {{load, 0, 0, 4}, {load, 0, 4, 4}, {load, 0, 8, 4}},
     {12, 0, 12, 0, 0, 0, 0, 384, 0}},

    {"no L1",
     0,
     8,
     64,
     {{load, 0, 0, 4}, {load, 0, 0, 4}, {store, 0, 0, 4}},
     {0, 0, 8, 4, 4, 0, 0, 128, 128}},
    {"no cache at all",
     0,
     0,
     32,
     {{load, 0, 0, 3}, {load, 0, 0, 3}, {store, 0, 0, 2}, {atomic, 0, 0}},
     {0, 0, 0, 0, 0, 0, 0, 224, 96}},
    {"an address above 2^40",
     4,
     8,
     64,
     {{load, 0, std::uint64_t{1} << 50, 4}, {load, 0, std::uint64_t{1} << 50, 4}, {load, 0, 0, 4}},
     {12, 4, 8, 0, 0, 0, 0, 256, 0}},
};

}  // namespace

BOOST_DATA_TEST_CASE(counts, data::make(cases), row) {
  CacheModel model = tiny_model(row.l1_lines, row.l2_lines, row.granularity);
  for (const Step& step : row.steps) perform(model, step);
  CacheCount count = model.finish();
  // Of which there are tests of their own.
  count.dram_write_lines = count.dram_write_regions = count.dram_read_regions = 0;
  BOOST_TEST(count == row.expected);
}

BOOST_AUTO_TEST_CASE(finishing_twice_writes_back_once) {
  CacheModel model = tiny_model(2, 4, 64);
  perform(model, {store, 0, 0, 4});
  const CacheCount first = model.finish();
  BOOST_TEST(first.dram_write_bytes == 128U);
  BOOST_TEST(model.finish() == first);
  perform(model, {store, 0, 0, 1});
  BOOST_TEST(model.finish().dram_write_bytes == 160U);
}

BOOST_AUTO_TEST_CASE(a_launch_begins_with_an_empty_l1_and_the_l2_as_it_is) {
  CacheModel model = tiny_model(4, 8, 64);
  perform(model, {load, 0, 0, 4});
  model.begin_launch(4 * 128);
  perform(model, {load, 0, 0, 4});
  CacheCount expected = {8, 0, 8, 4, 0, 0, 0, 128, 0};
  expected.dram_read_regions = 1;
  BOOST_TEST(model.finish() == expected);
}

BOOST_AUTO_TEST_CASE(lanes_that_change_the_same_words_look_into_l2_again) {
  CacheModel model = tiny_model(4, 8, 64);
  Request request = request_of(atomic, {0, 1});
  request.repeats = 30;
  model.send(0, request);
  BOOST_TEST(model.count().l2_sectors() == 32U);
  BOOST_TEST(model.count().l2_hits() == 32U);
}

BOOST_AUTO_TEST_CASE(atomics_and_stores_find_their_line) {
  CacheModel model = tiny_model(4, 8, 64);
  perform(model, {atomic, 0, 0, 4});
  BOOST_TEST(model.count().l2_sectors() == 4U);
  BOOST_TEST(model.count().l2_hits() == 4U);
  perform(model, {store, 0, 40, 2});
  BOOST_TEST(model.count().l2_sectors() == 6U);
  BOOST_TEST(model.count().l2_hits() == 6U);
}

namespace {

/// Multiprocessors 0 and 1 are near to one half of L2, 2 and 3 to the other.
CacheModel two_halves() {
  DeviceProfile profile = tiny_profile(0, 64, 32);
  profile.multiprocessors = 4;
  profile.l2_parts = 2;
  profile.l2_ways = 32;
  return CacheModel(profile);
}

/// A line that has its home near to multiprocessor 0, or not.
std::uint64_t line_at_home(bool is_near) {
  for (std::uint64_t line = 0;; line += 32) {
    CacheModel model = two_halves();
    perform(model, {atomic, 0, 4 * line});
    // Another half says that its line came from memory.
    if ((model.count().l2_atomic_hits == 1) == is_near) return 4 * line;
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_half_of_l2_keeps_copies_of_the_others_lines) {
  CacheModel model = two_halves();
  const std::uint64_t line = line_at_home(false);
  const auto is_hit = [&](unsigned from) {
    const std::uint64_t before = model.count().l2_read_hits;
    perform(model, {load, from, line});
    return model.count().l2_read_hits != before;
  };
  BOOST_TEST(!is_hit(0));  // from memory, through its home
  BOOST_TEST(is_hit(0));
  BOOST_TEST(is_hit(1));  // beside it
  BOOST_TEST(is_hit(2));  // near to its home
  BOOST_TEST(model.count().dram_read_bytes == 32U);
  perform(model, {store, 1, line});
  BOOST_TEST(is_hit(0));  // its half has seen the store
  perform(model, {store, 3, line});
  BOOST_TEST(!is_hit(0));  // the other half's has dropped the copy
  BOOST_TEST(is_hit(0));
  perform(model, {atomic, 0, line});
  BOOST_TEST(model.count().l2_atomic_hits == 1U);
  BOOST_TEST(!is_hit(0));  // it was done at home
  BOOST_TEST(model.count().dram_read_bytes == 32U);
}

BOOST_AUTO_TEST_CASE(a_line_near_to_its_home_has_no_copy_elsewhere_until_it_is_read_there) {
  CacheModel model = two_halves();
  const std::uint64_t line = line_at_home(true);
  for (const unsigned from : {0U, 2U, 2U, 0U}) perform(model, {load, from, line});
  BOOST_TEST(model.count().l2_read_hits == 2U);
  BOOST_TEST(model.count().dram_read_bytes == 32U);
}

BOOST_AUTO_TEST_CASE(what_is_written_before_the_first_launch_lies_at_home) {
  CacheModel model = two_halves();
  model.prefill(line_at_home(true), line_at_home(true) + 1, false);
  model.prefill(line_at_home(false), line_at_home(false) + 1, false);
  BOOST_TEST(model.count() == CacheCount{});
  perform(model, {load, 0, line_at_home(true)});
  perform(model, {load, 0, line_at_home(false)});
  BOOST_TEST(model.finish() == (CacheCount{0, 0, 2, 1, 0, 0, 0, 0, 0}));
}

BOOST_AUTO_TEST_CASE(what_all_parts_have_is_found_near) {
  CacheModel model = two_halves();
  model.prefill(line_at_home(false), line_at_home(false) + 1, true);
  perform(model, {load, 0, line_at_home(false)});
  BOOST_TEST(model.finish() == (CacheCount{0, 0, 1, 1, 0, 0, 0, 0, 0}));
}

BOOST_AUTO_TEST_CASE(a_store_of_a_whole_sector_leaves_a_copy_in_its_own_half) {
  const std::uint64_t line = line_at_home(false);
  for (const RequestKind kind : {RequestKind::store, RequestKind::partial_store}) {
    CacheModel model = two_halves();
    perform(model, {kind, 0, line});
    perform(model, {load, 0, line});
    const bool is_whole = kind == RequestKind::store;
    BOOST_TEST(model.count().l2_read_hits == (is_whole ? 1U : 0U));
    BOOST_TEST((model.count().dram_read_bytes == 0U) == is_whole);
  }
}

BOOST_AUTO_TEST_CASE(a_partial_store_keeps_its_own_halfs_copy_and_drops_another_ones_whole_line) {
  CacheModel model = two_halves();
  const std::uint64_t line = line_at_home(false);
  const auto hits_of = [&](const Step& step) {
    const std::uint64_t before = model.count().l2_read_hits;
    perform(model, step);
    return model.count().l2_read_hits - before;
  };
  BOOST_TEST(hits_of({load, 0, line, 4}) == 0U);
  perform(model, {RequestKind::partial_store, 1, line});
  BOOST_TEST(hits_of({load, 0, line, 4}) == 4U);
  perform(model, {RequestKind::partial_store, 2, line});
  BOOST_TEST(hits_of({load, 0, line, 4}) == 0U);
}

/// A store of some bytes of one sector.
void store_part(CacheModel& model, std::uint64_t sector, std::uint32_t bytes) {
  Request request = request_of(RequestKind::partial_store, {sector});
  request.partial_bytes[0] = bytes;
  model.send(0, request);
}

BOOST_AUTO_TEST_CASE(what_stores_leave_out_of_a_sector_is_read_before_it_is_evicted) {
  CacheModel model(tiny_profile(0, 64, 64));
  store_part(model, 0, 0xff);
  store_part(model, 8, 0xffff);
  BOOST_TEST(model.count_at_end().dram_fill_bytes == 64U);
  store_part(model, 8, 0xffff'0000);
  BOOST_TEST(model.count_at_end().dram_fill_bytes == 32U);
  store_part(model, 16, 0xff);
  perform(model, {load, 0, 16});
  const CacheCount count = model.finish();
  BOOST_TEST(count.dram_fill_bytes == 32U);
  BOOST_TEST(count.dram_read_bytes == 64U);
  BOOST_TEST(count.dram_write_bytes == 96U);
  BOOST_TEST(count.l2_write_sectors == 4U);
}

BOOST_AUTO_TEST_CASE(lines_and_regions_of_dram_count_once_where_it_is_soon) {
  CacheModel model(tiny_profile(0, 64, 64));
  perform(model, {load, 0, 0, 2});
  perform(model, {load, 0, 4, 4});  // of the same 256 bytes
  perform(model, {load, 0, 8, 1});
  perform(model, {store, 0, 100});
  perform(model, {store, 0, 103});
  perform(model, {store, 0, 200, 4});
  CacheCount count = model.count_at_end();
  BOOST_TEST(count.dram_read_regions == 2U);
  BOOST_TEST(count.dram_write_lines == 2U);
  count = model.finish();
  BOOST_TEST(count.dram_write_lines == 2U);
  BOOST_TEST(count.dram_write_regions == 2U);
  constexpr std::uint64_t many = 100'000;  // lines
  for (std::uint64_t line = 1000; line < many; ++line) perform(model, {load, 0, 4 * line, 4});
  perform(model, {load, 0, 0, 1});
  BOOST_TEST(model.finish().dram_read_regions == 2 + (many - 1000) / 2 + 1);
}

BOOST_AUTO_TEST_CASE(a_prefetch_brings_what_a_load_then_finds) {
  CacheModel model(tiny_profile(0, 64, 64));
  perform(model, {prefetch, 0, 0, 4});
  BOOST_TEST(model.count().l2_read_sectors == 0U);
  BOOST_TEST(model.count().dram_read_bytes == 128U);
  perform(model, {load, 0, 0, 4});
  BOOST_TEST(model.count().l2_read_hits == 4U);
  BOOST_TEST(model.count().dram_read_bytes == 128U);
}

BOOST_AUTO_TEST_CASE(local_memory_is_in_the_caches_but_no_global_load) {
  CacheModel model(tiny_profile(64, 64, 64));
  perform(model, {store, 0, local_sectors, 4});
  perform(model, {load, 0, local_sectors, 4});
  BOOST_TEST(model.count().l2_write_sectors == 4U);
  BOOST_TEST(model.count().l1_load_sectors == 0U);
  BOOST_TEST(model.count().l2_read_sectors == 0U);
}

BOOST_AUTO_TEST_CASE(a_granule_comes_from_home_whole_and_counts_when_it_has_come) {
  const std::uint64_t line = line_at_home(false);
  for (const bool is_early : {false, true}) {
    DeviceProfile profile = tiny_profile(0, 64, 64);
    profile.multiprocessors = 4;
    profile.l2_parts = 2;
    profile.l2_ways = 32;
    CacheModel model(profile);
    perform(model, {load, 2, line, 4});
    model.send(0, request_of(load, {line}), 0);
    model.send(1, request_of(load, {line + 1}), is_early ? 50 : 500);
    model.send(1, request_of(load, {line + 1}), is_early ? 60 : 510);
    BOOST_TEST(model.count().l2_read_hits == (is_early ? 1U : 2U));
    BOOST_TEST(model.count().dram_read_bytes == 128U);
  }
}

BOOST_AUTO_TEST_CASE(
    an_atomic_brings_its_granule_to_the_half_it_is_near_to_and_a_sector_to_another) {
  for (const bool is_near : {true, false}) {
    DeviceProfile profile = tiny_profile(0, 64, 64);
    profile.multiprocessors = 4;
    profile.l2_parts = 2;
    profile.l2_ways = 32;
    CacheModel model(profile);
    perform(model, {atomic, 0, line_at_home(is_near)});
    BOOST_TEST(model.count().dram_read_bytes == (is_near ? 64U : 32U));
    BOOST_TEST(model.count().l2_atomic_hits == (is_near ? 1U : 0U));
  }
}

BOOST_AUTO_TEST_CASE(stores_of_a_multiprocessor_to_a_sector_in_a_row_are_one) {
  DeviceProfile profile = tiny_profile(4, 64, 32);
  profile.compute_capability = 90;
  CacheModel model(profile);
  for (const double cycle : {0, 10, 20}) model.send(0, request_of(store, {0, 1}), cycle);
  BOOST_TEST(model.count().l2_write_sectors == 2U);
  model.send(1, request_of(store, {1}), 41);
  BOOST_TEST(model.count().l2_write_sectors == 3U);
  model.send(0, request_of(store, {0, 2}), 200);
  BOOST_TEST(model.count().l2_write_sectors == 5U);
}

BOOST_AUTO_TEST_CASE(reads_of_a_group_of_multiprocessors_are_joined_while_they_are_under_way) {
  DeviceProfile profile = tiny_profile(0, 64, 32);
  profile.multiprocessors = 4;
  profile.l2_coalescers = 2;
  CacheModel model(profile);
  const auto reads_of = [&](unsigned from, std::vector<std::uint64_t> sectors, double cycle) {
    const std::uint64_t before = model.count().l2_read_sectors;
    model.send(from, request_of(RequestKind::load, sectors), cycle);
    return model.count().l2_read_sectors - before;
  };
  BOOST_TEST(reads_of(0, {0, 1}, 0) == 2U);
  BOOST_TEST(reads_of(1, {0, 1}, 50) == 0U);  // of the same group
  BOOST_TEST(reads_of(1, {1}, 50) == 1U);     // but not the same sectors
  BOOST_TEST(reads_of(1, {1, 2}, 60) == 2U);
  BOOST_TEST(reads_of(0, {1, 2}, 400) == 0U);
  BOOST_TEST(reads_of(2, {1, 2}, 400) == 2U);  // of the other group
  BOOST_TEST(reads_of(3, {1, 2}, 480) == 2U);  // which L2 has answered at once
  BOOST_TEST(reads_of(1, {1}, 1000) == 1U);
  model.begin_launch(0);
  BOOST_TEST(reads_of(0, {1}, 1000) == 1U);
}

BOOST_AUTO_TEST_CASE(reads_that_are_joined_have_their_data_when_the_first_has) {
  DeviceProfile profile = tiny_profile(0, 64, 32);
  profile.l2_coalescers = 1;
  CacheModel model(profile);
  const auto load = request_of(RequestKind::load, {0, 1});
  const SectorSources first = model.send(0, load, 100);
  BOOST_TEST(first.dram == 2U);
  BOOST_TEST(first.joined_arrival == 0);
  const SectorSources second = model.send(1, load, 400);
  BOOST_TEST(second.dram + second.near + second.far == 0U);
  BOOST_TEST(second.joined_arrival == 100 + dram_latency);
}

namespace {

struct Size {
  const char* name;
  std::uint64_t bytes;
  unsigned ways;

  friend std::ostream& operator<<(std::ostream& out, const Size& size) { return out << size.name; }
};

constexpr std::uint64_t Ki = 1024;
constexpr std::uint64_t Mi = 1024 * Ki;

const std::vector<Size> sizes = {
    {"L1 of 128 KiB", 128 * Ki, 4},        {"L1 of 28 KiB", 28 * Ki, 4},
    {"L1 of 228 KiB", 228 * Ki, 4},        {"L2 of 60 MiB", 60 * Mi, 16},
    {"L2 of 6 MiB", 6 * Mi, 16},           {"direct mapped", 96 * Ki, 1},
    {"L2 of 126.5 MiB", 253 * Mi / 2, 16},
};

/// Lines first, first + stride, ... once; then how many of them are still there.
std::uint64_t kept(const Size& size, std::uint64_t first, std::uint64_t stride,
                   std::uint64_t count) {
  CacheLevel level(size.bytes, size.ways);
  CacheLevel::Line evicted;
  for (std::uint64_t i = 0; i < count; ++i)
    level.touch(first + i * stride, level.set_of(first + i * stride), 0xf, 0, evicted);
  // The other way round, so that what is missing pushes out nothing that is still to be asked for.
  std::uint64_t found = 0;
  for (std::uint64_t i = count; i-- > 0;) {
    found +=
        level.touch(first + i * stride, level.set_of(first + i * stride), 0xf, 0, evicted).valid ==
        0xf;
  }
  return found;
}

}  // namespace

BOOST_DATA_TEST_CASE(an_array_of_the_caches_size_fits, data::make(sizes), size) {
  const std::uint64_t lines = size.bytes / 128;
  BOOST_TEST(kept(size, 0, 1, lines) == lines);
  // From anywhere: at most the sets where two rotations meet hold a line too many.
  BOOST_TEST(kept(size, 123457, 1, lines) >= lines - lines / size.ways);
}

BOOST_DATA_TEST_CASE(no_power_of_two_stride_keeps_to_few_sets,
                     data::make(sizes) * data::make({2, 8, 64, 1024, 32768, 1 << 20}), size,
                     stride) {
  if (size.ways < 4) return;  // chance alone fills the sets of fewer ways
  const std::uint64_t asked = size.bytes / 128 / 4;
  BOOST_TEST(kept(size, 0, static_cast<std::uint64_t>(stride), asked) >= asked * 9 / 10);
}
