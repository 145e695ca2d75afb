#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace sweep {

/// How one run of the program went.
struct Outcome {
  int code = -1;    ///< exit code, or -signal
  std::string out;  ///< standard output
  std::string err;  ///< standard error
};

/// Environment variables to set; an empty value removes one.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// The program under test, running. Its output goes to files, so that it never waits for a reader.
/// Unless its environment says otherwise, its cache of compiled programs is the tests' own.
class RunningProgram {
 public:
  /// `folder` is its current directory and gets the files with its output. `out` names another
  /// file for its standard output. `at_last` is called in the new process, when all else is as
  /// it should be.
  RunningProgram(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                 const Environment& environment = {}, const std::string& out = {},
                 const std::function<void()>& at_last = nullptr);
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  pid_t process() const { return process_; }
  /// Sends a signal; false if the program has ended. Between its last instruction and its end the
  /// system would drop the signal, so that it is stopped first.
  bool interrupt(int signal) const;
  std::string out_so_far() const;
  std::string err_so_far() const;
  Outcome wait();

 private:
  std::filesystem::path out_;
  std::filesystem::path err_;
  pid_t process_ = 0;
};

/// A command line with more words at its end.
std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more);

/// Runs the program to its end.
Outcome run_program(const std::vector<std::string>& arguments,
                    const std::filesystem::path& folder = SWEEP_SOURCE_DIR,
                    const Environment& environment = {}, const std::string& out = {});

/// Whether the machine has a GPU, by the program's own word; says so once when not.
bool program_sees_gpu();

}  // namespace sweep
