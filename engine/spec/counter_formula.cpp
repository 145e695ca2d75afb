#include "engine/spec/counter_formula.h"

#include <algorithm>
#include <cmath>

namespace sweep {
namespace {

using Table = std::vector<CounterFormula>;

constexpr double percent = 100;

/// Global loads or stores; `what` is "load" and NVIDIA's word "ld", for example.
void add_global(Table& table, const std::string& what, const std::string& op) {
  const CounterNames requests = {"l1tex__t_requests_pipe_lsu_mem_global_op_" + op + ".sum"};
  const CounterNames sectors = {"l1tex__t_sectors_pipe_lsu_mem_global_op_" + op + ".sum"};
  table.insert(table.end(), {{what + "_requests", {requests}},
                             {what + "_sectors", {sectors}},
                             {what + "_sectors_per_request", {sectors}, {requests}}});
}

/// The same for shared memory. A request has at least one active lane, hence `pred_on_any`.
void add_shared(Table& table, const std::string& what, const std::string& op) {
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
void add_caches(Table& table) {
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
void add_others(Table& table) {
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

Table make_table() {
  Table table;
  add_global(table, "load", "ld");
  add_global(table, "store", "st");
  add_shared(table, "load", "ld");
  add_shared(table, "store", "st");
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_";
  table.push_back({"shared_conflicts", {{conflicts + "ld.sum"}, {conflicts + "st.sum"}}});
  add_caches(table);
  add_others(table);
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
  static const Table table = make_table();
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

}  // namespace sweep
