#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <sstream>

namespace sweep::testing {

/// Checks `property` on at least `cases` random inputs within a Boost test case. A failure shows
/// the smallest input found and the value of RC_PARAMS that repeats it.
template <class Property>
void check_property(const Property& property, int cases = 100) {
  using namespace rc::detail;
  TestMetadata metadata;
  metadata.id = boost::unit_test::framework::current_test_case().full_name();
  TestParams parameters = configuration().testParams;
  parameters.maxSuccess = std::max(parameters.maxSuccess, cases);
  const TestResult result = configuration().reproduce.empty()
                                ? checkTestable(property, metadata, parameters)
                                : checkTestable(property, metadata);
  std::ostringstream message;
  printResultMessage(result, message);
  BOOST_TEST(result.template is<SuccessResult>(), message.str());
}

}  // namespace sweep::testing
