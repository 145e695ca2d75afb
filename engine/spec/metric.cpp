#include "engine/spec/metric.h"

#include <algorithm>

#include "engine/text/suggestion.h"

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

}  // namespace sweep
