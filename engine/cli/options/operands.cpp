#include "engine/cli/options/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>

#include "engine/cli/command.h"
#include "engine/cli/options/command_line.h"
#include "engine/cli/options/find_sources.h"
#include "engine/cli/options/shared_options.h"
#include "engine/spec/pattern_library.h"

namespace sweep {
namespace fs = std::filesystem;

fs::path find_database(const std::string& name) {
  const fs::path path = name;
  if (file_is_there(path) || path.has_parent_path() || path.extension() == ".db") return path;
  const fs::path result = fs::path("results") / (name + ".db");
  return file_is_there(result) ? result : path;
}

RunOperand read_run_operand(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || file_is_there(text)) return {find_database(text), {}};
  const std::string file = text.substr(0, colon);
  const std::string number = text.substr(colon + 1);
  std::int64_t run = 0;
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, run);
  if (number.empty() || error != std::errc() || stop != end || run < 1) {
    const fs::path database = find_database(file);
    if (!file_is_there(database)) return {text, {}};
    throw UsageError(
        fmt::format("{}: after the colon stands a run's number; 'sweep list runs {}' "
                    "shows the runs",
                    text, database.string()));
  }
  return {find_database(file), run};
}

RunOperand read_run_operand(const std::string& text, std::optional<std::int64_t> run) {
  RunOperand operand = read_run_operand(text);
  if (operand.run && run) {
    throw UsageError(fmt::format("{} names a run already; leave out its :{} or --run {}", text,
                                 *operand.run, *run));
  }
  if (run) operand.run = run;
  return operand;
}

std::optional<std::int64_t> given_run(const boost::program_options::variables_map& values) {
  constexpr std::uint64_t largest = 1'000'000'000;
  if (values.count("run") == 0) return std::nullopt;
  return static_cast<std::int64_t>(
      read_whole_number("run", values["run"].as<std::string>(), largest));
}

namespace {

enum class Kind { sweep, pattern, included, database, folder, other };

Kind file_kind(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return Kind::folder;
  const std::string ending = path.extension().string();
  if (ending == ".cu") return Kind::pattern;
  if (ending == ".cuh") return Kind::included;
  if (ending == ".yaml" || ending == ".yml") return Kind::sweep;
  return ending == ".db" ? Kind::database : Kind::other;
}

std::string_view describe(Kind kind) {
  switch (kind) {
    case Kind::sweep:
      return "a sweep";
    case Kind::pattern:
      return "a pattern";
    case Kind::included:
      return "a file for patterns to include";
    case Kind::database:
      return "a results database";
    case Kind::folder:
      return "a folder";
    case Kind::other:
      break;
  }
  return "something else";
}

std::string_view describe(Operand operand) {
  switch (operand) {
    case Operand::sweep:
      return "a sweep (.yaml)";
    case Operand::pattern:
      return "a pattern (.cu, or a name)";
    case Operand::database:
      return "a results database (.db)";
    case Operand::file_to_check:
      break;
  }
  return "sweeps (.yaml) and patterns (.cu)";
}

/// Whether a bare word names what is taken, whatever folder is here: results may be in one.
bool is_name(Operand taken, const std::string& word) {
  if (word.find_first_of("./") != std::string::npos) return false;
  switch (taken) {
    case Operand::sweep:
      return std::ranges::any_of(sweep_folders(), [&](const fs::path& folder) {
        std::error_code error;
        return fs::is_regular_file(folder / (word + ".yaml"), error);
      });
    case Operand::pattern:
      return !PatternLibrary(pattern_folders({}, {})).find(word).empty();
    case Operand::database:
      return find_database(word) != fs::path(word);
    case Operand::file_to_check:
      break;
  }
  return false;
}

bool takes(Operand operand, Kind kind) {
  if (kind == Kind::other) return true;
  switch (operand) {
    case Operand::sweep:
      return kind == Kind::sweep;
    case Operand::pattern:
      return kind == Kind::pattern;
    case Operand::database:
      return kind == Kind::database;
    case Operand::file_to_check:
      break;
  }
  return kind == Kind::sweep || kind == Kind::pattern;
}

}  // namespace

std::string command_for(const std::string& file) {
  switch (file_kind(file)) {
    case Kind::sweep:
      return "sweep run " + shell_quoted({file});
    case Kind::pattern:
      return "sweep check --run " + shell_quoted({file});
    case Kind::database:
      return "sweep report " + shell_quoted({file});
    default:
      return "";
  }
}

void check_operand(std::string_view command, Operand taken, const std::string& operand) {
  const Kind kind = file_kind(operand);
  if (takes(taken, kind)) return;
  if (kind == Kind::folder && is_name(taken, operand)) return;
  std::string message =
      fmt::format("{} is {}; sweep {} takes {}", operand, describe(kind), command, describe(taken));
  if (kind == Kind::folder) throw CommandError(exit_no_input, message + " in it");
  const bool is_sweep_for_results = taken == Operand::database && kind == Kind::sweep;
  const std::string stem = fs::path(operand).stem().string();
  const std::string meant =
      is_sweep_for_results
          ? fmt::format("sweep {} {}", command, shell_quoted({"results/" + stem + ".db"}))
          : command_for(operand);
  throw CommandError(exit_usage, meant.empty() ? message : message + "; try: " + meant);
}

}  // namespace sweep
