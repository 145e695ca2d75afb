#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "engine/store/record.h"
#include "tests/cli/program.h"
#include "tests/temporary_folder.h"

namespace sweep {

/// Something around a run that goes wrong, and what is to come of it: a row of a table.
struct Fault {
  std::string name;
  Environment environment = {};
  std::vector<std::string> options = {};
  /// Done to the folder before the run, half of whose points results/stride.db has by then.
  std::function<void(const std::filesystem::path& folder)> prepare = nullptr;
  /// Done in the new process before it becomes the program.
  std::function<void()> at_last = nullptr;
  int code = 0;
  std::vector<std::string> says = {};  ///< texts, each of them somewhere in standard error
};
std::ostream& operator<<(std::ostream& out, const Fault& fault);

/// `spec`, with which fault_injection.cpp makes calls fail.
Environment injected(const std::string& spec);

/// A folder in which a run of eight points on the emulator met a fault when four of them had been
/// recorded by an earlier one.
class BrokenRun {
 public:
  static constexpr std::size_t all_points = 8;

  BrokenRun();

  const std::filesystem::path& folder() const { return folder_.path(); }
  std::filesystem::path database() const { return folder() / "results/stride.db"; }

  /// The command line of the run, which tells it as JSON Lines.
  static std::vector<std::string> command(const std::vector<std::string>& options = {});

  /// Starts the run that meets the fault, or waits for its end and checks what came of it: its
  /// code, its words, that its JSON Lines end as they should, and that nothing is lost.
  RunningProgram start(const Fault& fault) const;
  Outcome meet(const Fault& fault) const;
  void check(const Fault& fault, const Outcome& outcome) const;

  /// Every point that was there before, or that the run said to be, is in a database that SQLite
  /// finds in order.
  void check_nothing_is_lost(const Outcome& outcome) const;

  /// The same command without the fault measures what is missing, and no point twice: the points
  /// are those of a run that no fault met.
  void complete() const;

 private:
  TemporaryFolder folder_;
};

}  // namespace sweep
