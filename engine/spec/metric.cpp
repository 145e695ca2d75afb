#include "engine/spec/metric.h"

#include <algorithm>

#include "engine/text/diagnostic.h"

namespace sweep {
namespace {

/// A metric's row; group and origins come with the group that it stands in.
struct Row : MetricDefinition {
  Row(std::string metric, std::string in_unit, Better which, std::string means,
      std::string of_nvprof = {}, std::string text = {}) {
    name = std::move(metric);
    unit = std::move(in_unit);
    better = which;
    meaning = std::move(means);
    old_name = std::move(of_nvprof);
    counters = std::move(text);
    if (!counters.empty()) formula = parse_formula(name, counters);
    if (unit == "%") tolerance = {0, 0.5};
  }

  Row& follows(TimeRelation time) { return set(relation, time); }
  Row& headline(int place) { return set(MetricDefinition::headline, place); }
  Row& cost(int place) { return set(MetricDefinition::cost, place); }
  Row& left_out_at_zero() { return set(is_zero_left_out, true); }
  Row& ratio() { return set(tolerance.absolute, 0); }
  /// The emulator's figure is that of a model of the caches.
  Row& modelled(double relative, double absolute) {
    needs_caches = true;
    return set(tolerance, {relative, absolute});
  }
  /// Counters have more wavefronts where an access waits for others: on an NVIDIA H200 the tiles of
  /// transpose_tiles have up to 16 % more than their accesses need.
  Row& waits(std::vector<std::string> share_of) {
    tolerance.waiting = 0.2;
    return set(wavefronts, std::move(share_of));
  }
  /// The emulator executes PTX, and the hardware the machine code that it becomes.
  Row& not_comparable() { return set(is_comparable, false); }
  Row& of_hardware_alone() { return set(origins, {Origin::hardware}); }

 private:
  template <class T>
  Row& set(T& field, std::type_identity_t<T> value) {
    field = std::move(value);
    return *this;
  }
};

struct Group {
  std::string_view name;
  bool is_measured;
  std::vector<Row> rows;
};

std::vector<Group> make_groups() {
  using enum Better;
  using enum TimeRelation;
  const std::vector<Row> times = {
      Row("time", "us", lower, "median of the samples").follows(proportional).headline(1),
      Row("time_low", "us", lower, "lower end of the median's 95 % confidence interval")
          .follows(proportional),
      Row("time_high", "us", lower, "upper end of the median's 95 % confidence interval")
          .follows(proportional),
      Row("time_min", "us", lower, "fastest sample").follows(proportional),
      Row("time_q1", "us", lower, "first quartile of the samples").follows(proportional),
      Row("time_q3", "us", lower, "third quartile of the samples").follows(proportional),
      Row("noise", "%", lower, "half the median's confidence interval, as a share of it")
          .headline(4),
      Row("samples", "1", neither, "timed launches, or batches of them, in the figures"),
      Row("outliers", "1", lower,
          "samples far from the others: beyond Tukey's fences at three interquartile ranges"),
      Row("low_clock_samples", "1", lower,
          "samples left out of the figures since the clock was over 2 % below that of the others"),
      Row("launches_per_sample", "1", neither, "launches that a sample is the mean of"),
      Row("bandwidth", "GB/s", higher, "useful bytes / time, 1 GB = 1e9 B")
          .follows(inverse)
          .headline(2),
      Row("percent_of_peak", "%", higher,
          "bandwidth / the device's theoretical peak memory bandwidth")
          .follows(inverse)
          .headline(3),
      Row("shared_bandwidth", "GB/s", higher, "useful bytes of shared memory / time, 1 GB = 1e9 B")
          .follows(inverse),
      Row("useful_bytes", "B", neither, "bytes the algorithm needs to move in one launch"),
  };
  const std::vector<Row> states = {
      Row("sm_clock", "MHz", neither,
          "clock of the multiprocessors: median over the samples, else right after the last"),
      Row("memory_clock", "MHz", neither, "clock of the device memory right after the last sample"),
      Row("temperature", "°C", neither, "temperature of the GPU right after the last sample"),
      Row("power", "W", neither, "power that the device draws right after the last sample"),
  };
  const std::vector<Row> loads = {
      Row("load_requests", "1", neither, "warp-wide global loads", "global_load_requests",
          "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
      Row("load_sectors", "1", neither, "32-byte sectors that the requests touch",
          "gld_transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")
          .cost(3),
      Row("load_lines", "1", neither, "128-byte lines that the requests touch"),
      Row("load_transactions", "1", neither,
          "memory transactions of the requests by the device's own rule; the sectors from compute "
          "capability 5.0 on")
          .cost(1),
      Row("load_sectors_per_request", "1", lower, "load_sectors / load_requests",
          "gld_transactions_per_request",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum / "
          "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")
          .ratio()
          .headline(11),
      Row("load_lines_per_request", "1", lower, "load_lines / load_requests").ratio(),
      Row("load_transactions_per_request", "1", lower, "load_transactions / load_requests").ratio(),
      Row("load_bytes", "B", neither, "different bytes the requests wanted"),
      Row("load_lanes_per_request", "1", higher, "active threads of a request").ratio(),
      Row("load_tag_wavefronts", "1", neither,
          "passes through the L1 cache's tags, four lines each"),
      Row("load_data_wavefronts", "1", neither, "passes through the L1 cache's data banks"),
      Row("load_efficiency", "%", higher, "load_bytes / (32 B * load_sectors)", "gld_efficiency"),
  };
  const std::vector<Row> stores = {
      Row("store_requests", "1", neither, "warp-wide global stores", "global_store_requests",
          "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"),
      Row("store_sectors", "1", neither, "32-byte sectors that the requests touch",
          "gst_transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")
          .cost(4),
      Row("store_lines", "1", neither, "128-byte lines that the requests touch"),
      Row("store_transactions", "1", neither,
          "memory transactions of the requests by the device's own rule; the sectors from compute "
          "capability 5.0 on")
          .cost(2),
      Row("store_sectors_per_request", "1", lower, "store_sectors / store_requests",
          "gst_transactions_per_request",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum / "
          "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum")
          .ratio()
          .headline(12),
      Row("store_lines_per_request", "1", lower, "store_lines / store_requests").ratio(),
      Row("store_transactions_per_request", "1", lower, "store_transactions / store_requests")
          .ratio(),
      Row("store_bytes", "B", neither, "different bytes the requests wanted"),
      Row("store_lanes_per_request", "1", higher, "active threads of a request").ratio(),
      Row("store_tag_wavefronts", "1", neither,
          "passes through the L1 cache's tags, four lines each"),
      Row("store_data_wavefronts", "1", neither, "passes through the L1 cache's data banks"),
      Row("store_efficiency", "%", higher, "store_bytes / (32 B * store_sectors)",
          "gst_efficiency"),
  };
  const std::vector<Row> together = {
      Row("efficiency", "%", higher,
          "bytes wanted / (32 B * sectors), global loads and stores together")
          .headline(13),
  };
  const std::vector<Row> shared = {
      Row("shared_load_requests", "1", neither, "warp-wide loads of shared memory", "",
          "smsp__inst_executed_op_shared_ld_pred_on_any.sum"),
      Row("shared_load_wavefronts", "1", neither, "passes through the banks that they take",
          "shared_load_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")
          .cost(5)
          .waits({"shared_load_wavefronts"}),
      Row("shared_load_conflicts", "1", lower,
          "bank conflicts: wavefronts beyond what the bytes need", "shared_ld_bank_conflict",
          "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")
          .waits({"shared_load_wavefronts"}),
      Row("shared_load_wavefronts_per_request", "1", lower,
          "shared_load_wavefronts / shared_load_requests", "shared_load_transactions_per_request",
          "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum / "
          "smsp__inst_executed_op_shared_ld_pred_on_any.sum")
          .ratio()
          .headline(14)
          .waits({"shared_load_wavefronts_per_request"}),
      Row("shared_store_requests", "1", neither, "warp-wide stores of shared memory", "",
          "smsp__inst_executed_op_shared_st_pred_on_any.sum"),
      Row("shared_store_wavefronts", "1", neither, "passes through the banks that they take",
          "shared_store_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum")
          .cost(6)
          .waits({"shared_store_wavefronts"}),
      Row("shared_store_conflicts", "1", lower,
          "bank conflicts: wavefronts beyond what the bytes need", "shared_st_bank_conflict",
          "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum")
          .waits({"shared_store_wavefronts"}),
      Row("shared_store_wavefronts_per_request", "1", lower,
          "shared_store_wavefronts / shared_store_requests",
          "shared_store_transactions_per_request",
          "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum / "
          "smsp__inst_executed_op_shared_st_pred_on_any.sum")
          .ratio()
          .headline(15)
          .waits({"shared_store_wavefronts_per_request"}),
      Row("shared_conflicts", "1", lower, "bank conflicts of loads and stores together", "",
          "(l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum + "
          "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum)")
          .headline(16)
          .waits({"shared_load_wavefronts", "shared_store_wavefronts"}),
      Row("shared_efficiency", "%", higher, "bytes wanted / (128 B * wavefronts) in shared memory")
          .waits({}),
  };
  const std::vector<Row> others = {
      Row("atomic_requests", "1", neither, "warp-wide atomic operations on global memory", "",
          "(l1tex__t_requests_pipe_lsu_mem_global_op_red.sum + "
          "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum)"),
      Row("atomic_sectors", "1", neither, "sectors that they touch", "atomic_transactions",
          "(l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum + "
          "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum)")
          .cost(7)
          .left_out_at_zero(),
      Row("local_load_sectors", "1", neither, "sectors of loads of local memory",
          "local_load_transactions", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum")
          .cost(8)
          .left_out_at_zero(),
      Row("local_store_sectors", "1", neither, "sectors of stores of local memory",
          "local_store_transactions", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum")
          .cost(9)
          .left_out_at_zero(),
  };
  const std::vector<Row> caches = {
      Row("l1_hit_rate", "%", higher, "sectors found in the L1 cache", "global_hit_rate",
          "100 * l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum / "
          "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")
          .modelled(0, 10),
      Row("l2_hit_rate", "%", higher, "sectors found in the L2 cache", "l2_tex_hit_rate",
          "100 * lts__t_sectors_srcunit_tex_lookup_hit.sum / lts__t_sectors_srcunit_tex.sum")
          .modelled(0, 10),
      Row("l2_read_sectors", "1", neither, "sectors that L1 reads from L2",
          "l2_tex_read_transactions", "lts__t_sectors_srcunit_tex_op_read.sum")
          .modelled(0.1, 1),
      Row("l2_write_sectors", "1", neither, "sectors that L1 writes to L2",
          "l2_tex_write_transactions", "lts__t_sectors_srcunit_tex_op_write.sum")
          .modelled(0.1, 1),
      Row("dram_read_bytes", "B", neither, "bytes read from device memory", "",
          "dram__bytes_read.sum|dram__bytes_op_read.sum")
          .cost(10)
          .modelled(0.1, 1),
      Row("dram_write_bytes", "B", neither, "bytes written to device memory", "",
          "dram__bytes_write.sum|dram__bytes_op_write.sum")
          .cost(11)
          .modelled(0.1, 1),
      Row("dram_throughput", "%", higher,
          "what device memory moved, as a share of what it could have", "",
          "dram__throughput.avg.pct_of_peak_sustained_elapsed")
          .of_hardware_alone(),
  };
  const std::vector<Row> instructions = {
      Row("instructions", "1", neither,
          "warp instructions executed: the hardware's, or PTX by the emulator", "inst_executed",
          "smsp__inst_executed.sum")
          .cost(12)
          .not_comparable(),
      Row("thread_instructions", "1", neither, "the same, counted by active threads",
          "thread_inst_executed", "smsp__thread_inst_executed.sum")
          .not_comparable(),
      Row("executed_share", "%", neither, "share of the grid's blocks that the emulator executed"),
      Row("verified_share", "%", neither,
          "share of the elements with a verify condition that were verified"),
  };
  return {{"Time and bandwidth", true, times},
          {"State of the device", true, states},
          {"Loads from global memory", false, loads},
          {"Stores to global memory", false, stores},
          {"Loads and stores together", false, together},
          {"Shared memory", false, shared},
          {"Atomics and local memory", false, others},
          {"Caches and device memory", false, caches},
          {"Instructions", false, instructions}};
}

std::vector<MetricDefinition> make_table() {
  std::vector<MetricDefinition> table;
  for (Group& group : make_groups()) {
    for (Row& row : group.rows) {
      row.group = group.name;
      if (group.is_measured) {
        row.origins = {Origin::measured};
      } else if (row.origins.empty()) {
        if (!row.counters.empty()) row.origins.push_back(Origin::hardware);
        row.origins.push_back(Origin::emulated);
      }
      table.push_back(std::move(row));
    }
  }
  return table;
}

/// The parts of `text` between the marks.
std::vector<std::string> split(std::string_view text, std::string_view mark) {
  std::vector<std::string> parts;
  for (std::size_t end = text.find(mark); end != text.npos; end = text.find(mark)) {
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + mark.size());
  }
  parts.emplace_back(text);
  return parts;
}

std::vector<CounterNames> parse_sum(std::string_view text) {
  if (text.starts_with('(')) text = text.substr(1, text.size() - 2);
  std::vector<CounterNames> sum;
  for (const std::string& part : split(text, " + ")) sum.push_back(split(part, "|"));
  return sum;
}

}  // namespace

std::string_view to_string(Better better) {
  return better == Better::higher ? "higher" : better == Better::lower ? "lower" : "neither";
}

std::string_view to_string(Origin origin) {
  return origin == Origin::measured   ? "measured"
         : origin == Origin::hardware ? "hardware"
                                      : "emulated";
}

std::optional<Origin> find_origin(std::string_view name) {
  for (const Origin origin : {Origin::measured, Origin::hardware, Origin::emulated}) {
    if (to_string(origin) == name) return origin;
  }
  return std::nullopt;
}

CounterFormula parse_formula(std::string metric, std::string_view text) {
  CounterFormula formula{std::move(metric), {}};
  constexpr std::string_view percent = "100 * ";
  if (text.starts_with(percent)) {
    formula.factor = 100;
    text.remove_prefix(percent.size());
  }
  const std::vector<std::string> quotient = split(text, " / ");
  formula.parts = parse_sum(quotient.front());
  if (quotient.size() > 1) formula.over = parse_sum(quotient.back());
  return formula;
}

std::span<const MetricDefinition> metric_definitions() {
  static const std::vector<MetricDefinition> table = make_table();
  return table;
}

std::vector<MetricGroup> metric_groups() {
  std::vector<MetricGroup> groups;
  const auto table = metric_definitions();
  for (std::size_t begin = 0; begin < table.size(); begin += groups.back().metrics.size()) {
    const auto rest = table.subspan(begin);
    const auto end = std::ranges::find_if(
        rest, [&](const MetricDefinition& metric) { return metric.group != rest[0].group; });
    groups.push_back({rest[0].group, {rest.begin(), end}});
  }
  return groups;
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

}  // namespace sweep
