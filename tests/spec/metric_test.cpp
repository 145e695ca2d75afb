#include "engine/spec/metric.h"

#include <boost/test/unit_test.hpp>
#include <set>

BOOST_AUTO_TEST_SUITE(metric)

BOOST_AUTO_TEST_CASE(every_metric_is_found_by_its_name_alone) {
  std::set<std::string> names;
  for (const sweep::MetricDefinition& metric : sweep::metric_definitions()) {
    BOOST_TEST_INFO(metric.name);
    BOOST_TEST(names.insert(metric.name).second);
    BOOST_TEST(sweep::find_metric(metric.name) == &metric);
    BOOST_TEST(!metric.unit.empty());
    BOOST_TEST(!metric.meaning.empty());
  }
  BOOST_TEST(names.contains("bandwidth"));
  BOOST_TEST(sweep::metric_names().size() == names.size());
  BOOST_TEST(sweep::find_metric("Bandwidth") == nullptr);
  BOOST_TEST(sweep::find_metric("") == nullptr);
}

BOOST_AUTO_TEST_CASE(every_origin_has_a_name_of_its_own) {
  using sweep::Origin;
  for (const Origin origin : {Origin::measured, Origin::hardware, Origin::emulated}) {
    BOOST_TEST((sweep::find_origin(to_string(origin)) == origin));
  }
  BOOST_TEST(!sweep::find_origin("guessed").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
