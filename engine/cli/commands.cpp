#include "engine/cli/commands.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iostream>

#include "engine/cli/options/output.h"
#include "engine/cli/terminal/terminal.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "report/display_text.h"

namespace sweep {

std::span<const Command> commands() {
  static const std::array all = {run_command,     check_command,
                                 explain_command, list_command,
                                 show_command,    report_command,
                                 merge_command,   export_command,
                                 compare_command, compare_strategies_command,
                                 devices_command, cache_command,
                                 profile_command, new_command,
                                 schema_command,  completion_command,
                                 manual_command,  help_command};
  return all;
}

int execute(const Command& command, const Arguments& arguments) {
  try {
    const auto given = command.line().parse(arguments);
    return given ? command.run(*given) : exit_done;
  } catch (const std::exception& error) {
    if (command.on_error != nullptr) command.on_error(arguments, error);
    throw;
  }
}

namespace {

constexpr std::string_view definition_mark = " :: ";
constexpr std::string_view end_of_bold = "\x1b[0m";  ///< ends what is bold
/// A term that is longer than this has a line of its own.
constexpr std::size_t longest_term_beside_text = 20;

enum class BlockKind { heading, paragraph, item, definition, verbatim };

struct Block {
  BlockKind kind = BlockKind::paragraph;
  std::string term = {};  ///< of a definition
  std::string text = {};  ///< in one line
  bool spaced = true;     ///< an empty line stands before it
};

/// Cuts the first line off.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// The block that a line begins.
Block opened_block(const std::string& line) {
  if (line.starts_with("    ")) return {BlockKind::verbatim, "", line.substr(4)};
  if (line.starts_with("# ")) return {BlockKind::heading, "", line.substr(2)};
  if (line.starts_with("- ")) return {BlockKind::item, "", line.substr(2)};
  const std::size_t mark = line.find(definition_mark);
  if (mark == std::string::npos) return {BlockKind::paragraph, "", line};
  return {BlockKind::definition, line.substr(0, mark), line.substr(mark + definition_mark.size())};
}

/// Paragraphs, items and definitions go on to the next block or empty line.
std::vector<Block> blocks_of(std::string_view text) {
  std::vector<Block> blocks;
  bool spaced = true;
  while (!text.empty()) {
    const std::string line(take_line(text));
    Block opened = opened_block(line);
    opened.spaced = spaced;
    spaced = line.empty();
    if (spaced) continue;
    if (opened.spaced || opened.kind != BlockKind::paragraph) {
      blocks.push_back(std::move(opened));
    } else {
      blocks.back().text += ' ' + line;
    }
  }
  return blocks;
}

/// A line break never falls inside of backticks that enclose up to this many characters.
constexpr std::size_t longest_unbroken_code = 30;

/// The words between which a line may end. "STRIDE = 4" and "5 %" are one word each.
std::vector<std::string> unbroken_words(const std::string& text) {
  std::vector<std::string> words(1);
  bool keep = false;
  bool in_code = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '`') {
      in_code = !in_code;
      const std::size_t end = text.find('`', i + 1);
      keep = in_code && end != std::string::npos && end - i <= longest_unbroken_code;
    }
    const std::string_view next = std::string_view(text).substr(std::min(i + 1, text.size()), 1);
    const bool bound = next == "=" || next == "%" || (i > 0 && text[i - 1] == '=');
    if (c == ' ' && !keep && !bound) {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

/// In colour, backticks are not shown.
std::size_t shown_columns(std::string_view text, bool color) {
  const auto backticks = static_cast<std::size_t>(std::ranges::count(text, '`'));
  return columns_of(text) - (color ? backticks : 0);
}

/// How wide the page is, and whether it has colours.
struct Page {
  std::size_t width;
  bool color;

  /// Backticks become bold; `in_code` says whether the text before ended between two of them.
  std::string styled(std::string_view text, bool& in_code) const {
    if (!color) return std::string(text);
    std::string result(in_code ? bold : "");
    for (const char c : text) {
      if (c == '`') {
        in_code = !in_code;
        result += in_code ? bold : end_of_bold;
      } else {
        result += c;
      }
    }
    if (in_code) result += end_of_bold;
    return result;
  }

  /// Lines of at most `width` columns; those after the first begin with `indent` spaces, and the
  /// first has `used` columns already.
  std::string wrapped(const std::string& text, std::size_t indent, std::size_t used) const {
    std::string result;
    bool in_code = false;
    bool line_is_empty = true;
    std::size_t column = used;
    for (const std::string& word : unbroken_words(text)) {
      const std::size_t columns = shown_columns(word, color);
      if (!line_is_empty && column + 1 + columns > width) {
        result.append("\n").append(indent, ' ');
        column = indent;
        line_is_empty = true;
      }
      if (!line_is_empty) result += ' ';
      column += columns + (line_is_empty ? 0 : 1);
      result += styled(word, in_code);
      line_is_empty = false;
    }
    return result + "\n";
  }

  /// The column at which the texts begin of the definitions that stand together from `at` on.
  std::size_t definition_column(const std::vector<Block>& blocks, std::size_t at) const {
    constexpr std::size_t of_long_terms = 4;
    std::size_t widest = 0;
    for (; at < blocks.size() && blocks[at].kind == BlockKind::definition; ++at) {
      const std::size_t columns = shown_columns(blocks[at].term, color);
      if (columns <= longest_term_beside_text) widest = std::max(widest, columns);
    }
    return 2 + (widest == 0 ? of_long_terms : widest + 2);
  }

  std::string definition(const Block& block, std::size_t column) const {
    bool in_code = false;
    std::string result = "  " + styled(block.term, in_code);
    const std::size_t columns = 2 + shown_columns(block.term, color);
    const bool is_beside = columns + 2 <= column;
    result.append(is_beside ? "" : "\n").append(is_beside ? column - columns : column, ' ');
    return result + wrapped(block.text, column, column);
  }
};

/// What there is help on.
std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  for (const HelpTopic& topic : help_topics()) names.emplace_back(topic.name);
  return names;
}

CommandLine help_line() {
  CommandLine line(
      "sweep help [OPTIONS] [COMMAND|TOPIC]",
      "Explains a command, as its --help does, or a topic: what patterns and sweeps\n"
      "say, how figures are measured, searched and compared. 'sweep help' lists them.");
  line.operands({fmt::format("{}", fmt::join(known_names(), "|"))});
  return line;
}

int help_main(const GivenOptions& given) {
  // Longer lines are hard to read.
  constexpr std::size_t widest_page = 100;
  if (given.operands().empty()) {
    print_help();
    return exit_done;
  }
  const std::string& name = given.operands().front();
  for (const Command& command : commands()) {
    if (name == command.name) return execute(command, {"--help"});
  }
  const HelpTopic* topic = find_help_topic(name);
  if (topic == nullptr) {
    throw UsageError("there is no help on '{}'; {}", name,
                     suggest(name, known_names(), "there is help on"));
  }
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  std::cout << render_help_topic(*topic, std::min(terminal.width, widest_page), terminal.color);
  return exit_done;
}

/// Text as roff shows it: a line may not begin with a control character, and a hyphen that is to be
/// copied is not a dash.
std::string roff_text(std::string_view text) {
  static const std::map<char, std::string_view> escapes = {
      {'\\', "\\e"}, {'-', "\\-"}, {'~', "\\(ti"}, {'^', "\\(ha"}, {'\'', "\\(aq"}};
  std::string result;
  bool at_line_start = true;
  for (const char c : text) {
    if (at_line_start && (c == '.' || c == '\'')) result += "\\&";
    const auto escape = escapes.find(c);
    result += escape != escapes.end() ? std::string(escape->second) : std::string(1, c);
    at_line_start = c == '\n';
  }
  return result;
}

/// `tag` and `text` are roff already.
std::string tagged_paragraph(std::string_view tag, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", tag, text);
}

/// The definitions of a help topic, "TERM :: meaning": the manual has them from where help has
/// them.
std::string definitions(std::string_view topic) {
  std::string text;
  for (std::string line : split(find_help_topic(topic)->text, '\n')) {
    std::erase(line, '`');
    const std::size_t at = line.find(definition_mark);
    if (at == std::string::npos) continue;
    text += tagged_paragraph(fmt::format(".B \"{}\"", roff_text(line.substr(0, at))),
                             roff_text(line.substr(at + definition_mark.size())));
  }
  return text;
}

/// The options that every command has, or a line's own.
std::string options_of(const CommandLine& line, bool common) {
  std::string section;
  for (const OptionOfLine& option : line.options) {
    if ((option.name == "help" || option.name == "color") != common) continue;
    std::string tag = fmt::format("\\fB{}\\fR", roff_text("--" + option.name));
    if (!option.short_name.empty()) {
      tag += fmt::format(", \\fB{}\\fR", roff_text("-" + option.short_name));
    }
    if (!option.argument.placeholder.empty()) {
      tag += fmt::format(" \\fI{}\\fR", roff_text(option.argument.placeholder));
    }
    std::string text = option.help;
    std::ranges::replace(text, '\n', ' ');
    if (!option.default_value.empty()) text += fmt::format(" (default {})", option.default_value);
    section += tagged_paragraph(tag, roff_text(text));
  }
  return section;
}

/// Lines of the text that begin with blanks are examples and stay as they are.
std::string command_section(const CommandLine& line) {
  std::string section = fmt::format(".SS \"{}\"\n", roff_text(line.synopsis));
  bool is_verbatim = false;
  for (const std::string& text : split(line.about, '\n')) {
    if (text.starts_with(' ') != is_verbatim) {
      is_verbatim = !is_verbatim;
      section += is_verbatim ? ".nf\n" : ".fi\n";
    }
    section += roff_text(text) + '\n';
  }
  return section + (is_verbatim ? ".fi\n" : "") + options_of(line, false);
}

CommandLine manual_line() {
  CommandLine line("sweep man [OPTIONS]",
                   "Writes the manual page, sweep.1, with every command and option. To read it:\n"
                   "  sweep man -o /tmp/sweep.1 && man -l /tmp/sweep.1\n"
                   "An installed sweep has it in place: man sweep.");
  add_output_option(line);
  return line;
}

/// The manual page sweep(1) as roff with the macros of man(7), made from the commands' tables.
int manual_main(const GivenOptions& given) {
  std::string sections = options_of(commands().front().line(), true);
  for (const Command& command : commands()) sections += command_section(command.line());
  write_result(given_output(given),
               filled_template("manual", {{"THE_VERSION", SWEEP_VERSION},
                                          {"THE_COMMANDS\n", sections},
                                          {"THE_ENVIRONMENT\n", definitions("environment")},
                                          {"THE_EXIT_CODES\n", definitions("exit-codes")}}));
  return exit_done;
}

}  // namespace

const std::vector<HelpTopic>& help_topics() {
  static const std::vector<HelpTopic> topics = [] {
    std::vector<HelpTopic> result;
    for (const EmbeddedFile& file : help_files()) {
      std::string_view text = file.text;
      const std::string_view summary = take_line(text);
      result.push_back({file.name, summary, text});
    }
    return result;
  }();
  return topics;
}

const HelpTopic* find_help_topic(std::string_view name) {
  const auto found = std::ranges::find(help_topics(), name, &HelpTopic::name);
  return found != help_topics().end() ? &*found : nullptr;
}

std::string render_help_topic(const HelpTopic& topic, std::size_t width, bool color) {
  const Page page{width, color};
  std::string result = painted(std::string(topic.name), bold, color) + ": " +
                       page.wrapped(std::string(topic.summary), 2, topic.name.size() + 2);
  const std::vector<Block> blocks = blocks_of(topic.text);
  std::size_t column = 0;  // of definitions
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto& [kind, term, text, spaced] = blocks[i];
    if (spaced) result += '\n';
    if (kind == BlockKind::heading) {
      std::string capitals = text;
      std::ranges::transform(capitals, capitals.begin(), to_capital);
      result += painted(capitals, bold, color) + "\n";
    } else if (kind == BlockKind::paragraph) {
      result += page.wrapped(text, 0, 0);
    } else if (kind == BlockKind::item) {
      result += "- " + page.wrapped(text, 2, 2);
    } else if (kind == BlockKind::verbatim) {
      result += "  " + text + "\n";
    } else {
      const bool is_first = i == 0 || blocks[i - 1].kind != BlockKind::definition;
      if (is_first) column = page.definition_column(blocks, i);
      result += page.definition(blocks[i], column);
    }
  }
  return result;
}

void print_help() {
  std::cout << "Usage: sweep COMMAND [OPTIONS] ...\n\n"
               "Measures how CUDA kernels touch memory: runs access patterns over ranges of\n"
               "parameters and writes tables of how fast each configuration is.\n\nCommands:\n";
  for (const Command& command : commands()) {
    std::cout << fmt::format("  {:<18}  {}\n", command.name, command.summary);
  }
  std::cout << "\nTopics of 'sweep help':\n";
  for (const HelpTopic& topic : help_topics()) {
    std::cout << fmt::format("  {:<18}  {}\n", topic.name, topic.summary);
  }
  std::cout << "\n'sweep COMMAND --help' explains a command. First steps:\n"
               "  sweep list sweeps\n  sweep run sweeps/stride.yaml\n";
}

const Command help_command = {"help", "explain a command or a topic", help_line, help_main};

const Command manual_command = {"man", "write the manual page", manual_line, manual_main};

}  // namespace sweep
