#include "engine/spec/compile_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "engine/spec/included_files.h"
#include "engine/spec/pattern_header.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

/// A switch of a compiler's that opens no file and writes none.
struct HarmlessOption {
  std::string_view name;
  std::string_view short_name;
  std::string_view values;  ///< between blanks; 0: a number; empty: it takes none
};

/// NVRTC's. Those of ptxas stand behind --ptxas-options.
constexpr std::array harmless_options = {
    HarmlessOption{"--fmad", "-fmad", " true false "},
    HarmlessOption{"--ftz", "-ftz", " true false "},
    HarmlessOption{"--prec-div", "-prec-div", " true false "},
    HarmlessOption{"--prec-sqrt", "-prec-sqrt", " true false "},
    HarmlessOption{"--extra-device-vectorization", "-extra-device-vectorization", ""},
    HarmlessOption{"--Ofast-compile", "-Ofc", " 0 min mid max "},
    HarmlessOption{"--jump-table-density", "-jtd", " 0 "},
    HarmlessOption{"--restrict", "-restrict", ""},
    HarmlessOption{"--device-int128", "-device-int128", ""},
    HarmlessOption{"--disable-warnings", "-w", ""},
};

constexpr std::array harmless_ptxas_options = {
    HarmlessOption{"--opt-level", "-O", " 0 "},
    HarmlessOption{"--def-load-cache", "-dlcm", " ca cg cs cv lu "},
    HarmlessOption{"--def-store-cache", "-dscm", " cg cs wb wt "},
    HarmlessOption{"--allow-expensive-optimizations", "-allow-expensive-optimizations",
                   " true false "},
    HarmlessOption{"--register-usage-level", "-register-usage-level", " 0 "},
    HarmlessOption{"--disable-optimizer-constants", "-disable-optimizer-consts", ""},
    HarmlessOption{"--fmad", "-fmad", " true false "},
};

/// Options that have keys of their own.
struct OwnKey {
  std::string_view option;
  std::string_view short_name;
  std::string_view key;
};

constexpr std::array own_keys = {
    OwnKey{"--define-macro", "-D", "defines: {NAME: VALUE}"},
    OwnKey{"--include-path", "-I", "include: [FOLDER]"},
    OwnKey{"--maxrregcount", "-maxrregcount", "max_registers: 64"},
    OwnKey{"--use_fast_math", "-use_fast_math", "fast_math: true"},
    OwnKey{"--gpu-architecture", "-arch", "architecture: specific"},
};

constexpr std::string_view ptxas_name = "--ptxas-options";

bool is_short_number(std::string_view text) {
  return !text.empty() && text.size() < 4 && std::ranges::all_of(text, is_digit);
}

/// Whether the option takes the value, empty for none.
bool takes(const HarmlessOption& option, std::string_view value) {
  if (option.values.empty() || value.empty()) return option.values.empty() && value.empty();
  return option.values == " 0 "
             ? is_short_number(value)
             : option.values.find(fmt::format(" {} ", value)) != std::string_view::npos;
}

/// "--fmad=true|false"
std::string usage(const HarmlessOption& option) {
  if (option.values.empty()) return std::string(option.name);
  if (option.values == " 0 ") return fmt::format("{}=NUMBER", option.name);
  std::string values(option.values.substr(1, option.values.size() - 2));
  std::ranges::replace(values, ' ', '|');
  return fmt::format("{}={}", option.name, values);
}

/// "-O3" is "-O" and "3".
struct WrittenOption {
  std::string name;
  std::string value;

  explicit WrittenOption(std::string_view text) {
    const std::size_t split = std::min(text.find_first_of("= "), text.size());
    name = text.substr(0, split);
    value = text.substr(std::min(split + 1, text.size()));
    if (name.starts_with("-O") && is_short_number(name.substr(2))) {
      value = name.substr(2);
      name = "-O";
    }
  }
};

/// The option in its long form; nothing, with an error, unless it is one of `known`.
std::optional<std::string> harmless(std::string_view text, const Location& where,
                                    std::span<const HarmlessOption> known,
                                    Diagnostics& diagnostics) {
  const WrittenOption option(text);
  for (const HarmlessOption& each : known) {
    if (option.name != each.name && option.name != each.short_name) continue;
    if (!takes(each, option.value)) {
      return diagnostics.error(where, fmt::format("'{}' is not a value of {}", text, each.name),
                               "write " + usage(each));
    }
    return option.value.empty() ? std::string(each.name)
                                : fmt::format("{}={}", each.name, option.value);
  }
  for (const OwnKey& own : own_keys) {
    const bool is_short = own.short_name.size() == 2 && text.starts_with(own.short_name);
    if (!is_short && option.name != own.option && option.name != own.short_name) continue;
    return diagnostics.error(where, fmt::format("'{}' has a key of its own", text),
                             fmt::format("write compile: {{{}}}", own.key));
  }
  std::vector<std::string> all;
  for (const HarmlessOption& each : known) all.push_back(usage(each));
  if (known.data() == harmless_options.data()) all.emplace_back("-Xptxas OPTIONS");
  return diagnostics.error(where, fmt::format("'{}' is not an option that can be given", text),
                           fmt::format("there are: {}", fmt::join(all, ", ")));
}

void add_option(std::string_view text, const Location& where, std::vector<std::string>& options,
                Diagnostics& diagnostics) {
  const WrittenOption option(text);
  if (option.name != ptxas_name && option.name != "-Xptxas") {
    auto plain = harmless(text, where, harmless_options, diagnostics);
    if (plain) options.push_back(std::move(*plain));
    return;
  }
  // Blanks and commas divide them.
  std::string_view rest = option.value;
  if (rest.find_first_not_of(" ,") == std::string_view::npos) {
    diagnostics.error(where, fmt::format("'{}' gives no option", text), "-Xptxas -dlcm=cg");
  }
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(" ,"), rest.size());
    if (end > 0) {
      const auto one = harmless(rest.substr(0, end), where, harmless_ptxas_options, diagnostics);
      if (one) options.push_back(fmt::format("{}={}", ptxas_name, *one));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

/// Why the pattern's code cannot have a macro of this name, as in "is a word of C++"; empty when it
/// can.
std::string_view why_no_macro(std::string_view name, const Pattern& pattern) {
  const auto is_named = [&](const auto& one) { return one.name == name; };
  if (name == pattern.name) return "is the kernel's name";
  if (std::ranges::any_of(pattern.buffers, is_named)) return "is a buffer";
  if (std::ranges::any_of(pattern.arguments, is_named)) return "is an argument";
  if (std::ranges::any_of(pattern.structs, is_named)) return "is a struct";
  return why_not_a_name(name);
}

void add_macro_rule(const YamlNode& name, const YamlNode& value, Pattern& pattern, bool is_checked,
                    Diagnostics& diagnostics) {
  if (const std::string_view reason = why_no_macro(name.text, pattern); !reason.empty()) {
    diagnostics.error(name.where, fmt::format("'{}' {}", name.text, reason),
                      "choose another name for the macro");
    return;
  }
  // As -DNAME has it.
  std::optional<Expression> expression = Expression::constant(std::int64_t{1});
  if (!value.is_null()) expression = read_expression(value, name.text, diagnostics);
  if (!expression) return;
  if (is_checked) expression->check(scope_of(pattern), diagnostics);
  std::vector<CompileRules::Macro>& all = pattern.compile.defines;
  std::erase_if(all, [&](const CompileRules::Macro& macro) { return macro.name == name.text; });
  all.push_back({name.text, std::move(*expression)});
}

void read_macros(const YamlNode& node, Pattern& pattern, bool is_checked,
                 Diagnostics& diagnostics) {
  if (node.is_scalar()) {
    diagnostics.error(node.where, "'defines' must be a map of names, or a list of parameters",
                      "defines: {TILE_DIM: TILE}");
  }
  for (const YamlNode& parameter : node.items) {
    add_macro_rule(parameter, parameter, pattern, is_checked, diagnostics);
  }
  // Not for_each_entry: an empty value means something.
  for (const auto& [name, value] : node.entries) {
    add_macro_rule(name, value, pattern, is_checked, diagnostics);
  }
}

}  // namespace

void read_compile_rules(const MapReader& reader, Pattern& pattern, Diagnostics& diagnostics) {
  CompileRules& rules = pattern.compile;
  // Without the parameters every name would be unknown.
  const bool is_checked = !diagnostics.has_errors();
  const auto read_one = [&](std::string_view key, ValueKind kind,
                            std::optional<Expression>& result) {
    auto expression = reader.expression(key);
    if (!expression) return;
    if (is_checked) {
      check_kind(*expression, scope_of(pattern), kind, fmt::format("'{}'", key), diagnostics);
    }
    result = std::move(expression);
  };
  read_one("fast_math", ValueKind::boolean, rules.fast_math);
  read_one("max_registers", ValueKind::integer, rules.max_registers);
  const auto chosen =
      reader.choice("architecture", architecture_names, "a kind of architecture", "the kinds are");
  if (chosen) {
    rules.architecture = *chosen == 0 ? Architecture::specific : Architecture::family;
    rules.architecture_where = reader.find("architecture")->where;
  }
  if (const YamlNode* options = reader.find("options")) {
    rules.options.clear();
    rules.options_where = options->where;
    for (const auto& [text, where] : read_texts(*options, "options", diagnostics)) {
      add_option(text, where, rules.options, diagnostics);
    }
  }
  if (const YamlNode* defines = reader.find("defines")) {
    read_macros(*defines, pattern, is_checked, diagnostics);
  }
}

std::vector<std::filesystem::path> header_include_folders(
    const YamlNode& header, const std::filesystem::path& pattern,
    const std::vector<std::filesystem::path>& folders, Diagnostics& diagnostics) {
  const YamlNode* rules = header.find("compile");
  const YamlNode* include = rules != nullptr ? rules->find("include") : nullptr;
  std::vector<std::filesystem::path> result;
  if (include == nullptr || include->is_null()) return result;
  const std::filesystem::path own = pattern.parent_path().empty() ? "." : pattern.parent_path();
  for (const auto& [text, where] : read_texts(*include, "include", diagnostics)) {
    const std::filesystem::path folder = (own / text).lexically_normal();
    std::error_code error;
    const auto holds = [&](const std::filesystem::path& allowed) {
      return lies_in(folder, allowed);
    };
    if (!std::filesystem::is_directory(folder, error)) {
      diagnostics.error(where, fmt::format("there is no folder {}", folder.string()),
                        "folders are looked for from the pattern's own");
    } else if (!holds(own) && std::ranges::none_of(folders, holds)) {
      diagnostics.error(
          where, fmt::format("{} is outside of the pattern's folder", text),
          fmt::format("--include {} lets patterns include its files", folder.string()));
    } else {
      result.push_back(folder);
    }
  }
  return result;
}

namespace {

/// Begins the last line of a stored text.
constexpr std::string_view stored_rules_mark = "\n// compile, as the sweep has it: ";

/// The node as YAML in one line.
std::string in_one_line(const YamlNode& node) {
  std::vector<std::string> parts;
  for (const YamlNode& item : node.items) parts.push_back(in_one_line(item));
  for (const auto& [key, value] : node.entries) {
    parts.push_back(fmt::format("{}: {}", key.text, in_one_line(value)));
  }
  if (node.is_map()) return fmt::format("{{{}}}", fmt::join(parts, ", "));
  if (node.is_sequence()) return fmt::format("[{}]", fmt::join(parts, ", "));
  return node.is_null() ? "null" : nlohmann::json(node.text).dump();
}

}  // namespace

PatternPtr with_compile_rules(const PatternPtr& pattern, const YamlNode& rules,
                              Diagnostics& diagnostics) {
  auto changed = std::make_shared<Pattern>(*pattern);
  const std::size_t errors_before = diagnostics.error_count();
  const MapReader reader(rules, "compile", sweep_compile_keys, diagnostics);
  read_compile_rules(reader, *changed, diagnostics);
  if (diagnostics.error_count() != errors_before) return nullptr;
  changed->rules_text = fmt::format("{}{}\n", stored_rules_mark, in_one_line(rules));
  if (pattern->reference != nullptr) {
    changed->reference = fitted_reference(*pattern->reference, *changed);
  }
  return changed;
}

StoredText split_stored_text(const std::string& text) {
  const std::size_t mark = text.rfind(stored_rules_mark);
  if (mark == std::string::npos || text.find('\n', mark + 1) != text.size() - 1) return {text, {}};
  return {text.substr(0, mark), text.substr(mark + stored_rules_mark.size())};
}

PatternPtr with_stored_rules(const PatternPtr& pattern, const std::string& rules) {
  if (pattern == nullptr || rules.empty()) return pattern;
  Diagnostics ignored;
  const auto node = read_yaml(std::make_shared<Source>(Source{"the stored sweep", rules}), ignored);
  return node ? with_compile_rules(pattern, *node, ignored) : nullptr;
}

std::vector<std::string> compiler_options(const Configuration& configuration) {
  constexpr std::int64_t most_registers = 255;
  const CompileRules& rules = configuration.pattern->compile;
  std::vector<std::string> options = rules.options;
  if (!rules.fast_math && !rules.max_registers) return options;
  const Bindings environment = environment_of(configuration);
  if (rules.fast_math && rules.fast_math->evaluate_boolean(environment)) {
    options.emplace_back("--use_fast_math");
  }
  if (!rules.max_registers) return options;
  const std::int64_t registers = rules.max_registers->evaluate_integer(environment);
  if (registers < 0 || registers > most_registers) {
    throw InputError(
        rules.max_registers->where(),
        fmt::format("'max_registers' is {}, but a thread has 1 to {}", registers, most_registers),
        "0 sets no limit");
  }
  if (registers > 0) options.push_back(fmt::format("--maxrregcount={}", registers));
  return options;
}

std::string unquoted(const Expression& value) {
  std::string text = value.text();
  std::ranges::replace(text, '\'', ' ');
  return text;
}

namespace {

/// What stands for a macro, as the preprocessor reads it; nothing where it is not defined.
std::optional<std::string> replacement_of(const Value& value, const Location& where) {
  if (const auto* truth = std::get_if<bool>(&value)) {
    return *truth ? std::optional<std::string>("1") : std::nullopt;
  }
  if (const auto* type = std::get_if<ElementType>(&value)) return type->cuda();
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    if (*number == lowest) return fmt::format("({}LL - 1)", lowest + 1);
    const char* suffix = std::in_range<std::int32_t>(*number) ? "" : "LL";
    return fmt::format(fmt::runtime(*number < 0 ? "({}{})" : "{}{}"), *number, suffix);
  }
  const auto& text = std::get<std::string>(value);
  const bool is_plain = std::ranges::none_of(text, [](char c) {
    return is_control({&c, 1}) || c == '#' || c == '\\';
  });
  if (is_plain && text.find("//") == text.npos && text.find("/*") == text.npos) return text;
  throw InputError(where, "a macro's text is one line without #, \\ and comments");
}

}  // namespace

std::string macro_lines(const Configuration& configuration) {
  const std::vector<CompileRules::Macro>& macros = configuration.pattern->compile.defines;
  if (macros.empty()) return {};
  const Bindings environment = environment_of(configuration);
  std::string lines;
  for (const auto& [name, expression] : macros) {
    const auto text = replacement_of(expression.evaluate(environment), expression.where());
    if (text) lines += fmt::format("#define {} {}\n", name, *text);
  }
  return lines;
}

}  // namespace sweep
