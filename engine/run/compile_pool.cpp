#include "engine/run/compile_pool.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <system_error>

#include "engine/jit/program_cache.h"

namespace sweep {
namespace {

/// Starting a process takes as long as compiling some dozens of configurations.
constexpr std::size_t configurations_per_process = 32;
/// So many are started for the first configurations, of however few.
constexpr unsigned first_processes = 4;

unsigned compilers_for(const CompileSettings& settings, std::size_t configurations) {
  const unsigned most = settings.compilers != 0 ? settings.compilers
                                                : std::max(std::thread::hardware_concurrency(), 1U);
  const std::size_t useful =
      std::max<std::size_t>(first_processes, configurations / configurations_per_process);
  return static_cast<unsigned>(std::min<std::size_t>({most, useful, configurations}));
}

template <class Outcome>
std::vector<std::optional<CompileOutcome>> as_outcomes(std::vector<Outcome> all) {
  return {std::make_move_iterator(all.begin()), std::make_move_iterator(all.end())};
}

}  // namespace

int code_capability(const Device& device, const Nvrtc& nvrtc) {
  const int oldest = nvrtc.architectures().front();
  return device.is_emulated() ? std::max(device.compute_capability, oldest)
                              : device.compute_capability;
}

CompileStatistics& CompileStatistics::operator+=(const CompileStatistics& more) {
  configurations += more.configurations;
  from_cache += more.from_cache;
  programs += more.programs;
  compiler_seconds += more.compiler_seconds;
  wall_seconds += more.wall_seconds;
  compilers = std::max(compilers, more.compilers);
  return *this;
}

CompilePool::CompilePool(const CompileSettings& settings)
    : settings_(settings),
      compiler_(settings.nvrtc, settings.compute_capability),
      queue_(settings.cache != nullptr) {}

CompilePool::CompilePool(const CompileSettings& settings,
                         std::span<const Configuration> configurations)
    : CompilePool(settings) {
  submit(pointers_to(configurations));
}

CompilePool::~CompilePool() {
  stopped_ = true;
  queue_.stop();
  for (CompilerProcess& process : processes_) process.stop();
  for (std::thread& thread : threads_) thread.join();
}

void CompilePool::submit(std::span<const Configuration* const> configurations) {
  const unsigned compilers = compilers_for(settings_, queue_.open() + configurations.size());
  queue_.submit(configurations, compilers);
  while (threads_.size() < compilers) {
    // Those that come later find the small first batches taken.
    const bool is_first = threads_.size() < first_processes;
    CompilerProcess& process = processes_.emplace_back(*settings_.processes);
    ++at_work_;
    try {
      threads_.emplace_back([this, &process, is_first] { work(process, is_first); });
    } catch (const std::system_error&) {
      --at_work_;
      if (threads_.empty()) throw;
      break;  // fewer will do
    }
  }
}

CompileStatistics CompilePool::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

/// The life of a thread. One of the first ones need not have started its process to be given what
/// is needed soon.
void CompilePool::work(CompilerProcess& process, bool is_first) {
  lower_own_priority();
  try {
    bool has_started = is_first;
    while (const auto task = queue_.take_task(has_started)) {
      const std::span<const Configuration> batch = task->configurations;
      if (task->kind == CompileQueue::Task::Kind::look_up) {
        queue_.deliver(*task, look_up(batch));
        continue;
      }
      try {
        // Not before it is needed: all may come from the cache.
        process.prepare();
        has_started = true;
        double seconds = CompileQueue::not_timed;
        Outcomes outcomes = settings_.cache != nullptr
                                ? compile_shared(batch, process, seconds)
                                : as_outcomes(compile(batch, process, seconds));
        queue_.deliver(*task, std::move(outcomes), seconds);
      } catch (const CompilerStartFailure&) {
        queue_.deliver(*task, {});
        throw;
      }
    }
  } catch (const CompilingStopped&) {
    // Nobody waits for the outcomes.
  } catch (const CompilerStartFailure&) {
    // As long as others have a process, fewer will do.
    if (--at_work_ == 0) queue_.fail(std::current_exception());
  } catch (...) {
    queue_.fail(std::current_exception());
  }
}

/// What the cache has.
CompilePool::Outcomes CompilePool::look_up(std::span<const Configuration> configurations) {
  auto found = settings_.cache->find(configurations, compiler_.identity());
  const auto count = std::ranges::count_if(found, [](const auto& one) { return one.has_value(); });
  const std::lock_guard lock(mutex_);
  statistics_.from_cache += static_cast<std::size_t>(count);
  statistics_.wall_seconds = seconds_since(begin_);
  return as_outcomes(std::move(found));
}

/// Compiles a batch, but for what the cache has or another process with the same cache is
/// compiling, which it waits for; keeps what it compiles. Times the whole batch or nothing.
CompilePool::Outcomes CompilePool::compile_shared(std::span<const Configuration> batch,
                                                  CompilerProcess& process, double& seconds) {
  // What takes longer is compiled twice rather than waited for.
  constexpr std::chrono::seconds patience(20);
  Outcomes outcomes(batch.size());
  // Gives those without an outcome that are `wanted` what `make` makes of them.
  const auto fill = [&](const auto& wanted, const auto& make) {
    std::vector<std::size_t> indices;
    std::vector<Configuration> some;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (outcomes[i] || !wanted(i)) continue;
      indices.push_back(i);
      some.push_back(batch[i]);
    }
    if (some.empty()) return;
    Outcomes made = make(some);
    for (std::size_t i = 0; i < indices.size(); ++i) outcomes[indices[i]] = std::move(made[i]);
  };
  const auto find = [&](const std::vector<Configuration>& some) { return look_up(some); };
  const auto compile_and_keep = [&](const std::vector<Configuration>& some) {
    double taken = 0;
    std::vector<CompileOutcome> compiled = compile(some, process, taken);
    if (some.size() == batch.size()) seconds = taken;
    settings_.cache->add(some, compiled, compiler_.identity());
    return as_outcomes(std::move(compiled));
  };
  const auto all = [](std::size_t /*index*/) { return true; };
  CacheClaims claims = settings_.cache->claim(batch, compiler_.identity());
  fill(all, find);
  fill([&](std::size_t i) { return claims.holds(i); }, compile_and_keep);
  if (std::ranges::all_of(outcomes, [](const auto& one) { return one.has_value(); })) {
    return outcomes;
  }
  claims.wait_for_others(patience, stopped_);
  fill(all, find);
  fill(all, compile_and_keep);
  return outcomes;
}

std::vector<CompileOutcome> CompilePool::compile(std::span<const Configuration> batch,
                                                 CompilerProcess& process, double& seconds) {
  const CompilerProcess::Work before = process.work();
  const auto begin = std::chrono::steady_clock::now();
  std::vector<CompileOutcome> outcomes = compiler_.compile(batch, process);
  seconds = seconds_since(begin);
  const std::lock_guard lock(mutex_);
  statistics_.configurations += batch.size();
  statistics_.programs += process.work().programs - before.programs;
  statistics_.compiler_seconds += process.work().seconds - before.seconds;
  statistics_.wall_seconds = seconds_since(begin_);
  if (before.programs == 0) ++statistics_.compilers;
  return outcomes;
}

}  // namespace sweep
