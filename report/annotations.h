#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/diagnostic.h"
#include "report/findings.h"

// Messages about files in the forms that services show beside the files' lines.

namespace sweep {

/// A kind of message that a check of sweeps and patterns gives.
struct CheckRule {
  std::string_view id;
  std::string_view meaning;
};

inline constexpr std::array<CheckRule, 8> check_rules = {{
    {"input", "A sweep or a pattern has a mistake, or cannot be read"},
    {"compile", "A pattern does not compile, or the compiler warns of it"},
    {"launch", "A launch has a wrong grid, block, buffer or argument"},
    {"access", "A kernel does with memory or other threads what it must not"},
    {"deadlock", "Threads of a kernel wait for each other"},
    {"endless", "A kernel does not end"},
    {"result", "A kernel's result is wrong"},
    {"advice", "A pattern can be written in a better way"},
}};

/// A message, and the id of its rule.
struct CheckFinding {
  Diagnostic message;
  std::string_view rule;
};

/// Workflow commands of GitHub Actions, a line each: the runner shows such lines of a step's output
/// as annotations. Files are named from `root`, the folder of the repository; a message about
/// another file names it in its text. `title` stands above each.
std::string write_github_commands(std::span<const Diagnostic> messages, std::string_view title,
                                  const std::filesystem::path& root);

/// What a run's expectations and its failed points come to. A failure stands where its reason says.
std::vector<Diagnostic> run_annotations(const RunAnalysis& run,
                                        std::span<const ExpectationResult> expectations);

/// A log of SARIF 2.1.0 (OASIS) with one run. A file outside of `root` has its absolute URI.
/// `version` is the program's.
std::string write_sarif(std::span<const CheckFinding> findings, std::string_view version,
                        const std::filesystem::path& root);

/// The findings as Markdown: how many there are, and each with its place.
std::string write_findings_markdown(std::span<const CheckFinding> findings,
                                    const std::filesystem::path& root);

}  // namespace sweep
