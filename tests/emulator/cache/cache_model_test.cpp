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
             << count.l2_write_hits << '/' << count.l2_write_sectors << "; DRAM bytes read "
             << count.dram_read_bytes << ", written " << count.dram_write_bytes;
}

}  // namespace sweep

namespace {

using namespace sweep;
using namespace sweep::testing;

enum class Kind { load, bypassing_load, store, atomic };

/// One warp instruction of multiprocessor `from`, on `count` sectors from `first` on.
struct Step {
  Kind kind;
  unsigned from;
  std::uint64_t first;
  unsigned count = 1;
  std::uint64_t stride = 1;
};

constexpr Kind load = Kind::load;
constexpr Kind bypass = Kind::bypassing_load;
constexpr Kind store = Kind::store;
constexpr Kind atomic = Kind::atomic;

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
  const auto sectors = sectors_from(step.first, step.count, step.stride);
  switch (step.kind) {
    case Kind::load:
      return model.load(step.from, sectors.data(), step.count);
    case Kind::bypassing_load:
      return model.load(step.from, sectors.data(), step.count, true);
    case Kind::store:
      return model.store(sectors.data(), step.count);
    case Kind::atomic:
      return model.atomic(step.from, sectors.data(), step.count);
  }
}

// l1 loads, hits; l2 reads, hits, writes, hits; DRAM bytes read, written
const std::vector<Case> cases = {
    {"nothing", 4, 8, 64, {}, {}},
    {"a whole line", 4, 8, 64, {{load, 0, 0, 4}}, {4, 0, 4, 0, 0, 0, 128, 0}},
    {"the same line again",
     4,
     8,
     64,
     {{load, 0, 0, 4}, {load, 0, 0, 4}},
     {8, 4, 4, 0, 0, 0, 128, 0}},
    {"from another multiprocessor",
     4,
     8,
     64,
     {{load, 0, 0, 4}, {load, 1, 0, 4}},
     {8, 0, 8, 4, 0, 0, 128, 0}},
    {"two lines in one request", 4, 8, 64, {{load, 0, 2, 4}}, {4, 0, 4, 0, 0, 0, 128, 0}},
    // A granule's other sector waits in L2, not in L1.
    {"one sector, granule of 64", 4, 8, 64, {{load, 0, 4}}, {1, 0, 1, 0, 0, 0, 64, 0}},
    {"then the granule's other sector",
     4,
     8,
     64,
     {{load, 0, 4}, {load, 0, 5}},
     {2, 0, 2, 1, 0, 0, 64, 0}},
    {"then the next granule", 4, 8, 64, {{load, 0, 4}, {load, 0, 6}}, {2, 0, 2, 0, 0, 0, 128, 0}},
    {"one sector, granule of 32",
     4,
     8,
     32,
     {{load, 0, 4}, {load, 0, 5}},
     {2, 0, 2, 0, 0, 0, 64, 0}},
    {"one sector, granule of 128",
     4,
     8,
     128,
     {{load, 0, 5}, {load, 0, 4}, {load, 0, 7}},
     {3, 0, 3, 2, 0, 0, 128, 0}},
    {"every other granule", 4, 8, 64, {{load, 0, 1, 4, 2}}, {4, 0, 4, 0, 0, 0, 256, 0}},
    {"two sectors of one granule miss together",
     4,
     8,
     64,
     {{load, 0, 0, 2}},
     {2, 0, 2, 0, 0, 0, 64, 0}},
    {"a load that bypasses L1",
     4,
     8,
     64,
     {{bypass, 0, 0, 4}, {bypass, 0, 0, 4}, {load, 0, 0, 4}},
     {4, 0, 12, 8, 0, 0, 128, 0}},
    {"a bypassing load leaves L1 alone",
     4,
     8,
     64,
     {{load, 0, 0, 4}, {bypass, 0, 0, 4}, {load, 0, 0, 4}},
     {8, 4, 8, 4, 0, 0, 128, 0}},

    {"a store fetches nothing", 4, 8, 64, {{store, 0, 0, 4}}, {0, 0, 0, 0, 4, 0, 0, 128}},
    {"a second store finds the first",
     4,
     8,
     64,
     {{store, 0, 0, 4}, {store, 1, 0, 4}},
     {0, 0, 0, 0, 8, 4, 0, 128}},
    {"a store does not allocate in L1",
     4,
     8,
     64,
     {{store, 0, 0, 4}, {load, 0, 0, 4}},
     {4, 0, 4, 4, 4, 0, 0, 128}},
    {"a store leaves what L1 has",
     4,
     8,
     64,
     {{load, 0, 0, 4}, {store, 0, 0, 4}, {load, 0, 0, 4}},
     {8, 4, 4, 0, 4, 4, 128, 128}},
    {"a load beside a stored sector",
     4,
     8,
     64,
     {{store, 0, 0}, {load, 0, 1}},
     {1, 0, 1, 0, 1, 0, 64, 32}},
    {"only changed sectors are written back",
     4,
     8,
     64,
     {{load, 0, 0, 4}, {store, 0, 2}},
     {4, 0, 4, 0, 1, 1, 128, 32}},

    {"an atomic reads and changes L2",
     4,
     8,
     64,
     {{atomic, 0, 3}, {atomic, 1, 3}},
     {0, 0, 2, 1, 0, 0, 64, 32}},
    {"an atomic takes the sector from its L1",
     4,
     8,
     64,
     {{load, 0, 0, 2}, {atomic, 0, 0}, {load, 0, 0, 2}},
     {4, 1, 4, 2, 0, 0, 64, 32}},
    {"but not from another's",
     4,
     8,
     64,
     {{load, 1, 0, 2}, {atomic, 0, 0}, {load, 1, 0, 2}},
     {4, 2, 3, 1, 0, 0, 64, 32}},

    // Lines 0, 1, 2 through caches of two lines.
    {"the least recently used line goes",
     2,
     8,
     64,
     {{load, 0, 0, 4}, {load, 0, 4, 4}, {load, 0, 8, 4}, {load, 0, 4, 4}, {load, 0, 0, 4}},
     {20, 4, 16, 4, 0, 0, 384, 0}},
    {"use keeps a line",
     2,
     8,
     64,
     {{load, 0, 0, 4}, {load, 0, 4, 4}, {load, 0, 0, 4}, {load, 0, 8, 4}, {load, 0, 0, 4}},
     {20, 8, 12, 0, 0, 0, 384, 0}},
    {"a sector that misses keeps its line too",
     2,
     8,
     128,
     {{load, 0, 0}, {load, 0, 4}, {load, 0, 1}, {load, 0, 8}, {load, 0, 0}},
     {5, 1, 4, 1, 0, 0, 384, 0}},
    {"beyond L1, within L2",
     2,
     8,
     64,
     {{load, 0, 0, 12}, {load, 0, 0, 12}},
     {24, 0, 24, 12, 0, 0, 384, 0}},
    {"beyond L2", 2, 2, 64, {{load, 0, 0, 12}, {load, 0, 0, 12}}, {24, 0, 24, 0, 0, 0, 768, 0}},

    {"a dirty line is written when it goes, once",
     2,
     2,
     64,
     {{store, 0, 0, 3}, {store, 0, 4, 4}, {store, 0, 8, 4}, {load, 0, 0, 4}},
     {4, 0, 4, 0, 11, 0, 128, 352}},
    {"a clean line is not",
     2,
     2,
     64,
     {{load, 0, 0, 4}, {load, 0, 4, 4}, {load, 0, 8, 4}},
     {12, 0, 12, 0, 0, 0, 384, 0}},

    {"no L1",
     0,
     8,
     64,
     {{load, 0, 0, 4}, {load, 0, 0, 4}, {store, 0, 0, 4}},
     {0, 0, 8, 4, 4, 4, 128, 128}},
    {"no cache at all",
     0,
     0,
     32,
     {{load, 0, 0, 3}, {load, 0, 0, 3}, {store, 0, 0, 2}, {atomic, 0, 0}},
     {0, 0, 0, 0, 0, 0, 224, 96}},
    {"an address above 2^40",
     4,
     8,
     64,
     {{load, 0, std::uint64_t{1} << 57, 4}, {load, 0, std::uint64_t{1} << 57, 4}, {load, 0, 0, 4}},
     {12, 4, 8, 0, 0, 0, 256, 0}},
};

}  // namespace

BOOST_DATA_TEST_CASE(counts, data::make(cases), row) {
  CacheModel model = tiny_model(row.l1_lines, row.l2_lines, row.granularity);
  for (const Step& step : row.steps) perform(model, step);
  BOOST_TEST(model.finish() == row.expected);
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
  for (std::uint64_t i = 0; i < count; ++i) level.touch(first + i * stride, 0xf, 0, evicted);
  // The other way round, so that what is missing pushes out nothing that is still to be asked for.
  std::uint64_t found = 0;
  for (std::uint64_t i = count; i-- > 0;) {
    found += level.touch(first + i * stride, 0xf, 0, evicted).valid == 0xf;
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
