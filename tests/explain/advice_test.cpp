#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <ostream>
#include <vector>

#include "engine/explain/explanation.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(advice)

namespace {

using AddressOf = std::function<std::uint64_t(std::uint64_t lane)>;

struct AdviceCase {
  const char* name;
  AccessVerb verb;
  AccessSpace space;
  std::uint32_t width;
  std::uint32_t active;
  AddressOf address;
  int model;
  std::vector<const char*> words;  ///< what the advice says; none: there is no advice
};

std::ostream& operator<<(std::ostream& out, const AdviceCase& example) {
  return out << example.name;
}

AccessCost cost_of(const AdviceCase& example) {
  WarpAccess access;
  access.active = example.active;
  access.width = example.width;
  for (std::uint64_t lane = 0; lane < 32; ++lane) access.address.at(lane) = example.address(lane);
  const AccessKind kind = example.verb == AccessVerb::load ? AccessKind::load : AccessKind::store;
  AccessCost cost;
  cost.verb = example.verb;
  cost.space = example.space;
  cost.width = example.width;
  cost.array = "data";
  if (example.space == AccessSpace::shared) {
    cost.shared = count_shared(default_model(example.model), access, kind);
  } else {
    cost.memory = count_global(default_model(example.model), access, kind);
  }
  WarpVisits visits;
  cost.shape.note(access, spread_of(access.address.data(), access.active),
                  {cost.cost(), cost.ideal()}, visits);
  return cost;
}

AddressOf stepped(std::uint64_t begin, std::uint64_t delta) {
  return [=](std::uint64_t lane) { return begin + lane * delta; };
}

constexpr auto load = AccessVerb::load;
constexpr auto store = AccessVerb::store;
constexpr auto atomic = AccessVerb::atomic;
constexpr auto global = AccessSpace::global;
constexpr auto shared = AccessSpace::shared;
constexpr auto local = AccessSpace::local;
constexpr std::uint32_t all_lanes = ~0U;

std::uint64_t gathered(std::uint64_t lane) {
  return lane * lane * 52 % 977 * 64;
}

const std::vector<AdviceCase> cases = {
    {"aligned 16 bytes", load, global, 16, all_lanes, stepped(0, 16), 90, {}},
    {"aligned 4 bytes",
     load,
     global,
     4,
     all_lanes,
     stepped(0, 4),
     90,
     {"4 bytes at a time", "4 times fewer"}},
    {"single bytes",
     store,
     global,
     1,
     all_lanes,
     stepped(0, 1),
     90,
     {"1 byte at a time", "16 times fewer"}},
    {"one address", load, global, 4, all_lanes, stepped(64, 0), 90, {}},
    {"stride of 8 floats",
     load,
     global,
     4,
     all_lanes,
     stepped(0, 32),
     90,
     {"32 bytes apart", "4 of every 32 bytes"}},
    {"stride of 2 floats",
     load,
     global,
     4,
     all_lanes,
     stepped(0, 8),
     90,
     {"8 bytes apart", "4 of every 8 bytes"}},
    {"far columns",
     store,
     global,
     8,
     all_lanes,
     stepped(0, 65536),
     90,
     {"65,536 bytes apart", "8 of every 32 bytes"}},
    {"shifted by one float",
     load,
     global,
     4,
     all_lanes,
     stepped(4, 4),
     90,
     {"do not begin at a multiple of 32 bytes"}},
    {"reversed",
     load,
     global,
     16,
     all_lanes,
     [](std::uint64_t t) { return 4592 - 16 * t; },
     90,
     {}},
    {"gather", load, global, 4, all_lanes, gathered, 90, {"no constant step"}},
    {"rows of 4 lanes",
     load,
     global,
     4,
     all_lanes,
     [](std::uint64_t t) { return t / 4 * 1024 + t % 4 * 4; },
     90,
     {"8 rows of 4 lanes", "1,024 bytes apart", "32 threads wide"}},
    {"groups at one address",
     load,
     global,
     4,
     all_lanes,
     [](std::uint64_t t) { return t / 8 * 16; },
     90,
     {"Each 8 neighbouring lanes share an address", "4 elements"}},
    {"few lanes", store, global, 4, 0x1fe, stepped(0, 4), 90, {"multiple of 32 bytes"}},
    {"every other lane",
     load,
     global,
     4,
     0xaaaaaaaa,
     stepped(0, 4),
     90,
     {"Only 16 of a warp's 32 lanes", "fill no whole sectors"}},
    {"one counter",
     atomic,
     global,
     4,
     all_lanes,
     stepped(0, 0),
     90,
     {"All 32 active lanes", "within the warp first"}},
    {"one lane's counter", atomic, global, 4, 1, stepped(0, 0), 90, {}},
    {"1.0, shifted", load, global, 4, all_lanes, stepped(4, 4), 10, {"rules of 1.0", "word k"}},
    {"2.0, stride of 8 floats",
     load,
     global,
     4,
     all_lanes,
     stepped(0, 32),
     20,
     {"lines of 128 bytes"}},
    {"column of 32 words",
     load,
     shared,
     4,
     all_lanes,
     stepped(0, 128),
     90,
     {"32 words", "32 passes instead of 1", "(33 words)"}},
    {"stride of 2 words",
     store,
     shared,
     4,
     all_lanes,
     stepped(0, 8),
     90,
     {"2 words", "2 passes instead of 1", "(3 words)"}},
    {"padded column", load, shared, 4, all_lanes, stepped(0, 132), 90, {}},
    {"every second float4",
     store,
     shared,
     16,
     all_lanes,
     stepped(0, 32),
     90,
     {"odd multiple of 16 bytes", "3 of them instead of 2"}},
    {"rows in the same banks",
     load,
     shared,
     4,
     all_lanes,
     [](std::uint64_t t) { return t / 8 * 128 + t % 8 * 4; },
     90,
     {"4 rows of 8 lanes", "pad the rows"}},
    {"shared gather", load, shared, 4, all_lanes, gathered, 90, {"no constant step", "one bank"}},
    {"shared counter", atomic, shared, 4, all_lanes, stepped(0, 0), 90, {"within the warp first"}},
    {"local array", store, local, 4, all_lanes, stepped(0, 4), 90, {"local memory", "Unroll"}},
};

}  // namespace

BOOST_DATA_TEST_CASE(what_helps_follows_from_the_addresses, data::make(cases), example) {
  const std::vector<AccessCost> all = {cost_of(example)};
  const std::string text = advise(all.front(), all, default_model(example.model));
  BOOST_TEST_CONTEXT(text) {
    BOOST_TEST(text.empty() == example.words.empty());
    for (const char* words : example.words)
      BOOST_TEST(text.find(words) != std::string::npos, words);
  }
}

BOOST_AUTO_TEST_CASE(fields_of_one_structure_are_told_from_a_lone_stride) {
  const AdviceCase x = {"x", load, global, 4, all_lanes, stepped(0, 24), 90, {}};
  const AdviceCase y = {"y", load, global, 4, all_lanes, stepped(8, 24), 90, {}};
  const std::vector<AccessCost> both = {cost_of(x), cost_of(y)};
  const MemoryModel model = default_model(90);
  BOOST_TEST(advise(both[0], both, model).find("fields of one structure") != std::string::npos);
  std::vector<AccessCost> apart = both;
  apart[1].array = "other";
  BOOST_TEST(advise(apart[0], apart, model).find("fields of one") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
