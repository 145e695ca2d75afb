#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/run/compiled_outcomes.h"
#include "engine/run/compiler_process.h"

namespace sweep {

/// Compiles configurations that become known one after the other, as a search chooses them, in
/// threads. Those of one pattern that wait at the same time share a program.
class CompileOnDemand : public CompiledOutcomes {
 public:
  /// The cache must outlive this. Throws LibraryError when NVRTC cannot compile for the compute
  /// capability.
  explicit CompileOnDemand(const CompileSettings& settings);
  /// Drops what waits, and what a process compiles; waits for what is being compiled here.
  ~CompileOnDemand() override;
  CompileOnDemand(const CompileOnDemand&) = delete;
  CompileOnDemand& operator=(const CompileOnDemand&) = delete;

  /// One more configuration, which must outlive its outcome's being taken.
  void add(const Configuration& configuration);

  CompileOutcome next() override;
  bool is_ready() const override;
  CompileStatistics statistics() const override;

 private:
  struct Job {
    std::size_t number = 0;  ///< in the order added
    const Configuration* configuration = nullptr;
  };

  void work(ProgramCompiler& programs);
  void compile_what_comes(ProgramCompiler& programs);
  std::vector<Job> take_batch();
  std::vector<CompileOutcome> outcomes_of(const std::vector<Configuration>& batch,
                                          ProgramCompiler& programs);
  std::vector<CompileOutcome> compile(const std::vector<Configuration>& batch,
                                      ProgramCompiler& programs);

  CompileSettings settings_;
  Compiler compiler_;
  std::size_t compilers_;
  LocalCompiler local_;
  std::list<CompilerProcess> processes_;  ///< one for each thread, or none
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();

  mutable std::mutex mutex_;  ///< over all that follows
  std::condition_variable work_;
  std::condition_variable ready_;
  std::deque<Job> waiting_;
  std::size_t added_ = 0;
  std::size_t taken_ = 0;
  std::deque<std::optional<CompileOutcome>> outcomes_;  ///< of [taken_, added_)
  CompileStatistics statistics_;
  std::exception_ptr failure_;
  bool stopped_ = false;
  std::vector<std::thread> threads_;  ///< begins last
};

}  // namespace sweep
