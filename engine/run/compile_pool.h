#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <list>
#include <map>
#include <mutex>
#include <thread>
#include <variant>

#include "engine/backend/backend.h"
#include "engine/jit/compiler.h"
#include "engine/jit/translation_unit.h"
#include "engine/run/worker_process.h"

namespace sweep {

/// What a compiler process answers to a ProgramSource: its result, or the message of a
/// LibraryError.
using CompileReply = std::variant<NvrtcResult, std::string>;

/// The life of a compiler process: says that it is ready, with an empty message, and compiles one
/// program after the other until the channel closes.
void serve_programs(Channel& channel, ProgramCompiler& compiler);

/// Compiling was given up: nobody waits for the result any more.
class CompilingStopped : public std::runtime_error {
 public:
  CompilingStopped() : std::runtime_error("compiling was stopped") {}
};

/// No compiler process starts.
class CompilerStartFailure : public LibraryError {
 public:
  explicit CompilerStartFailure(const std::string& why);
};

/// The processes that compile for this one, which never does so itself: NVRTC replaces its process'
/// handlers of SIGINT and SIGTERM, holds a lock over a part of each program, and may crash or never
/// end. Those that nobody uses any more are kept for the next one who compiles. Safe to use from
/// several threads.
class CompilerProcesses {
 public:
  struct Taken {
    std::unique_ptr<WorkerProcess> process;
    bool is_ready = false;  ///< else its message that it is has yet to come
  };

  /// `command` starts a process that talks over the file descriptor `WorkerProcess::child_channel`
  /// (see serve_programs).
  explicit CompilerProcesses(std::vector<std::string> command) : command_(std::move(command)) {}

  /// Starts processes before they are needed, since opening NVRTC takes some 30 ms; fewer where the
  /// system refuses more.
  void start_ahead(unsigned count);

  /// A process that nobody uses, or a new one. Throws std::system_error.
  Taken take();
  void give_back(Taken taken);
  /// Ends those that nobody uses, without waiting for them: nothing is left to compile.
  void close();

 private:
  const std::vector<std::string> command_;
  std::mutex mutex_;  ///< over what follows
  std::vector<Taken> unused_;
};

/// Compiles by one of the processes, which is started again when a program kills it. A program over
/// which the process dies, with a single kernel twice, or which takes longer than the patience, is
/// given up: its result is not ok and says so. Use it from one thread.
class CompilerProcess : public ProgramCompiler {
 public:
  /// The processes must outlive this. `patience` is how many seconds a program may take.
  explicit CompilerProcess(CompilerProcesses& processes, double patience = 300)
      : processes_(processes), patience_(patience) {}
  /// Gives the process back.
  ~CompilerProcess() override;
  CompilerProcess(const CompilerProcess&) = delete;
  CompilerProcess& operator=(const CompilerProcess&) = delete;

  /// Takes a process if there is none, and waits until it is ready. Throws CompilerStartFailure,
  /// and CompilingStopped after `stop`.
  void prepare();

  /// Throws as `prepare` does, and LibraryError as the process' compiler did.
  NvrtcResult compile(const ProgramSource& source) override;

  /// What it has compiled so far.
  struct Work {
    std::size_t programs = 0;
    double seconds = 0;
  };
  const Work& work() const { return work_; }

  /// Ends a compile under way. To call from any thread.
  void stop();

 private:
  NvrtcResult try_to_compile(const ProgramSource& source);
  std::string receive_reply(double seconds, const std::string* question = nullptr);
  std::string end(bool kill = false);

  CompilerProcesses& processes_;
  double patience_;
  Work work_;
  std::mutex mutex_;  ///< over what follows
  CompilerProcesses::Taken taken_;
  bool is_busy_ = false;  ///< its process is starting or compiling
  bool stopped_ = false;
};

/// How many configurations to compile as one program. A program of n takes about
/// fixed + each * n seconds, which this learns from those that are done.
class BatchSize {
 public:
  /// The very first batch; small, so that the first configuration is ready soon.
  static constexpr std::size_t first = 4;
  /// So many batches begin beside it and are needed later: each is twice as large.
  static constexpr std::size_t early_batches = 3;
  /// The largest before any is done and says what it cost.
  static constexpr std::size_t unlearnt = first << early_batches;
  /// Beyond it the fixed part has become small for any pattern, while a mistake costs more.
  static constexpr std::size_t largest = 128;

  /// A program of so many configurations begins. All times are seconds from one moment on.
  void begin(std::size_t configurations, double now);
  /// One of so many configurations is done and took so long. Nothing is learnt of a time below 0.
  void learn(std::size_t configurations, double seconds);

  /// Whether the next batch is one of the small first ones, whose configurations are needed soon.
  bool is_early() const { return begun_ < early_batches; }
  double fixed_seconds() const;
  double seconds_each() const;

  /// The size of the next batch, of which the fixed part is a small share. At most four times the
  /// largest seen, and a little less than lets all `compilers`, those that are at work included,
  /// end together, unless the fixed part would then be the most of it. Between 1 and `remaining`,
  /// which is at least 1.
  std::size_t next(std::size_t remaining, unsigned compilers, double now) const;

 private:
  struct Program {
    std::size_t configurations = 0;
    double begun = 0;
  };

  std::size_t share_of(std::size_t remaining, unsigned compilers, double now) const;

  // Sums over the programs, the older the less: of 1, n, seconds, n * n, n * seconds.
  double weight_ = 0;
  double sizes_ = 0;
  double seconds_ = 0;
  double squares_ = 0;
  double products_ = 0;
  std::size_t largest_seen_ = 0;
  std::size_t begun_ = 0;
  std::vector<Program> under_way_;
};

/// A configuration that waits for a compiler.
struct CompileCandidate {
  std::size_t place = 0;  ///< among all configurations
  const Pattern* pattern = nullptr;
  std::size_t options = 0;                  ///< equal where the compiler's options are
  std::vector<std::size_t> functions = {};  ///< that stand alone; equal where they are
  std::size_t body = 0;                     ///< equal where the bodies are

  bool can_share_program(const CompileCandidate& other) const {
    return pattern == other.pattern && options == other.options;
  }
};

/// Makes candidates; remembers what the patterns' texts depend on.
class CandidateMaker {
 public:
  CompileCandidate make(const Configuration& configuration, std::size_t place);

 private:
  std::map<const Pattern*, TextDependence> dependences_;
};

/// Chooses a batch of at most `size` from candidates in the order of their places, of which there
/// is at least one: the first, and of those with its pattern and options what shares most functions
/// with it. The last
/// few may be left out for the batch that has more of their kind. Gives places, rising.
std::vector<std::size_t> choose_batch(std::span<const CompileCandidate> candidates,
                                      std::size_t size);

/// Makes the calling thread give way to the one that measures and to the driver's: five steps nicer
/// than it was, as far as there are any.
void lower_own_priority();

/// What those who compile measure their time by.
inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline std::vector<const Configuration*> pointers_to(std::span<const Configuration> all) {
  std::vector<const Configuration*> pointers;
  for (const Configuration& configuration : all) pointers.push_back(&configuration);
  return pointers;
}

/// Divides configurations into batches for several compilers, and puts the outcomes back into the
/// order in which the configurations were submitted. Only so many are worked on ahead of the one
/// that takes the outcomes. Safe to use from several threads.
class CompileQueue {
 public:
  /// What to do next, with the configurations at these places of the order.
  struct Task {
    enum class Kind { look_up, compile };
    Kind kind = Kind::compile;
    std::vector<std::size_t> places = {};
    std::vector<Configuration> configurations = {};
  };

  /// With `looks_up` each configuration is looked up before it is compiled.
  explicit CompileQueue(bool looks_up) : looks_up_(looks_up) {}

  /// Further configurations, which must outlive the taking of their outcomes. From now on there are
  /// so many compilers, if there were fewer.
  void submit(std::span<const Configuration* const> configurations, unsigned compilers);

  /// How many configurations have no outcome yet.
  std::size_t open() const;

  /// The next task; waits until there is one. Nothing once there will be none. A batch is of one
  /// pattern: at first the next configurations in order, which are needed soon and for compilers
  /// that have started; later the first in order and those that share most with it.
  std::optional<Task> take_task(bool has_started = true);
  /// The outcomes of a task's configurations; those without are to be compiled, as all are where
  /// there are no outcomes. `seconds` is how long compiling took, if that tells of others.
  void deliver(const Task& task, std::vector<std::optional<CompileOutcome>> outcomes,
               double seconds = not_timed);
  static constexpr double not_timed = -1;

  /// The outcome of the next configuration, in order; waits for it. Throws what `fail` was given,
  /// and CompilingStopped soon after `stop`, which may be null, is set meanwhile.
  CompileOutcome next(const std::atomic<bool>* stop = nullptr);

  /// Whether `next` need not wait.
  bool is_ready() const;
  /// Whether `fail` was called.
  bool has_failed() const;

  /// No further tasks; `next` throws what happened.
  void fail(std::exception_ptr what);
  /// No further tasks.
  void stop();

 private:
  std::size_t submitted() const { return taken_ + configurations_.size(); }
  std::size_t most_ahead() const;
  std::size_t room() const { return taken_ + most_ahead() - admitted_; }
  bool can_admit() const;
  std::vector<std::size_t> admit(std::size_t most);
  void make_pending(std::size_t place);
  bool has_outcome() const { return !outcomes_.empty() && outcomes_.front().has_value(); }
  std::optional<Task> try_take(bool has_started);
  Task take_batch(std::size_t size);

  const bool looks_up_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();

  mutable std::mutex mutex_;  ///< over all that follows
  std::condition_variable work_;
  std::condition_variable ready_;
  unsigned compilers_ = 1;
  std::size_t taken_ = 0;                               ///< by next()
  std::deque<const Configuration*> configurations_;     ///< of [taken_, submitted())
  std::size_t admitted_ = 0;                            ///< looked up, pending, compiling, or done
  std::size_t open_ = 0;                                ///< without an outcome
  std::vector<CompileCandidate> pending_;               ///< in order
  std::vector<std::size_t> looked_up_;                  ///< the first places of what is looked up
  std::deque<std::optional<CompileOutcome>> outcomes_;  ///< of [taken_, admitted_)
  BatchSize batch_size_;
  CandidateMaker candidates_;
  std::exception_ptr failure_;
  bool stopped_ = false;
};

class ProgramCache;

/// How to compile.
struct CompileSettings {
  std::shared_ptr<Nvrtc> nvrtc;
  int compute_capability = 0;     ///< major * 10 + minor
  ProgramCache* cache = nullptr;  ///< null: everything is compiled
  /// That compile. They may serve several pools, at once or one after the other.
  std::shared_ptr<CompilerProcesses> processes = nullptr;
  unsigned compilers = 0;  ///< at most so many at a time; 0: the machine's threads
  /// Set, from any thread or a signal's handler, when nobody wants the outcomes any more.
  const std::atomic<bool>* stop = nullptr;
};

/// The compute capability that NVRTC compiles for so that the device can execute it: an emulated
/// device may be older than NVRTC knows.
int code_capability(const Device& device, const Nvrtc& nvrtc);

/// What compiling came to so far.
struct CompileStatistics {
  std::size_t configurations = 0;  ///< compiled
  std::size_t from_cache = 0;      ///< found instead
  std::size_t programs = 0;        ///< compiler runs, those that failed included
  double compiler_seconds = 0;     ///< of all runs together
  double wall_seconds = 0;         ///< from the start to the last outcome
  unsigned compilers = 0;          ///< that compiled something
  /// By patterns' files, how many were compiled alone since together they did not compile.
  std::vector<std::pair<std::string, std::size_t>> alone = {};

  /// Those of pools that worked one after the other, as one.
  CompileStatistics& operator+=(const CompileStatistics& more);
};

/// Compiles configurations on many cores, in batches, ahead of the caller: a space that is known at
/// once, or configurations as a search chooses them. What the cache has, or what another process
/// with the same cache is compiling, is taken from there.
class CompilePool {
 public:
  /// The cache must outlive this. Throws LibraryError when NVRTC cannot compile for the compute
  /// capability.
  explicit CompilePool(const CompileSettings& settings);
  /// Submits at once.
  CompilePool(const CompileSettings& settings, std::span<const Configuration> configurations);
  /// Drops what waits, and what is being compiled.
  ~CompilePool();
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  /// Further configurations, each of which must outlive its outcome's being taken.
  void submit(std::span<const Configuration* const> configurations);
  void submit(const Configuration& configuration) { submit(std::array{&configuration}); }

  /// The outcome of the next configuration, in the order submitted; waits for it if need be, and
  /// throws CompilingStopped soon after the settings' `stop` is set meanwhile. Throws LibraryError
  /// when NVRTC breaks or no compiler process starts, std::out_of_range when no configuration is
  /// left.
  CompileOutcome next() { return queue_.next(settings_.stop); }

  /// Whether `next` need not wait.
  bool is_ready() const { return queue_.is_ready(); }
  /// Whether `next` throws as soon as no outcome is left.
  bool has_failed() const { return queue_.has_failed(); }

  CompileStatistics statistics() const;

 private:
  using Outcomes = std::vector<std::optional<CompileOutcome>>;

  void work(CompilerProcess& process, bool is_first);
  Outcomes look_up(std::span<const Configuration> configurations);
  Outcomes compile_shared(std::span<const Configuration> batch, CompilerProcess& process,
                          double& seconds);
  std::vector<CompileOutcome> compile(std::span<const Configuration> batch,
                                      CompilerProcess& process, double& seconds);

  CompileSettings settings_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Compiler compiler_;
  CompileQueue queue_;
  std::atomic<bool> stopped_ = false;
  std::atomic<unsigned> at_work_ = 0;  ///< threads that have a process, or may get one
  mutable std::mutex mutex_;           ///< over the statistics
  CompileStatistics statistics_;
  std::list<CompilerProcess> processes_;
  std::vector<std::thread> threads_;  ///< each takes tasks, with a process behind it
};

}  // namespace sweep
