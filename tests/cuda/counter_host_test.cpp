#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <iostream>

#include "engine/cuda/range_profiler.h"
#include "engine/spec/metric.h"
#include "tests/cuda/cupti_precondition.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace counter_host {
namespace {

/// What CUPTI knows of a chip needs no GPU, but it needs libcupti.
boost::test_tools::assertion_result has_cupti(boost::unit_test::test_unit_id) {
  if (!cupti_loads()) return false;
  try {
    const CounterHost host("GH100");
    return true;
  } catch (const CounterFailure& failure) {
    std::cout << "tests of what CUPTI knows skipped: " << failure.what() << std::endl;
    return false;
  }
}

const std::vector<std::string> chips = {"TU102", "GA100", "GA102", "AD102",
                                        "GH100", "GB100", "GB202"};
const std::string load_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";

/// The first name that the chip has of every counter.
std::vector<std::string> first_counters(const CounterHost& host, const std::string& set) {
  std::vector<std::string> counters;
  for (const CounterFormula& formula : formulas_of(std::vector<std::string>{set})) {
    for (const auto* parts : formula.sums()) {
      for (const CounterNames& names : *parts) {
        const auto name =
            std::ranges::find_if(names, [&](const auto& one) { return host.has(one); });
        if (name == names.end() && names.back() == no_counter) continue;
        if (name == names.end()) {
          BOOST_ERROR(host.chip() + " has no " + names.front());
        } else if (std::ranges::find(counters, *name) == counters.end()) {
          counters.push_back(*name);
        }
      }
    }
  }
  return counters;
}

}  // namespace
}  // namespace counter_host

BOOST_AUTO_TEST_SUITE(counter_host, *boost::unit_test::precondition(counter_host::has_cupti))

BOOST_DATA_TEST_CASE(a_chip_gives_every_set_in_few_passes, data::make(chips), chip) {
  CounterHost host(chip);
  const std::vector<std::pair<std::string, std::size_t>> sets = {
      {"memory", 2}, {"shared", 2}, {"cache", 2}, {"dram", 2}, {"instructions", 1}};
  BOOST_TEST(sets.size() == counter_sets().size());
  for (const auto& [set, passes] : sets) {
    const std::vector<std::string> counters = first_counters(host, set);
    BOOST_TEST(host.choose(counters).empty());
    BOOST_TEST(host.counters() == counters, boost::test_tools::per_element());
    BOOST_TEST(host.passes() >= 1U);
    BOOST_TEST(host.passes() <= passes, set << " on " << chip);
    BOOST_TEST(!host.configuration().empty());
  }
}

BOOST_AUTO_TEST_CASE(every_metric_that_counters_give_is_there_on_an_h200) {
  CounterHost host("GH100");
  for (const MetricDefinition& metric : metric_definitions()) {
    if (metric.counters.empty()) continue;
    BOOST_TEST(!first_counters(host, metric.name).empty(), metric.name);
  }
}

BOOST_AUTO_TEST_CASE(a_name_that_is_not_there_gets_a_suggestion) {
  const CounterHost host("GH100");
  BOOST_TEST(host.has(load_sectors));
  BOOST_TEST(host.has("l1tex__t_sector_hit_rate.pct"));
  const std::vector<std::pair<std::string, std::string>> names = {
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ls.sum", load_sectors},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld", load_sectors},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sun", load_sectors},
      {"l1tex__t_sector_hit_rate.pc", "l1tex__t_sector_hit_rate.pct"},
      {"dram__byte_read.sum", "dram__bytes_read.sum"},
  };
  for (const auto& [name, meant] : names) {
    BOOST_TEST(!host.has(name));
    BOOST_TEST(host.suggest(name) == "did you mean '" + meant + "'?");
  }
  for (const std::string name : {"x__y.sum", "", "no counter"}) {
    BOOST_TEST(!host.has(name));
    BOOST_TEST(host.suggest(name) == "");
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_counted_is_refused_and_the_rest_chosen) {
  CounterHost host("GH100");
  const std::vector<std::string> refused =
      host.choose({"smsp__inst_executed.sum", "x__y.sum", load_sectors});
  BOOST_TEST(refused == std::vector<std::string>{"x__y.sum"}, boost::test_tools::per_element());
  BOOST_TEST(host.counters().size() == 2U);
  BOOST_TEST(host.passes() == 1U);
  BOOST_TEST(host.choose({"x__y.sum"}).size() == 1U);
  BOOST_TEST(host.counters().empty());
  BOOST_TEST(host.choose({}).empty());
}

BOOST_AUTO_TEST_CASE(an_unknown_chip_is_a_failure_in_words) {
  try {
    const CounterHost host("XY999");
    BOOST_ERROR("there is no such chip");
  } catch (const CounterFailure& failure) {
    BOOST_TEST(std::string(failure.what())
                   .starts_with("the hardware's counters cannot be read, "
                                "cuptiProfilerHostInitialize says CUPTI_ERROR_"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
