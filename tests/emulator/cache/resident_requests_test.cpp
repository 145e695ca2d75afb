#include <boost/test/unit_test.hpp>
#include <numeric>
#include <vector>

#include "engine/emulator/cache/resident_blocks.h"
#include "tests/emulator/cache/tiny_profile.h"
#include "tests/rapidcheck_case.h"

namespace {

using namespace sweep;
using namespace sweep::testing;

/// A warp that loads each of these lines as a whole, one after the other.
RequestLog loading(const std::vector<std::uint64_t>& lines) {
  RequestLog log;
  for (const std::uint64_t line : lines)
    log.add(RequestKind::load, true, sectors_from(4 * line, 4));
  return log;
}

std::vector<std::uint64_t> lines_from(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> lines(count);
  std::iota(lines.begin(), lines.end(), first);
  return lines;
}

/// The hits in L1 and L2 of blocks of one warp on two multiprocessors with room for so many each.
std::pair<std::uint64_t, std::uint64_t> hits(unsigned room, unsigned l1_lines,
                                             const std::vector<RequestLog>& blocks) {
  CacheModel caches = tiny_model(l1_lines, 64, 32);
  ResidentBlocks resident(caches, 2, room, blocks.size());
  for (const RequestLog& block : blocks) resident.add({block});
  resident.finish();
  return {caches.count().l1_load_hits / 4, caches.count().l2_read_hits / 4};
}

using Hits = std::pair<std::uint64_t, std::uint64_t>;

}  // namespace

BOOST_AUTO_TEST_SUITE(resident_blocks_in_turn)

BOOST_AUTO_TEST_CASE(blocks_are_dealt_out_to_the_multiprocessors) {
  const RequestLog block = loading(lines_from(0, 8));
  // Two on two multiprocessors, of which each loads what the other one has brought to L2; the next
  // two find it in their L1.
  BOOST_TEST((hits(1, 16, {block, block}) == Hits{0, 8}));
  BOOST_TEST((hits(1, 16, {block, block, block, block}) == Hits{16, 8}));
  BOOST_TEST((hits(2, 16, {block, block, block, block}) == Hits{16, 8}));
}

BOOST_AUTO_TEST_CASE(a_grid_of_few_blocks) {
  DeviceProfile profile = tiny_profile(16, 64, 32);
  profile.multiprocessors = 32;
  profile.l2_coalescers = 4;
  const auto reads_of = [&](std::uint64_t blocks) {
    CacheModel caches(profile);
    ResidentBlocks resident(caches, profile.multiprocessors, 1, blocks);
    for (std::uint64_t i = 0; i < blocks; ++i) resident.add({loading({5})});
    resident.finish();
    return caches.count().l2_read_sectors / 4;
  };
  // A GPC joins the reads of its multiprocessors: the last one has the first eight blocks, the
  // others share the rest.
  BOOST_TEST(reads_of(1) == 1U);
  BOOST_TEST(reads_of(8) == 1U);
  BOOST_TEST(reads_of(9) == 2U);
  BOOST_TEST(reads_of(11) == 4U);
  BOOST_TEST(reads_of(20) == 4U);
  BOOST_TEST(reads_of(32) == 4U);
}

BOOST_AUTO_TEST_CASE(a_block_never_follows_its_neighbour_on_a_multiprocessor) {
  std::vector<RequestLog> blocks;
  for (std::uint64_t i = 0; i < 20; ++i) blocks.push_back(loading({i, i + 1}));
  BOOST_TEST((hits(1, 16, blocks) == Hits{0, 19}));
}

BOOST_AUTO_TEST_CASE(resident_blocks_share_an_l1) {
  // Alone each block fits; two that are there together do not, one after the other they do.
  const auto twice = [](std::uint64_t first) {
    std::vector<std::uint64_t> lines;
    for (int round = 0; round < 4; ++round) {
      for (std::uint64_t line = first; line < first + 12; ++line) lines.push_back(line);
    }
    return loading(lines);
  };
  const std::vector<RequestLog> blocks = {twice(0), twice(100), twice(200), twice(300)};
  const auto alone = hits(1, 16, {blocks[0], blocks[1]});
  BOOST_TEST(alone.first == 72U);
  const auto in_turn = hits(1, 16, blocks);
  const auto together = hits(2, 16, blocks);
  BOOST_TEST(in_turn.first > 100U);
  BOOST_TEST(together.first < in_turn.first);
}

BOOST_AUTO_TEST_CASE(a_line_that_two_warps_want_is_fetched_once) {
  CacheModel caches = tiny_model(16, 64, 32);
  ResidentBlocks resident(caches, 2, 1, 1);
  const RequestLog warp = loading({5});
  resident.add({warp, warp, warp, warp});
  resident.finish();
  BOOST_TEST(caches.count().l1_load_sectors == 16U);
  BOOST_TEST(caches.count().l1_load_hits == 12U);
  BOOST_TEST(caches.count().l2_read_sectors == 4U);
}

BOOST_AUTO_TEST_CASE(the_block_whose_data_is_near_goes_first) {
  // One warp goes round a line in L1 while another one waits for memory: when the first ends the
  // other has hardly begun, so that the line never has to go.
  CacheModel caches = tiny_model(2, 64, 32);
  ResidentBlocks resident(caches, 1, 2, 2);
  resident.add({loading(std::vector<std::uint64_t>(15, 7))});
  resident.add({loading(lines_from(100, 40))});
  resident.finish();
  BOOST_TEST(caches.count().l1_load_hits >= 4U * 13);
}

BOOST_AUTO_TEST_CASE(blocks_without_requests_take_no_room) {
  const RequestLog block = loading(lines_from(0, 8));
  BOOST_TEST((hits(1, 16, {block, {}, {}, block}) == Hits{0, 8}));
}

BOOST_AUTO_TEST_CASE(a_log_gives_back_what_it_was_given) {
  check_property([] {
    using Given = std::tuple<RequestKind, bool, std::vector<std::uint64_t>,
                             std::vector<std::uint32_t>, std::uint64_t>;
    std::vector<Given> given;
    RequestLog log;
    const int count = *rc::gen::inRange(0, 20);
    for (int i = 0; i < count; ++i) {
      const auto kind = static_cast<RequestKind>(*rc::gen::inRange(0U, 5U));
      const bool waits = *rc::gen::arbitrary<bool>();
      const auto first = *rc::gen::inRange(std::uint64_t{0}, std::uint64_t{1} << 58U);
      std::vector<std::uint64_t> sectors = {first};
      const auto steps = *rc::gen::resize(
          63, rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(1U, 70000U)));
      const bool is_run = *rc::gen::arbitrary<bool>();
      for (const unsigned step : steps) {
        if (sectors.size() < Request::most_sectors) {
          sectors.push_back(sectors.back() + (is_run ? 1 : step));
        }
      }
      const auto repeats =
          kind == RequestKind::atomic ? *rc::gen::inRange<std::uint64_t>(0, 32) : 0;
      std::vector<std::uint32_t> bytes;
      if (kind == RequestKind::partial_store) {
        for (std::size_t k = 0; k < sectors.size(); ++k) {
          bytes.push_back(*rc::gen::arbitrary<std::uint32_t>());
        }
      }
      log.add(kind, waits, sectors, bytes, repeats);
      given.emplace_back(kind, waits, sectors, bytes, repeats);
    }
    RequestLog::Reader reader(log);
    Request request;
    for (const auto& [kind, waits, sectors, bytes, repeats] : given) {
      RC_ASSERT(!reader.is_at_end());
      RC_ASSERT(reader.waits() == waits);
      reader.next(request);
      RC_ASSERT(request.kind == kind);
      RC_ASSERT(request.repeats == repeats);
      RC_ASSERT(std::ranges::equal(request.all(), sectors));
      RC_ASSERT(std::ranges::equal(std::span(request.partial_bytes).first(bytes.size()), bytes));
    }
    RC_ASSERT(reader.is_at_end());
  });
}

BOOST_AUTO_TEST_CASE(a_run_of_sectors_takes_few_bytes) {
  RequestLog log;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    log.add(RequestKind::load, false, sectors_from(1'000'000 + 16 * i, 16));
  }
  BOOST_TEST(log.bytes() < 3100U);
}

BOOST_AUTO_TEST_SUITE_END()
