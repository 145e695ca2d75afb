#include "engine/run/compile_on_demand.h"

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "engine/jit/program_cache.h"
#include "engine/run/compiler_threads.h"

namespace sweep {
namespace {

constexpr std::size_t largest_batch = 16;

unsigned compilers_for(const CompileSettings& settings) {
  const unsigned most =
      settings.compilers != 0 ? settings.compilers : std::thread::hardware_concurrency();
  return std::clamp(most, 1U, most_compiler_threads);
}

}  // namespace

CompileOnDemand::CompileOnDemand(const CompileSettings& settings)
    : settings_(settings),
      compiler_(settings.nvrtc, settings.compute_capability),
      compilers_(compilers_for(settings)),
      local_(settings.nvrtc) {
  for (std::size_t i = 0; i < compilers_; ++i) {
    ProgramCompiler* programs = &local_;
    if (!settings_.process_command.empty()) {
      programs = &processes_.emplace_back(settings_.process_command, local_);
    }
    try {
      threads_.emplace_back([this, programs] { work(*programs); });
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;
      break;  // fewer will do
    }
  }
}

CompileOnDemand::~CompileOnDemand() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  work_.notify_all();
  for (CompilerProcess& process : processes_) process.stop();
  for (std::thread& thread : threads_) thread.join();
}

void CompileOnDemand::add(const Configuration& configuration) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({added_++, &configuration});
    outcomes_.emplace_back();
  }
  work_.notify_one();
}

CompileOutcome CompileOnDemand::next() {
  std::unique_lock lock(mutex_);
  if (taken_ == added_) throw std::out_of_range("no configuration is left");
  const auto is_ready = [&] { return outcomes_.front().has_value() || failure_ != nullptr; };
  // A signal's handler can set the flag, but not wake anybody up.
  while (!ready_.wait_for(lock, stop_notice, is_ready)) {
    if (settings_.stop != nullptr && *settings_.stop) throw CompilingStopped();
  }
  if (!outcomes_.front()) std::rethrow_exception(failure_);
  CompileOutcome outcome = std::move(*outcomes_.front());
  outcomes_.pop_front();
  ++taken_;
  return outcome;
}

bool CompileOnDemand::is_ready() const {
  const std::lock_guard lock(mutex_);
  return !outcomes_.empty() && outcomes_.front().has_value();
}

CompileStatistics CompileOnDemand::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

/// The life of a thread.
void CompileOnDemand::work(ProgramCompiler& programs) {
  lower_own_priority();
  try {
    compile_what_comes(programs);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (failure_ == nullptr) failure_ = std::current_exception();
    stopped_ = true;
    ready_.notify_all();
    work_.notify_all();
  }
}

void CompileOnDemand::compile_what_comes(ProgramCompiler& programs) {
  for (;;) {
    const std::vector<Job> jobs = take_batch();
    if (jobs.empty()) return;
    std::vector<Configuration> batch;
    for (const Job& job : jobs) batch.push_back(*job.configuration);
    std::vector<CompileOutcome> outcomes = outcomes_of(batch, programs);
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      outcomes_[jobs[i].number - taken_] = std::move(outcomes[i]);
    }
    statistics_.wall_seconds = seconds_since(begin_);
    ready_.notify_all();
  }
}

/// This compiler's share of what waits, of one pattern; waits for some. Empty once stopped.
std::vector<CompileOnDemand::Job> CompileOnDemand::take_batch() {
  std::unique_lock lock(mutex_);
  work_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
  if (stopped_) return {};
  const std::size_t share = (waiting_.size() + compilers_ - 1) / compilers_;
  const Pattern* pattern = waiting_.front().configuration->pattern.get();
  std::vector<Job> batch;
  while (!waiting_.empty() && batch.size() < std::min(share, largest_batch) &&
         waiting_.front().configuration->pattern.get() == pattern) {
    batch.push_back(waiting_.front());
    waiting_.pop_front();
  }
  return batch;
}

std::vector<CompileOutcome> CompileOnDemand::outcomes_of(const std::vector<Configuration>& batch,
                                                         ProgramCompiler& programs) {
  if (settings_.cache == nullptr) return compile(batch, programs);
  auto found = settings_.cache->find(batch, compiler_.identity());
  std::vector<Configuration> missing;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!found[i]) missing.push_back(batch[i]);
  }
  {
    const std::lock_guard lock(mutex_);
    statistics_.from_cache += batch.size() - missing.size();
  }
  std::vector<CompileOutcome> compiled;
  if (!missing.empty()) {
    compiled = compile(missing, programs);
    settings_.cache->add(missing, compiled, compiler_.identity());
  }
  std::vector<CompileOutcome> outcomes;
  auto next = compiled.begin();
  for (auto& one : found) {
    if (one) {
      outcomes.emplace_back(std::move(*one));
    } else {
      outcomes.push_back(std::move(*next++));
    }
  }
  return outcomes;
}

std::vector<CompileOutcome> CompileOnDemand::compile(const std::vector<Configuration>& batch,
                                                     ProgramCompiler& programs) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<CompileOutcome> outcomes = compiler_.compile(batch, programs);
  const std::lock_guard lock(mutex_);
  statistics_.configurations += batch.size();
  ++statistics_.programs;
  statistics_.compiler_seconds += seconds_since(begin);
  statistics_.compilers = static_cast<unsigned>(compilers_);
  return outcomes;
}

}  // namespace sweep
