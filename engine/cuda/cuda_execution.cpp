#include "engine/cuda/cuda_execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace sweep {
namespace {

/// Saturates: no device has more.
std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  return a > ~b ? ~std::uint64_t{0} : a + b;
}

std::uint64_t align(std::uint64_t offset, std::uint64_t alignment) {
  return add(offset, alignment - 1) / alignment * alignment;
}

/// Throws ExecutionFailure when what the kernel itself allows, by __launch_bounds__, registers and
/// static shared memory, is less than what the workload asks for.
void check_kernel(const Workload& workload, const LaunchLimits& limits, CUfunction kernel) {
  const auto attribute = [&](CUfunction_attribute which) {
    return static_cast<std::uint64_t>(Driver::get().function_attribute.value(which, kernel));
  };
  const std::uint64_t most_threads = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (workload.block.count() > most_threads) {
    throw ExecutionFailure(fmt::format(
        "bad launch: the block has {} threads, but the kernel's registers or __launch_bounds__ "
        "allow {}",
        workload.block.count(), most_threads));
  }
  const std::uint64_t fixed = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  if (fixed + workload.shared_bytes > limits.shared_bytes) {
    throw ExecutionFailure(fmt::format(
        "bad launch: the kernel's own {} bytes of shared memory and {} dynamic ones are more than "
        "the device's {}",
        fixed, workload.shared_bytes, limits.shared_bytes));
  }
}

double median_seconds(std::vector<Sample> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle, {}, &Sample::seconds);
  return middle->seconds;
}

/// "the init of 'a' or 'b'": pieces of work that the device runs without a stop between them.
std::string one_of(const char* what, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const std::string quoted = fmt::format("'{}'", name);
    if (name.empty() || text.find(quoted) != std::string::npos) continue;
    text += (text.empty() ? " of " : " or ") + quoted;
  }
  return fmt::format("the {}{}", what, text);
}

}  // namespace

double sample_target(double event_step) {
  constexpr double steps = 200;
  constexpr double shortest = 20e-6;
  return std::max(steps * event_step, shortest);
}

BatchPlan plan_batch(double seconds_per_launch, double target, std::size_t copies) {
  constexpr auto most = static_cast<double>(most_launches_per_sample);
  const double wanted =
      seconds_per_launch > 0 ? std::clamp(target / seconds_per_launch, 1.0, most) : most;
  auto launches = std::bit_ceil(static_cast<unsigned>(wanted));
  if (static_cast<double>(launches) < wanted) launches *= 2;
  const auto usable = std::clamp<std::size_t>(copies, 1, launches);
  const unsigned per_round = std::bit_floor(static_cast<unsigned>(usable));
  return {static_cast<int>(per_round),
          std::min(static_cast<int>(launches / per_round), most_rounds_per_sample)};
}

int samples_per_block(const BatchPlan& plan, CacheState cache) {
  constexpr int most_pieces = 400;
  constexpr int events = 2;
  // Before the events a flush for each round, or a launch; after them a stamp.
  const int pieces = cache == CacheState::cold
                         ? plan.rounds * (1 + events + plan.launches_per_round) + 1
                         : 1 + events + plan.launches() + 1;
  return std::clamp(most_pieces / pieces, 1, most_samples_per_block);
}

CopyLayout lay_out_copy(std::span<const std::uint64_t> sizes) {
  // Where an allocation of its own would begin.
  constexpr std::uint64_t small = 512;
  constexpr std::uint64_t large = 2U << 20U;
  CopyLayout layout;
  std::uint64_t end = 0;
  std::uint64_t largest_alignment = small;
  for (const std::uint64_t size : sizes) {
    const std::uint64_t alignment = size >= large ? large : small;
    largest_alignment = std::max(largest_alignment, alignment);
    const std::uint64_t begin = align(end, alignment);
    layout.offsets.push_back(begin);
    end = add(begin, size);
  }
  layout.bytes_per_copy = align(end, largest_alignment);
  return layout;
}

std::size_t copies_allowed(const CopyLayout& layout, std::uint64_t memory_bytes) {
  constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30U;
  constexpr std::uint64_t share = 8;
  constexpr auto most_copies = static_cast<std::uint64_t>(most_launches_per_sample);
  if (layout.bytes_per_copy == 0) return most_copies;
  const std::uint64_t further = std::min(memory_bytes / share, most_bytes) / layout.bytes_per_copy;
  return static_cast<std::size_t>(std::min(1 + further, most_copies));
}

double smallest_step(std::span<const double> seconds) {
  constexpr double documented = 0.5e-6;
  constexpr double largest = 1e-6;
  constexpr double rounding = 1e-9;  // of times given as a float in milliseconds
  std::vector<double> sorted(seconds.begin(), seconds.end());
  std::ranges::sort(sorted);
  double step = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double difference = sorted[i] - sorted[i - 1];
    if (difference >= rounding && (step == 0 || difference < step)) step = difference;
  }
  return step == 0 ? documented : std::min(step, largest);
}

LoadedWorkload::LoadedWorkload(CudaContext& context, const Workload& workload)
    : stream_(context.stream.get()), workload_(workload) {
  check_launch(workload_, context.limits);
  const Module& module = context.module_of(workload_.program);
  kernel_ = find_function(module, workload_.kernel_entry);
  check_kernel(workload_, context.limits, kernel_);
  if (workload_.shared_bytes > 0) {
    Driver::get().function_set_attribute(kernel_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                         static_cast<int>(workload_.shared_bytes));
  }
  if (!workload_.packing_entry.empty()) packing_ = find_function(module, workload_.packing_entry);
  for (const BufferPlan& buffer : workload_.buffers) {
    init_.push_back(buffer.init_entry.empty() ? nullptr : find_function(module, buffer.init_entry));
  }
  for (const VerificationPlan& plan : workload_.verify) {
    check_.push_back(find_function(module, plan.check_entry));
  }
  for (std::vector<std::byte>& scalar : workload_.scalars) scalars_.push_back(scalar.data());
}

BlockNeeds LoadedWorkload::needs() const {
  const auto attribute = [&](CUfunction_attribute which) {
    return static_cast<unsigned>(Driver::get().function_attribute.value(which, kernel_));
  };
  return {.threads = static_cast<unsigned>(workload_.block.count()),
          .registers_per_thread = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS),
          .static_shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
          .dynamic_shared_bytes = workload_.shared_bytes,
          .local_bytes_per_thread = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)};
}

unsigned LoadedWorkload::resident_blocks() const {
  return static_cast<unsigned>(
      Driver::get().resident_blocks.value(kernel_, static_cast<int>(workload_.block.count()),
                                          static_cast<std::size_t>(workload_.shared_bytes)));
}

std::vector<std::uint64_t> LoadedWorkload::sizes() const {
  std::vector<std::uint64_t> sizes;
  for (const BufferPlan& buffer : workload_.buffers) sizes.push_back(buffer.bytes);
  return sizes;
}

/// Every function takes the buffers first.
void LoadedWorkload::queue(CUfunction function, const Extent3& grid, const Extent3& block,
                           std::uint64_t shared_bytes, Addresses& addresses,
                           const std::vector<void*>& more_arguments) const {
  std::vector<void*> arguments;
  arguments.reserve(addresses.size() + more_arguments.size());
  for (CUdeviceptr& address : addresses) arguments.push_back(&address);
  arguments.insert(arguments.end(), more_arguments.begin(), more_arguments.end());
  Driver::get().launch(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                       static_cast<unsigned>(shared_bytes), stream_, arguments.data(), nullptr);
}

/// Launches a generated function with a thread for each element.
void LoadedWorkload::queue_over_elements(CUfunction function, std::uint64_t elements,
                                         Addresses& addresses,
                                         const std::vector<void*>& more_arguments) const {
  constexpr unsigned threads = 256;
  constexpr std::uint64_t most_blocks = 0x7fffffff;  // more elements than any memory has
  const std::uint64_t blocks =
      std::clamp<std::uint64_t>((elements + threads - 1) / threads, 1, most_blocks);
  queue(function, {static_cast<unsigned>(blocks)}, {threads}, 0, addresses, more_arguments);
}

void LoadedWorkload::queue_init(Addresses& addresses) const {
  constexpr unsigned char poison = 0xff;
  for (std::size_t i = 0; i < workload_.buffers.size(); ++i) {
    const BufferPlan& buffer = workload_.buffers[i];
    std::uint64_t length = buffer.length;
    if (init_[i] == nullptr) {
      Driver::get().memory_set(addresses[i], poison, buffer.bytes, stream_);
    } else {
      queue_over_elements(init_[i], length, addresses, {&length});
    }
  }
}

const std::vector<std::byte>& LoadedWorkload::packed_parameters(Addresses& addresses) const {
  auto [known, is_new] = packed_.try_emplace(addresses);
  if (!is_new) return known->second;
  const DeviceMemory memory = allocate_device_memory(sizeof(PackedParameters));
  CUdeviceptr place = memory.get();
  std::vector<void*> more = scalars_;
  more.push_back(&place);
  queue(packing_, {}, {}, 0, addresses, more);
  const auto packed = std::make_unique<PackedParameters>();
  Driver::get().copy_to_host(packed.get(), place, sizeof *packed, stream_);
  synchronize(stream_);
  const auto bytes = std::min<std::size_t>(packed->bytes, PackedParameters::most);
  known->second.assign(packed->parameters.begin(), packed->parameters.begin() + bytes);
  return known->second;
}

void LoadedWorkload::queue_kernel(Addresses& addresses) const {
  if (packing_ != nullptr) {
    const std::vector<std::byte>& packed = packed_parameters(addresses);
    std::size_t bytes = packed.size();
    std::array<void*, 5> extra = {CU_LAUNCH_PARAM_BUFFER_POINTER,
                                  const_cast<std::byte*>(packed.data()),
                                  CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    const auto& [grid, block] = std::pair(workload_.grid, workload_.block);
    Driver::get().launch(kernel_, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                         static_cast<unsigned>(workload_.shared_bytes), stream_, nullptr,
                         extra.data());
    return;
  }
  queue(kernel_, workload_.grid, workload_.block, workload_.shared_bytes, addresses, scalars_);
}

void LoadedWorkload::queue_check(std::size_t index, Addresses& addresses, std::uint64_t begin,
                                 std::uint64_t end, CUdeviceptr place) const {
  queue_over_elements(check_.at(index), end - begin, addresses, {&begin, &end, &place});
}

void load_functions(CudaContext& context, const Workload& workload) noexcept {
  try {
    const Module& module = context.module_of(workload.program);
    std::vector<std::string> names = {workload.kernel_entry, workload.packing_entry};
    for (const BufferPlan& buffer : workload.buffers) names.push_back(buffer.init_entry);
    for (const VerificationPlan& plan : workload.verify) names.push_back(plan.check_entry);
    for (const std::string& name : names) {
      if (name.empty()) continue;
      // Asking for an attribute loads the function.
      Driver::get().function_attribute.value(CU_FUNC_ATTRIBUTE_NUM_REGS,
                                             find_function(module, name));
    }
  } catch (const std::exception&) {
    // The measurement comes upon the same error.
  }
}

CudaExecution::CudaExecution(CudaContext& context, const Workload& workload)
    : context_(context),
      loaded_(guarded(context, "the kernel", [&] { return LoadedWorkload(context, workload); })),
      copies_({guarded(context, "the kernel",
                       [&] { return context.buffers.acquire(loaded_.sizes()); })}),
      layout_(lay_out_copy(loaded_.sizes())),
      copies_allowed_(copies_allowed(layout_, context.device.memory_bytes)),
      target_(sample_target(context.event_step)) {}

/// Waits for everything queued, and adds the time between begin and end, and that of work ahead.
void CudaExecution::wait_and_count() {
  synchronize(context_.stream.get());
  busy_seconds_ += seconds_between(context_.begin, context_.end);
  if (std::exchange(has_work_ahead_, false)) {
    busy_seconds_ += seconds_between(context_.begin_ahead, context_.end_ahead);
  }
}

void CudaExecution::initialise() {
  std::vector<std::string> names;
  for (const BufferPlan& buffer : loaded_.workload().buffers) {
    if (!buffer.init_entry.empty()) names.push_back(buffer.name);
  }
  guarded(context_, one_of("init", names),
          [&] { run([&] { loaded_.queue_init(copies_.front()); }); });
}

void CudaExecution::launch() {
  guarded(context_, "the kernel", [&] { run([&] { loaded_.queue_kernel(copies_.front()); }); });
}

std::optional<std::string> CudaExecution::verify() {
  if (loaded_.workload().verify.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const VerificationPlan& plan : loaded_.workload().verify) names.push_back(plan.buffer);
  return guarded(context_, one_of("check", names), [&] { return run_checks(); });
}

/// All checks at once; the first that does not hold again, for its first element alone, which
/// shows both sides.
std::optional<std::string> CudaExecution::run_checks() {
  const auto& plans = loaded_.workload().verify;
  CheckResults& results = context_.check_results;
  run([&] {
    results.queue_reset(plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      loaded_.queue_check(i, copies_.front(), 0, plans[i].length, results.place(i));
    }
    results.queue_fetch();
  });
  for (std::size_t i = 0; i < plans.size(); ++i) {
    CheckResult result = results[i];
    if (result.count == 0) continue;
    run([&] {
      results.queue_reset(1);
      loaded_.queue_check(i, copies_.front(), result.first, result.first + 1, results.place(0));
      results.queue_fetch();
    });
    result.actual = results[0].actual;
    result.expected = results[0].expected;
    return describe_mismatch(plans[i], result);
  }
  return std::nullopt;
}

void CudaExecution::repeat(int launches) {
  guarded(context_, "the kernel", [&] {
    run([&] {
      for (int i = 0; i < launches; ++i) loaded_.queue_kernel(copies_.front());
    });
  });
}

Observation CudaExecution::observe() {
  return guarded(context_, "the kernel", [&] {
    return Observation{resource_metrics(context_.multiprocessor, loaded_.needs(),
                                        loaded_.resident_blocks(), Origin::measured),
                       {}};
  });
}

std::vector<Sample> CudaExecution::sample(CacheState cache, int count) {
  return guarded(context_, "the kernel", [&] {
    const BatchPlan plan = plan_of(cache);
    launches_per_sample_ = plan.launches();
    std::vector<Sample> samples;
    while (std::ssize(samples) < count) {
      const int rest = count - static_cast<int>(samples.size());
      const auto block = held_block(cache, plan, std::min(rest, samples_per_block(plan, cache)));
      samples.insert(samples.end(), block.begin(), block.end());
    }
    return samples;
  });
}

void CudaExecution::warm_up(CacheState cache, int count) {
  // A calibration is a warm-up too. What takes long is warm after it, and should not be waited for
  // together with what follows.
  constexpr double long_seconds = 0.1;
  guarded(context_, "the kernel", [&] {
    const int further = known_plan(cache) ? count : count - 1;
    const BatchPlan plan = plan_of(cache);
    if (further < 1 || first_sample_seconds_ > long_seconds) return;
    record(context_.begin_ahead, context_.stream.get());
    for (int i = 0; i < further * plan.rounds; ++i) {
      bring_cache_into(cache);
      queue_launches(cache, plan);
    }
    record(context_.end_ahead, context_.stream.get());
    has_work_ahead_ = true;
  });
}

BatchPlan CudaExecution::plan_of(CacheState cache) {
  std::optional<BatchPlan>& plan = known_plan(cache);
  if (!plan) plan = calibrate(cache);
  return *plan;
}

BatchPlan CudaExecution::calibrate(CacheState cache) {
  constexpr int estimates = 3;
  constexpr int samples = 3;
  /// So much more than the target is long enough, whatever the host's delays add to it.
  constexpr double certainly_long = 10;
  BatchPlan plan;
  // Not held, since the kernel may never have been launched before.
  run_block(cache, plan, 1, std::nullopt);
  first_sample_seconds_ = read_block(plan, 1).front().seconds;
  if (first_sample_seconds_ > certainly_long * target_) return plan;
  for (int i = 0; i < estimates; ++i) {
    const int count = std::min(samples, samples_per_block(plan, cache));
    const double seconds = median_seconds(held_block(cache, plan, count));
    const BatchPlan better = with_copies(cache, seconds);
    // Launches of a batch overlap a little: each takes less time than one alone.
    if (better.launches() <= plan.launches()) break;
    plan = better;
  }
  return plan;
}

/// The plan for launches of this duration, after making the copies that it needs.
BatchPlan CudaExecution::with_copies(CacheState cache, double seconds_per_launch) {
  if (cache == CacheState::warm) {
    return plan_batch(seconds_per_launch, target_, most_launches_per_sample);
  }
  const BatchPlan wanted = plan_batch(seconds_per_launch, target_, copies_allowed_);
  const std::size_t have = provide_copies(static_cast<std::size_t>(wanted.launches_per_round));
  return plan_batch(seconds_per_launch, target_, have);
}

/// Makes copies until there are `wanted`, the original included, as far as their share of the
/// device's memory goes; returns how many there are.
std::size_t CudaExecution::provide_copies(std::size_t wanted) {
  const std::size_t before = copies_.size();
  const std::size_t goal = std::min(wanted, copies_allowed_);
  if (goal <= before) return before;
  const std::uint64_t bytes = (goal - before) * layout_.bytes_per_copy;
  const auto base =
      bytes == 0 ? std::optional<CUdeviceptr>(0) : context_.buffers.acquire_more(bytes);
  if (!base) {
    copies_allowed_ = before;
    return before;
  }
  for (std::size_t i = before; i < goal; ++i) {
    LoadedWorkload::Addresses& addresses = copies_.emplace_back();
    for (const std::uint64_t offset : layout_.offsets) {
      addresses.push_back(*base + (i - before) * layout_.bytes_per_copy + offset);
    }
  }
  run([&] {
    for (std::size_t i = before; i < goal; ++i) {
      loaded_.queue_init(copies_[i]);
      loaded_.queue_kernel(copies_[i]);
    }
  });
  return goal;
}

std::vector<Sample> CudaExecution::held_block(CacheState cache, const BatchPlan& plan, int count) {
  constexpr int tries = 3;
  Nanoseconds patience = context_.blocking_kernel.patience;
  for (int i = 0; i < tries; ++i) {
    if (run_block(cache, plan, count, patience)) return read_block(plan, count);
    patience *= 2;
  }
  throw ExecutionFailure(fmt::format(
      "nothing was timed: {} times in a row the host took longer than the device waits "
      "for it ({} ms and more) to queue {} launches; it is overloaded, or launches wait "
      "for the device (CUDA_LAUNCH_BLOCKING, a debugger or a profiler)",
      tries, std::chrono::duration<double, std::milli>(context_.blocking_kernel.patience).count(),
      count * plan.launches()));
}

/// Runs a block; held with a patience. False when the samples do not count.
bool CudaExecution::run_block(CacheState cache, const BatchPlan& plan, int count,
                              std::optional<Nanoseconds> patience) {
  const CUstream stream = context_.stream.get();
  const auto stamps = static_cast<std::size_t>(count) + 1;
  context_.events.reserve(static_cast<std::size_t>(count) * static_cast<std::size_t>(plan.rounds));
  context_.stamps.queue_reset(stamps);
  {
    std::optional<StreamHold> hold;
    if (patience) hold.emplace(context_.blocking_kernel, *patience);
    record(context_.begin, stream);
    context_.stamps.queue(0);
    std::size_t pair = 0;
    for (int sample = 0; sample < count; ++sample) {
      for (int round = 0; round < plan.rounds; ++round, ++pair) {
        bring_cache_into(cache);
        record(context_.events.begin(pair), stream);
        queue_launches(cache, plan);
        record(context_.events.end(pair), stream);
      }
      // Ends this sample's interval and begins the next one's.
      context_.stamps.queue(static_cast<std::size_t>(sample) + 1);
    }
    record(context_.end, stream);
  }
  context_.stamps.queue_fetch(stamps);
  wait_and_count();
  return !patience || !context_.blocking_kernel.gave_up();
}

void CudaExecution::bring_cache_into(CacheState cache) {
  if (cache == CacheState::cold) {
    context_.flush.run(context_.stream.get());
  } else {
    loaded_.queue_kernel(copies_.front());
  }
}

void CudaExecution::queue_launches(CacheState cache, const BatchPlan& plan) {
  for (int launch = 0; launch < plan.launches_per_round; ++launch) {
    const bool is_cold = cache == CacheState::cold;
    loaded_.queue_kernel(copies_.at(is_cold ? static_cast<std::size_t>(launch) : 0));
  }
}

std::vector<Sample> CudaExecution::read_block(const BatchPlan& plan, int count) const {
  std::vector<Sample> samples(static_cast<std::size_t>(count));
  std::size_t pair = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    double seconds = 0;
    for (int round = 0; round < plan.rounds; ++round) seconds += context_.events.seconds(pair++);
    samples[i].seconds = seconds / plan.launches();
    samples[i].sm_clock_hz = mean_sm_clock(context_.stamps.round(i), context_.stamps.round(i + 1),
                                           context_.stamps.timer_step());
  }
  return samples;
}

}  // namespace sweep
