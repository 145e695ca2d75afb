#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/commands/new_editor.h"
#include "engine/cli/commands/new_from.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/shard.h"
#include "engine/cli/options/sources.h"
#include "engine/spec/keys.h"
#include "engine/spec/pattern_header.h"
#include "engine/spec/place.h"
#include "engine/system/dynamic_library.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"

namespace sweep {

std::string filled_template(
    std::string_view name,
    std::initializer_list<std::pair<std::string_view, std::string>> texts_of_words) {
  std::string_view rest = std::ranges::find(file_templates(), name, &EmbeddedFile::name)->text;
  std::string filled;
  while (!rest.empty()) {
    const auto word = std::ranges::find_if(
        texts_of_words, [&](const auto& known) { return rest.starts_with(known.first); });
    const bool is_word = word != texts_of_words.end();
    filled += is_word ? std::string_view(word->second) : rest.substr(0, 1);
    rest.remove_prefix(is_word ? word->first.size() : 1);
  }
  return filled;
}

namespace {

/// A parameter with the values to try; one of them is its default.
struct TriedParameter {
  const Parameter* parameter;
  Value usual;
  std::vector<Value> values;
  bool is_axis = false;  ///< of the new sweep
};

/// From here on a number is a size: of an array, not of a step.
constexpr std::int64_t smallest_size = 32 * Ki;
constexpr std::size_t most_axes = 3;

/// Whether the pattern allows a value where everything else is as usual.
bool is_allowed(const PatternPtr& pattern, const std::string& name, const Value& value) {
  try {
    Bindings given;
    given.set(name, value);
    const Bindings environment = environment_of(resolve(pattern, given));
    return std::ranges::all_of(pattern->require, [&](const Expression& condition) {
      return condition.evaluate_boolean(environment);
    });
  } catch (const InputError&) {
    return false;
  }
}

/// Values around the usual one, which is among them.
std::vector<Value> candidates(const Parameter& parameter, const Value& usual) {
  if (parameter.kind == ValueKind::boolean) return {Value(false), Value(true)};
  if (parameter.kind == ValueKind::element) {
    const bool is_float = usual == Value(*ElementType::find("float"));
    return is_float ? std::vector{usual, Value(*ElementType::find("double"))} : std::vector{usual};
  }
  if (parameter.kind == ValueKind::word) return {usual, Value(std::string(to_string(Place::peer)))};
  const auto number = std::get<std::int64_t>(usual);
  if (number >= smallest_size || number < 0) return {usual};
  std::vector<Value> values;
  if (number > 1) values.emplace_back(number / 2);
  values.push_back(usual);
  if (number == 0) values.emplace_back(std::int64_t{1});
  values.emplace_back(number == 0 ? 2 : number * 2);
  return values;
}

std::string text_of(const Value& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  return number != nullptr && *number >= smallest_size ? format_count(*number) : to_string(value);
}

std::string list_of(const std::vector<Value>& values) {
  std::vector<std::string> texts;
  for (const Value& value : values) texts.push_back(text_of(value));
  return texts.size() == 1 ? texts.front() : fmt::format("[{}]", fmt::join(texts, ", "));
}

/// What stands behind an axis: its range, and what the pattern says of it.
std::string comment_of(const Parameter& parameter) {
  std::string range;
  if (parameter.kind == ValueKind::integer && parameter.min) {
    range = parameter.max ? text_of(*parameter.min) + " to " + text_of(*parameter.max)
                          : "at least " + text_of(*parameter.min);
  } else if (parameter.kind == ValueKind::integer && parameter.max) {
    range = "at most " + text_of(*parameter.max);
  }
  std::string help = parameter.help;
  std::ranges::replace(help, '\n', ' ');
  return range.empty() || help.empty() ? range + help : range + ": " + help;
}

/// A size that the emulator could have smaller.
std::string example_size(const std::vector<TriedParameter>& all) {
  for (const TriedParameter& each : all) {
    const auto* number = std::get_if<std::int64_t>(&each.usual);
    if (number == nullptr || *number < smallest_size) continue;
    constexpr std::int64_t divisor = 16;
    return fmt::format("{}: {}", each.parameter->name, text_of(Value(*number / divisor)));
  }
  return "N: 1 Mi";
}

std::string axes_section(const std::vector<TriedParameter>& all, bool has_axes) {
  if (all.empty()) return {};
  std::size_t widest = 0;
  for (const TriedParameter& each : all) widest = std::max(widest, each.parameter->name.size());
  std::string lines;
  for (const TriedParameter& each : all) {
    const std::string values = list_of(each.is_axis ? each.values : std::vector{each.usual});
    const std::string comment = comment_of(*each.parameter);
    std::string line = fmt::format("  {}{:<{}} {:<20}", each.is_axis ? "" : "# ",
                                   each.parameter->name + ':', widest + 1, values);
    if (comment.empty()) line.erase(line.find_last_not_of(' ') + 1);
    lines += comment.empty() ? line + '\n' : fmt::format("{} # {}\n", line, comment);
  }
  return fmt::format(
      "# The values to try: one, a list, {{from: 1, to: 32}}, or {{from: 1, to: 32, multiply: "
      "2}}.\n"
      "# What is not named has the pattern's default, which stands in the comments.\n"
      "{}axes:\n{}",
      has_axes ? "" : "# ", lines);
}

namespace fs = std::filesystem;

/// Writes the file into the folder, then what belongs beside it, and says which commands to type
/// `next`, with the file's name and more words behind it. Throws CommandError when it is there and
/// may not be replaced.
void write_new_file(const GivenOptions& given, const fs::path& folder, const std::string& file,
                    const std::string& text, std::initializer_list<std::string_view> next,
                    const std::vector<std::string>& more_words = {},
                    const std::function<void(const fs::path&)>& write_beside = {}) {
  if (!folder.empty()) make_output_folder(folder);
  const fs::path path = folder / file;
  std::error_code error;
  if (!given.has("force") && fs::exists(path, error)) {
    throw CommandError(exit_cannot_create, "{} is there already; --force replaces it",
                       path.string());
  }
  write_output_file(path, text);
  if (write_beside) write_beside(path);
  std::vector<std::string> words = {path.string()};
  words.insert(words.end(), more_words.begin(), more_words.end());
  std::cerr << path.string() << " is written. Next:\n";
  for (const std::string_view command : next) {
    std::cerr << fmt::format("  {} {}\n", command, shell_quoted(words));
  }
}

/// What clangd needs, unless the pattern has marks to fill in that nothing can be read by.
void write_for_editors(const fs::path& pattern, const std::vector<std::string>& includes) {
  try {
    write_editor_files_of(pattern, includes);
  } catch (const InputError&) {
    std::cerr << fmt::format("for editors with clangd, once it has no mistakes: {}\n",
                             "sweep new editor " + shell_quoted({pattern.string()}));
  }
}

void write_pattern(const GivenOptions& given) {
  std::string name = given.operands()[1];
  if (name.ends_with(".cu")) name.erase(name.size() - 3);
  if (const std::string_view reason = why_not_a_name(name); !reason.empty()) {
    throw UsageError("a pattern cannot be called '{}': its kernel has the same name, and this {}",
                     name, reason);
  }
  if (given.has("from")) {
    const DraftedPattern drafted = pattern_from_kernel(given, name);
    std::vector<std::string> words;
    for (const std::string& folder : drafted.includes) {
      words.insert(words.end(), {"--include", folder});
    }
    write_new_file(given, drafted.folder, name + ".cu", drafted.text,
                   {"sweep check", "sweep check --run"}, words,
                   [&](const fs::path& path) { write_for_editors(path, drafted.includes); });
    return;
  }
  if (given.has("kernel")) throw UsageError("--kernel is one of a file's: add --from FILE");
  write_new_file(given, given.text("output"), name + ".cu", new_pattern_text(name),
                 {"sweep check --run", "sweep explain", "sweep new sweep"}, {},
                 [](const fs::path& path) { write_for_editors(path, {}); });
}

void write_sweep(const GivenOptions& given) {
  const std::string& name = given.operands()[1];
  const GivenFolders folders = given_folders(given);
  const PatternPtr pattern = find_pattern(name, folders);
  // The pattern is found beside the sweep, and where the program looks without being told.
  std::vector<std::string> words;
  if (fs::path(name).extension() == ".cu") {
    const auto or_here = [](const fs::path& folder) { return folder.empty() ? "." : folder; };
    const fs::path folder = or_here(pattern->path.parent_path());
    std::error_code error;
    const bool is_beside = fs::equivalent(folder, or_here(given.text("output")), error);
    if (!is_beside) words = {"--patterns", folder.string()};
  } else {
    for (const std::string& folder : folders.patterns) {
      words.insert(words.end(), {"--patterns", folder});
    }
  }
  write_new_file(given, given.text("output"), pattern->name + ".yaml",
                 sweep_schema_line(given.text("output")) + new_sweep_text(pattern),
                 {"sweep check", "sweep run"}, words,
                 [](const fs::path& path) { write_sweep_schema(path.parent_path()); });
}

/// Only letters, digits and what else needs no quotes in any place.
std::string plain_name(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return !is_word(c) && c != '-' && c != '.'; }, '_');
  return name;
}

/// What the shards of a sweep share among them.
std::size_t count_shared(LoadedSweep& loaded) {
  return loaded.sweep.tune ? tuning_groups(loaded.sweep, loaded.space).size()
                           : loaded.space.configurations.size();
}

void write_slurm_script(const GivenOptions& given) {
  const fs::path file = find_sweep_file(given.operands()[1]);
  const GivenFolders folders = given_folders(given);
  LoadedSweep loaded = load_sweep(file, folders, {}, {});
  require_configurations(loaded, "nothing to run");
  const std::string& name = loaded.sweep.name;
  require_file_name(name);
  const std::size_t shared = count_shared(loaded);
  const std::string count = count_of(shared, loaded.sweep.tune ? "group" : "configuration");
  constexpr std::uint64_t usual_shards = 8;
  const std::uint64_t shards =
      given.number("shards", most_shards).value_or(std::min<std::uint64_t>(usual_shards, shared));
  if (shards > shared) {
    throw UsageError("--shards {}: the sweep has {}, so more shards would be empty", shards, count);
  }
  std::vector<std::string> options;
  for (const auto& [option, values] :
       {std::pair("--patterns", folders.patterns), std::pair("--include", folders.includes)}) {
    for (const std::string& folder : values) {
      options.insert(options.end(), {option, fs::absolute(folder).lexically_normal().string()});
    }
  }
  const std::string script = name + ".slurm.sh";
  write_new_file(
      given, given.text("output"), script,
      filled_template(
          "slurm", {{"NEW_NAME", plain_name(name)},
                    {"NEW_BASE", shell_quoted({name})},
                    {"NEW_COUNT", count},
                    {"NEW_FILE", shell_quoted({script})},
                    {"NEW_PROGRAM", shell_quoted({program_path().string()})},
                    {"NEW_SWEEP", shell_quoted({fs::absolute(file).lexically_normal().string()})},
                    {"NEW_OPTIONS", shell_quoted(options)},
                    {"NEW_SHARDS", std::to_string(shards)}}),
      {"bash"});
}

/// A file that checks the sweep in jobs of GitHub or GitLab, which begin in the repository's
/// folder: the current one.
void write_ci_file(const GivenOptions& given, const std::string& service) {
  const std::string& operand = given.operands()[1];
  const fs::path file = find_sweep_file(operand);
  const GivenFolders folders = given_folders(given);
  const LoadedSweep loaded = load_sweep(file, folders, {}, {});
  require_configurations(loaded, "nothing to run");
  const std::string& name = loaded.sweep.name;
  require_file_name(name);
  const auto from_here = [](const fs::path& path) {
    const fs::path relative =
        fs::absolute(path).lexically_normal().lexically_relative(fs::current_path());
    return relative.empty() || *relative.begin() == ".." ? fs::path() : relative;
  };
  // One that belongs to the program is found by its name there too.
  fs::path sweep = from_here(file);
  if (sweep.empty() && file_is_there(operand)) {
    throw UsageError("{}: this lies outside of the current folder; go to the repository's",
                     file.string());
  }
  if (sweep.empty()) sweep = operand;
  std::vector<std::string> options;
  for (const auto& [option, values] :
       {std::pair("--patterns", folders.patterns), std::pair("--include", folders.includes)}) {
    for (const std::string& folder : values) {
      const fs::path relative = from_here(folder);
      if (relative.empty()) {
        throw UsageError("{} {}: this lies outside of the current folder; go to the repository's",
                         option, folder);
      }
      options.insert(options.end(), {option, relative.string()});
    }
  }
  const bool is_github = service == "github";
  const std::string written =
      is_github ? "sweep-" + plain_name(name) + ".yml" : plain_name(name) + ".gitlab-ci.yml";
  const fs::path folder = given.has("output") ? given.text("output")
                          : is_github         ? ".github/workflows"
                                              : "";
  const std::string database = shell_quoted({name + ".db"});
  std::string text = filled_template(
      service, {{"NEW_NAME", plain_name(name)},
                {"NEW_FILE", (folder / written).generic_string()},
                {"NEW_DATABASE", database},
                {"NEW_OPTIONS ", options.empty() ? "" : shell_quoted(options) + " "},
                {"NEW_SWEEP", shell_quoted({sweep.string()})}});
  write_new_file(given, folder, written, text, {"git add"});
}

CommandLine new_line() {
  CommandLine line(
      "sweep new [OPTIONS] pattern|sweep|editor|slurm|github|gitlab NAME",
      "Writes a commented file to start from, which runs as it is: NAME.cu with a\n"
      "pattern of that name, or NAME.yaml with a sweep of the pattern NAME, which\n"
      "may be a file too; with editor what clangd needs to read the patterns of the\n"
      "folder NAME as sweep does ('sweep help installing'), which a new pattern brings\n"
      "along; with slurm NAME.slurm.sh, which measures the sweep NAME on\n"
      "the GPUs of a cluster ('sweep help slurm'); with github or gitlab a file for\n"
      "their CI, which checks the sweep NAME without a GPU ('sweep help comparing').\n"
      "With --from the pattern is for a kernel that you have, as it stands: the source\n"
      "says its parameters, buffers and launch, as far as it can be followed, and\n"
      "'sweep check' lists the guesses, marked '# fill in:'.");
  line.option("output,o", "DIR",
              "the folder to write into, in the place of the current one, of the kernel's, or of "
              ".github/workflows");
  line.option("from", "FILE", "CUDA source with a kernel for the new pattern, which includes it");
  line.option("kernel", "KERNEL", "which kernel of that file; needed where there are several");
  line.option("shards", "N",
              "how many tasks measure the sweep in Slurm; 8, or as many as it has parts");
  line.flag("force", "replace a file that is there");
  add_patterns_option(line);
  line.operands({"pattern|sweep|editor|slurm|github|gitlab", "NAME"}, 2,
                "a new what? for example: sweep new pattern halves, or sweep new sweep stride");
  return line;
}

int new_main(const GivenOptions& given) {
  const std::string& kind = given.operands()[0];
  if (kind != "slurm" && given.has("shards")) {
    throw UsageError("--shards is for Slurm: sweep new slurm SWEEP");
  }
  if (kind != "pattern") {
    for (const char* option : {"from", "kernel"}) {
      if (given.has(option))
        throw UsageError("--{} is for a new pattern, not for a {}", option,
                         kind == "sweep" || kind == "editor" ? kind : "script");
    }
  }
  if (kind == "pattern") {
    write_pattern(given);
  } else if (kind == "sweep") {
    write_sweep(given);
  } else if (kind == "editor") {
    write_editor_files_of(given.operands()[1], given_folders(given).includes);
  } else if (kind == "slurm") {
    write_slurm_script(given);
  } else if (kind == "github" || kind == "gitlab") {
    write_ci_file(given, kind);
  } else {
    throw UsageError("cannot begin a '{}'; write pattern, sweep, editor, slurm, github or gitlab",
                     kind);
  }
  return exit_done;
}

CommandLine schema_line() {
  CommandLine line(
      "sweep schema [OPTIONS] sweep|pattern",
      "Writes the JSON Schema of sweep files, or of the headers of patterns. Editors\n"
      "complete keys and values by it and show what each means. 'sweep new sweep' does\n"
      "so beside the sweep, whose first line names it to Red Hat's YAML extension of VS\n"
      "Code and other editors with yaml-language-server:\n"
      "  # yaml-language-server: $schema=.sweep/sweep.schema.json");
  add_output_option(line);
  line.operands({"sweep|pattern"}, 1,
                "the schema of what? write sweep schema sweep, or sweep schema pattern");
  return line;
}

int schema_main(const GivenOptions& given) {
  const std::string& what = given.operands().front();
  const std::vector<std::string> known = {"sweep", "pattern"};
  if (!is_among(known, what)) {
    throw UsageError("there is no schema of '{}'; {}", what,
                     suggest(what, known, "there are those of"));
  }
  write_result(given_output(given), what == "sweep" ? sweep_schema() : pattern_schema());
  return exit_done;
}

}  // namespace

std::string new_pattern_text(const std::string& name) {
  return filled_template("pattern", {{"NEW_PATTERN", name}});
}

std::string new_sweep_text(const PatternPtr& pattern) {
  const Configuration usual = resolve(pattern, {});
  std::vector<TriedParameter> all;
  // Up to three of those that vary; the first ones, since patterns name what matters first.
  std::vector<std::string> names;
  for (const Parameter& parameter : pattern->parameters) {
    const Value& value = *usual.parameters.find(parameter.name);
    TriedParameter tried = {&parameter, value, candidates(parameter, value)};
    std::erase_if(tried.values, [&](const Value& other) {
      return !(other == value) && !is_allowed(pattern, parameter.name, other);
    });
    tried.is_axis = tried.values.size() > 1 && names.size() < most_axes;
    if (tried.is_axis) names.push_back(parameter.name);
    all.push_back(std::move(tried));
  }
  // A picture's lines need an axis of numbers: these come first.
  std::vector<std::string> shown = names;
  std::stable_partition(shown.begin(), shown.end(), [&](const std::string& name) {
    return kind_of(*usual.parameters.find(name)) == ValueKind::integer;
  });
  const std::string row = names.empty() ? "pattern" : shown.front();
  const std::string columns =
      names.size() < 2
          ? ""
          : fmt::format(", columns: [{}]", fmt::join(shown.begin() + 1, shown.end(), ", "));
  // Of several metrics the first that there is: a GPU gives the first, the emulator another.
  const bool is_shared = pattern->useful.shared.text() != "0";
  const char* const metrics =
      is_shared ? "[shared_bandwidth, shared_load_wavefronts_per_request, instructions]"
                : "[bandwidth, efficiency, instructions]";
  const Value* const value = names.empty() ? nullptr : usual.parameters.find(names.front());
  return filled_template(
      "sweep",
      {{"NEW_AXES", value == nullptr ? "itself" : fmt::format("{}", fmt::join(names, ", "))},
       {"NEW_SECTION", axes_section(all, !names.empty())},
       {"NEW_NAME", names.empty() ? row : names.front()},
       {"NEW_VALUE", value == nullptr ? "'" + pattern->name + "'" : text_of(*value)},
       {"NEW_SIZE", example_size(all)},
       {"NEW_ROWS", row},
       {"NEW_COLUMNS", columns},
       {"NEW_METRICS", metrics},
       {"NEW_PATTERN", pattern->name}});
}

const Command new_command = {"new", "write a commented pattern or sweep to start from", new_line,
                             new_main};

const Command schema_command = {
    "schema", "write the JSON Schema of sweeps or patterns, for editors", schema_line, schema_main};

}  // namespace sweep
