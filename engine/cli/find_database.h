#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace sweep {

/// The file itself, or the database that a sweep of this name writes: results/NAME.db.
std::filesystem::path find_database(const std::string& name);

/// A run of a database, as an operand names it.
struct RunOperand {
  std::filesystem::path database;
  std::optional<std::int64_t> run;  ///< nothing: the newest
};

/// Reads FILE or FILE:RUN, where the file is as for `find_database`. A file whose own name has such
/// an end is meant as it stands. Throws UsageError for an end that is no number.
RunOperand read_run_operand(const std::string& text);

/// The same where the option `--run` may name the run. Throws UsageError when both do.
RunOperand read_run_operand(const std::string& text, std::optional<std::int64_t> run);

/// The run's number that `--run` gives, whose value is a text; nothing without it. Throws
/// UsageError.
std::optional<std::int64_t> given_run(const boost::program_options::variables_map& values);

}  // namespace sweep
