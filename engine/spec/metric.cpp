#include "engine/spec/metric.h"

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>

#include "engine/text/diagnostic.h"

namespace sweep {
namespace {

constexpr std::array<std::string_view, all_origins.size()> origin_names = {"measured", "hardware",
                                                                           "predicted", "emulated"};

/// Of a ratio of counts.
constexpr CountTolerance ratio{.absolute = 0};

/// Its group, and its origins where they are the group's, come with the group that it stands in.
MetricDefinition row(std::string name, std::string unit, Better better, std::string meaning,
                     MetricTraits traits = {}, std::string of_nvprof = {},
                     const std::string& counters = {}) {
  MetricDefinition metric{std::move(traits),  std::move(name),      std::move(unit), better,
                          std::move(meaning), std::move(of_nvprof), counters};
  if (!counters.empty()) metric.formula = parse_formula(metric.name, counters);
  if (metric.unit == "%" && !metric.needs_caches) metric.tolerance = {0, 0.5};
  return metric;
}

/// What `bottleneck` stands for.
std::vector<std::string_view> bound_names() {
  return {"launch",     "start of blocks", "latency",  "instruction issue",
          "arithmetic", "tensor cores",    "L1 cache", "shared memory",
          "L2",         "device memory",   "atomics"};
}

/// Of half, single and double precision; what is fused counts twice.
std::string float_operations_sum() {
  std::string sum;
  for (const char* operation : {"hadd", "hmul", "hfma", "hfma", "fadd", "fmul", "ffma", "ffma",
                                "dadd", "dmul", "dfma", "dfma"}) {
    sum += std::string(sum.empty() ? "(" : " + ") + "smsp__sass_thread_inst_executed_op_" +
           operation + "_pred_on.sum";
  }
  return sum + ")";
}

std::vector<MetricDefinition> make_table() {
  // Instructions that were executed with an active lane. What older GPUs lack is no_counter there.
  const std::string global_loads =
      "(sm__sass_inst_executed_op_global_ld.sum + sm__sass_inst_executed_op_ldgsts.sum|0)";
  const std::string global_stores = "sm__sass_inst_executed_op_global_st.sum";
  const std::string shared_loads =
      "(sm__sass_inst_executed_op_shared_ld.sum + sm__sass_inst_executed_op_ldsm.sum)";
  const std::string shared_stores =
      "(sm__sass_inst_executed_op_shared_st.sum + sm__sass_inst_executed_op_shared_stsm.sum|0)";

  // Wavefronts of shared memory that the instructions' addresses need.
  const std::string sass_wavefronts = "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_";
  const std::string load_wavefronts = sass_wavefronts + "ld.sum + " + sass_wavefronts + "ldsm.sum";
  const std::string store_wavefronts =
      sass_wavefronts + "st.sum + " + sass_wavefronts + "stsm.sum|0";
  // Wavefronts in the L1 cache's data stage, and those of them that it takes for conflicts: in both
  // an access that waits for others is counted again, so that their difference is what bytes need.
  const std::string l1_wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_";
  const std::string l1_conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_";
  const std::string float_operation_counters = float_operations_sum();
  std::vector<MetricDefinition> table;
  const auto add = [&](std::string_view group, bool is_measured,
                       std::vector<MetricDefinition> rows) {
    for (MetricDefinition& metric : rows) {
      metric.group = group;
      if (is_measured) {
        metric.origins.insert(metric.origins.begin(), Origin::measured);
      } else if (metric.origins.empty()) {
        if (!metric.counters.empty()) metric.origins.push_back(Origin::hardware);
        metric.origins.push_back(Origin::emulated);
      }
      table.push_back(std::move(metric));
    }
  };
  using enum Better;
  using enum TimeRelation;

  const std::vector<Origin> predicted = {Origin::predicted};
  add("Time and bandwidth", true,
      {row("time", "us", lower, "median of the samples",
           {.relation = proportional, .headline = 1, .origins = predicted}),
       row("time_low", "us", lower,
           "lower end of the median's 95 % confidence interval; of a prediction: of the interval "
           "that "
           "holds the time with 90 %",
           {.relation = proportional, .origins = predicted}),
       row("time_high", "us", lower, "upper end of the same",
           {.relation = proportional, .origins = predicted}),
       row("time_min", "us", lower, "fastest sample", {.relation = proportional}),
       row("time_q1", "us", lower, "first quartile of the samples", {.relation = proportional}),
       row("time_q3", "us", lower, "third quartile of the samples", {.relation = proportional}),
       row("noise", "%", lower, "half the median's confidence interval, as a share of it",
           {.headline = 4}),
       row("samples", "1", neither, "timed launches, or batches of them, in the figures"),
       row("outliers", "1", lower,
           "samples far from the others: beyond Tukey's fences at three interquartile ranges"),
       row("low_clock_samples", "1", lower,
           "samples left out of the figures since the clock was over 2 % below that of the "
           "others"),
       row("launches_per_sample", "1", neither, "launches that a sample is the mean of"),
       row("bandwidth", "GB/s", higher, "useful bytes / time, 1 GB = 1e9 B",
           {.relation = inverse, .headline = 2, .origins = predicted}),
       row("percent_of_peak", "%", higher,
           "bandwidth / the device's theoretical peak memory bandwidth",
           {.relation = inverse, .headline = 3, .origins = predicted}),
       row("percent_of_link_peak", "%", higher,
           "bandwidth / link_peak, where a buffer lies elsewhere; up to 200 where bytes go both "
           "ways",
           {.relation = inverse}),
       row("link_peak", "GB/s", neither,
           "the theoretical peak of the link to the buffer's memory in one direction, by its lanes "
           "and their speed"),
       row("shared_bandwidth", "GB/s", higher, "useful bytes of shared memory / time, 1 GB = 1e9 B",
           {.relation = inverse, .origins = predicted}),
       row("useful_bytes", "B", neither, "bytes the algorithm needs to move in one launch")});
  const MetricTraits of_model{.origins = predicted};
  add("Predicted", false,
      {row("bottleneck", "1", neither, "what takes longest of what the kernel asks for",
           {.origins = predicted, .words = bound_names()}),
       row("next_bound", "%", neither,
           "how long what takes second longest takes, as a share of that", of_model),
       row("launch_time", "us", lower, "time of the launches if they had nothing to do", of_model),
       row("block_time", "us", lower, "time if starting blocks took all of it", of_model),
       row("latency_time", "us", lower,
           "time if each warp waited for its own accesses and results alone", of_model),
       row("issue_time", "us", lower, "time if issuing instructions took all of it", of_model),
       row("pipe_time", "us", lower, "the same of the busiest arithmetic pipe", of_model),
       row("tensor_time", "us", lower, "the same of the tensor cores", of_model),
       row("l1_time", "us", lower, "the same of the L1 cache's passes", of_model),
       row("shared_time", "us", lower, "the same of shared memory's passes", of_model),
       row("l2_time", "us", lower, "the same of what goes through L2", of_model),
       row("dram_time", "us", lower, "the same of device memory", of_model),
       row("atomic_time", "us", lower, "the same of atomic operations", of_model)});
  add("State of the device", true,
      {row("sm_clock", "MHz", neither,
           "clock of the multiprocessors: median over the samples, else right after the last"),
       row("memory_clock", "MHz", neither,
           "clock of the device memory right after the last sample"),
       row("temperature", "°C", neither, "temperature of the GPU right after the last sample"),
       row("power", "W", neither, "power that the device draws right after the last sample"),
       row("energy", "mJ", lower,
           "energy that the device draws for one of many launches, each right after the one "
           "before; "
           "measured where a sweep names it")});
  const MetricTraits of_kernel{.origins = {Origin::measured, Origin::emulated}};
  add("Resources of the kernel", false,
      {row("launches", "1", neither, "launches of kernels, where there are several"),
       row("blocks", "1", neither, "blocks that are launched"),
       row("warps", "1", neither, "their warps"),
       row("cold_launches", "1", neither,
           "launches that find nothing in the caches, as far as a time is predicted",
           {.origins = {Origin::emulated}, .is_zero_left_out = true}),
       row("registers", "1", neither, "registers of a thread", of_kernel),
       row("static_shared_bytes", "B", neither,
           "shared memory of a block that the kernel declares with a size", of_kernel),
       row("dynamic_shared_bytes", "B", neither, "shared memory of a block that the launch gives",
           of_kernel),
       row("local_bytes", "B", lower,
           "local memory of a thread: spilled registers, arrays that registers cannot hold",
           of_kernel),
       row("code_instructions", "1", neither, "instructions in the machine code, each once",
           {.origins = {Origin::emulated}}),
       row("spill_loads", "1", lower,
           "instructions in the machine code that load local memory, each once",
           {.origins = {Origin::emulated}}),
       row("spill_stores", "1", lower,
           "instructions in the machine code that store to local memory, each once",
           {.origins = {Origin::emulated}}),
       row("resident_blocks", "1", higher, "blocks that a multiprocessor runs at once", of_kernel),
       row("occupancy", "%", higher,
           "theoretical: their warps, as a share of the most that a multiprocessor can have",
           of_kernel),
       row("blocks_by_slots", "1", higher, "blocks that a multiprocessor can have at all",
           of_kernel),
       row("blocks_by_warps", "1", higher, "blocks whose warps it has room for", of_kernel),
       row("blocks_by_shared", "1", higher, "blocks whose shared memory it has room for",
           of_kernel),
       row("blocks_by_registers", "1", higher, "blocks whose registers it has room for",
           of_kernel)});
  add("Loads from global memory", false,
      {row("load_requests", "1", neither, "warp-wide global loads", {}, "global_load_requests",
           global_loads),
       row("load_sectors", "1", neither, "32-byte sectors that the requests touch", {.cost = 3},
           "gld_transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
       row("load_lines", "1", neither, "128-byte lines that the requests touch"),
       row("load_transactions", "1", neither,
           "memory transactions of the requests by the device's own rule; the sectors from "
           "compute capability 5.0 on",
           {.cost = 1}),
       row("load_sectors_per_request", "1", lower, "load_sectors / load_requests",
           {.headline = 11, .tolerance = ratio}, "gld_transactions_per_request",
           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum / " + global_loads),
       row("load_lines_per_request", "1", lower, "load_lines / load_requests",
           {.tolerance = ratio}),
       row("load_transactions_per_request", "1", lower, "load_transactions / load_requests",
           {.tolerance = ratio}),
       row("load_bytes", "B", neither, "different bytes the requests wanted"),
       row("load_lanes_per_request", "1", higher, "active threads of a request",
           {.tolerance = ratio}),
       row("load_tag_wavefronts", "1", neither,
           "passes through the L1 cache's tags, four lines each"),
       row("load_data_wavefronts", "1", neither, "passes through the L1 cache's data banks"),
       row("load_efficiency", "%", higher, "load_bytes / (32 B * load_sectors)", {},
           "gld_efficiency")});
  add("Stores to global memory", false,
      {row("store_requests", "1", neither, "warp-wide global stores", {}, "global_store_requests",
           global_stores),
       row("store_sectors", "1", neither, "32-byte sectors that the requests touch", {.cost = 4},
           "gst_transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
       row("store_lines", "1", neither, "128-byte lines that the requests touch"),
       row("store_transactions", "1", neither,
           "memory transactions of the requests by the device's own rule; the sectors from "
           "compute capability 5.0 on",
           {.cost = 2}),
       row("store_sectors_per_request", "1", lower, "store_sectors / store_requests",
           {.headline = 12, .tolerance = ratio}, "gst_transactions_per_request",
           "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum / " + global_stores),
       row("store_lines_per_request", "1", lower, "store_lines / store_requests",
           {.tolerance = ratio}),
       row("store_transactions_per_request", "1", lower, "store_transactions / store_requests",
           {.tolerance = ratio}),
       row("store_bytes", "B", neither, "different bytes the requests wanted"),
       row("store_lanes_per_request", "1", higher, "active threads of a request",
           {.tolerance = ratio}),
       row("store_tag_wavefronts", "1", neither,
           "passes through the L1 cache's tags, four lines each"),
       row("store_data_wavefronts", "1", neither, "passes through the L1 cache's data banks"),
       row("store_efficiency", "%", higher, "store_bytes / (32 B * store_sectors)", {},
           "gst_efficiency")});
  add("Loads and stores together", false,
      {row("efficiency", "%", higher,
           "bytes wanted / (32 B * sectors), global loads and stores together", {.headline = 13})});
  add("Textures", false,
      {row("texture_requests", "1", neither, "reads of textures, one for each four lanes",
           {.is_zero_left_out = true}, "", "l1tex__t_requests_pipe_tex_mem_texture.sum"),
       row("texture_sectors", "1", neither, "32-byte sectors that they touch",
           {.is_zero_left_out = true}, "", "l1tex__t_sectors_pipe_tex_mem_texture.sum")});
  add("Shared memory", false,
      {row("shared_load_requests", "1", neither, "warp-wide loads of shared memory", {}, "",
           shared_loads),
       row("shared_load_wavefronts", "1", neither, "passes through the banks that they take",
           {.cost = 5}, "shared_load_transactions", "(" + load_wavefronts + ")"),
       row("shared_load_ideal_wavefronts", "1", neither,
           "those of them that the bytes need, without conflicts", {}, "",
           l1_wavefronts + "ld.sum - " + l1_conflicts + "ld.sum"),
       row("shared_load_conflicts", "1", lower,
           "bank conflicts: wavefronts beyond what the bytes need", {}, "shared_ld_bank_conflict",
           "(" + load_wavefronts + " + " + l1_conflicts + "ld.sum) - " + l1_wavefronts + "ld.sum"),
       row("shared_load_wavefronts_per_request", "1", lower,
           "shared_load_wavefronts / shared_load_requests", {.headline = 14, .tolerance = ratio},
           "shared_load_transactions_per_request", "(" + load_wavefronts + ") / " + shared_loads),
       row("shared_store_requests", "1", neither, "warp-wide stores of shared memory", {}, "",
           shared_stores),
       row("shared_store_wavefronts", "1", neither, "passes through the banks that they take",
           {.cost = 6}, "shared_store_transactions", "(" + store_wavefronts + ")"),
       row("shared_store_ideal_wavefronts", "1", neither,
           "those of them that the bytes need, without conflicts", {}, "",
           l1_wavefronts + "st.sum - " + l1_conflicts + "st.sum"),
       row("shared_store_conflicts", "1", lower,
           "bank conflicts: wavefronts beyond what the bytes need", {}, "shared_st_bank_conflict",
           "(" + store_wavefronts + " + " + l1_conflicts + "st.sum) - " + l1_wavefronts + "st.sum"),
       row("shared_store_wavefronts_per_request", "1", lower,
           "shared_store_wavefronts / shared_store_requests", {.headline = 15, .tolerance = ratio},
           "shared_store_transactions_per_request",
           "(" + store_wavefronts + ") / " + shared_stores),
       row("shared_conflicts", "1", lower, "bank conflicts of loads and stores together",
           {.headline = 16}, "",
           "(" + load_wavefronts + " + " + store_wavefronts + " + " + l1_conflicts + "ld.sum + " +
               l1_conflicts + "st.sum) - (" + l1_wavefronts + "ld.sum + " + l1_wavefronts +
               "st.sum)"),
       row("shared_efficiency", "%", higher,
           "bytes wanted / (128 B * wavefronts) in shared memory")});
  add("Memory elsewhere", false,
      {row("link_load_sectors", "1", neither,
           "32-byte sectors that loads touch in buffers that lie elsewhere than on the device",
           {.is_zero_left_out = true}),
       row("link_store_sectors", "1", neither, "the same of stores", {.is_zero_left_out = true}),
       row("link_atomic_sectors", "1", neither, "the same of atomic operations",
           {.is_zero_left_out = true})});
  add("Shared memory of other blocks", false,
      {row("cluster_requests", "1", neither,
           "warp-wide accesses to the shared memory of other blocks of the cluster, one for each "
           "block reached",
           {.is_zero_left_out = true}),
       row("cluster_bytes", "B", neither, "bytes of all their lanes", {.is_zero_left_out = true})});
  add("Atomics and local memory", false,
      {row("atomic_requests", "1", neither, "warp-wide atomic operations on global memory", {}, "",
           "(l1tex__t_requests_pipe_lsu_mem_global_op_red.sum + "
           "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum)"),
       row("atomic_sectors", "1", neither, "sectors that they touch",
           {.cost = 7, .is_zero_left_out = true}, "atomic_transactions",
           "(l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum + "
           "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum)"),
       row("busiest_line", "1", lower,
           "passes of atomic operations at the 128-byte line that gets most of them: one for each "
           "sector of a request, more where threads want the same word, twice as many for floats",
           {.is_zero_left_out = true}),
       row("local_load_sectors", "1", neither, "sectors of loads of local memory",
           {.cost = 8, .is_zero_left_out = true}, "local_load_transactions",
           "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"),
       row("local_store_sectors", "1", neither, "sectors of stores of local memory",
           {.cost = 9, .is_zero_left_out = true}, "local_store_transactions",
           "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum")});
  add("Caches and device memory", false,
      {row("l1_hit_rate", "%", higher, "sectors found in the L1 cache",
           {.needs_caches = true, .tolerance = {0, 5}}, "global_hit_rate",
           "100 * l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum / "
           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
       row("l2_hit_rate", "%", higher, "sectors found in the L2 cache",
           {.needs_caches = true, .tolerance = {0, 5}}, "l2_tex_hit_rate",
           "100 * lts__t_sectors_srcunit_tex_lookup_hit.sum / lts__t_sectors_srcunit_tex.sum"),
       row("l2_read_sectors", "1", neither, "sectors that L1 reads from L2",
           {.needs_caches = true, .tolerance = {0.1, 1}}, "l2_tex_read_transactions",
           "lts__t_sectors_srcunit_tex_op_read.sum"),
       row("l2_write_sectors", "1", neither, "sectors that L1 writes to L2",
           {.needs_caches = true, .tolerance = {0.1, 1}}, "l2_tex_write_transactions",
           "lts__t_sectors_srcunit_tex_op_write.sum"),
       row("dram_read_bytes", "B", neither, "bytes read from device memory",
           {.cost = 10, .needs_caches = true, .tolerance = {0.1, 1}}, "",
           "dram__bytes_read.sum|dram__bytes_op_read.sum"),
       row("dram_write_bytes", "B", neither, "bytes written to device memory",
           {.cost = 11, .needs_caches = true, .tolerance = {0.1, 1}}, "",
           "dram__bytes_write.sum|dram__bytes_op_write.sum"),
       row("dram_read_regions", "1", lower,
           "256-byte regions of device memory that reads come to, again where it is not soon; few "
           "bytes of each make reading slow",
           {.needs_caches = true, .is_zero_left_out = true}),
       row("dram_write_lines", "1", lower,
           "128-byte lines written to device memory, of which a part takes as long as the whole",
           {.needs_caches = true, .is_zero_left_out = true}),
       row("dram_write_regions", "1", lower, "256-byte regions that these lie in, counted likewise",
           {.needs_caches = true, .is_zero_left_out = true}),
       row("dram_throughput", "%", higher,
           "what device memory moved, as a share of what it could have",
           {.origins = {Origin::hardware}}, "",
           "dram__throughput.avg.pct_of_peak_sustained_elapsed")});
  add("Instructions", false,
      {row("instructions", "1", neither,
           "warp instructions executed: the hardware's, or PTX by the emulator",
           {.cost = 12, .is_comparable = false}, "inst_executed", "smsp__inst_executed.sum"),
       row("thread_instructions", "1", neither, "the same, counted by active threads",
           {.is_comparable = false}, "thread_inst_executed", "smsp__thread_inst_executed.sum"),
       row("float_operations", "1", neither,
           "floating-point additions and multiplications by threads, a fused one is two: the "
           "hardware's, or in PTX by the emulator",
           {.is_comparable = false}, "", float_operation_counters),
       row("arithmetic_intensity", "FLOP/B", neither,
           "float_operations / (dram_read_bytes + dram_write_bytes)",
           {.needs_caches = true, .is_comparable = false}, "",
           float_operation_counters + " / (dram__bytes_read.sum|dram__bytes_op_read.sum + "
                                      "dram__bytes_write.sum|dram__bytes_op_write.sum)"),
       row("global_waits", "1", lower,
           "times that warps wait for global memory, one after the other: accesses that do not "
           "need each other's results are waited for together"),
       row("shared_waits", "1", lower, "the same of shared and local memory"),
       row("dependent_steps", "1", lower,
           "instructions of warps that each need the result of the one before"),
       row("barriers", "1", neither, "times that warps come to a barrier of the block"),
       row("longest_path", "1", lower,
           "instructions of a warp of the block that executes most, of all launches one after the "
           "other"),
       row("issued_instructions", "1", lower,
           "warp instructions of machine code, by the lines of the PTX that they come from; "
           "estimated from PTX where there is none"),
       row("alu_instructions", "1", neither,
           "those of them that take the pipe of integer sums, logic, shifts and comparisons",
           {.is_zero_left_out = true}),
       row("fma_instructions", "1", neither,
           "the same of floating-point sums and products; an integer product counts twice",
           {.is_zero_left_out = true}),
       row("fp64_instructions", "1", neither, "the same of double precision",
           {.is_zero_left_out = true}),
       row("special_instructions", "1", neither,
           "the same of functions such as sine, root and reciprocal", {.is_zero_left_out = true}),
       row("conversion_instructions", "1", neither,
           "the same of conversions from and to floating-point types", {.is_zero_left_out = true}),
       row("tensor_operations", "1", neither, "multiply-adds of tensor cores",
           {.is_zero_left_out = true}),
       row("executed_share", "%", neither, "share of the grid's blocks that the emulator executed"),
       row("verified_share", "%", neither,
           "share of the elements with a verify condition that were verified")});
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

/// What somebody may hold on to stays where it is, also when it is replaced.
struct OwnMetrics {
  std::mutex mutex;
  std::deque<MetricDefinition> all;
  std::vector<const MetricDefinition*> known;
};

OwnMetrics& own_metrics() {
  static OwnMetrics metrics;
  return metrics;
}

const MetricDefinition* find_own_metric(std::string_view name) {
  const std::scoped_lock lock(own_metrics().mutex);
  const auto& known = own_metrics().known;
  const auto found = std::ranges::find(known, name, &MetricDefinition::name);
  return found != known.end() ? *found : nullptr;
}

}  // namespace

bool is_of_time(const MetricDefinition& metric) {
  const auto counts = [](Origin origin) {
    return origin == Origin::hardware || origin == Origin::emulated;
  };
  return !metric.origins.empty() && std::ranges::none_of(metric.origins, counts);
}

std::string_view to_string(Origin origin) {
  return origin_names.at(static_cast<std::size_t>(origin));
}

std::optional<Origin> find_origin(std::string_view name) {
  const auto place = std::ranges::find(origin_names, name) - origin_names.begin();
  return place < std::ssize(origin_names) ? std::optional(static_cast<Origin>(place))
                                          : std::nullopt;
}

MetricChoice split_origin(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  if (dot == text.npos) return {std::string(text)};
  const auto origin = find_origin(text.substr(dot + 1));
  return origin ? MetricChoice{std::string(text.substr(0, dot)), origin}
                : MetricChoice{std::string(text)};
}

CounterFormula parse_formula(std::string metric, std::string_view text) {
  CounterFormula formula{std::move(metric), {}};
  constexpr std::string_view percent = "100 * ";
  if (text.starts_with(percent)) {
    formula.factor = 100;
    text.remove_prefix(percent.size());
  }
  const std::vector<std::string> quotient = split(text, " / ");
  const std::vector<std::string> difference = split(quotient.front(), " - ");
  formula.parts = parse_sum(difference.front());
  if (difference.size() > 1) formula.less = parse_sum(difference.back());
  if (quotient.size() > 1) formula.over = parse_sum(quotient.back());
  return formula;
}

std::span<const MetricDefinition> metric_definitions() {
  static const std::vector<MetricDefinition> table = make_table();
  return table;
}

std::vector<MetricGroup> metric_groups() {
  std::vector<MetricGroup> groups;
  for (const MetricDefinition& metric : metric_definitions()) {
    if (groups.empty() || groups.back().name != metric.group) groups.push_back({metric.group, {}});
    std::span<const MetricDefinition>& metrics = groups.back().metrics;
    metrics = {metrics.empty() ? &metric : metrics.data(), metrics.size() + 1};
  }
  return groups;
}

const MetricDefinition* find_metric(std::string_view name) {
  const auto table = metric_definitions();
  const auto found = std::ranges::find_if(table, [&](const MetricDefinition& metric) {
    return metric.name == name || (!name.empty() && metric.old_name == name);
  });
  return found != table.end() ? &*found : find_own_metric(name);
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const MetricDefinition& metric : metric_definitions()) names.push_back(metric.name);
  for (const MetricDefinition* metric : own_metric_definitions()) names.push_back(metric->name);
  return names;
}

std::vector<const MetricDefinition*> own_metric_definitions() {
  const std::scoped_lock lock(own_metrics().mutex);
  return own_metrics().known;
}

void forget_own_metrics() {
  const std::scoped_lock lock(own_metrics().mutex);
  own_metrics().known.clear();
  own_metrics().all.clear();
}

void define_own_metric(MetricDefinition metric) {
  const MetricDefinition* known = find_own_metric(metric.name);
  const std::scoped_lock lock(own_metrics().mutex);
  OwnMetrics& own = own_metrics();
  if (known == nullptr) {
    own.known.push_back(&own.all.emplace_back(std::move(metric)));
  } else if (known->relation != metric.relation && known->relation != TimeRelation::unrelated) {
    metric = *known;
    metric.relation = TimeRelation::unrelated;
    std::ranges::replace(own.known, known, &own.all.emplace_back(std::move(metric)));
  }
}

bool follows_median(const MetricDefinition& metric) {
  // Of the times the median alone is a headline.
  return metric.relation == TimeRelation::inverse ||
         (metric.relation == TimeRelation::proportional && metric.headline != 0);
}

double in_base_unit(std::string_view unit) {
  constexpr std::pair<std::string_view, double> factors[] = {
      {"us", 1e-6}, {"GB/s", 1e9}, {"MHz", 1e6}, {"%", 0.01}, {"mJ", 1e-3}};
  const auto* found = std::ranges::find(factors, unit, &std::pair<std::string_view, double>::first);
  return found != std::end(factors) ? found->second : 1;
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
