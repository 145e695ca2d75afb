#include "engine/cli/wrong_operand.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "engine/cli/command.h"
#include "engine/cli/command_line.h"
#include "engine/cli/data_folders.h"
#include "engine/cli/find_database.h"
#include "engine/spec/pattern_library.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

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
