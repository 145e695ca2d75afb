#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/cli/commands.h"
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

struct Entry {
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array file_entries = {
    Entry{"results/SWEEP.db", "All that runs of a sweep have measured, each sample included."},
    Entry{"results/SWEEP.md, .csv, .html, -1.svg, -2.svg, ...",
          "The reports of the last run, and its charts."},
    Entry{"patterns, sweeps",
          "Folders in the current one where patterns and sweeps are looked for by name; then those "
          "that come with the program, in share/sweep."},
    Entry{"~/.cache/sweep", "Compiled programs; see sweep cache."},
};

constexpr std::array example_entries = {
    Entry{"sweep run sweeps/stride.yaml", "Measure a sweep and write its reports into results."},
    Entry{"sweep run stride --set STRIDE=1,2,4 --device emulator",
          "Run fewer configurations, without a GPU."},
    Entry{"sweep explain transpose_tiled --set PAD=0",
          "Show what each line of a pattern costs in memory."},
    Entry{"sweep new pattern halves && sweep check --run halves.cu",
          "Begin a pattern, and execute it with all checks."},
    Entry{"sweep report results/stride.db --format csv -o stride.csv",
          "Make a report again from what was measured."},
};

/// `tag` and `text` are roff already.
std::string tagged_paragraph(std::string_view tag, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", tag, text);
}

std::string tagged_paragraphs(std::span<const Entry> entries, std::string_view font) {
  std::string text;
  for (const Entry& entry : entries) {
    text += tagged_paragraph(fmt::format(".{} \"{}\"", font, roff_text(entry.name)),
                             roff_text(entry.meaning));
  }
  return text;
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
    const std::string_view whole = line;
    const std::array entry = {Entry{whole.substr(0, at), whole.substr(at + mark.size())}};
    text += tagged_paragraphs(entry, "B");
  }
  return text;
}

/// The options that every command has, or a line's own.
std::string options_of(const CommandLine& line, bool common) {
  std::string section;
  for (const OptionOfLine& option : line.described_options()) {
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
  std::string section = fmt::format(".SS \"{}\"\n", roff_text(line.synopsis()));
  bool is_verbatim = false;
  for (const std::string& text : split(line.about(), '\n')) {
    if (text.starts_with(' ') != is_verbatim) {
      is_verbatim = !is_verbatim;
      section += is_verbatim ? ".nf\n" : ".fi\n";
    }
    section += roff_text(text) + '\n';
  }
  return section + (is_verbatim ? ".fi\n" : "") + options_of(line, false);
}

/// The manual page sweep(1) as roff with the macros of man(7), made from the commands' tables.
std::string manual_page() {
  std::string page = ".TH SWEEP 1 \"\" \"sweep " SWEEP_VERSION
                     "\" \"User Commands\"\n"
                     ".SH NAME\nsweep \\- measure how CUDA kernels touch memory\n"
                     ".SH SYNOPSIS\n.B sweep\n.I COMMAND\n.RI [ OPTIONS ]\n.RI [ OPERANDS ]\n"
                     ".SH DESCRIPTION\n";
  page += roff_text(
      "An access pattern is a CUDA kernel in a text file whose header says what its parameters "
      "are. A sweep is a YAML file that names patterns and the values of their parameters. sweep "
      "bakes every parameter into the source as a constant, compiles the result at run time, "
      "checks that each configuration computes the right thing, measures it, and writes tables. "
      "Without a GPU an emulator executes the kernels and counts what every access costs.\n");
  page += ".SH COMMANDS\n" + roff_text("Every command has these options:\n") +
          options_of(commands().front().line(), true);
  for (const Command& command : commands()) page += command_section(command.line());
  page += ".SH FILES\n" + tagged_paragraphs(file_entries, "I");
  page += ".SH ENVIRONMENT\n" + definitions("environment");
  page += ".SH EXIT STATUS\n" + definitions("exit-codes");
  page += ".SH EXAMPLES\n" + tagged_paragraphs(example_entries, "B");
  page +=
      ".SH SEE ALSO\n.B sweep help\nexplains single topics;\n.B sweep list\nshows the patterns, "
      "the sweeps and the metrics there are.\n";
  return page;
}

CommandLine manual_line() {
  CommandLine line("sweep man [OPTIONS]",
                   "Writes the manual page, sweep.1, with every command and option. To read it:\n"
                   "  sweep man -o /tmp/sweep.1 && man -l /tmp/sweep.1\n"
                   "An installed sweep has it in place: man sweep.");
  add_output_option(line);
  return line;
}

int manual_main(const GivenOptions& given) {
  write_result(given_output(given), manual_page());
  return exit_done;
}

}  // namespace

const Command manual_command = {"man", "write the manual page", manual_line, manual_main};

}  // namespace sweep
