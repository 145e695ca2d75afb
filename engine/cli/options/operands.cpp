#include "engine/cli/options/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/cli/command_error.h"
#include "engine/cli/options/find_sources.h"
#include "engine/spec/pattern.h"

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

std::optional<std::int64_t> given_run(const GivenOptions& given) {
  constexpr std::uint64_t largest = 1'000'000'000;
  const auto run = given.number("run", largest);
  return run ? std::optional(static_cast<std::int64_t>(*run)) : std::nullopt;
}

RunOperand given_run_operand(std::string_view command, const GivenOptions& given) {
  const std::string& text = given.operands().front();
  check_operand(command, Operand::database, text);
  const auto run = given_run(given);
  RunOperand operand = read_run_operand(text);
  if (operand.run && run) {
    throw UsageError(fmt::format("{} names a run already; leave out its :{} or --run {}", text,
                                 *operand.run, *run));
  }
  if (run) operand.run = run;
  return operand;
}

namespace {

/// A kind of file, known by its ending.
struct FileKind {
  std::string_view ending;
  std::string_view what;
  std::string_view command = {};  ///< what to do with such a file; empty: nothing
};

constexpr std::array file_kinds = {
    FileKind{".yaml", "a sweep", "sweep run"},
    FileKind{".yml", "a sweep", "sweep run"},
    FileKind{".cu", "a pattern", "sweep check --run"},
    FileKind{".cuh", "a file for patterns to include"},
    FileKind{".db", "a results database", "sweep report"},
};

/// Null for other files.
const FileKind* kind_of_file(const fs::path& path) {
  const auto* found = std::ranges::find(file_kinds, path.extension().string(), &FileKind::ending);
  return found != file_kinds.end() ? found : nullptr;
}

struct OperandKind {
  std::string_view what;
  std::string_view endings;  ///< with spaces around them
};

OperandKind kind_of_operand(Operand operand) {
  switch (operand) {
    case Operand::sweep:
      return {"a sweep (.yaml)", " .yaml .yml "};
    case Operand::pattern:
      return {"a pattern (.cu, or a name)", " .cu "};
    case Operand::database:
      return {"a results database (.db)", " .db "};
    case Operand::file_to_check:
      break;
  }
  return {"sweeps (.yaml) and patterns (.cu)", " .yaml .yml .cu "};
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

}  // namespace

std::string command_for(const std::string& file) {
  const FileKind* kind = kind_of_file(file);
  std::error_code error;
  if (kind == nullptr || kind->command.empty() || fs::is_directory(file, error)) return {};
  return fmt::format("{} {}", kind->command, shell_quoted({file}));
}

void check_operand(std::string_view command, Operand taken, const std::string& operand) {
  const OperandKind wanted = kind_of_operand(taken);
  const auto refusal = [&](std::string_view what) {
    return fmt::format("{} is {}; sweep {} takes {}", operand, what, command, wanted.what);
  };
  std::error_code error;
  if (fs::is_directory(operand, error)) {
    if (is_name(taken, operand)) return;
    throw CommandError(exit_no_input, refusal("a folder") + " in it");
  }
  const FileKind* kind = kind_of_file(operand);
  if (kind == nullptr) return;
  if (wanted.endings.find(fmt::format(" {} ", kind->ending)) != std::string_view::npos) return;
  std::string meant = command_for(operand);
  if (taken == Operand::database && kind->command == "sweep run") {
    const std::string database = "results/" + fs::path(operand).stem().string() + ".db";
    meant = fmt::format("sweep {} {}", command, shell_quoted({database}));
  }
  throw CommandError(exit_usage, refusal(kind->what) + (meant.empty() ? "" : "; try: " + meant));
}

}  // namespace sweep
