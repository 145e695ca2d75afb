#include "engine/spec/metric.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/text/diagnostic.h"

namespace sweep {
namespace {

using Table = std::vector<MetricDefinition>;

void add_times(Table& table) {
  table.insert(
      table.end(),
      {{"time", "us", Better::lower, "median of the samples"},
       {"time_low", "us", Better::lower, "lower end of the median's 95 % confidence interval"},
       {"time_high", "us", Better::lower, "upper end of the median's 95 % confidence interval"},
       {"time_min", "us", Better::lower, "fastest sample"},
       {"time_q1", "us", Better::lower, "first quartile of the samples"},
       {"time_q3", "us", Better::lower, "third quartile of the samples"},
       {"noise", "%", Better::lower, "half the median's confidence interval, as a share of it"},
       {"samples", "1", Better::neither, "timed launches, or batches of them, in the figures"},
       {"outliers", "1", Better::lower,
        "samples far from the others: beyond Tukey's fences at three interquartile ranges"},
       {"low_clock_samples", "1", Better::lower,
        "samples left out of the figures since the clock was over 2 % below that of the others"},
       {"launches_per_sample", "1", Better::neither, "launches that a sample is the mean of"},
       {"bandwidth", "GB/s", Better::higher, "useful bytes / time, 1 GB = 1e9 B"},
       {"percent_of_peak", "%", Better::higher,
        "bandwidth / the device's theoretical peak memory bandwidth"},
       {"shared_bandwidth", "GB/s", Better::higher,
        "useful bytes of shared memory / time, 1 GB = 1e9 B"},
       {"useful_bytes", "B", Better::neither, "bytes the algorithm needs to move in one launch"}});
}

void add_state(Table& table) {
  table.insert(
      table.end(),
      {{"sm_clock", "MHz", Better::neither,
        "clock of the multiprocessors: median over the samples, else right after the last"},
       {"memory_clock", "MHz", Better::neither,
        "clock of the device memory right after the last sample"},
       {"temperature", "°C", Better::neither, "temperature of the GPU right after the last sample"},
       {"power", "W", Better::neither, "power that the device draws right after the last sample"}});
}

/// The metrics of global loads or stores; `what` is "load" and nvprof's word "gld", for example.
void add_global(Table& table, const std::string& what, const std::string& old) {
  table.insert(
      table.end(),
      {{what + "_requests", "1", Better::neither, "warp-wide global " + what + "s",
        "global_" + what + "_requests"},
       {what + "_sectors", "1", Better::neither, "32-byte sectors that the requests touch",
        old + "_transactions"},
       {what + "_lines", "1", Better::neither, "128-byte lines that the requests touch"},
       {what + "_transactions", "1", Better::neither,
        "memory transactions of the requests by the device's own rule; the sectors from compute "
        "capability 5.0 on"},
       {what + "_sectors_per_request", "1", Better::lower,
        what + "_sectors / " + what + "_requests", old + "_transactions_per_request"},
       {what + "_lines_per_request", "1", Better::lower, what + "_lines / " + what + "_requests"},
       {what + "_transactions_per_request", "1", Better::lower,
        what + "_transactions / " + what + "_requests"},
       {what + "_bytes", "B", Better::neither, "different bytes the requests wanted"},
       {what + "_lanes_per_request", "1", Better::higher, "active threads of a request"},
       {what + "_tag_wavefronts", "1", Better::neither,
        "passes through the L1 cache's tags, four lines each"},
       {what + "_data_wavefronts", "1", Better::neither,
        "passes through the L1 cache's data banks"},
       {what + "_efficiency", "%", Better::higher, what + "_bytes / (32 B * " + what + "_sectors)",
        old + "_efficiency"}});
}

/// The same for shared memory; `old` is nvprof's "ld" or "st".
void add_shared(Table& table, const std::string& what, const std::string& old) {
  const std::string name = "shared_" + what;
  table.insert(
      table.end(),
      {{name + "_requests", "1", Better::neither, "warp-wide " + what + "s of shared memory"},
       {name + "_wavefronts", "1", Better::neither, "passes through the banks that they take",
        name + "_transactions"},
       {name + "_conflicts", "1", Better::lower,
        "bank conflicts: wavefronts beyond what the bytes need",
        "shared_" + old + "_bank_conflict"},
       {name + "_wavefronts_per_request", "1", Better::lower,
        name + "_wavefronts / " + name + "_requests", name + "_transactions_per_request"}});
}

void add_caches(Table& table) {
  table.insert(
      table.end(),
      {{"l1_hit_rate", "%", Better::higher, "sectors found in the L1 cache", "global_hit_rate"},
       {"l2_hit_rate", "%", Better::higher, "sectors found in the L2 cache", "l2_tex_hit_rate"},
       {"l2_read_sectors", "1", Better::neither, "sectors that L1 reads from L2",
        "l2_tex_read_transactions"},
       {"l2_write_sectors", "1", Better::neither, "sectors that L1 writes to L2",
        "l2_tex_write_transactions"},
       {"dram_read_bytes", "B", Better::neither, "bytes read from device memory"},
       {"dram_write_bytes", "B", Better::neither, "bytes written to device memory"},
       {"dram_throughput", "%", Better::higher,
        "what device memory moved, as a share of what it could have"}});
}

Table make_table() {
  Table table;
  add_times(table);
  add_state(table);
  add_global(table, "load", "gld");
  add_global(table, "store", "gst");
  table.push_back({"efficiency", "%", Better::higher,
                   "bytes wanted / (32 B * sectors), global loads and stores together"});
  add_shared(table, "load", "ld");
  add_shared(table, "store", "st");
  table.insert(
      table.end(),
      {{"shared_conflicts", "1", Better::lower, "bank conflicts of loads and stores together"},
       {"shared_efficiency", "%", Better::higher,
        "bytes wanted / (128 B * wavefronts) in shared memory"},
       {"atomic_requests", "1", Better::neither, "warp-wide atomic operations on global memory"},
       {"atomic_sectors", "1", Better::neither, "sectors that they touch", "atomic_transactions"},
       {"local_load_sectors", "1", Better::neither, "sectors of loads of local memory",
        "local_load_transactions"},
       {"local_store_sectors", "1", Better::neither, "sectors of stores of local memory",
        "local_store_transactions"}});
  add_caches(table);
  table.insert(table.end(), {{"instructions", "1", Better::neither,
                              "warp instructions executed: the hardware's, or PTX by the emulator",
                              "inst_executed"},
                             {"thread_instructions", "1", Better::neither,
                              "the same, counted by active threads", "thread_inst_executed"},
                             {"executed_share", "%", Better::neither,
                              "share of the grid's blocks that the emulator executed"},
                             {"verified_share", "%", Better::neither,
                              "share of the elements with a verify condition that were verified"}});
  return table;
}

}  // namespace

std::string_view to_string(Better better) {
  switch (better) {
    case Better::higher:
      return "higher";
    case Better::lower:
      return "lower";
    case Better::neither:
      break;
  }
  return "neither";
}

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::measured:
      return "measured";
    case Origin::hardware:
      return "hardware";
    case Origin::emulated:
      break;
  }
  return "emulated";
}

std::optional<Origin> find_origin(std::string_view name) {
  for (const Origin origin : {Origin::measured, Origin::hardware, Origin::emulated}) {
    if (to_string(origin) == name) return origin;
  }
  return std::nullopt;
}

std::span<const MetricDefinition> metric_definitions() {
  static const std::vector<MetricDefinition> table = make_table();
  return table;
}

const MetricDefinition* find_metric(std::string_view name) {
  const auto table = metric_definitions();
  const auto found = std::ranges::find_if(table, [&](const MetricDefinition& metric) {
    return metric.name == name || (!name.empty() && metric.old_name == name);
  });
  return found != table.end() ? &*found : nullptr;
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const MetricDefinition& metric : metric_definitions()) names.push_back(metric.name);
  return names;
}

std::string suggest_metric(std::string_view name) {
  std::vector<std::string> names = metric_names();
  for (const MetricDefinition& metric : metric_definitions()) {
    if (!metric.old_name.empty()) names.push_back(metric.old_name);
  }
  const std::string meant = did_you_mean(name, names);
  return meant.empty() ? "'sweep list metrics' shows the metrics there are" : meant;
}

namespace {

using Formulas = std::vector<CounterFormula>;

constexpr double percent = 100;

/// Global loads or stores; `what` is "load" and NVIDIA's word "ld", for example.
void add_global_formulas(Formulas& table, const std::string& what, const std::string& op) {
  const CounterNames requests = {"l1tex__t_requests_pipe_lsu_mem_global_op_" + op + ".sum"};
  const CounterNames sectors = {"l1tex__t_sectors_pipe_lsu_mem_global_op_" + op + ".sum"};
  table.insert(table.end(), {{what + "_requests", {requests}},
                             {what + "_sectors", {sectors}},
                             {what + "_sectors_per_request", {sectors}, {requests}}});
}

/// The same for shared memory. A request has at least one active lane, hence `pred_on_any`.
void add_shared_formulas(Formulas& table, const std::string& what, const std::string& op) {
  const std::string name = "shared_" + what;
  const CounterNames requests = {"smsp__inst_executed_op_shared_" + op + "_pred_on_any.sum"};
  const CounterNames wavefronts = {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" + op + ".sum"};
  table.insert(table.end(),
               {{name + "_requests", {requests}},
                {name + "_wavefronts", {wavefronts}},
                {name + "_wavefronts_per_request", {wavefronts}, {requests}},
                {name + "_conflicts",
                 {{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" + op + ".sum"}}}});
}

/// Between L1 and L2 the counters of what L1 ("tex") asks for: those of the whole L2 have the
/// traffic between its halves too.
void add_caches_formulas(Formulas& table) {
  const std::string l1_loads = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld";
  const std::string from_l1 = "lts__t_sectors_srcunit_tex";
  table.insert(table.end(),
               {{"l1_hit_rate", {{l1_loads + "_lookup_hit.sum"}}, {{l1_loads + ".sum"}}, percent},
                {"l2_hit_rate", {{from_l1 + "_lookup_hit.sum"}}, {{from_l1 + ".sum"}}, percent},
                {"l2_read_sectors", {{from_l1 + "_op_read.sum"}}},
                {"l2_write_sectors", {{from_l1 + "_op_write.sum"}}},
                {"dram_read_bytes", {{"dram__bytes_read.sum", "dram__bytes_op_read.sum"}}},
                {"dram_write_bytes", {{"dram__bytes_write.sum", "dram__bytes_op_write.sum"}}},
                {"dram_throughput", {{"dram__throughput.avg.pct_of_peak_sustained_elapsed"}}}});
}

/// Atomics without use of their result count as "red", the others as "atom".
void add_others_formulas(Formulas& table) {
  const auto atomic = [](const std::string& what) {
    const std::string counter = "l1tex__t_" + what + "_pipe_lsu_mem_global_op_";
    return std::vector<CounterNames>{{counter + "red.sum"}, {counter + "atom.sum"}};
  };
  const std::string local = "l1tex__t_sectors_pipe_lsu_mem_local_op_";
  table.insert(table.end(), {{"atomic_requests", atomic("requests")},
                             {"atomic_sectors", atomic("sectors")},
                             {"local_load_sectors", {{local + "ld.sum"}}},
                             {"local_store_sectors", {{local + "st.sum"}}},
                             {"instructions", {{"smsp__inst_executed.sum"}}},
                             {"thread_instructions", {{"smsp__thread_inst_executed.sum"}}}});
}

Formulas make_formulas() {
  Formulas table;
  add_global_formulas(table, "load", "ld");
  add_global_formulas(table, "store", "st");
  add_shared_formulas(table, "load", "ld");
  add_shared_formulas(table, "store", "st");
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_";
  table.push_back({"shared_conflicts", {{conflicts + "ld.sum"}, {conflicts + "st.sum"}}});
  add_caches_formulas(table);
  add_others_formulas(table);
  return table;
}

std::optional<double> value_of(const CounterNames& names, const CounterValues& values) {
  for (const std::string& name : names) {
    const auto found = values.find(name);
    if (found != values.end() && std::isfinite(found->second)) return found->second;
  }
  return std::nullopt;
}

std::optional<double> sum_of(std::span<const CounterNames> parts, const CounterValues& values) {
  double sum = 0;
  for (const CounterNames& part : parts) {
    const auto value = value_of(part, values);
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum;
}

}  // namespace

std::span<const CounterFormula> counter_formulas() {
  static const Formulas table = make_formulas();
  return table;
}

const CounterFormula* find_counter_formula(std::string_view metric) {
  const auto table = counter_formulas();
  const auto found = std::ranges::find(table, metric, &CounterFormula::metric);
  return found != table.end() ? &*found : nullptr;
}

std::optional<double> evaluate(const CounterFormula& formula, const CounterValues& values) {
  const auto dividend = sum_of(formula.parts, values);
  if (!dividend) return std::nullopt;
  if (formula.over.empty()) return formula.factor * *dividend;
  const auto divisor = sum_of(formula.over, values);
  if (!divisor || *divisor == 0) return std::nullopt;
  return formula.factor * *dividend / *divisor;
}

namespace {

/// A group begins with its first metric.
struct Heading {
  std::string_view first;
  std::string_view name;
  bool is_measured = false;
};

constexpr std::array headings = {
    Heading{"time", "Time and bandwidth", true},
    Heading{"sm_clock", "State of the device", true},
    Heading{"load_requests", "Loads from global memory"},
    Heading{"store_requests", "Stores to global memory"},
    Heading{"efficiency", "Loads and stores together"},
    Heading{"shared_load_requests", "Shared memory"},
    Heading{"atomic_requests", "Atomics and local memory"},
    Heading{"l1_hit_rate", "Caches and device memory"},
    Heading{"instructions", "Instructions"},
};

const Heading& heading_of(const MetricDefinition& metric) {
  const Heading* current = headings.data();
  for (const MetricDefinition& each : metric_definitions()) {
    const auto* next = std::ranges::find(headings, each.name, &Heading::first);
    if (next != headings.end()) current = next;
    if (each.name == metric.name) break;
  }
  return *current;
}

/// What the hardware alone knows.
bool is_emulated(const MetricDefinition& metric) {
  return metric.name != "dram_throughput";
}

std::string sum_text(const std::vector<CounterNames>& parts) {
  std::vector<std::string> names;
  for (const CounterNames& part : parts) names.push_back(fmt::format("{}", fmt::join(part, "|")));
  const std::string sum = fmt::format("{}", fmt::join(names, " + "));
  return parts.size() > 1 ? "(" + sum + ")" : sum;
}

}  // namespace

std::vector<MetricGroup> metric_groups() {
  std::vector<MetricGroup> groups;
  for (const MetricDefinition& metric : metric_definitions()) {
    const std::string_view name = heading_of(metric).name;
    if (groups.empty() || groups.back().name != name) groups.push_back({name, {}});
    groups.back().metrics.push_back(&metric);
  }
  return groups;
}

std::string_view group_of(const MetricDefinition& metric) {
  return heading_of(metric).name;
}

std::vector<Origin> origins_of(const MetricDefinition& metric) {
  if (heading_of(metric).is_measured) return {Origin::measured};
  std::vector<Origin> origins;
  if (find_counter_formula(metric.name) != nullptr) origins.push_back(Origin::hardware);
  if (is_emulated(metric)) origins.push_back(Origin::emulated);
  return origins;
}

std::string formula_text(const CounterFormula& formula) {
  std::string text = sum_text(formula.parts);
  if (!formula.over.empty()) text += " / " + sum_text(formula.over);
  return formula.factor == 1 ? text : fmt::format("{} * {}", formula.factor, text);
}

}  // namespace sweep
