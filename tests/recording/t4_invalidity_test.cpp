#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "engine/recording/recording.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(t4_invalidity_of_points)

namespace {

struct Case {
  const char* reason;
  const char* invalidity;
};
std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.reason;
}
const std::vector<Case> cases = {
    {"wrong result: 3 of 100 elements of 'data' fail the check", "correctness"},
    {"bad launch: the block is 2048, the device takes at most 1024", "constraints"},
    {"too many resources: the block's threads need more registers", "constraints"},
    {"stopped after 60 s without a sign of life during the first launch", "timeout"},
    {"'copy' ran longer than the driver allows", "timeout"},
    {"patterns/copy.cu:3:1: error: identifier \"x\" is undefined\n", "compile"},
    {"illegal address: 'copy' accessed memory outside the buffers", "runtime"},
    {"", "runtime"},
};

}  // namespace

BOOST_DATA_TEST_CASE(follows_from_the_reason, data::make(cases), one) {
  PointRecord point;
  point.status = PointStatus::failed;
  point.reason = one.reason;
  BOOST_TEST(t4_invalidity(point) == one.invalidity);
}

BOOST_AUTO_TEST_CASE(a_success_is_correct) {
  BOOST_TEST(t4_invalidity(PointRecord{}) == "correct");
}

BOOST_AUTO_TEST_SUITE_END()
