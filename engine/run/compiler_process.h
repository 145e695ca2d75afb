#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/jit/program_compiler.h"
#include "engine/run/channel.h"
#include "engine/run/compiled_outcomes.h"

namespace sweep {

class WorkerProcess;

/// The life of a compiler process: says that it is ready, with an empty message, and compiles one
/// program after the other until the channel closes.
void serve_programs(Channel& channel, ProgramCompiler& compiler);

/// Compiles in a process of its own, since NVRTC holds a lock over a part of each program, and a
/// program may make it crash or never end. A program over which the process dies, with a single
/// kernel twice, or which takes longer than the patience, is given up: its result is not ok and
/// says so. Where no process can start, or one talks nonsense, this process compiles instead. Use
/// it from one thread, which has to live as long as this: the process ends with the thread that
/// started it.
class CompilerProcess : public ProgramCompiler {
 public:
  /// `command` starts a process that talks over the file descriptor `WorkerProcess::child_channel`
  /// (see serve_programs); it is started when it is needed. Both references must outlive this.
  /// `patience` is how many seconds a program may take.
  CompilerProcess(const std::vector<std::string>& command, ProgramCompiler& in_this_process,
                  double patience = 300);
  ~CompilerProcess() override;
  CompilerProcess(const CompilerProcess&) = delete;
  CompilerProcess& operator=(const CompilerProcess&) = delete;

  /// Starts the process if there is none, and waits until it is ready. Failing is left to
  /// `compile`. Throws CompilingStopped after `stop`.
  void prepare();

  /// Throws CompilingStopped after `stop`, and LibraryError as the process's compiler did.
  NvrtcResult compile(const ProgramSource& source) override;

  /// Kills the process; a compile under way ends. To call from any thread.
  void stop();

 private:
  bool try_start();
  void start();
  std::string end();

  const std::vector<std::string>& command_;
  ProgramCompiler& in_this_process_;
  double patience_;
  int failures_ = 0;  ///< to start, in succession, or of a process that talked nonsense
  std::mutex mutex_;  ///< over what follows
  std::unique_ptr<WorkerProcess> process_;
  bool stopped_ = false;
};

}  // namespace sweep
