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

BatchPlan plan_batch(double seconds_per_launch, double target, std::size_t copies,
                     std::size_t kernels) {
  const std::size_t fitting = std::bit_floor(std::max<std::size_t>(most_launches / kernels, 1));
  const auto most =
      std::min(static_cast<double>(most_launches_per_sample), static_cast<double>(fitting));
  const double wanted =
      seconds_per_launch > 0 ? std::clamp(target / seconds_per_launch, 1.0, most) : most;
  auto launches = std::bit_ceil(static_cast<unsigned>(wanted));
  if (static_cast<double>(launches) < wanted) launches *= 2;
  const auto usable = std::clamp<std::size_t>(copies, 1, launches);
  const unsigned per_round = std::bit_floor(static_cast<unsigned>(usable));
  return {static_cast<int>(per_round),
          std::min(static_cast<int>(launches / per_round), most_rounds_per_sample)};
}

int samples_per_block(const BatchPlan& plan, CacheState cache, std::size_t kernels) {
  constexpr int most_pieces = 400;
  constexpr int events = 2;
  // Before the events a flush for each round, or a launch; after them a stamp.
  const int each = static_cast<int>(kernels);
  const int pieces = cache == CacheState::cold
                         ? plan.rounds * (1 + events + each * plan.launches_per_round) + 1
                         : each + events + each * plan.launches() + 1;
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

CudaExecution::CudaExecution(CudaContext& context, const Workload& workload)
    : context_(context),
      loaded_(guarded(context, "the kernel", [&] { return LoadedWorkload(context, workload); })),
      copies_({guarded(context, "the kernel", [&] { return context.acquire_buffers(workload); })}),
      layout_(lay_out_copy(loaded_.sizes())),
      copies_allowed_(loaded_.is_of_device() ? copies_allowed(layout_, context.device.memory_bytes)
                                             : 1),
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

/// All checks at once; the first that does not hold again, for single elements, which shows both
/// sides.
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
    const CheckResult result = results[i];
    if (result.count == 0) continue;
    return describe_mismatch(plans[i], result,
                             [&](std::uint64_t element) { return check_one(i, element); });
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
    return Observation{
        resource_metrics(context_.multiprocessor, loaded_.kernels(), Origin::measured), {}};
  });
}

CheckResult CudaExecution::check_one(std::size_t index, std::uint64_t element) {
  CheckResults& results = context_.check_results;
  run([&] {
    results.queue_reset(1);
    loaded_.queue_check(index, copies_.front(), element, element + 1, results.place(0));
    results.queue_fetch();
  });
  return results[0];
}

std::vector<Sample> CudaExecution::sample(CacheState cache, int count) {
  return guarded(context_, "the kernel", [&] {
    const BatchPlan plan = plan_of(cache);
    launches_per_sample_ = plan.launches();
    std::vector<Sample> samples;
    while (std::ssize(samples) < count) {
      const int rest = count - static_cast<int>(samples.size());
      const int most = resets_before(cache) ? 1 : samples_per_block(plan, cache, kernels());
      const auto block = held_block(cache, plan, std::min(rest, most));
      samples.insert(samples.end(), block.begin(), block.end());
    }
    return samples;
  });
}

std::vector<double> CudaExecution::launch_seconds(CacheState cache) {
  constexpr std::size_t samples = 5;
  constexpr double most_seconds = 0.1;  // a sample more than that
  return guarded(context_, "the kernel", [&] {
    const CUstream stream = context_.stream.get();
    // An event stands between two launches: it ends one's time and begins the next one's.
    std::vector<Event> marks;
    for (std::size_t i = 0; i <= kernels(); ++i) marks.push_back(make_event());
    std::vector<std::vector<double>> seconds(kernels());
    const double begin = busy_seconds_;
    for (std::size_t sample = 0; sample < samples && busy_seconds_ - begin < most_seconds;
         ++sample) {
      reset(cache);
      run([&] {
        const StreamHold hold(context_.blocking_kernel, context_.blocking_kernel.patience);
        bring_cache_into(cache);
        std::size_t next = 0;
        loaded_.queue_kernel(copies_.front(), [&] { record(marks[next++], stream); });
      });
      if (context_.blocking_kernel.gave_up()) continue;
      for (std::size_t i = 0; i < kernels(); ++i) {
        seconds[i].push_back(seconds_between(marks[i], marks[i + 1]));
      }
    }
    std::vector<double> medians;
    for (std::vector<double>& each : seconds) {
      if (each.empty()) return std::vector<double>();
      const auto middle = each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2);
      std::ranges::nth_element(each, middle);
      medians.push_back(*middle);
    }
    return medians;
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
  if (resets_before(cache) || first_sample_seconds_ > certainly_long * target_) return plan;
  for (int i = 0; i < estimates; ++i) {
    const int count = std::min(samples, samples_per_block(plan, cache, kernels()));
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
    return plan_batch(seconds_per_launch, target_, most_launches_per_sample, kernels());
  }
  const BatchPlan wanted = plan_batch(seconds_per_launch, target_, copies_allowed_, kernels());
  const std::size_t have = provide_copies(static_cast<std::size_t>(wanted.launches_per_round));
  return plan_batch(seconds_per_launch, target_, have, kernels());
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
  reset(cache);
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

/// Waits for the launches before, whose lines and pages are to go.
void CudaExecution::reset(CacheState cache) {
  if (!resets_before(cache)) return;
  loaded_.queue_home(copies_.front());
  synchronize(context_.stream.get());
  if (loaded_.persists()) Driver::get().context_reset_persisting();
}

void CudaExecution::bring_cache_into(CacheState cache) {
  if (cache == CacheState::cold) {
    context_.flush.run(context_.stream.get());
    loaded_.queue_peer_flushes();
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
