#include "tests/cli/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "tests/temporary_folder.h"

namespace sweep {
namespace {

const TemporaryFolder& output_folder() {
  static const TemporaryFolder folder;
  return folder;
}

[[noreturn]] void become_program(const std::vector<std::string>& arguments,
                                 const std::filesystem::path& folder,
                                 const Environment& environment, const std::string& out,
                                 const std::string& err, const std::function<void()>& at_last) {
  // Compiled programs of one test may serve the next, but those of the user serve none.
  setenv("XDG_CACHE_HOME", (output_folder().path() / "cache").c_str(), 1);
  unsetenv("SWEEP_CACHE_LIMIT");
  for (const auto& [name, value] : environment) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  // A shell's background starts its commands with these ignored.
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_DFL);
  const int out_file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err_file = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int in_file = open("/dev/null", O_RDONLY);
  if (out_file < 0 || err_file < 0 || chdir(folder.c_str()) != 0) _exit(127);
  dup2(in_file, STDIN_FILENO);
  dup2(out_file, STDOUT_FILENO);
  dup2(err_file, STDERR_FILENO);
  std::vector<std::string> words = {SWEEP_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  if (at_last) at_last();
  execv(SWEEP_PROGRAM, pointers.data());
  _exit(127);
}

}  // namespace

RunningProgram::RunningProgram(const std::vector<std::string>& arguments,
                               const std::filesystem::path& folder, const Environment& environment,
                               const std::string& out, const std::function<void()>& at_last) {
  static int count = 0;
  ++count;
  out_ = out.empty() ? output_folder().path() / ("out" + std::to_string(count))
                     : std::filesystem::path(out);
  err_ = output_folder().path() / ("err" + std::to_string(count));
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("fork failed");
  if (process_ == 0) become_program(arguments, folder, environment, out_, err_, at_last);
}

RunningProgram::~RunningProgram() {
  if (process_ == 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

std::string RunningProgram::out_so_far() const {
  return read_text_file(out_);
}

std::string RunningProgram::err_so_far() const {
  return read_text_file(err_);
}

bool RunningProgram::interrupt(int signal) const {
  kill(process_, SIGSTOP);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WSTOPPED | WNOWAIT);
  if (info.si_code != CLD_STOPPED) return false;
  kill(process_, signal);
  kill(process_, SIGCONT);
  return true;
}

Outcome RunningProgram::wait() {
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = 0;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  const bool readable = std::filesystem::is_regular_file(out_);
  return {code, readable ? read_text_file(out_) : std::string(), read_text_file(err_)};
}

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Outcome run_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                    const Environment& environment, const std::string& out) {
  return RunningProgram(arguments, folder, environment, out).wait();
}

bool program_sees_gpu() {
  static const bool sees = [] {
    const Outcome devices = run_program({"devices"});
    const bool lists_gpu = devices.out.starts_with("0: ");
    if (!lists_gpu) std::cout << "GPU tests skipped: " << devices.err << std::flush;
    return lists_gpu;
  }();
  return sees;
}

}  // namespace sweep
