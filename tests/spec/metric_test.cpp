#include "engine/spec/metric.h"

#include <boost/test/unit_test.hpp>
#include <set>

BOOST_AUTO_TEST_SUITE(metric)

BOOST_AUTO_TEST_CASE(every_metric_is_found_by_its_name_alone) {
  std::set<std::string> names;
  std::set<std::string> old_names;
  for (const sweep::MetricDefinition& metric : sweep::metric_definitions()) {
    BOOST_TEST_INFO(metric.name);
    BOOST_TEST(names.insert(metric.name).second);
    BOOST_TEST(sweep::find_metric(metric.name) == &metric);
    BOOST_TEST(!metric.unit.empty());
    BOOST_TEST(!metric.meaning.empty());
    if (metric.old_name.empty()) continue;
    BOOST_TEST(old_names.insert(metric.old_name).second);
    BOOST_TEST(sweep::find_metric(metric.old_name) == &metric);
  }
  for (const std::string& old_name : old_names) BOOST_TEST(!names.contains(old_name));
  BOOST_TEST(names.contains("bandwidth"));
  BOOST_TEST(sweep::metric_names().size() == names.size());
  BOOST_TEST(sweep::find_metric("Bandwidth") == nullptr);
  BOOST_TEST(sweep::find_metric("") == nullptr);
}

BOOST_AUTO_TEST_CASE(nvprofs_names_mean_todays_metrics) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"gld_transactions", "load_sectors"},
      {"gld_transactions_per_request", "load_sectors_per_request"},
      {"gld_efficiency", "load_efficiency"},
      {"gst_transactions", "store_sectors"},
      {"gst_transactions_per_request", "store_sectors_per_request"},
      {"gst_efficiency", "store_efficiency"},
      {"shared_load_transactions", "shared_load_wavefronts"},
      {"shared_load_transactions_per_request", "shared_load_wavefronts_per_request"},
      {"shared_store_transactions_per_request", "shared_store_wavefronts_per_request"},
      {"shared_ld_bank_conflict", "shared_load_conflicts"},
      {"shared_st_bank_conflict", "shared_store_conflicts"},
      {"shared_efficiency", "shared_efficiency"},
      {"inst_executed", "instructions"},
  };
  for (const auto& [old_name, name] : pairs) {
    const sweep::MetricDefinition* metric = sweep::find_metric(old_name);
    BOOST_TEST_REQUIRE(metric != nullptr, old_name);
    BOOST_TEST(metric->name == name);
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_name_gets_a_suggestion) {
  BOOST_TEST(sweep::suggest_metric("bandwith") == "did you mean 'bandwidth'?");
  BOOST_TEST(sweep::suggest_metric("gst_eficiency") == "did you mean 'gst_efficiency'?");
  BOOST_TEST(sweep::suggest_metric("x") == "'sweep list metrics' shows the metrics there are");
}

BOOST_AUTO_TEST_CASE(every_origin_has_a_name_of_its_own) {
  using sweep::Origin;
  for (const Origin origin : {Origin::measured, Origin::hardware, Origin::emulated}) {
    BOOST_TEST((sweep::find_origin(to_string(origin)) == origin));
  }
  BOOST_TEST(!sweep::find_origin("guessed").has_value());
}

BOOST_AUTO_TEST_CASE(every_metric_is_in_one_group_and_has_an_origin) {
  std::vector<std::string> names;
  std::set<std::string_view> groups;
  for (const sweep::MetricGroup& group : sweep::metric_groups()) {
    BOOST_TEST(groups.insert(group.name).second);
    for (const sweep::MetricDefinition& metric : group.metrics) {
      names.push_back(metric.name);
      BOOST_TEST(metric.group == group.name);
      BOOST_TEST(!metric.origins.empty(), metric.name);
    }
  }
  BOOST_TEST(names == sweep::metric_names(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(origins_are_those_that_give_the_metric) {
  using sweep::Origin;
  const auto origins = [](const char* name) { return sweep::find_metric(name)->origins; };
  BOOST_TEST((origins("bandwidth") == std::vector{Origin::measured, Origin::predicted}));
  BOOST_TEST((origins("bottleneck") == std::vector{Origin::predicted}));
  BOOST_TEST((origins("power") == std::vector{Origin::measured}));
  BOOST_TEST((origins("load_sectors") == std::vector{Origin::hardware, Origin::emulated}));
  BOOST_TEST((origins("load_lines") == std::vector{Origin::emulated}));
  BOOST_TEST((origins("dram_throughput") == std::vector{Origin::hardware}));
  BOOST_TEST((origins("executed_share") == std::vector{Origin::emulated}));
}

BOOST_AUTO_TEST_CASE(formulas_are_read_from_their_texts) {
  using Sum = std::vector<sweep::CounterNames>;
  const sweep::CounterFormula one = sweep::parse_formula("a", "x.sum");
  BOOST_TEST(one.metric == "a");
  BOOST_TEST((one.parts == Sum{{"x.sum"}}));
  BOOST_TEST(one.over.empty());
  BOOST_TEST(one.factor == 1);
  const sweep::CounterFormula share = sweep::parse_formula("a", "100 * x.sum|y.sum / z.sum");
  BOOST_TEST((share.parts == Sum{{"x.sum", "y.sum"}}));
  BOOST_TEST((share.over == Sum{{"z.sum"}}));
  BOOST_TEST(share.factor == 100);
  const sweep::CounterFormula sum = sweep::parse_formula("a", "(x.sum + y.sum) / z.sum");
  BOOST_TEST((sum.parts == Sum{{"x.sum"}, {"y.sum"}}));
  BOOST_TEST((sum.over == Sum{{"z.sum"}}));
  BOOST_TEST(sum.less.empty());
  const sweep::CounterFormula difference = sweep::parse_formula("a", "x.sum - y.sum");
  BOOST_TEST((difference.parts == Sum{{"x.sum"}}));
  BOOST_TEST((difference.less == Sum{{"y.sum"}}));
}

BOOST_AUTO_TEST_CASE(each_place_is_taken_once) {
  std::set<int> headlines;
  std::set<int> costs;
  for (const sweep::MetricDefinition& metric : sweep::metric_definitions()) {
    if (metric.headline > 0) BOOST_TEST(headlines.insert(metric.headline).second, metric.name);
    if (metric.cost > 0) BOOST_TEST(costs.insert(metric.cost).second, metric.name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
