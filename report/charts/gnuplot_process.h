#pragma once

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
/// writes. Throws DrawingError when it cannot be started, ends with an error, complains, or takes
/// longer than half a minute, after which it is killed.
std::string run_gnuplot(const std::filesystem::path& program, const std::string& script);

}  // namespace sweep
