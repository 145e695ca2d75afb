#include "engine/cli/commands/new.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <vector>

#include "engine/cli/commands.h"
#include "engine/cli/embedded_files.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/sources.h"
#include "engine/spec/pattern_header.h"
#include "engine/text/units.h"

namespace sweep {

std::string new_pattern_text(const std::string& name) {
  constexpr std::string_view placeholder = "NEW_PATTERN";
  std::string text(new_file_templates().front().text);
  return text.replace(text.find(placeholder), placeholder.size(), name);
}

namespace {

/// A parameter with the values to try; one of them is its default.
struct TriedParameter {
  const Parameter* parameter;
  Value usual;
  std::vector<Value> values;
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
  const auto number = std::get<std::int64_t>(usual);
  if (number >= smallest_size || number < 0) return {usual};
  std::vector<Value> values;
  if (number > 1) values.emplace_back(number / 2);
  values.push_back(usual);
  if (number == 0) values.emplace_back(std::int64_t{1});
  values.emplace_back(number == 0 ? 2 : number * 2);
  return values;
}

TriedParameter tried(const PatternPtr& pattern, const Parameter& parameter, const Value& usual) {
  std::vector<Value> values = candidates(parameter, usual);
  std::erase_if(values, [&](const Value& value) {
    return !(value == usual) && !is_allowed(pattern, parameter.name, value);
  });
  return {&parameter, usual, std::move(values)};
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

std::string range_of(const Parameter& parameter) {
  if (parameter.kind != ValueKind::integer) return {};
  if (parameter.min && parameter.max) {
    return fmt::format("{} to {}", text_of(*parameter.min), text_of(*parameter.max));
  }
  if (parameter.min) return fmt::format("at least {}", text_of(*parameter.min));
  return parameter.max ? fmt::format("at most {}", text_of(*parameter.max)) : std::string();
}

/// What stands behind an axis: its range, and what the pattern says of it.
std::string comment_of(const Parameter& parameter) {
  const std::string range = range_of(parameter);
  std::string help = parameter.help;
  std::ranges::replace(help, '\n', ' ');
  return range.empty() || help.empty() ? range + help : range + ": " + help;
}

bool varies(const TriedParameter& tried) {
  return tried.values.size() > 1;
}

std::string axis_line(const TriedParameter& tried, bool is_axis, std::size_t widest) {
  const std::string name = tried.parameter->name + ':';
  const std::string values = list_of(is_axis ? tried.values : std::vector{tried.usual});
  const std::string line =
      fmt::format("  {}{:<{}} {:<20}", is_axis ? "" : "# ", name, widest + 1, values);
  const std::string comment = comment_of(*tried.parameter);
  return comment.empty() ? line.substr(0, line.find_last_not_of(' ') + 1) + '\n'
                         : fmt::format("{} # {}\n", line, comment);
}

/// Up to three of those that vary; the first ones, since patterns name what matters first.
std::vector<const TriedParameter*> choose_axes(const std::vector<TriedParameter>& all) {
  std::vector<const TriedParameter*> axes;
  for (const TriedParameter& each : all) {
    if (varies(each) && axes.size() < most_axes) axes.push_back(&each);
  }
  return axes;
}

std::vector<std::string> axis_names(const std::vector<const TriedParameter*>& axes) {
  std::vector<std::string> names;
  for (const TriedParameter* axis : axes) names.push_back(axis->parameter->name);
  return names;
}

/// Of several metrics the first that there is: a GPU gives the first, the emulator another.
std::string metrics_for(const Pattern& pattern) {
  const bool is_shared = pattern.useful.shared.text() != "0";
  return is_shared ? "[shared_bandwidth, shared_load_wavefronts_per_request, instructions]"
                   : "[bandwidth, efficiency, instructions]";
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

std::string axes_section(const std::vector<TriedParameter>& all,
                         const std::vector<const TriedParameter*>& axes) {
  if (all.empty()) return {};
  std::size_t widest = 0;
  for (const TriedParameter& each : all) widest = std::max(widest, each.parameter->name.size());
  std::string lines;
  for (const TriedParameter& each : all) {
    const bool is_axis = std::ranges::find(axes, &each) != axes.end();
    lines += axis_line(each, is_axis, widest);
  }
  return fmt::format(
      "# The values to try: one, a list, {{from: 1, to: 32}}, or {{from: 1, to: 32, multiply: "
      "2}}.\n"
      "# What is not named has the pattern's default, which stands in the comments.\n"
      "{}axes:\n{}",
      axes.empty() ? "# " : "", lines);
}

/// A picture's lines need an axis of numbers.
std::vector<std::string> numbers_first(std::vector<const TriedParameter*> axes) {
  std::stable_partition(axes.begin(), axes.end(), [](const TriedParameter* axis) {
    return kind_of(axis->usual) == ValueKind::integer;
  });
  return axis_names(axes);
}

}  // namespace

std::string new_sweep_text(const PatternPtr& pattern) {
  const Configuration usual = resolve(pattern, {});
  std::vector<TriedParameter> all;
  for (const Parameter& parameter : pattern->parameters) {
    all.push_back(tried(pattern, parameter, *usual.parameters.find(parameter.name)));
  }
  const std::vector<const TriedParameter*> axes = choose_axes(all);
  const std::vector<std::string> names = axis_names(axes);
  const std::vector<std::string> shown = numbers_first(axes);
  const std::string row = names.empty() ? "pattern" : shown.front();
  const std::string columns =
      names.size() < 2
          ? ""
          : fmt::format(", columns: [{}]", fmt::join(shown.begin() + 1, shown.end(), ", "));
  std::string text = fmt::format(
      "summary: {} by {}\npattern: {}\n", pattern->name,
      names.empty() ? "itself" : fmt::format("{}", fmt::join(names, ", ")), pattern->name);
  text += axes_section(all, axes);
  text += fmt::format(
      R"yaml(
# Conditions over the parameters; configurations that break one are left out.
# where: ["{} == {}"]

# How each configuration is timed on a GPU; these are the defaults.
measure:
  cache: cold                    # flush the L2 cache before each sample; or warm
  noise: 0.5 %                   # stop when the median is known this well
  seconds: 0.5                   # or after so long
  # counters: [memory, dram]     # what the hardware counts: 'sweep list metrics' shows the sets

# Smaller values where there is no GPU.
# emulator: {{set: {{{}}}}}

# What every point keeps: a point that breaks one makes 'sweep run' end with exit code 1.
# expect:
#   - efficiency >= 50 %

# Search for the best, in the place of measuring everything.
# tune: {{maximize: bandwidth, minimize: instructions, budget: {{configurations: 100}}}}

report:
  tables:                        # of several metrics, the first that the device can give
    - {{rows: {}{}, value: {}}}
  # charts: [{{line: {{x: {}, y: bandwidth}}}}]   # in the place of those that the report chooses
)yaml",
      names.empty() ? row : names.front(),
      all.empty() || names.empty() ? "'" + pattern->name + "'" : text_of(axes.front()->usual),
      example_size(all), row, columns, metrics_for(*pattern), row);
  return text;
}

namespace {

namespace fs = std::filesystem;

struct NewFile {
  fs::path folder;
  bool may_replace = false;
};

/// Writes NAME.ENDING into the folder. Throws CommandError when it is there and may not be
/// replaced.
fs::path write_new_file(const NewFile& where, const std::string& file, const std::string& text) {
  if (!where.folder.empty()) make_output_folder(where.folder);
  const fs::path path = where.folder / file;
  std::error_code error;
  if (!where.may_replace && fs::exists(path, error)) {
    throw CommandError(exit_cannot_create,
                       fmt::format("{} is there already; --force replaces it", path.string()));
  }
  write_output_file(path, text);
  return path;
}

void say_next(const fs::path& path, const std::string& commands) {
  std::cerr << fmt::format("{} is written. Next:\n{}", path.string(), commands);
}

void write_pattern(const std::string& given, const NewFile& where) {
  const std::string name = given.ends_with(".cu") ? given.substr(0, given.size() - 3) : given;
  const std::string_view reason = why_not_a_name(name);
  if (!reason.empty()) {
    throw UsageError(
        fmt::format("a pattern cannot be called '{}': its kernel has the same name, and this {}",
                    name, reason));
  }
  const fs::path path = write_new_file(where, name + ".cu", new_pattern_text(name));
  const std::string file = shell_quoted({path.string()});
  say_next(path, fmt::format("  sweep check --run {0}\n  sweep explain {0}\n"
                             "  sweep new sweep {0}\n",
                             file));
}

void write_sweep(const std::string& given, const GivenFolders& folders, const NewFile& where) {
  const PatternPtr pattern = find_pattern(given, folders);
  const fs::path path = write_new_file(where, pattern->name + ".yaml", new_sweep_text(pattern));
  // The pattern is found beside the sweep, and where the program looks without being told.
  std::vector<std::string> words = {path.string()};
  if (fs::path(given).extension() == ".cu") {
    const fs::path folder = pattern->path.parent_path();
    std::error_code error;
    const bool is_beside = fs::equivalent(folder.empty() ? "." : folder,
                                          where.folder.empty() ? "." : where.folder, error);
    if (!is_beside)
      words.insert(words.end(), {"--patterns", folder.empty() ? "." : folder.string()});
  } else {
    for (const std::string& folder : folders.patterns)
      words.insert(words.end(), {"--patterns", folder});
  }
  say_next(path, fmt::format("  sweep check {0}\n  sweep run {0}\n", shell_quoted(words)));
}

CommandLine new_line() {
  CommandLine line("sweep new [OPTIONS] pattern|sweep NAME",
                   "Writes a commented file to start from, which runs as it is: NAME.cu with a\n"
                   "pattern of that name, or NAME.yaml with a sweep of the pattern NAME, which\n"
                   "may be a file too.");
  line.option("output,o", "DIR", "the folder to write into, in the place of the current one");
  line.flag("force", "replace a file that is there");
  add_patterns_option(line);
  line.operands({"pattern|sweep", "NAME"}, 2,
                "a new what? for example: sweep new pattern halves, or sweep new sweep stride");
  return line;
}

int new_main(const GivenOptions& given) {
  const std::vector<std::string>& what = given.operands();
  const NewFile where = {given.text("output"), given.has("force")};
  if (what[0] == "pattern") {
    write_pattern(what[1], where);
  } else if (what[0] == "sweep") {
    write_sweep(what[1], given_folders(given), where);
  } else {
    throw UsageError(fmt::format("cannot begin a '{}'; write pattern or sweep", what[0]));
  }
  return exit_done;
}

}  // namespace

const Command new_command = {"new", "write a commented pattern or sweep to start from", new_line,
                             new_main};

}  // namespace sweep
