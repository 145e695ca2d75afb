#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

namespace sweep {

/// The program `gnuplot` in the first of PATH's absolute folders that has it.
std::optional<std::filesystem::path> find_gnuplot();

/// A picture that could not be drawn, in one sentence.
class DrawingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs gnuplot, without a shell and without its settings files, on a script and gives what it
/// writes. Throws DrawingError when it cannot be started, ends with an error, writes nothing, or
/// takes longer than `longest`, after which it is killed; this process does not start a gnuplot
/// that took too long again. What it complains about while it draws, such as a font that the
/// machine lacks, is no error.
std::string run_gnuplot(const std::filesystem::path& program, const std::string& script,
                        std::chrono::milliseconds longest = std::chrono::seconds(30));

}  // namespace sweep
