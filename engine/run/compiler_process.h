#pragma once

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/jit/program_compiler.h"
#include "engine/run/channel.h"

namespace sweep {

class WorkerProcess;

/// Compiling was given up: nobody waits for the result any more.
class CompilingStopped : public std::runtime_error {
 public:
  CompilingStopped() : std::runtime_error("compiling was stopped") {}
};

/// The life of a compiler process: says that it is ready, with an empty message, and compiles one
/// program after the other until the channel closes.
void serve_programs(Channel& channel, ProgramCompiler& compiler);

/// Compiles in a process of its own, since NVRTC holds a lock over a part of each program. What a
/// process does not compile, because it cannot start, dies or talks nonsense, is compiled in this
/// process instead. Use it from one thread, which has to live as long as this: the process ends
/// with the thread that started it.
class CompilerProcess : public ProgramCompiler {
 public:
  /// `command` starts a process that talks over the file descriptor `WorkerProcess::child_channel`
  /// (see serve_programs); it is started when it is needed. Both references must outlive this.
  CompilerProcess(const std::vector<std::string>& command, ProgramCompiler& in_this_process);
  ~CompilerProcess() override;
  CompilerProcess(const CompilerProcess&) = delete;
  CompilerProcess& operator=(const CompilerProcess&) = delete;

  /// Starts the process if there is none, and waits until it is ready. Failing is left to
  /// `compile`. Throws CompilingStopped after `stop`.
  void prepare();

  /// Throws CompilingStopped after `stop`.
  NvrtcResult compile(const ProgramSource& source) override;

  /// Kills the process; a compile under way ends. To call from any thread.
  void stop();

 private:
  template <class Action>
  bool attempt(const Action& action);
  void start();
  void end();

  const std::vector<std::string>& command_;
  ProgramCompiler& in_this_process_;
  int failures_ = 0;  ///< in succession
  std::mutex mutex_;  ///< over what follows
  std::unique_ptr<WorkerProcess> process_;
  bool stopped_ = false;
};

}  // namespace sweep
