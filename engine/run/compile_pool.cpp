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

std::vector<Configuration> configurations_of(const CompileQueue::Task& task) {
  std::vector<Configuration> result;
  result.reserve(task.configurations.size());
  for (const Configuration* configuration : task.configurations) result.push_back(*configuration);
  return result;
}

using Outcomes = std::vector<std::optional<CompileOutcome>>;

template <class Outcome>
Outcomes as_outcomes(std::vector<Outcome> all) {
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

/// Counts what another compiler does, and lets it begin nothing once compiling is stopped.
class CompilePool::CountingCompiler : public ProgramCompiler {
 public:
  CountingCompiler(ProgramCompiler& compiler, const std::atomic<bool>& stopped)
      : compiler_(compiler), stopped_(stopped) {}
  NvrtcResult compile(const ProgramSource& source) override {
    if (stopped_) throw CompilingStopped();
    const auto begin = std::chrono::steady_clock::now();
    NvrtcResult result = compiler_.compile(source);
    seconds += seconds_since(begin);
    ++programs;
    return result;
  }

  std::size_t programs = 0;
  double seconds = 0;

 private:
  ProgramCompiler& compiler_;
  const std::atomic<bool>& stopped_;
};

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
    CountingCompiler counting(process, stopped_);
    bool has_started = is_first;
    while (const auto task = queue_.take_task(has_started)) {
      if (task->kind == CompileQueue::Task::Kind::look_up) {
        look_up(*task);
        continue;
      }
      try {
        // Not before it is needed: all may come from the cache.
        process.prepare();
        has_started = true;
        const std::vector<Configuration> batch = configurations_of(*task);
        double seconds = CompileQueue::not_timed;
        auto outcomes = settings_.cache != nullptr ? compile_shared(batch, counting, seconds)
                                                   : as_outcomes(compile(batch, counting, seconds));
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

void CompilePool::look_up(const CompileQueue::Task& task) {
  auto found = settings_.cache->find(configurations_of(task), compiler_.identity());
  count_found(static_cast<std::size_t>(
      std::ranges::count_if(found, [](const auto& one) { return one.has_value(); })));
  queue_.deliver(task, as_outcomes(std::move(found)));
}

/// Compiles a batch, but for what the cache has or another process with the same cache is
/// compiling, which it waits for; keeps what it compiles. Times the whole batch or nothing.
Outcomes CompilePool::compile_shared(std::span<const Configuration> batch,
                                     CountingCompiler& counting, double& seconds) {
  // What takes longer is compiled twice rather than waited for.
  constexpr std::chrono::seconds patience(20);
  ProgramCache& cache = *settings_.cache;
  Outcomes outcomes(batch.size());
  const auto missing = [&] {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!outcomes[i]) indices.push_back(i);
    }
    return indices;
  };
  const auto at = [&](const std::vector<std::size_t>& indices) {
    std::vector<Configuration> some;
    for (const std::size_t i : indices) some.push_back(batch[i]);
    return some;
  };
  const auto find_missing = [&] {
    const std::vector<std::size_t> indices = missing();
    auto found = cache.find(at(indices), compiler_.identity());
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (found[i]) outcomes[indices[i]] = std::move(*found[i]);
    }
    count_found(indices.size() - missing().size());
  };
  const auto compile_some = [&](const std::vector<std::size_t>& indices) {
    if (indices.empty()) return;
    const std::vector<Configuration> some = at(indices);
    double taken = 0;
    std::vector<CompileOutcome> compiled = compile(some, counting, taken);
    if (some.size() == batch.size()) seconds = taken;
    cache.add(some, compiled, compiler_.identity());
    for (std::size_t i = 0; i < indices.size(); ++i) {
      outcomes[indices[i]] = std::move(compiled[i]);
    }
  };
  CacheClaims claims = cache.claim(batch, compiler_.identity());
  find_missing();
  std::vector<std::size_t> own = missing();
  std::erase_if(own, [&](std::size_t i) { return !claims.holds(i); });
  compile_some(own);
  if (!missing().empty()) {
    claims.wait_for_others(patience, stopped_);
    find_missing();
    compile_some(missing());
  }
  return outcomes;
}

std::vector<CompileOutcome> CompilePool::compile(std::span<const Configuration> batch,
                                                 CountingCompiler& counting, double& seconds) {
  const CountingCompiler before = counting;
  const auto begin = std::chrono::steady_clock::now();
  std::vector<CompileOutcome> outcomes = compiler_.compile(batch, counting);
  seconds = seconds_since(begin);
  const std::lock_guard lock(mutex_);
  statistics_.configurations += batch.size();
  statistics_.programs += counting.programs - before.programs;
  statistics_.compiler_seconds += counting.seconds - before.seconds;
  statistics_.wall_seconds = seconds_since(begin_);
  if (before.programs == 0) ++statistics_.compilers;
  return outcomes;
}

void CompilePool::count_found(std::size_t found) {
  const std::lock_guard lock(mutex_);
  statistics_.from_cache += found;
  statistics_.wall_seconds = seconds_since(begin_);
}

}  // namespace sweep
