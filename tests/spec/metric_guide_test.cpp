#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "engine/spec/metric.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(metric_guide)

namespace {

std::vector<Origin> origins(const std::string& name) {
  return origins_of(*find_metric(name));
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_metric_is_in_one_group_and_has_an_origin) {
  std::vector<std::string> names;
  std::vector<std::string_view> groups;
  for (const MetricGroup& group : metric_groups()) {
    groups.push_back(group.name);
    for (const MetricDefinition* metric : group.metrics) {
      names.push_back(metric->name);
      BOOST_TEST(group_of(*metric) == group.name);
      BOOST_TEST(!origins_of(*metric).empty(), metric->name);
    }
  }
  BOOST_TEST(names == metric_names(), boost::test_tools::per_element());
  std::ranges::sort(groups);
  BOOST_TEST((std::ranges::adjacent_find(groups) == groups.end()));
}

BOOST_AUTO_TEST_CASE(origins_are_those_that_give_the_metric) {
  BOOST_TEST((origins("bandwidth") == std::vector{Origin::measured}));
  BOOST_TEST((origins("power") == std::vector{Origin::measured}));
  BOOST_TEST((origins("load_sectors") == std::vector{Origin::hardware, Origin::emulated}));
  BOOST_TEST((origins("load_lines") == std::vector{Origin::emulated}));
  BOOST_TEST((origins("dram_throughput") == std::vector{Origin::hardware}));
  BOOST_TEST((origins("executed_share") == std::vector{Origin::emulated}));
}

BOOST_AUTO_TEST_CASE(formulas_are_written_as_they_are_computed) {
  BOOST_TEST(formula_text({"a", {{"x.sum"}}}) == "x.sum");
  BOOST_TEST(formula_text({"a", {{"x.sum", "y.sum"}}, {{"z.sum"}}, 100}) ==
             "100 * x.sum|y.sum / z.sum");
  BOOST_TEST(formula_text({"a", {{"x.sum"}, {"y.sum"}}, {{"z.sum"}}}) == "(x.sum + y.sum) / z.sum");
}

BOOST_AUTO_TEST_SUITE_END()
