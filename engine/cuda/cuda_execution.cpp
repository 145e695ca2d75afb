#include "engine/cuda/cuda_execution.h"

#include <fmt/format.h>

#include <algorithm>

namespace sweep {
namespace {

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

Sampler::Sampler(CudaContext& context, const LoadedWorkload& loaded,
                 LoadedWorkload::Addresses addresses, BusyTime& busy)
    : context_(context),
      loaded_(loaded),
      busy_(busy),
      layout_(lay_out_copy(loaded.sizes())),
      copies_allowed_(copies_allowed(layout_, context.device.memory_bytes)),
      copies_({std::move(addresses)}),
      target_(sample_target(context.event_step)) {}

std::vector<Sample> Sampler::take(CacheState cache, int count) {
  const BatchPlan plan = plan_of(cache);
  launches_per_sample_ = plan.launches();
  std::vector<Sample> samples;
  while (std::ssize(samples) < count) {
    const int rest = count - static_cast<int>(samples.size());
    const auto block = held_block(cache, plan, std::min(rest, samples_per_block(plan, cache)));
    samples.insert(samples.end(), block.begin(), block.end());
  }
  return samples;
}

void Sampler::warm_up(CacheState cache, int count) {
  // A calibration is a warm-up too. What takes long is warm after it, and should not be waited for
  // together with what follows.
  constexpr double long_seconds = 0.1;
  const int further = known_plan(cache) ? count : count - 1;
  const BatchPlan plan = plan_of(cache);
  if (further < 1 || first_sample_seconds_ > long_seconds) return;
  busy_.queue_ahead([&] {
    for (int i = 0; i < further * plan.rounds; ++i) {
      bring_cache_into(cache);
      queue_launches(cache, plan);
    }
  });
}

BatchPlan Sampler::plan_of(CacheState cache) {
  std::optional<BatchPlan>& plan = known_plan(cache);
  if (!plan) plan = calibrate(cache);
  return *plan;
}

BatchPlan Sampler::calibrate(CacheState cache) {
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
BatchPlan Sampler::with_copies(CacheState cache, double seconds_per_launch) {
  if (cache == CacheState::warm) {
    return plan_batch(seconds_per_launch, target_, most_launches_per_sample);
  }
  const BatchPlan wanted = plan_batch(seconds_per_launch, target_, copies_allowed_);
  const std::size_t have = provide_copies(static_cast<std::size_t>(wanted.launches_per_round));
  return plan_batch(seconds_per_launch, target_, have);
}

/// Makes copies until there are `wanted`, the original included, as far as their share of the
/// device's memory goes; returns how many there are.
std::size_t Sampler::provide_copies(std::size_t wanted) {
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
  busy_.run([&] {
    for (std::size_t i = before; i < goal; ++i) {
      loaded_.queue_init(copies_[i]);
      loaded_.queue_kernel(copies_[i]);
    }
  });
  return goal;
}

std::vector<Sample> Sampler::held_block(CacheState cache, const BatchPlan& plan, int count) {
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
bool Sampler::run_block(CacheState cache, const BatchPlan& plan, int count,
                        std::optional<Nanoseconds> patience) {
  const auto stamps = static_cast<std::size_t>(count) + 1;
  context_.events.reserve(static_cast<std::size_t>(count) * static_cast<std::size_t>(plan.rounds));
  context_.stamps.queue_reset(stamps);
  {
    std::optional<StreamHold> hold;
    if (patience) hold.emplace(context_.blocking_kernel, *patience);
    queue_block(cache, plan, count);
  }
  context_.stamps.queue_fetch(stamps);
  busy_.wait_and_add();
  return !patience || !context_.blocking_kernel.gave_up();
}

void Sampler::queue_block(CacheState cache, const BatchPlan& plan, int count) {
  const CUstream stream = context_.stream.get();
  busy_.queue_begin();
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
  busy_.queue_end();
}

void Sampler::bring_cache_into(CacheState cache) {
  if (cache == CacheState::cold) {
    context_.flush.run(context_.stream.get());
  } else {
    loaded_.queue_kernel(original());
  }
}

void Sampler::queue_launches(CacheState cache, const BatchPlan& plan) {
  for (int launch = 0; launch < plan.launches_per_round; ++launch) {
    const bool is_cold = cache == CacheState::cold;
    loaded_.queue_kernel(copies_.at(is_cold ? static_cast<std::size_t>(launch) : 0));
  }
}

std::vector<Sample> Sampler::read_block(const BatchPlan& plan, int count) const {
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

CudaExecution::CudaExecution(CudaContext& context, const Workload& workload)
    : context_(context),
      busy_(context),
      loaded_(guarded(context, "the kernel", [&] { return LoadedWorkload(context, workload); })),
      sampler_(
          context, loaded_,
          guarded(context, "the kernel", [&] { return context.buffers.acquire(loaded_.sizes()); }),
          busy_) {}

void CudaExecution::initialise() {
  std::vector<std::string> names;
  for (const BufferPlan& buffer : loaded_.workload().buffers) {
    if (!buffer.init_entry.empty()) names.push_back(buffer.name);
  }
  guarded(context_, one_of("init", names),
          [&] { busy_.run([&] { loaded_.queue_init(sampler_.original()); }); });
}

void CudaExecution::launch() {
  guarded(context_, "the kernel",
          [&] { busy_.run([&] { loaded_.queue_kernel(sampler_.original()); }); });
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
  busy_.run([&] {
    results.queue_reset(plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      loaded_.queue_check(i, sampler_.original(), 0, plans[i].length, results.place(i));
    }
    results.queue_fetch();
  });
  for (std::size_t i = 0; i < plans.size(); ++i) {
    CheckResult result = results[i];
    if (result.count == 0) continue;
    busy_.run([&] {
      results.queue_reset(1);
      loaded_.queue_check(i, sampler_.original(), result.first, result.first + 1, results.place(0));
      results.queue_fetch();
    });
    result.actual = results[0].actual;
    result.expected = results[0].expected;
    return describe_mismatch(plans[i], result);
  }
  return std::nullopt;
}

void CudaExecution::warm_up(CacheState cache, int count) {
  guarded(context_, "the kernel", [&] { sampler_.warm_up(cache, count); });
}

std::vector<Sample> CudaExecution::sample(CacheState cache, int count) {
  return guarded(context_, "the kernel", [&] { return sampler_.take(cache, count); });
}

}  // namespace sweep
