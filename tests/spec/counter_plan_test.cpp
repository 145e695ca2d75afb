#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/spec/metric.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(counter_plan)

namespace {

using Names = std::vector<std::string>;

const std::string load_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
const std::string store_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
const std::string load_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
const std::string store_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
const std::string loads = "smsp__inst_executed_op_global_ld_pred_on_any.sum";
const std::string stores = "smsp__inst_executed_op_global_st_pred_on_any.sum";
const std::string generic_loads = "smsp__inst_executed_op_generic_ld_pred_on_any.sum";
const std::string generic_stores = "smsp__inst_executed_op_generic_st_pred_on_any.sum";

bool has_all(const std::string& /*counter*/) {
  return true;
}

CounterPlan plan_of(const Names& names, const HasCounter& has = has_all) {
  return plan_counters(formulas_of(names), has);
}

std::string text_of(Names names) {
  std::ranges::sort(names);
  return fmt::format("{}", fmt::join(names, " "));
}

struct Counted {
  double loads = 0;
  double stores = 0;
  double generic_loads = 0;
  double generic_stores = 0;
  bool fits = true;
};
std::ostream& operator<<(std::ostream& out, const Counted& counted) {
  return out << counted.generic_loads << ' ' << counted.generic_stores;
}
const std::vector<Counted> launches = {
    {5, 3, 0, 0, true}, {0, 0, 0, 0, true}, {5, 3, 1, 0, false}, {5, 3, 0, 1, false}};

struct Dependence {
  std::string counter;
  bool depends = false;
};
std::ostream& operator<<(std::ostream& out, const Dependence& dependence) {
  return out << dependence.counter;
}
const std::vector<Dependence> dependences = {
    {load_requests, false},
    {load_sectors, false},
    {loads, false},
    {"smsp__inst_executed.sum", false},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", false},
    {"smsp__inst_executed.avg.per_cycle_active", true},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", true},
    {"l1tex__t_sector_hit_rate.pct", true},
    {"lts__t_sectors_srcunit_tex_op_read.sum", true},
    {"dram__bytes_read.sum", true},
    {"gpu__time_duration.sum", true},
};

}  // namespace

BOOST_AUTO_TEST_CASE(requests_are_counted_as_instructions_first) {
  const CounterPlan plan = plan_of({"memory"});
  BOOST_TEST(text_of(plan.first) ==
             text_of({load_sectors, store_sectors, loads, stores, generic_loads, generic_stores}));
  BOOST_TEST(text_of(plan.second) == text_of({load_requests, store_requests}));
  BOOST_TEST(text_of(plan_of({"load_requests"}).first) == text_of({loads, generic_loads}));
}

BOOST_AUTO_TEST_CASE(what_has_no_substitute_is_counted_at_once) {
  for (const CounterSet& set : counter_sets()) {
    if (set.name == "memory") continue;
    const CounterPlan plan = plan_of({set.name});
    BOOST_TEST(plan.first == plan_counters(formulas_of(Names{set.name})).first,
               boost::test_tools::per_element());
    BOOST_TEST(plan.second.empty(), set.name);
  }
}

BOOST_AUTO_TEST_CASE(a_counter_by_nvidias_name_is_that_counter) {
  const CounterPlan plan = plan_of({"memory", load_requests});
  BOOST_TEST(text_of(plan.first) ==
             text_of({load_sectors, store_sectors, load_requests, stores, generic_stores}));
  BOOST_TEST(text_of(plan.second) == store_requests);
}

BOOST_AUTO_TEST_CASE(a_substitute_that_the_gpu_lacks_is_not_used) {
  const CounterPlan plan =
      plan_of({"memory"}, [](const std::string& counter) { return counter != generic_loads; });
  BOOST_TEST(text_of(plan.first) ==
             text_of({load_sectors, store_sectors, load_requests, stores, generic_stores}));
  BOOST_TEST(text_of(plan.second) == store_requests);
}

BOOST_DATA_TEST_CASE(generic_accesses_are_not_substituted, data::make(launches)) {
  const CounterPlan plan = plan_of({"memory"});
  CounterValues values = {{loads, sample.loads},
                          {stores, sample.stores},
                          {generic_loads, sample.generic_loads},
                          {generic_stores, sample.generic_stores}};
  BOOST_TEST(apply_substitutes(plan, values) == sample.fits);
  if (!sample.fits) return;
  BOOST_TEST(values.at(load_requests) == sample.loads);
  BOOST_TEST(values.at(store_requests) == sample.stores);
}

BOOST_AUTO_TEST_CASE(a_witness_that_was_not_counted_vouches_for_nothing) {
  CounterValues values = {{loads, 1}, {stores, 1}, {generic_loads, 0}};
  BOOST_TEST(!apply_substitutes(plan_of({"memory"}), values));
}

BOOST_AUTO_TEST_CASE(asynchronous_copies_are_not_substituted) {
  const CounterPlan plan = plan_of({"memory"});
  BOOST_TEST(may_substitute(plan, "ld.global.f32 %f1, [%rd1];"));
  BOOST_TEST(may_substitute(plan, "cp.async.bulk.shared::cluster.global"));
  BOOST_TEST(!may_substitute(plan, "\tcp.async.cg.shared.global [%r1], [%rd1], 16;"));
  BOOST_TEST(!may_substitute(plan, "\tcp.async.ca.shared.global [%r1], [%rd1], 4;"));
  // Nothing is known of a program without PTX.
  BOOST_TEST(!may_substitute(plan, ""));
  BOOST_TEST(may_substitute(plan_of({"store_requests"}), ""));
  BOOST_TEST(may_substitute(plan_of({"dram"}), ""));
}

BOOST_DATA_TEST_CASE(instructions_and_their_addresses_do_not_depend_on_the_cache,
                     data::make(dependences)) {
  BOOST_TEST(depends_on_cache(sample.counter) == sample.depends);
}

BOOST_AUTO_TEST_SUITE_END()
