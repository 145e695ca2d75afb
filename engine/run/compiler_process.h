#pragma once

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "engine/jit/nvrtc.h"
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
  std::string start();
  NvrtcResult try_to_compile(const ProgramSource& source);
  std::string receive_reply(double seconds, const std::string* question = nullptr);
  std::string end();
  void kill();

  CompilerProcesses& processes_;
  double patience_;
  Work work_;
  std::mutex mutex_;  ///< over what follows
  CompilerProcesses::Taken taken_;
  bool is_busy_ = false;  ///< its process is starting or compiling
  bool stopped_ = false;
};

}  // namespace sweep
