#pragma once

#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/cli/commands/executor.h"
#include "engine/cli/options/sources.h"
#include "engine/cli/terminal/progress.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"
#include "report/annotations.h"

// What `sweep check` compiles, and what it executes.

namespace sweep {

struct CheckOptions {
  const GivenOptions& given;
  std::vector<SourcePtr> set;
  SpaceLimits limits;
  bool is_quiet = false;                       ///< say nothing of what is good
  std::ostream* verdicts = nullptr;            ///< gets what is good, and how long it took
  std::vector<CheckFinding>* found = nullptr;  ///< gets all messages
  std::optional<EmulatorSettings> run = {};    ///< what to execute on; nothing: compile alone
};

/// The configurations of a file that are checked: all, or of a search a sample.
struct Chosen {
  std::vector<Configuration> configurations;
  std::size_t of = 0;  ///< so many there are

  bool is_sample() const { return configurations.size() < of; }
  const char* verb_ending() const { return configurations.size() == 1 ? "s" : ""; }
  /// "300 of 47,658 configurations"
  std::string in_words() const {
    return (is_sample() ? format_thousands(configurations.size()) + " of " : "") +
           count_of(is_sample() ? of : configurations.size(), "configuration");
  }
};

/// A file without mistakes of its own, not compiled yet.
struct ReadFile {
  std::string name;
  Chosen compiled;
  Chosen emulated;  ///< those that the emulator executes
};

/// What was found in configurations: each message once (two at one place that differ in their
/// figures alone are one), with how many configurations have it.
class Findings {
 public:
  /// A message without a source is about the configuration's pattern. The configuration must live
  /// as long as this.
  void add(Diagnostic message, const Configuration& configuration, std::string_view rule) {
    Location& where = message.where;
    if (where.source == nullptr) where.source = configuration.pattern->source;
    std::string words = message.message;
    std::erase_if(words, is_digit);
    words += fmt::format(":{}:{}:{}", where.source->name, where.line, where.column);
    const auto [known, is_new] = known_.try_emplace(words, findings_.size());
    if (is_new) findings_.push_back({std::move(message), &configuration, rule});
    Finding& finding = findings_[known->second];
    if (finding.last != &configuration) ++finding.configurations;
    finding.last = &configuration;
  }
  void add(const Diagnostics& messages, const Configuration& configuration, std::string_view rule) {
    for (const Diagnostic& message : messages.list()) add(message, configuration, rule);
  }

  /// Prints the messages in the order in which they came up; the errors say in which of the
  /// `examined` configurations, and how many more were not `done`, if any. Returns whether there
  /// are errors.
  bool report(std::size_t examined, std::size_t left_out, std::string_view done,
              const CheckOptions& options) const;

 private:
  struct Finding {
    Diagnostic message;
    const Configuration* first;
    std::string_view rule;  ///< see check_rules
    const Configuration* last = nullptr;
    std::size_t configurations = 0;
  };

  std::vector<Finding> findings_;
  std::unordered_map<std::string, std::size_t> known_;  ///< by the message without its figures
};

/// Hands what the pool makes of configurations to `take`, one after the other, until this gives
/// false. Shows how far it is. Returns whether the user stopped it.
template <typename Take>
bool take_compiled(CompilePool& pool, std::span<const Configuration> configurations,
                   const std::string& job, bool is_quiet, Take take) {
  StepProgress progress(job, configurations.size(), is_quiet);
  try {
    for (const Configuration& configuration : configurations) {
      if (stop_flag()) return true;
      const CompileOutcome outcome = pool.next();
      progress.step();
      if (!take(configuration, outcome)) break;
    }
  } catch (const CompilingStopped&) {
    return true;
  }
  return false;
}

/// Executes the file's configurations on the emulator and says what it found; returns the exit
/// code.
int execute_file(const ReadFile& file, const CompileSettings& compile, const CheckOptions& options);

}  // namespace sweep
