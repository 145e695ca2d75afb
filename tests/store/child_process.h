#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace sweep::testing {

/// A process that runs one function of the test program. What the function returns or hands to
/// `say` can be read here; when it throws, the message is what it says.
class ChildProcess {
 public:
  using Say = std::function<void(const std::string&)>;
  using Job = std::function<std::string(const Say& say)>;

  explicit ChildProcess(const Job& job);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Waits for the next `count` bytes; fewer when the process ends before.
  std::string read(std::size_t count);
  /// Everything until the process ends.
  std::string read_all();
  /// Stops the process as a power switch would.
  void kill();

 private:
  pid_t pid_ = -1;
  int pipe_ = -1;
};

/// Takes root's rights from this process, so that file permissions hold for it. Only for children.
void become_unprivileged();

/// What comes of `job` in a process for which file permissions hold.
std::string unprivileged(const std::function<std::string()>& job);

}  // namespace sweep::testing
