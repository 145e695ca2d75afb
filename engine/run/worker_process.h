#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "engine/run/channel.h"

namespace sweep {

/// A child process with a channel to it. It is killed with its owner.
class WorkerProcess {
 public:
  /// Starts `command`; the child finds its end of the channel at the descriptor `child_channel`.
  /// It has a process group of its own, so that Ctrl-C in a terminal does not reach it. Throws
  /// std::system_error.
  explicit WorkerProcess(const std::vector<std::string>& command);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  Channel& channel() { return channel_; }
  void kill();
  /// Kills the process without waiting for its end, which takes a GPU's driver a tenth of a second.
  /// It stays this process' child.
  void abandon();
  /// Waits for the process and says how it ended: "ended with exit code 1", "was killed by signal
  /// 11 (Segmentation fault)"; that is known once only.
  std::string wait();

  /// The file descriptor that a child finds its channel at.
  static constexpr int child_channel = 3;

 private:
  Channel channel_;
  pid_t process_ = 0;
};

}  // namespace sweep
