#include "tests/store/child_process.h"

#include <grp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace sweep::testing {
namespace {

[[noreturn]] void run_in_child(const ChildProcess::Job& job, int pipe) {
  const ChildProcess::Say say = [&](const std::string& text) {
    if (write(pipe, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(1);
  };
  try {
    say(job(say));
  } catch (const std::exception& error) {
    say(error.what());
  }
  // Without the test program's own goodbye.
  _exit(0);
}

}  // namespace

ChildProcess::ChildProcess(const Job& job) {
  std::array<int, 2> ends = {};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("no process");
  if (pid_ == 0) {
    close(ends[0]);
    run_in_child(job, ends[1]);
  }
  close(ends[1]);
  pipe_ = ends[0];
}

ChildProcess::~ChildProcess() {
  close(pipe_);
  waitpid(pid_, nullptr, 0);
}

std::string ChildProcess::read(std::size_t count) {
  std::string text(count, '\0');
  std::size_t size = 0;
  while (size < count) {
    const ssize_t got = ::read(pipe_, text.data() + size, count - size);
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

std::string ChildProcess::read_all() {
  std::string text;
  for (std::string part = read(1); !part.empty(); part = read(1)) text += part;
  return text;
}

void ChildProcess::kill() {
  ::kill(pid_, SIGKILL);
}

void become_unprivileged() {
  constexpr uid_t nobody = 65534;
  if (geteuid() != 0) return;
  if (setgroups(0, nullptr) != 0 || setgid(nobody) != 0 || setuid(nobody) != 0) {
    throw std::runtime_error("cannot give up root's rights");
  }
}

std::string unprivileged(const std::function<std::string()>& job) {
  ChildProcess child([&](const auto&) {
    become_unprivileged();
    return job();
  });
  return child.read_all();
}

}  // namespace sweep::testing
