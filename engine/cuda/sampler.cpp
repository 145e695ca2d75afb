#include "engine/cuda/sampler.h"

#include <fmt/format.h>

#include <algorithm>

namespace sweep {

WorkloadCopies::WorkloadCopies(CudaContext& context, LoadedWorkload& loaded,
                               LoadedWorkload::Addresses original)
    : context_(context),
      loaded_(loaded),
      layout_(lay_out_copy(loaded.sizes())),
      allowed_(copies_allowed(layout_, context.device.memory_bytes)) {
  copies_.push_back(std::move(original));
}

std::size_t WorkloadCopies::provide(std::size_t wanted, BusyTime& busy) {
  const std::size_t before = copies_.size();
  const std::size_t goal = std::min(wanted, allowed_);
  if (goal <= before) return before;
  const std::uint64_t bytes = (goal - before) * layout_.bytes_per_copy;
  const auto base =
      bytes == 0 ? std::optional<CUdeviceptr>(0) : context_.buffers.acquire_more(bytes);
  if (!base) {
    allowed_ = before;
    return before;
  }
  for (std::size_t i = before; i < goal; ++i) {
    LoadedWorkload::Addresses addresses;
    for (const std::uint64_t offset : layout_.offsets) {
      addresses.push_back(*base + (i - before) * layout_.bytes_per_copy + offset);
    }
    copies_.push_back(std::move(addresses));
  }
  busy.run([&] {
    for (std::size_t i = before; i < goal; ++i) {
      loaded_.queue_init(copies_[i]);
      loaded_.queue_kernel(copies_[i]);
    }
  });
  return goal;
}

namespace {

double median_seconds(std::vector<Sample> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle, {}, &Sample::seconds);
  return middle->seconds;
}

}  // namespace

Sampler::Sampler(CudaContext& context, LoadedWorkload& loaded, LoadedWorkload::Addresses addresses,
                 BusyTime& busy)
    : context_(context),
      loaded_(loaded),
      copies_(context, loaded, std::move(addresses)),
      busy_(busy),
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
  const bool calibrates = !(cache == CacheState::cold ? cold_ : warm_);
  const BatchPlan plan = plan_of(cache);
  const int further = calibrates ? count - 1 : count;
  if (further < 1 || first_sample_seconds_ > long_seconds) return;
  busy_.queue_ahead([&] {
    for (int i = 0; i < further * plan.rounds; ++i) {
      bring_cache_into(cache);
      queue_launches(cache, plan);
    }
  });
}

const BatchPlan& Sampler::plan_of(CacheState cache) {
  std::optional<BatchPlan>& plan = cache == CacheState::cold ? cold_ : warm_;
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
  const BatchPlan wanted = plan_batch(seconds_per_launch, target_, copies_.allowed());
  const std::size_t have =
      copies_.provide(static_cast<std::size_t>(wanted.launches_per_round), busy_);
  return plan_batch(seconds_per_launch, target_, have);
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
  busy_.queue_begin();
  context_.stamps.queue(0);
  std::size_t pair = 0;
  for (int sample = 0; sample < count; ++sample) {
    for (int round = 0; round < plan.rounds; ++round) queue_round(cache, plan, pair++);
    // Ends this sample's interval and begins the next one's.
    context_.stamps.queue(static_cast<std::size_t>(sample) + 1);
  }
  busy_.queue_end();
}

void Sampler::queue_round(CacheState cache, const BatchPlan& plan, std::size_t pair) {
  const CUstream stream = context_.stream.get();
  bring_cache_into(cache);
  record(context_.events.begin(pair), stream);
  queue_launches(cache, plan);
  record(context_.events.end(pair), stream);
}

void Sampler::bring_cache_into(CacheState cache) {
  if (cache == CacheState::cold) {
    context_.flush.run(context_.stream.get());
  } else {
    loaded_.queue_kernel(copies_.original());
  }
}

void Sampler::queue_launches(CacheState cache, const BatchPlan& plan) {
  const bool is_cold = cache == CacheState::cold;
  for (int launch = 0; launch < plan.launches_per_round; ++launch) {
    loaded_.queue_kernel(is_cold ? copies_[static_cast<std::size_t>(launch)] : copies_.original());
  }
}

std::vector<Sample> Sampler::read_block(const BatchPlan& plan, int count) const {
  std::vector<Sample> samples;
  std::size_t pair = 0;
  for (int i = 0; i < count; ++i) {
    Sample sample;
    for (int round = 0; round < plan.rounds; ++round) {
      sample.seconds += context_.events.seconds(pair++);
    }
    sample.seconds /= plan.launches();
    const auto stamp = static_cast<std::size_t>(i);
    sample.sm_clock_hz =
        mean_sm_clock(context_.stamps.round(stamp), context_.stamps.round(stamp + 1),
                      context_.stamps.timer_step());
    samples.push_back(sample);
  }
  return samples;
}

}  // namespace sweep
