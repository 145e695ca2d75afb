#include "engine/cli/options/sources.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "engine/spec/compile_rules.h"
#include "engine/system/dynamic_library.h"
#include "engine/system/machine_memory.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/read_source.h"
#include "engine/text/units.h"
#include "engine/text/yaml.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// The folders that an option names. Throws CommandError where one is not there.
std::vector<fs::path> folders_of(const char* option, const std::vector<std::string>& given) {
  for (const std::string& folder : given) {
    std::error_code error;
    if (fs::is_directory(folder, error)) continue;
    throw CommandError(exit_no_input, "--{} {}: no such folder", option, folder);
  }
  return {given.begin(), given.end()};
}

/// Adds a folder that is there and was not added before.
void add_folder(std::vector<fs::path>& folders, const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return;
  const bool known = std::ranges::any_of(
      folders, [&](const fs::path& other) { return fs::equivalent(other, folder, error); });
  if (!known) folders.push_back(folder);
}

/// The folders that hold the program's own `patterns` and `sweeps`.
std::vector<fs::path> data_roots() {
  const fs::path program = program_path().parent_path();
  return {program.parent_path() / "share" / "sweep", program.parent_path()};
}

/// Throws CommandError for a folder given that is not there.
std::vector<fs::path> pattern_folders(const std::vector<std::string>& given,
                                      const fs::path& sweep_file) {
  std::vector<fs::path> folders;
  for (const fs::path& folder : folders_of("patterns", given)) add_folder(folders, folder);
  const char* variable = std::getenv("SWEEP_PATH");
  for (const std::string& folder : split(variable != nullptr ? variable : "", ':')) {
    if (!folder.empty()) add_folder(folders, folder);
  }
  if (!sweep_file.empty()) {
    const fs::path folder = sweep_file.has_parent_path() ? sweep_file.parent_path() : ".";
    add_folder(folders, folder);
    add_folder(folders, (folder / ".." / "patterns").lexically_normal());
  }
  add_folder(folders, "patterns");
  for (const fs::path& root : data_roots()) add_folder(folders, root / "patterns");
  return folders;
}

std::vector<fs::path> sweep_folders() {
  std::vector<fs::path> folders;
  add_folder(folders, "sweeps");
  for (const fs::path& root : data_roots()) add_folder(folders, root / "sweeps");
  return folders;
}

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

/// In the order of Operand.
constexpr std::array operand_kinds = {
    OperandKind{"a sweep (.yaml)", " .yaml .yml "},
    OperandKind{"a pattern (.cu, or a name)", " .cu "},
    OperandKind{"sweeps (.yaml) and patterns (.cu)", " .yaml .yml .cu "},
    OperandKind{"a results database (.db)", " .db "},
};

/// Whether a bare word names what is taken, whatever folder is here: results may be in one.
bool is_name(Operand taken, const std::string& word) {
  if (word.find_first_of("./") != std::string::npos) return false;
  if (taken == Operand::sweep) return sweep_files().contains(word);
  if (taken == Operand::pattern) return !pattern_library().find(word).empty();
  return taken == Operand::database && find_database(word) != fs::path(word);
}

}  // namespace

PatternLibrary pattern_library(const GivenFolders& folders, const fs::path& sweep_file) {
  return PatternLibrary(pattern_folders(folders.patterns, sweep_file),
                        folders_of("include", folders.includes));
}

namespace {

/// A name like it, or where those that there are stand: they would fill a screen.
std::string suggest_listed(std::string_view name, std::span<const std::string> names,
                           std::string_view kind) {
  const std::string help = did_you_mean(name, names);
  return help.empty() ? fmt::format("'sweep list {}' shows those there are", kind) : help;
}

}  // namespace

PatternPtr find_pattern(const std::string& name, const GivenFolders& folders) {
  Diagnostics diagnostics;
  PatternPtr pattern;
  if (const fs::path path = name; path.extension() == ".cu") {
    pattern = parse_pattern(read_source(path), path, diagnostics,
                            folders_of("include", folders.includes));
  } else {
    const PatternLibrary library = pattern_library(folders);
    if (library.find(name).empty()) {
      std::error_code error;
      if (fs::exists(name + ".cu", error)) {
        throw CommandError(exit_no_input,
                           "there is no pattern '{0}' in the folders of patterns; for the file "
                           "here write {0}.cu",
                           name);
      }
      const std::vector<std::string> names = library.names();
      throw CommandError(exit_no_input, "there is no pattern '{}'; {}", name,
                         names.empty() ? "no folder has any: name one with --patterns"
                                       : suggest_listed(name, names, "patterns"));
    }
    pattern = library.load(name, {}, diagnostics);
  }
  if (pattern == nullptr) throw InputError(diagnostics);
  return pattern;
}

std::map<std::string, fs::path> sweep_files() {
  std::map<std::string, fs::path> files;
  for (const fs::path& folder : sweep_folders()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const fs::path& file = entry.path();
      if (file.extension() == ".yaml") files.emplace(file.stem().string(), file);
    }
  }
  return files;
}

PatternPtr stored_pattern(const PointKey& key) {
  Diagnostics ignored;
  const std::string name = fs::path(key.pattern_name).filename().string() + ".cu";
  const StoredText stored = split_stored_text(key.pattern_text);
  // A folder that cannot be: the text in a database is no reason to read a file.
  return with_stored_rules(parse_pattern(std::make_shared<Source>(Source{name, stored.pattern}),
                                         fs::path("/dev/null") / "stored" / name, ignored),
                           stored.rules);
}

std::vector<std::string> sweep_names() {
  std::vector<std::string> names;
  for (const auto& [name, file] : sweep_files()) names.push_back(name);
  return names;
}

fs::path find_sweep_file(const std::string& name) {
  if (file_is_there(name)) return name;
  for (const fs::path& folder : sweep_folders()) {
    for (const fs::path& candidate :
         {folder / name, folder / (name + ".yaml"), folder.parent_path() / name}) {
      if (file_is_there(candidate)) return candidate;
    }
  }
  for (const fs::path& folder : pattern_folders({}, {})) {
    if (!file_is_there(folder / (name + ".cu"))) continue;
    throw CommandError(exit_no_input,
                       "there is no sweep '{0}', but a pattern: write a sweep with 'pattern: {0}' "
                       "into a .yaml file, or see what it costs: sweep explain {0}",
                       name);
  }
  if (std::error_code error; fs::exists(name + ".cu", error)) {
    throw CommandError(exit_no_input,
                       "there is no sweep '{0}', but the pattern {0}.cu here: 'sweep new sweep "
                       "{0}.cu' writes a sweep of it",
                       name);
  }
  throw CommandError(exit_no_input, "{}: no such file; {}", name,
                     suggest_listed(fs::path(name).stem().string(), sweep_names(), "sweeps"));
}

LoadedSweep load_sweep(const std::filesystem::path& file, const GivenFolders& folders,
                       const std::vector<SourcePtr>& set, SpaceLimits limits) {
  const PatternLibrary library = pattern_library(folders, file);
  Sweep sweep = parse_sweep(read_source(file), file, library.lookup(), set);
  Space space = enumerate(sweep, limits);
  return {std::move(sweep), std::move(space), limits};
}

void enumerate_again(LoadedSweep& loaded) {
  loaded.space = {};
  loaded.space = enumerate(loaded.sweep, loaded.limits);
}

void require_configurations(const LoadedSweep& loaded, std::string_view subject,
                            std::string_view when) {
  if (!loaded.space.configurations.empty()) return;
  throw CommandError(exit_bad_input, "{}: {}the constraints leave no configuration", subject, when);
}

std::string describe_plan(const LoadedSweep& loaded, bool in_short) {
  const Sweep& sweep = loaded.sweep;
  const Space& space = loaded.space;
  std::string text = sweep.name;
  if (!sweep.summary.empty()) text += ": " + sweep.summary;
  std::vector<std::string> parts;  // "STRIDE x 32", "(ROWS, TILE) x 2"
  if (sweep.patterns.size() > 1) {
    parts.push_back(fmt::format("pattern x {}", sweep.patterns.size()));
  }
  for (const Axis& axis : sweep.axes) {
    const bool is_one = axis.names.size() == 1;
    parts.push_back(fmt::format("{}{}{} x {}", is_one ? "" : "(", fmt::join(axis.names, ", "),
                                is_one ? "" : ")", axis.rows.size()));
  }
  text += fmt::format("\n  {}", count_of(space.configurations.size(), "configuration"));
  if (!parts.empty()) text += fmt::format(": {}", fmt::join(parts, ", "));
  if (space.configurations.size() != space.combinations) {
    text += fmt::format("; {} in all", count_of(space.combinations, "combination"));
  }
  text += '\n';
  constexpr std::ptrdiff_t most_in_short = 3;
  const auto removes = [](const Removed& removed) { return removed.count > 0; };
  const auto reasons = std::ranges::count_if(space.removed, removes);
  if (in_short && reasons > most_in_short) {
    std::uint64_t removed = 0;
    for (const Removed& each : space.removed) removed += each.count;
    return text + fmt::format("  {} removed by {} conditions, which 'sweep check' lists\n",
                              format_thousands(removed), reasons);
  }
  for (const Removed& removed : space.removed) {
    if (!removes(removed)) continue;
    text += fmt::format("  {} removed by {} ({})\n", format_thousands(removed.count),
                        removed.constraint, removed.origin);
  }
  return text;
}

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
  const auto run = whole_number(text.substr(colon + 1));
  if (run && *run >= 1 && std::in_range<std::int64_t>(*run)) {
    return {find_database(file), static_cast<std::int64_t>(*run)};
  }
  const fs::path database = find_database(file);
  if (!file_is_there(database)) return {text, {}};
  throw UsageError("{}: after the colon stands a run's number; 'sweep list runs {}' shows the runs",
                   text, database.string());
}

RunOperand given_run_operand(std::string_view command, const GivenOptions& given) {
  const std::string& text = given.operands().front();
  check_operand(command, Operand::database, text);
  const auto run = given.number("run");
  RunOperand operand = read_run_operand(text);
  if (operand.run && run) {
    throw UsageError("{} names a run already; leave out its :{} or --run {}", text, *operand.run,
                     *run);
  }
  if (run) operand.run = static_cast<std::int64_t>(*run);
  return operand;
}

std::string command_for(const std::string& file) {
  const FileKind* kind = kind_of_file(file);
  std::error_code error;
  if (kind == nullptr || kind->command.empty() || fs::is_directory(file, error)) return {};
  return fmt::format("{} {}", kind->command, shell_quoted({file}));
}

void check_operand(std::string_view command, Operand taken, const std::string& operand) {
  const OperandKind& wanted = operand_kinds.at(static_cast<std::size_t>(taken));
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

void add_patterns_option(CommandLine& line) {
  line.repeatable("patterns", "DIR",
                  "a folder with patterns, searched first; may be given several times");
  line.repeatable("include", "DIR",
                  "a folder whose files patterns may #include besides\nthose of their own folder; "
                  "may be given several times");
}

GivenFolders given_folders(const GivenOptions& given) {
  return {given.all("patterns"), given.all("include")};
}

void add_set_option(CommandLine& line) {
  line.repeatable("set", "NAME=VALUES",
                  "replace an axis or a default: STRIDE=1,2,4 or\n'STRIDE={from: 1, to: 8}'; may "
                  "be given for several names");
}

std::vector<SourcePtr> given_set(const GivenOptions& given) {
  std::vector<std::string> names;
  std::vector<SourcePtr> set;
  for (const std::string& assignment : given.all("set")) {
    std::string name = assignment.substr(0, assignment.find('='));
    std::erase_if(name, [](char c) { return c == ' ' || c == '\t'; });
    if (is_among(names, name)) {
      throw UsageError(
          "--set gives {0} twice; write all its values at once, for example --set {0}=1,2,4", name);
    }
    names.push_back(std::move(name));
    set.push_back(std::make_shared<Source>(Source{"--set", assignment}));
  }
  return set;
}

Configuration configuration_of(const PatternPtr& pattern, const std::vector<SourcePtr>& set,
                               std::string_view done) {
  const auto source = std::make_shared<Source>(
      Source{pattern->source->name, fmt::format("pattern: {}\n", pattern->name)});
  const PatternLookup lookup = [&](const std::string&, const Location&, Diagnostics&) {
    return pattern;
  };
  const Sweep sweep = parse_sweep(source, pattern->path, lookup, set);
  for (const Axis& axis : sweep.axes) {
    if (axis.rows.size() == 1) continue;
    throw UsageError(
        "one configuration is {3}, but --set {0} gives {1} values; write one, for example --set "
        "{0}={2}",
        axis.names.front(), axis.rows.size(), to_string(axis.rows.front().front()), done);
  }
  const Space space = enumerate(sweep);
  if (space.configurations.size() == 1) return space.configurations.front();
  const auto removed = std::ranges::find_if(space.removed, &Removed::count);
  throw UsageError("{} does not allow this configuration: it needs {}", pattern->name,
                   removed != space.removed.end() ? removed->constraint : "");
}

void add_space_option(CommandLine& line) {
  line.option("max-configurations", "N", "refuse a sweep with more configurations than that",
              "1000000");
}

SpaceLimits given_space_limits(const GivenOptions& given) {
  SpaceLimits limits;
  limits.configurations = given.number("max-configurations").value_or(limits.configurations);
  limits.tries = std::max(limits.tries, 4 * limits.configurations);
  limits.memory = machine_memory().available;
  return limits;
}

Expression read_condition(const std::string& text) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<Source>(Source{"--where", text});
  auto condition = Expression::parse(text, {source, 1, 1, text.size()}, diagnostics);
  if (!condition) throw InputError(diagnostics);
  return std::move(*condition);
}

}  // namespace sweep
