#include <fmt/format.h>

#include <algorithm>

#include "engine/cli/commands.h"
#include "engine/cli/embedded_files.h"
#include "engine/cli/help/help_topics.h"
#include "engine/cli/options/output.h"

namespace sweep {
namespace {

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
  constexpr std::string_view mark = " :: ";
  std::string text;
  for (std::string line : split(find_help_topic(topic)->text, '\n')) {
    std::erase(line, '`');
    const std::size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    text += tagged_paragraph(fmt::format(".B \"{}\"", roff_text(line.substr(0, at))),
                             roff_text(line.substr(at + mark.size())));
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

const Command manual_command = {"man", "write the manual page", manual_line, manual_main};

}  // namespace sweep
