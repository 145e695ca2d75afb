#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <set>

#include "engine/spec/metric.h"
#include "tests/spec/example_patterns.h"

using namespace sweep;
using namespace sweep::testing;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(counter_set)

namespace {

using Names = std::vector<std::string>;

const Names counter = {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"};

struct Dependence {
  std::string counter;
  bool depends = false;
};
std::ostream& operator<<(std::ostream& out, const Dependence& dependence) {
  return out << dependence.counter;
}
const std::vector<Dependence> dependences = {
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", false},
    {"sm__sass_inst_executed_op_global_ld.sum", false},
    {"sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", false},
    {"smsp__inst_executed.sum", false},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", false},
    {"smsp__inst_executed.avg.per_cycle_active", true},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", true},
    {"l1tex__t_sector_hit_rate.pct", true},
    {"lts__t_sectors_srcunit_tex_op_read.sum", true},
    {"dram__bytes_read.sum", true},
    {"gpu__time_duration.sum", true},
};

/// What a name is wrong about and the help, or nothing.
std::string mistake_of(const std::string& name) {
  const auto mistake = find_counter_mistake(name);
  return mistake ? mistake->message + " | " + mistake->help : std::string();
}

std::string metrics_of(const Names& names) {
  std::string text;
  for (const CounterFormula& formula : formulas_of(names)) {
    text += (text.empty() ? "" : " ") + formula.metric;
  }
  return text;
}

const std::string no_help =
    "the sets are: memory, shared, cache, dram, instructions; 'sweep list metrics' shows what they "
    "give";

const std::vector<TextCase> mistakes = {
    {"memory", ""},
    {"load_sectors", ""},
    {"gld_transactions", ""},
    {"dram_throughput", ""},
    {counter.front(), ""},
    {"CTC.TriageCompute.ctc__rx_bytes.avg", ""},
    {"memroy", "'memroy' is neither a set of counters nor a counter | did you mean 'memory'?"},
    {"load_sector",
     "'load_sector' is neither a set of counters nor a counter | did you mean 'load_sectors'?"},
    {"true", "'true' is neither a set of counters nor a counter | " + no_help},
    {"", "'' is neither a set of counters nor a counter | " + no_help},
    {"bandwidth", "no hardware counter gives 'bandwidth' | " + no_help},
    {"gld_efficiency", "no hardware counter gives 'load_efficiency' | " + no_help},
    {"l1tex__t sectors",
     "'l1tex__t sectors' is not the name of a counter | NVIDIA's names look "
     "like l1tex__t_sectors.sum"},
    {"__sum",
     "'__sum' is not the name of a counter | NVIDIA's names look like "
     "l1tex__t_sectors.sum"},
};

/// `measure: {counters: TEXT}` and what it asks for.
const std::vector<TextCase> requests = {
    {"true", "memory"},
    {"false", ""},
    {"off", ""},
    {"", ""},
    {"memory", "memory"},
    {"[dram, memory]", "memory, dram"},
    {"[memory, memory]", "memory"},
    {"[]", ""},
    {"[l1tex__z.sum, gld_transactions, dram, l1tex__a.sum]",
     "dram, load_sectors, l1tex__a.sum, l1tex__z.sum"},
};

const std::vector<TextCase> bad_requests = {
    {"memroy",
     "2:21+6 'memroy' is neither a set of counters nor a counter | did you mean "
     "'memory'?"},
    {"[memory, true]", "2:30+4 'true' is neither a set of counters nor a counter | " + no_help},
    {"[time, drum]", "2:22+4 no hardware counter gives 'time' | " + no_help +
                         "\n2:28+4 'drum' is neither a set of counters nor a counter | did you "
                         "mean 'dram'?"},
    {"{memory: true}",
     "2:21+1 'counters' must be true, false, a name or a list of names | for example "
     "[memory, dram]"},
    {"[[memory]]", "2:22+1 'counters' must be a single value"},
};

std::string sweep_with(const std::string& counters) {
  return "pattern: stride\nmeasure: {counters: " + counters + "}\n";
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_formula_is_of_a_metric_and_uses_counters) {
  for (const MetricDefinition& metric : metric_definitions()) {
    BOOST_TEST_INFO(metric.name);
    const CounterFormula& formula = metric.formula;
    BOOST_TEST(formula.parts.empty() == metric.counters.empty());
    if (metric.counters.empty()) continue;
    BOOST_TEST(formula.metric == metric.name);
    const bool is_percent = metric.unit == "%";
    BOOST_TEST(formula.factor == (is_percent && !formula.over.empty() ? 100.0 : 1.0));
    for (const auto* parts : formula.sums()) {
      for (const CounterNames& names : *parts) {
        BOOST_TEST(!names.empty());
        for (const std::string& name : names) {
          BOOST_TEST((is_counter_name(name) || (name == no_counter && &name == &names.back())),
                     name);
        }
      }
    }
  }
  BOOST_TEST(find_metric("bandwidth")->counters.empty());
}

BOOST_AUTO_TEST_CASE(every_set_gives_metrics) {
  for (const CounterSet& set : counter_sets()) {
    BOOST_TEST_INFO(set.name);
    BOOST_TEST(!set.metrics.empty());
    BOOST_TEST(!set.meaning.empty());
    for (const std::string& metric : set.metrics) {
      BOOST_TEST(!find_metric(metric)->counters.empty(), metric);
    }
    BOOST_TEST(formulas_of(Names{set.name}).size() == set.metrics.size());
  }
}

BOOST_DATA_TEST_CASE(of_a_name_that_cannot_be_counted_the_reason_is_said, data::make(mistakes)) {
  BOOST_TEST(mistake_of(sample.text) == sample.expected);
}

BOOST_AUTO_TEST_CASE(the_command_line_gets_whole_sentences) {
  BOOST_TEST(check_counters(split_counters("memory, drum,memory")) ==
                 Names{"'drum' is neither a set of counters nor a counter; did you mean 'dram'?"},
             boost::test_tools::per_element());
  BOOST_TEST(split_counters("").empty());
  BOOST_TEST(split_counters(" ,").empty());
  BOOST_TEST(counters_text(split_counters("dram,memory")) == "memory, dram");
}

BOOST_AUTO_TEST_CASE(what_is_asked_for_twice_is_computed_once) {
  BOOST_TEST(metrics_of({"dram", "load_sectors", "memory", "l1tex__x.sum", "l1tex__x.sum"}) ==
             "load_requests load_sectors load_sectors_per_request store_requests store_sectors "
             "store_sectors_per_request dram_read_bytes dram_write_bytes dram_throughput "
             "l1tex__x.sum");
  BOOST_TEST(metrics_of({"nonsense"}) == "");
}

BOOST_AUTO_TEST_CASE(a_formula_divides_and_adds_what_was_counted) {
  const CounterFormula ratio{"hits", {{"a__hit.sum"}}, {{"a__hit.sum"}, {"a__miss.sum"}}, 100};
  BOOST_TEST(evaluate(ratio, {{"a__hit.sum", 3}, {"a__miss.sum", 1}}).value() == 75.0);
  BOOST_TEST(!evaluate(ratio, {{"a__hit.sum", 0}, {"a__miss.sum", 0}}).has_value());
  BOOST_TEST(!evaluate(ratio, {{"a__hit.sum", 3}}).has_value());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BOOST_TEST(!evaluate(ratio, {{"a__hit.sum", nan}, {"a__miss.sum", 1}}).has_value());
  const CounterFormula renamed{"bytes", {{"old__bytes.sum", "new__bytes.sum"}}};
  BOOST_TEST(evaluate(renamed, {{"new__bytes.sum", 7}}).value() == 7.0);
  const CounterFormula difference = parse_formula("rest", "a__all.sum - a__part.sum");
  BOOST_TEST(evaluate(difference, {{"a__all.sum", 7}, {"a__part.sum", 4}}).value() == 3.0);
  BOOST_TEST(evaluate(difference, {{"a__all.sum", 4}, {"a__part.sum", 7}}).value() == 0.0);
  BOOST_TEST(!evaluate(difference, {{"a__all.sum", 7}}).has_value());
  BOOST_TEST(evaluate(renamed, {{"old__bytes.sum", 5}, {"new__bytes.sum", 7}}).value() == 5.0);
}

BOOST_AUTO_TEST_CASE(what_a_gpu_has_no_counter_for_is_none) {
  CounterFormula sum = parse_formula("loads", "(a__ld.sum + a__ldgsts.sum|0)");
  const Names counters = {"a__ld.sum", "a__ldgsts.sum"};
  BOOST_TEST(counters_of(std::span(&sum, 1)) == counters, boost::test_tools::per_element());
  BOOST_TEST(!evaluate(sum, {{"a__ld.sum", 3}}).has_value());
  sum.parts.back() = {std::string(no_counter)};  // as for a GPU without a__ldgsts
  BOOST_TEST(counters_of(std::span(&sum, 1)) == Names{"a__ld.sum"},
             boost::test_tools::per_element());
  BOOST_TEST(evaluate(sum, {{"a__ld.sum", 3}}).value() == 3.0);
}

BOOST_DATA_TEST_CASE(instructions_and_their_addresses_do_not_depend_on_the_cache,
                     data::make(dependences)) {
  BOOST_TEST(depends_on_cache(sample.counter) == sample.depends);
}

BOOST_DATA_TEST_CASE(a_sweep_file_asks_for_counters, data::make(requests)) {
  BOOST_TEST(counters_text(read_sweep(sweep_with(sample.text)).counters) == sample.expected);
}

BOOST_DATA_TEST_CASE(a_mistake_in_a_sweep_file_has_its_place, data::make(bad_requests)) {
  BOOST_TEST(sweep_messages(sweep_with(sample.text)) == sample.expected);
}

BOOST_AUTO_TEST_CASE(a_sweep_asks_for_none_and_counters_change_no_rule_of_timing) {
  BOOST_TEST(read_sweep("pattern: stride\n").counters.empty());
  BOOST_TEST((read_sweep(sweep_with("dram")).measure == MeasureRules{}));
}

BOOST_AUTO_TEST_CASE(a_report_shows_a_counter_under_nvidias_name) {
  const Sweep sweep = read_sweep(
      "pattern: stride\nreport: {tables: [{rows: T, value: " + counter.front() + "}]}\n");
  BOOST_TEST(sweep.report.tables.front().values == counter, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
