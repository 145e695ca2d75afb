#include "engine/run/compile_pool.h"

#include <algorithm>
#include <chrono>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "engine/jit/program_cache.h"
#include "engine/run/compile_queue.h"
#include "engine/run/compiler_threads.h"
#include "engine/run/shared_compiling.h"

namespace sweep {
namespace {

/// Starting a process takes as long as compiling some dozens of configurations.
constexpr std::size_t configurations_per_process = 32;
/// So many are started for the first configurations, of however few.
constexpr unsigned first_processes = 4;

/// Of a batch that says nothing about how long one takes, since others compiled some of it.
constexpr double not_timed = -1;

using SteadyTime = std::chrono::steady_clock::time_point;

unsigned compilers_for(const CompileSettings& settings, std::size_t configurations) {
  const unsigned most = settings.compilers != 0 ? settings.compilers
                                                : std::max(std::thread::hardware_concurrency(), 1U);
  const std::size_t useful =
      std::max<std::size_t>(first_processes, configurations / configurations_per_process);
  return static_cast<unsigned>(std::min<std::size_t>({most, useful, configurations}));
}

/// Counts what another compiler does, and lets it begin nothing once compiling is stopped.
class CountingCompiler : public ProgramCompiler {
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

std::vector<Configuration> configurations_of(const CompileQueue::Task& task) {
  std::vector<Configuration> result;
  result.reserve(task.configurations.size());
  for (const Configuration* configuration : task.configurations) result.push_back(*configuration);
  return result;
}

}  // namespace

/// The compilers: each a thread that takes tasks, with a process behind it.
class CompilePool::Farm {
 public:
  explicit Farm(const CompileSettings& settings)
      : settings_(settings),
        compiler_(settings.nvrtc, settings.compute_capability),
        queue_(settings.cache != nullptr) {}

  ~Farm() {
    stopped_ = true;
    queue_.stop();
    for (CompilerProcess& process : processes_) process.stop();
    for (std::thread& thread : threads_) thread.join();
  }
  Farm(const Farm&) = delete;
  Farm& operator=(const Farm&) = delete;

  void submit(std::span<const Configuration> configurations) {
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

  CompileOutcome next() { return queue_.next(settings_.stop); }
  bool is_ready() { return queue_.is_ready(); }

  CompileStatistics statistics() const {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }

 private:
  /// The life of a thread. One of the first ones need not have started its process to be given what
  /// is needed soon.
  void work(CompilerProcess& process, bool is_first) {
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
          compile(*task, counting);
        } catch (const CompilerStartFailure&) {
          queue_.give_back(*task);
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

  void look_up(const CompileQueue::Task& task) {
    auto found = settings_.cache->find(configurations_of(task), compiler_.identity());
    count_found(static_cast<std::size_t>(
        std::ranges::count_if(found, [](const auto& one) { return one.has_value(); })));
    queue_.deliver_found(task, std::move(found));
  }

  void compile(const CompileQueue::Task& task, CountingCompiler& counting) {
    const std::vector<Configuration> batch = configurations_of(task);
    if (settings_.cache == nullptr) {
      const Compiled compiled = compile(batch, counting);
      queue_.deliver(task, compiled.outcomes, compiled.seconds);
      return;
    }
    double seconds = not_timed;
    const CompileBatch compile_some = [&](std::span<const Configuration> some) {
      Compiled compiled = compile(some, counting);
      if (some.size() == batch.size()) seconds = compiled.seconds;
      return std::move(compiled.outcomes);
    };
    SharedOutcomes shared =
        compile_shared(batch, *settings_.cache, compiler_.identity(), compile_some, stopped_);
    count_found(shared.found);
    queue_.deliver(task, std::move(shared.outcomes), seconds);
  }

  struct Compiled {
    std::vector<CompileOutcome> outcomes;
    double seconds = 0;
  };

  Compiled compile(std::span<const Configuration> batch, CountingCompiler& counting) {
    const CountingCompiler before = counting;
    const auto begin = std::chrono::steady_clock::now();
    Compiled compiled = {compiler_.compile(batch, counting), 0};
    compiled.seconds = seconds_since(begin);
    const std::lock_guard lock(mutex_);
    statistics_.configurations += batch.size();
    statistics_.programs += counting.programs - before.programs;
    statistics_.compiler_seconds += counting.seconds - before.seconds;
    statistics_.wall_seconds = seconds_since(begin_);
    if (before.programs == 0) ++statistics_.compilers;
    return compiled;
  }

  void count_found(std::size_t found) {
    const std::lock_guard lock(mutex_);
    statistics_.from_cache += found;
    statistics_.wall_seconds = seconds_since(begin_);
  }

  CompileSettings settings_;
  SteadyTime begin_ = std::chrono::steady_clock::now();
  Compiler compiler_;
  CompileQueue queue_;
  std::atomic<bool> stopped_ = false;
  std::atomic<unsigned> at_work_ = 0;  ///< threads that have a process, or may get one
  mutable std::mutex mutex_;           ///< over the statistics
  CompileStatistics statistics_;
  std::list<CompilerProcess> processes_;
  std::vector<std::thread> threads_;
};

CompilePool::CompilePool(const CompileSettings& settings)
    : farm_(std::make_unique<Farm>(settings)) {}

CompilePool::CompilePool(const CompileSettings& settings,
                         std::span<const Configuration> configurations)
    : CompilePool(settings) {
  submit(configurations);
}

CompilePool::~CompilePool() = default;

void CompilePool::submit(std::span<const Configuration> configurations) {
  farm_->submit(configurations);
}

CompileOutcome CompilePool::next() {
  return farm_->next();
}

bool CompilePool::is_ready() const {
  return farm_->is_ready();
}

CompileStatistics CompilePool::statistics() const {
  return farm_->statistics();
}

}  // namespace sweep
