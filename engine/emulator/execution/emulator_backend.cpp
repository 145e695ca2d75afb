#include "engine/emulator/execution/emulator_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include "engine/emulator/cubin/kernel_code.h"
#include "engine/emulator/execution/block_sample.h"
#include "engine/emulator/execution/issued_accesses.h"
#include "engine/emulator/execution/launch_limits.h"
#include "engine/emulator/lower/code_analysis.h"
#include "engine/emulator/lower/kernel.h"
#include "engine/text/read_source.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

/// Runs `work`; what the kernel does wrong or the emulator cannot do fails this configuration.
template <class Work>
auto guarded(const Workload& workload, Work work) {
  try {
    return work();
  } catch (const KernelFault& fault) {
    throw FaultyKernel(fault);
  } catch (const Cancelled& cancelled) {
    throw ExecutionFailure(cancelled.what());
  } catch (const UnsupportedError& error) {
    if (error.line() != 0) {
      throw FaultyKernel(
          {FaultKind::misuse, {error.file(), error.line()}, error.where(), error.message()});
    }
    throw ExecutionFailure(error.what());
  } catch (const FileError& error) {
    throw ExecutionFailure(error.what());
  } catch (const ptx::SyntaxError& error) {
    throw ExecutionFailure(fmt::format("the compiler's PTX cannot be read: {}", error.what()));
  } catch (const MemoryShortage& shortage) {
    throw ExecutionFailure(fmt::format("out of memory: the buffers have {}, {}",
                                       format_bytes(bytes_of_buffers(workload)), shortage.what()));
  } catch (const std::bad_alloc&) {
    throw ExecutionFailure(
        fmt::format("out of memory: the buffers have {}, for which this process gets no room",
                    format_bytes(bytes_of_buffers(workload))));
  }
}

/// The counts of a grid whose first blocks have other counts than those that follow. Executes the
/// blocks that tell where that changes, and adds them to `executed`.
std::optional<LaunchCount> scale_pieces(const Launch& launch, const GridOptions& options,
                                        std::vector<std::uint64_t>& executed,
                                        std::vector<LaunchCount> counts) {
  constexpr std::size_t most_samples = 2048;
  constexpr int most_steps = 80;  // a grid has at most 2^63 blocks
  if (executed.size() > most_samples) return std::nullopt;
  const std::uint64_t total = launch.clusters().count();
  for (int step = 0; step < most_steps; ++step) {
    const auto block = block_to_tell_pieces(executed, counts, total);
    if (!block) return scale_counts(executed, counts, total);
    const auto place = std::ranges::upper_bound(executed, *block) - executed.begin();
    counts.insert(counts.begin() + place,
                  run_blocks(launch, std::vector<std::uint64_t>{*block}, options).front());
    executed.insert(executed.begin() + place, *block);
  }
  return std::nullopt;
}

/// Instructions of a warp of it.
double path_of_longest_block(const LaunchPlan& plan, const LaunchCount& count) {
  const std::uint64_t warps = (plan.block.count() + warp_size - 1) / warp_size;
  return static_cast<double>(count.longest_block) / static_cast<double>(warps);
}

constexpr double percent = 100;
/// Blocks, or clusters: of a grid of no more all are executed.
constexpr std::uint64_t fewest_chosen = 8;

/// What all loads, stores and atomics did.
struct AccessSums {
  SiteCount loads;
  SiteCount textures;
  SiteCount stores;
  SiteCount atomics;
  std::uint64_t busiest_line = 0;

  /// `blocks`: as many were executed, that share of the grid.
  void add(const Kernel& kernel, const LaunchCount& count, double blocks, double share) {
    busiest_line = std::max(busiest_line, count.atomics.most(blocks, share));
    for (const Op& op : kernel.ops) {
      const bool is_load = op.kind == OpKind::load || op.kind == OpKind::async_copy ||
                           op.kind == OpKind::load_matrix;
      const bool is_store = op.kind == OpKind::store || op.kind == OpKind::store_matrix;
      if (is_load) loads += count.sites[op.detail];
      if (is_store) stores += count.sites[op.detail];
      if (op.kind == OpKind::texture) textures += count.sites[op.detail];
      if (op.kind == OpKind::atomic) atomics += count.sites[op.detail];
    }
  }
};

/// Metrics of the emulator. Without totals only the figures that do not depend on how many blocks
/// were executed; beside them totals of the origin `predicted` where they are estimated.
std::vector<Metric> metrics_of(const AccessSums& sums, const CountedLaunch& launch) {
  const auto& [loads, textures, stores, atomics, busiest_line] = sums;
  RemoteCount remote = loads.remote;
  remote += stores.remote;
  remote += atomics.remote;
  std::vector<Metric> metrics;
  const auto add = [&](const std::string& name, double value) {
    metrics.push_back({name, Origin::emulated, value});
  };
  const auto total_of = [&](const std::string& name, std::uint64_t value, double share) {
    if (launch.are_totals) {
      add(name, static_cast<double>(value));
    } else if (launch.are_estimated) {
      const double estimate = std::round(static_cast<double>(value) / share);
      metrics.push_back({name, Origin::predicted, estimate});
    }
  };
  const auto total = [&](const std::string& name, std::uint64_t value) {
    total_of(name, value, launch.executed_share);
  };
  const auto ratio = [&](const std::string& name, std::uint64_t value, std::uint64_t base,
                         double factor = 1) {
    if (base != 0) add(name, factor * static_cast<double>(value) / static_cast<double>(base));
  };
  constexpr double sector_percent = percent / static_cast<double>(sector_bytes);
  const auto add_global = [&](const std::string& what, const GlobalCount& count) {
    total(what + "_requests", count.requests);
    if (count.requests == 0) return;
    total(what + "_sectors", count.sectors);
    total(what + "_lines", count.lines);
    total(what + "_transactions", count.transactions);
    ratio(what + "_sectors_per_request", count.sectors, count.requests);
    ratio(what + "_lines_per_request", count.lines, count.requests);
    ratio(what + "_transactions_per_request", count.transactions, count.requests);
    ratio(what + "_lanes_per_request", count.lanes, count.requests);
    total(what + "_bytes", count.bytes_wanted);
    total(what + "_tag_wavefronts", count.tag_wavefronts);
    total(what + "_data_wavefronts", count.data_wavefronts);
    ratio(what + "_efficiency", count.bytes_wanted, count.sectors, sector_percent);
  };
  const auto add_shared = [&](const std::string& what, const SharedCount& count) {
    total(what + "_requests", count.requests);
    total(what + "_wavefronts", count.wavefronts);
    total(what + "_ideal_wavefronts", count.ideal);
    total(what + "_conflicts", count.conflicts());
    ratio(what + "_wavefronts_per_request", count.wavefronts, count.requests);
  };
  add_global("load", loads.global);
  add_global("store", stores.global);
  ratio("efficiency", loads.global.bytes_wanted + stores.global.bytes_wanted,
        loads.global.sectors + stores.global.sectors, sector_percent);
  if (textures.global.requests != 0) {
    total("texture_requests", textures.global.requests);
    total("texture_sectors", textures.global.sectors);
  }
  add_shared("shared_load", loads.shared);
  add_shared("shared_store", stores.shared);
  SharedCount shared = loads.shared;
  shared += stores.shared;
  constexpr double wavefront_bytes = 128;
  total("shared_conflicts", shared.conflicts());
  ratio("shared_efficiency", shared.bytes_wanted, shared.wavefronts, percent / wavefront_bytes);
  if (remote.requests != 0) {
    total("cluster_requests", remote.requests);
    total("cluster_bytes", remote.bytes);
  }
  total("atomic_requests", atomics.global.requests);
  if (atomics.global.requests != 0) {
    total("atomic_sectors", atomics.global.sectors);
    total_of("busiest_line", busiest_line, 1);
  }
  if (loads.global.far_sectors != 0) total("link_load_sectors", loads.global.far_sectors);
  if (stores.global.far_sectors != 0) total("link_store_sectors", stores.global.far_sectors);
  if (atomics.global.far_sectors != 0) total("link_atomic_sectors", atomics.global.far_sectors);
  if (loads.local.requests != 0) total("local_load_sectors", loads.local.sectors);
  if (stores.local.requests != 0) total("local_store_sectors", stores.local.sectors);
  if (const auto& caches = launch.caches) {
    ratio("l1_hit_rate", caches->l1_load_hits, caches->l1_load_sectors, percent);
    ratio("l2_hit_rate", caches->l2_hits(), caches->l2_sectors(), percent);
    const std::uint64_t dram_reads = caches->dram_read_bytes + caches->dram_fill_bytes;
    total_of("l2_read_sectors", caches->l2_read_sectors, launch.caches_share);
    total_of("l2_write_sectors", caches->l2_write_sectors, launch.caches_share);
    total_of("dram_read_bytes", dram_reads, launch.caches_share);
    total_of("dram_write_bytes", caches->dram_write_bytes, launch.caches_share);
    if (dram_reads != 0) {
      total_of("dram_read_regions", caches->dram_read_regions, launch.caches_share);
    }
    if (caches->dram_write_bytes != 0) {
      total_of("dram_write_lines", caches->dram_write_lines, launch.caches_share);
      total_of("dram_write_regions", caches->dram_write_regions, launch.caches_share);
    }
    if (launch.are_totals) {
      ratio("arithmetic_intensity", launch.count.float_operations,
            dram_reads + caches->dram_write_bytes);
    }
  }
  total("instructions", launch.count.warp_instructions);
  total("thread_instructions", launch.count.thread_instructions);
  total("float_operations", launch.count.float_operations);
  total("global_waits", launch.count.global_waits);
  total("shared_waits", launch.count.shared_waits);
  total("dependent_steps", launch.count.dependent_steps);
  total("barriers", launch.count.barriers);
  add("longest_path", launch.longest_path);
  total("issued_instructions", launch.count.issued_instructions);
  const auto of_pipe = [&](const std::string& name, std::uint64_t value) {
    if (value != 0) total(name, value);
  };
  of_pipe("alu_instructions", launch.count.alu_instructions);
  of_pipe("fma_instructions", launch.count.fma_instructions);
  of_pipe("fp64_instructions", launch.count.fp64_instructions);
  of_pipe("special_instructions", launch.count.special_instructions);
  of_pipe("conversion_instructions", launch.count.conversion_instructions);
  of_pipe("tensor_operations", launch.count.tensor_operations);
  add("executed_share", percent * launch.executed_share);
  return metrics;
}

/// What executing the elements' init and check comes to, about, in thread instructions.
std::uint64_t element_cost(const Workload& workload) {
  constexpr std::uint64_t instructions_per_element = 30;
  std::uint64_t elements = 0;
  for (const BufferPlan& buffer : workload.buffers) elements += buffer.length;
  return elements * instructions_per_element;
}

/// Thread instructions of what has to be executed as a whole: some seconds.
constexpr std::uint64_t most_together = 4'000'000'000;

/// Where caches are sampled: a second or so.
constexpr CacheLimits of_samples = {.most_sectors = 16'000'000};

std::string too_much(const char* what) {
  return fmt::format(
      "the emulator executes every {}, which comes to more than 4 billion thread instructions "
      "here: give it smaller values (emulator: {{set: ...}}), or --exact",
      what);
}

std::string device_name(const EmulatorSettings& settings) {
  const int capability = settings.model.compute_capability;
  std::string name = "emulator of " + dotted(capability);
  const bool is_fermi_or_kepler = capability >= 20 && capability < 50;
  if (is_fermi_or_kepler) {
    name += settings.model.l1_for_global ? ", L1 on" : ", L1 off";
    if (capability >= 30) name += settings.model.banks_of_64_bits ? ", 64-bit banks" : "";
  }
  name += fmt::format(" ({})", settings.profile.name);
  if (settings.is_exact) name += ", every block";
  if (settings.samples_caches) name += with_caches;
  return name;
}

/// Whether blocks that have heard of others store what no executed block did, as the last block of
/// a grid does.
bool has_more_to_do(const Kernel& kernel, const LaunchCount& count) {
  return kernel.is_linked && std::ranges::any_of(kernel.ops, [&](const Op& op) {
           if (op.kind != OpKind::store) return false;
           const ptx::Space space = kernel.memory[op.detail].space;
           const bool is_global = space == ptx::Space::global || space == ptx::Space::generic;
           const SiteCount& site = count.sites[op.detail];
           return is_global && site.global.requests == 0 && site.shared.requests == 0;
         });
}

}  // namespace

EmulatorExecution::EmulatorExecution(const EmulatorSettings& settings, LoadedPrograms& programs,
                                     const Workload& workload, std::optional<CacheState> caches,
                                     CacheState sampled)
    : settings_(settings),
      programs_(programs),
      workload_(workload),
      cache_state_(caches),
      sampled_cache_state_(sampled) {
  guarded(workload_, [&] {
    emulated_ = std::make_unique<EmulatedWorkload>(programs.get(workload_.program), workload_,
                                                   settings_.cancelled);
    for (std::size_t i = 0; i < workload_.launches.size(); ++i) load(i);
  });
}

void EmulatorExecution::load(std::size_t index) {
  const LaunchPlan& plan = workload_.launches[index];
  const Kernel& kernel = emulated_->kernel(index);
  settle_cluster(workload_.launches[index], kernel);
  check_limits(settings_.profile, plan, kernel);
  const auto [known, is_new] = codes_.try_emplace(plan.kernel_entry);
  // The machine code tells the registers, and how accesses are issued.
  if (is_new) known->second = read_kernel_code(workload_.program->cubin, plan.kernel_entry);
  const bool waits_for_grid = plan.is_cooperative && kernel.has_grid_barrier;
  if (is_new && waits_for_grid) {
    notes_.emplace_back(
        "what a block reads again and again while it waits for others is in no count of accesses; "
        "on a GPU it depends on the time that they take");
  }
  check_resident(plan, grid_options(index).resident_blocks);
  constexpr int first_with_this_code = 70;
  if (!is_new || settings_.model.compute_capability < first_with_this_code) return;
  if (known->second) emulated_->issue_as_compiled(plan.kernel_entry, *known->second);
  const std::string note = note_on_uncertain(kernel, known->second);
  if (!note.empty()) notes_.push_back(note);
}

void EmulatorExecution::initialise() {
  guarded(workload_, [&] { emulated_->attach_init(); });
}

EmulatorExecution::Place EmulatorExecution::place(std::size_t index) const {
  const LaunchPlan& plan = workload_.launches[index];
  return {emulated_->kernel(index), plan, codes_.at(plan.kernel_entry)};
}

GridOptions EmulatorExecution::grid_options(std::size_t index) const {
  const Place at = place(index);
  GridOptions options;
  // What several threads print has no order.
  const bool prints =
      std::ranges::find(at.kernel.ops, OpKind::print, &Op::kind) != at.kernel.ops.end();
  options.threads = prints ? 1 : settings_.threads;
  options.stall_limit = settings_.instruction_limit;
  const unsigned per_multiprocessor =
      resident_blocks(settings_.profile, static_cast<unsigned>(at.plan.block.count()),
                      at.registers(), at.shared_bytes());
  options.resident_blocks = std::uint64_t{std::max(per_multiprocessor, 1U)} *
                            std::max(settings_.profile.multiprocessors, 1U);
  return options;
}

Launch EmulatorExecution::prepared(std::size_t index) {
  Launch launch = emulated_->launch(index);
  static_cast<LaunchRules&>(launch) = static_cast<const LaunchRules&>(settings_);
  launch.multiprocessors = std::max(settings_.profile.multiprocessors, 1U);
  prepare_launch(launch);
  if (settings_.checks_kernel) {
    launch.races = std::make_shared<GridRaces>(emulated_->buffers(), launch.kernel->is_linked,
                                               settings_.threads > 1);
  }
  return launch;
}

void EmulatorExecution::check_races(const Launch& launch) {
  if (launch.races == nullptr) return;
  const auto race = launch.races->unresolved();
  if (race) throw race_between_blocks(launch, *race->first, race->second);
}

void EmulatorExecution::launch() {
  guarded(workload_, [&] {
    const bool are_in_order = workload_.launches.size() > 1 || emulated_->kernel(0).is_linked;
    const bool samples_caches = settings_.samples_caches && !cache_state_;
    if (cache_state_) {
      caches_.emplace(settings_.profile, *cache_state_, emulated_->buffers());
    } else if (samples_caches && are_in_order) {
      caches_.emplace(settings_.profile, sampled_cache_state_, emulated_->buffers(), of_samples);
    }
    if (workload_.launches.size() > 1) {
      launch_steps();
      if (caches_) counted_.caches = caches_->finish();
      return;
    }
    Launch launch = prepared(0);
    const GridOptions options = grid_options(0);
    emulated_->guard_const_buffers(settings_.checks_kernel);
    // Only what is verified has to be known to be a result.
    if (!settings_.is_exact && !workload_.verify.empty()) emulated_->watch_blocks();
    if (cache_state_) {
      launch_in_order(launch, options, "");
    } else if (launch.kernel->is_linked) {
      if (settings_.is_exact) emulated_->complete_init(settings_.threads);
      launch_in_order(launch, options, ", since blocks that share memory cannot be chosen freely");
    } else {
      launch_independent(launch, options);
      if (samples_caches) sample_caches();
    }
    if (caches_) {
      counted_.caches = caches_->finish();
      counted_.caches_share =
          static_cast<double>(caches_->blocks()) / static_cast<double>(launch.grid.count());
    }
    check_races(launch);
    emulated_->end_watch(counted_.is_partial(), has_more_to_do(*launch.kernel, counted_.count));
    emulated_->guard_const_buffers(false);
  });
  const auto reaches_others = [](const CountedKernel& each) {
    return std::ranges::any_of(each.count.sites,
                               [](const SiteCount& site) { return site.remote.requests != 0; });
  };
  const std::vector<CountedKernel> counted = counted_kernels();
  if (std::ranges::any_of(counted, reaches_others)) {
    notes_.emplace_back(
        "accesses to the shared memory of other blocks of the cluster are cluster_requests here, "
        "and in no other count: what the hardware's counters take them for is not known, nor for "
        "what the rest of the same instructions, which stays in the block; no time is predicted");
  }
  // Their bytes come by another way than the requests that the caches are told of.
  const auto copies_in_bulk = [](const CountedKernel& each) {
    return std::ranges::any_of(each.kernel.ops, [](const Op& op) {
      return op.kind == OpKind::bulk_copy || op.kind == OpKind::tensor_copy;
    });
  };
  if (settings_.samples_caches && !counted_.are_totals && counted_.caches) {
    counted_.are_estimated = true;
    notes_.emplace_back(
        "emulated: where a time is predicted, totals are estimated: those of the executed blocks, "
        "as many times as these are in the grid");
  }
  if (counted_.caches && std::ranges::any_of(counted, copies_in_bulk)) {
    counted_.caches.reset();
    notes_.emplace_back(
        "what bulk copies ask of the caches is not followed: nothing is said of caches and device "
        "memory, and no time is predicted");
  }
}

/// Executes every block of every launch in their order, since each needs the results of those
/// before it.
void EmulatorExecution::launch_steps() {
  emulated_->complete_init(settings_.threads);
  const auto require_few = [&](std::uint64_t instructions) {
    if (settings_.is_exact || instructions <= most_together) return;
    throw ExecutionFailure(too_much("block of every step"));
  };
  for (std::size_t i = 0; i < workload_.launches.size(); ++i) {
    const LaunchPlan& plan = workload_.launches[i];
    require_few(counted_.spent + plan.grid.count() * plan.block.count());
    const bool is_new = i == 0 || plan.kernel_entry != workload_.launches[i - 1].kernel_entry;
    const Launch launch = prepared(i);
    const LaunchCount count = run_in_order(launch, grid_options(i), i).count;
    check_races(launch);
    counted_.spent += count.work();
    require_few(counted_.spent);
    static_cast<WorkCount&>(counted_.count) += count;
    counted_.longest_path += path_of_longest_block(plan, count);
    if (is_new) {
      step_counts_.emplace_back(plan.kernel_entry, count);
    } else {
      step_counts_.back().second += count;
    }
  }
  counted_.spent += element_cost(workload_);
  counted_.whole = static_cast<double>(counted_.spent);
}

std::vector<EmulatorExecution::CountedKernel> EmulatorExecution::counted_kernels() const {
  if (step_counts_.empty()) return {{emulated_->kernel(0), counted_.count}};
  std::vector<CountedKernel> kernels;
  for (const auto& [entry, count] : step_counts_) {
    kernels.push_back({emulated_->kernel_called(entry), count});
  }
  return kernels;
}

/// One of the launches, through the caches where they are followed.
GridResult EmulatorExecution::run_in_order(const Launch& launch, const GridOptions& options,
                                           std::size_t index) {
  if (!caches_) return run_grid(launch, options);
  return caches_->run(launch, options, place(index).shared_bytes());
}

/// Executes the blocks in their order, as far as the budget goes. Where that is not all of them, a
/// note says so, and `why` more is not given.
void EmulatorExecution::launch_in_order(const Launch& launch, GridOptions options,
                                        const char* why) {
  if (!settings_.is_exact) {
    options.instruction_budget = launch.is_cooperative ? most_together : settings_.whole_budget;
  }
  const GridResult result = run_in_order(launch, options, 0);
  const std::uint64_t total = launch.grid.count();
  if (launch.is_cooperative && result.blocks < total) {
    throw ExecutionFailure(too_much("block of a cooperative launch"));
  }
  counted_.count = result.count;
  counted_.executed_share = static_cast<double>(result.blocks) / static_cast<double>(total);
  counted_.are_totals = !counted_.is_partial();
  counted_.spent = result.count.work() + (counted_.is_partial() ? 0 : element_cost(workload_));
  counted_.whole = static_cast<double>(result.count.work()) / counted_.executed_share +
                   static_cast<double>(element_cost(workload_));
  if (counted_.are_totals) return;
  notes_.push_back(
      fmt::format("emulated: the first of the blocks (executed_share says how many){}; only counts "
                  "per request are given{} (--exact executes all)",
                  caches_ ? " and what they did to the caches" : "", why));
}

void EmulatorExecution::launch_independent(Launch& launch, const GridOptions& options) {
  const std::uint64_t total = launch.clusters().count();
  const LaunchCount probe = run_blocks(launch, std::vector<std::uint64_t>{0}, options).front();
  const std::uint64_t per_block = std::max<std::uint64_t>(probe.work(), 1);
  counted_.whole = static_cast<double>(per_block) * static_cast<double>(total) +
                   static_cast<double>(element_cost(workload_));
  if (settings_.is_exact || total <= fewest_chosen ||
      counted_.whole <= static_cast<double>(settings_.whole_budget)) {
    emulated_->end_watch(false);
    emulated_->complete_init(settings_.threads);
    counted_.count = probe;
    counted_.count += run_blocks_total(launch, 1, total, options);
    counted_.spent = counted_.count.work() + element_cost(workload_);
    return;
  }
  launch_sample(launch, options, probe);
}

/// Some of the blocks, whole clusters of them, the first of which `probe` counted.
void EmulatorExecution::launch_sample(Launch& launch, const GridOptions& options,
                                      const LaunchCount& probe) {
  const std::uint64_t total = launch.clusters().count();
  const std::uint64_t per_block = std::max<std::uint64_t>(probe.work(), 1);
  const std::uint64_t wanted = std::max(fewest_chosen, settings_.sample_budget / per_block);
  const std::vector<std::uint64_t> blocks = choose_blocks(total, wanted);
  // A thread that has too little to do costs more than it gives.
  constexpr std::uint64_t worth_a_thread = 2'000'000;
  GridOptions sampling = options;
  sampling.threads = static_cast<unsigned>(
      std::clamp<std::uint64_t>(wanted * per_block / worth_a_thread, 1, options.threads));
  std::vector<LaunchCount> counts = run_blocks(launch, std::span(blocks).subspan(1), sampling);
  counts.insert(counts.begin(), probe);
  counted_.executed_share = static_cast<double>(blocks.size()) / static_cast<double>(total);
  auto scaled = scale_counts(blocks, counts, total);
  // Further blocks are not among the counts' means: of one kind there would be too many.
  std::vector<std::uint64_t> executed = blocks;
  const bool is_one_line = scaled.has_value();
  if (counted_.is_partial()) {
    if (!is_one_line) scaled = scale_pieces(launch, sampling, executed, counts);
    if (!workload_.verify.empty()) {
      run_blocks(launch, partners_of_first(launch.clusters(), executed, wanted), sampling);
    }
  }
  for (const LaunchCount& count : counts) counted_.spent += count.work();
  if (scaled) {
    counted_.count = *scaled;
    const std::uint32_t dependent =
        counted_.is_partial() ? find_data_dependence(*launch.kernel) : none;
    notes_.push_back(fmt::format(
        "emulated: some of the blocks (executed_share says how many); totals are scaled to the "
        "whole grid, since the counts are {} of the {}'s number in all of them{}",
        is_one_line ? "one linear function" : "two linear functions, one after the other,",
        launch.cluster.count() > 1 ? "cluster" : "block",
        dependent == none
            ? ""
            : fmt::format(
                  ", but what the kernel does depends on data that it loads, as at {}, so that "
                  "others may have other counts (--exact executes all)",
                  describe_instruction(*launch.kernel, dependent))));
    return;
  }
  counted_.count = {};
  for (const LaunchCount& count : counts) counted_.count += count;
  counted_.are_totals = false;
  notes_.emplace_back(
      "emulated: some of the blocks (executed_share says how many); only counts per request are "
      "given, since they differ from block to block (--exact executes all)");
}

/// What the launch does to the caches, by some of its blocks on buffers of their own.
void EmulatorExecution::sample_caches() {
  SentSectors sent = sent_sectors(emulated_->kernel(0), counted_.count);
  if (sent.all() == 0) return;
  if (!counted_.are_totals) {
    for (std::uint64_t* const sectors : {&sent.loads, &sent.stores, &sent.atomics}) {
      *sectors =
          static_cast<std::uint64_t>(static_cast<double>(*sectors) / counted_.executed_share);
    }
  }
  EmulatedWorkload own(programs_.get(workload_.program), workload_, settings_.cancelled);
  own.take_kernels(*emulated_);
  own.attach_init();
  Launch launch = own.launch(0);
  static_cast<LaunchRules&>(launch) = static_cast<const LaunchRules&>(settings_);
  launch.checks_kernel = false;
  launch.notes_shapes = false;
  launch.print = {};
  launch.multiprocessors = std::max(settings_.profile.multiprocessors, 1U);
  prepare_launch(launch);
  CachedLaunches caches(settings_.profile, sampled_cache_state_, own.buffers(), of_samples);
  const std::uint64_t blocks =
      caches.sample(launch, grid_options(0), place(0).shared_bytes(), sent);
  counted_.caches = caches.finish();
  const std::uint64_t total = launch.grid.count();
  if (blocks == total) return;
  notes_.push_back(fmt::format(
      "emulated: what the launch does to the caches is told from the first {} of its {} blocks",
      blocks, total));
}

std::optional<std::string> EmulatorExecution::verify() {
  verification_ = guarded(workload_, [&] {
    provide_expected();
    return verify_results(*emulated_, counted_.is_partial(), settings_.is_exact, settings_.threads);
  });
  return verification_.mismatch;
}

Observation EmulatorExecution::observe() {
  const LaunchPlan& first = workload_.launches.front();
  if (step_counts_.empty()) counted_.longest_path = path_of_longest_block(first, counted_.count);
  const double executed = counted_.executed_share * static_cast<double>(first.grid.count());
  AccessSums sums;
  for (const CountedKernel& each : counted_kernels()) {
    sums.add(each.kernel, each.count, executed, counted_.executed_share);
  }
  Observation observation = {metrics_of(sums, counted_), notes_};
  std::uint64_t blocks = 0;
  std::uint64_t warps = 0;
  const auto has_window = [](const LaunchPlan& plan) { return plan.window.bytes > 0; };
  if (std::ranges::any_of(workload_.launches, has_window)) {
    observation.notes.emplace_back(
        "the emulator ignores access policy windows: in its L2 nothing persists");
  }
  for (const LaunchPlan& plan : workload_.launches) {
    blocks += plan.grid.count();
    warps += plan.grid.count() * ((plan.block.count() + warp_size - 1) / warp_size);
  }
  if (const std::size_t launches = workload_.launches.size(); launches > 1) {
    observation.metrics.push_back({"launches", Origin::emulated, static_cast<double>(launches)});
  }
  if (settings_.samples_caches && cache_state_.value_or(sampled_cache_state_) == CacheState::cold) {
    observation.metrics.push_back({"cold_launches", Origin::emulated, 1});
  }
  observation.metrics.push_back({"blocks", Origin::emulated, static_cast<double>(blocks)});
  observation.metrics.push_back({"warps", Origin::emulated, static_cast<double>(warps)});
  add_resources(observation.metrics);
  if (const auto share = verification_.share()) {
    observation.metrics.push_back({"verified_share", Origin::emulated, percent * *share});
  }
  return observation;
}

/// Adds what the machine code says that the kernels take, if it says so of all of them.
void EmulatorExecution::add_resources(std::vector<Metric>& metrics) const {
  const MultiprocessorSizes sizes = multiprocessor_sizes(settings_.profile);
  std::vector<ResidentKernel> kernels;
  for (std::size_t i = 0; i < workload_.launches.size(); ++i) {
    const Place at = place(i);
    if (!at.code || !at.code->registers) return;
    const BlockNeeds needs = {.threads = static_cast<unsigned>(at.plan.block.count()),
                              .registers_per_thread = *at.code->registers,
                              .static_shared_bytes = at.kernel.static_shared_bytes,
                              .dynamic_shared_bytes = at.plan.shared_bytes,
                              .local_bytes_per_thread = at.code->local_bytes.value_or(0)};
    kernels.push_back({needs, block_limits(sizes, needs).least()});
  }
  if (settings_.tells_resources) {
    std::ranges::copy(resource_metrics(sizes, kernels, Origin::emulated),
                      std::back_inserter(metrics));
  }
  std::uint64_t instructions = 0;
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  for (const auto& [entry, code] : codes_) {
    instructions += code->instructions.size();
    loads += code->local_loads;
    stores += code->local_stores;
  }
  metrics.push_back({"code_instructions", Origin::emulated, static_cast<double>(instructions)});
  metrics.push_back({"spill_loads", Origin::emulated, static_cast<double>(loads)});
  metrics.push_back({"spill_stores", Origin::emulated, static_cast<double>(stores)});
}

std::vector<std::byte> EmulatorExecution::contents(std::size_t buffer) const {
  const Allocation& allocation = *emulated_->buffers()[buffer];
  return {allocation.host, allocation.host + allocation.bytes};
}

EmulatorBackend::EmulatorBackend(EmulatorSettings settings,
                                 std::shared_ptr<LoadedPrograms> programs)
    : settings_(std::move(settings)), programs_(std::move(programs)) {
  device_.backend = "emulator";
  device_.name = device_name(settings_);
  device_.compute_capability = settings_.model.compute_capability;
  device_.multiprocessors = static_cast<int>(settings_.profile.multiprocessors);
  device_.l2_bytes = settings_.profile.l2_bytes;
}

std::unique_ptr<EmulatorExecution> EmulatorBackend::prepare_emulated(
    const Workload& workload, std::optional<CacheState> caches, CacheState sampled) {
  return std::make_unique<EmulatorExecution>(settings_, *programs_, workload, caches, sampled);
}

std::unique_ptr<Execution> EmulatorBackend::prepare(const Workload& workload,
                                                    const MeasureRules& rules) {
  return prepare_emulated(workload, rules.caches ? std::optional(rules.cache) : std::nullopt,
                          rules.cache);
}

EmulatorSettings emulator_settings(int compute_capability, unsigned threads) {
  if (!has_rules(compute_capability)) {
    throw std::invalid_argument("there are no rules for compute capability " +
                                dotted(compute_capability));
  }
  EmulatorSettings settings;
  settings.model = default_model(compute_capability);
  settings.profile = builtin_profile(compute_capability);
  settings.threads = threads;
  return settings;
}

}  // namespace sweep
