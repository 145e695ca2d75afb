#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <ostream>

#include "engine/emulator/machine/launch.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(address_shape)

namespace {

using AddressOf = std::function<std::uint64_t(std::uint64_t lane)>;

AddressShape shape_of(const AddressOf& address, std::uint32_t active = ~0U) {
  WarpAccess access;
  access.active = active;
  for (std::uint64_t lane = 0; lane < 32; ++lane) access.address.at(lane) = address(lane);
  AddressShape shape;
  WarpVisits visits;
  shape.note(access, spread_of(access.address.data(), active), {}, visits);
  return shape;
}

struct StepCase {
  const char* name;
  AddressOf address;
  LaneStep step;
};

std::ostream& operator<<(std::ostream& out, const StepCase& example) {
  return out << example.name;
}

const std::vector<StepCase> steps = {
    {"unit stride", [](std::uint64_t t) { return 128 + 4 * t; }, {4, 32, 0}},
    {"reversed", [](std::uint64_t t) { return 1024 - 4 * t; }, {-4, 32, 0}},
    {"stride of 24", [](std::uint64_t t) { return 24 * t; }, {24, 32, 0}},
    {"rows of 16", [](std::uint64_t t) { return t / 16 * 400 + t % 16 * 4; }, {4, 16, 400}},
    {"rows of 8", [](std::uint64_t t) { return t / 8 * 400 + t % 8 * 4; }, {4, 8, 400}},
    {"one address each 16", [](std::uint64_t t) { return t / 16 * 64; }, {0, 16, 64}},
    {"rows at no constant pitch",
     [](std::uint64_t t) { return t / 8 * (t / 8) * 400 + t % 8 * 4; },
     {4, 8, 0}},
};

}  // namespace

BOOST_DATA_TEST_CASE(a_constant_step_is_recognised, data::make(steps), example) {
  const AddressShape shape = shape_of(example.address);
  BOOST_TEST(shape.stepped == 1U);
  BOOST_TEST(shape.usual_step().step.delta == example.step.delta);
  BOOST_TEST(shape.usual_step().step.group == example.step.group);
  BOOST_TEST(shape.usual_step().step.pitch == example.step.pitch);
}

BOOST_AUTO_TEST_CASE(one_address_is_uniform_and_no_order_is_scattered) {
  BOOST_TEST(shape_of([](std::uint64_t) { return 64; }).uniform == 1U);
  const AddressShape scattered = shape_of([](std::uint64_t t) { return t * t * 52 % 977 * 4; });
  BOOST_TEST(scattered.scattered == 1U);
  BOOST_TEST(scattered.usual_step().accesses == 0U);
}

BOOST_AUTO_TEST_CASE(only_active_lanes_count) {
  const auto address = [](std::uint64_t t) { return t % 2 == 0 ? 8 * t : 7777 * t; };
  const AddressShape shape = shape_of(address, 0x55555555);
  BOOST_TEST(shape.partial == 1U);
  BOOST_TEST(shape.lanes == 16U);
  BOOST_TEST(shape.usual_step().step.delta == 8);
}

BOOST_AUTO_TEST_CASE(alignment_is_that_of_the_lowest_address) {
  const auto begins_at = [](std::uint64_t begin) {
    return shape_of([begin](std::uint64_t t) { return begin + 4 * (31 - t); });
  };
  BOOST_TEST(begins_at(128).off_line == 0U);
  BOOST_TEST(begins_at(96).off_line == 1U);
  BOOST_TEST(begins_at(96).off_sector == 0U);
  BOOST_TEST(begins_at(100).off_sector == 1U);
  BOOST_TEST(begins_at(100).low == 100U);
  BOOST_TEST(begins_at(100).high == 227U);
}

BOOST_AUTO_TEST_CASE(sums_keep_the_step_seen_most) {
  AddressShape sum = shape_of([](std::uint64_t t) { return 8 * t; });
  for (int i = 0; i < 2; ++i) sum += shape_of([](std::uint64_t t) { return 4 * t; });
  BOOST_TEST(sum.accesses == 3U);
  BOOST_TEST(sum.usual_step().step.delta == 4);
  BOOST_TEST(sum.usual_step().accesses == 2U);
  // More steps than are kept: the rest is counted, not told apart.
  for (std::uint64_t stride = 3; stride < 20; ++stride) {
    sum += shape_of([stride](std::uint64_t t) { return 4 * stride * t; });
  }
  BOOST_TEST(sum.stepped == 20U);
  BOOST_TEST(sum.usual_step().step.delta == 4);
}

BOOST_AUTO_TEST_SUITE_END()
