#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/completion/completion.h"
#include "engine/cli/embedded_files.h"
#include "engine/cli/options/output.h"
#include "engine/text/diagnostic.h"

namespace sweep {
namespace {

/// In one line, and no longer than a shell shows beside a word.
std::string short_meaning(std::string text) {
  for (char& c : text) c = c == '\t' || c == '\n' ? ' ' : c;
  constexpr std::size_t longest = 72;
  if (text.size() <= longest) return text;
  const std::size_t end = text.rfind(' ', longest);
  return text.substr(0, end == std::string::npos ? longest : end) + " ...";
}

std::string files_word(const Completion& completion) {
  switch (completion.files) {
    case OfferedFiles::nothing:
      break;
    case OfferedFiles::of_endings:
      return fmt::format("files {}", fmt::join(completion.endings, " "));
    case OfferedFiles::every:
      return "files";
    case OfferedFiles::folders:
      return "folders";
  }
  return completion.goes_on ? "goes-on" : "words";
}

}  // namespace

CommandLine completion_line() {
  CommandLine line("sweep completion [OPTIONS] bash|zsh|fish",
                   "Writes the script that lets a shell complete commands, options, their values,\n"
                   "patterns, sweeps and parameters. For this shell:\n"
                   "  bash:  source <(sweep completion bash)\n"
                   "  zsh:   source <(sweep completion zsh)     after compinit\n"
                   "  fish:  sweep completion fish | source\n"
                   "For good: put that line into ~/.bashrc, ~/.zshrc or\n"
                   "~/.config/fish/config.fish. An installed sweep has the scripts in place.");
  add_output_option(line);
  line.operands({"bash|zsh|fish"}, 1, "for which shell? for example: sweep completion bash");
  return line;
}

int completion_command(const GivenOptions& given) {
  const std::string& shell = given.operands().front();
  std::vector<std::string> shells;
  for (const EmbeddedFile& script : completion_scripts()) {
    shells.emplace_back(script.name);
    if (script.name != shell) continue;
    write_result(given_output(given), std::string(script.text));
    return exit_done;
  }
  throw UsageError(fmt::format("there is no completion for '{}'; {}", shell,
                               suggest(shell, shells, "the shells are")));
}

int complete_command(const Arguments& arguments) {
  const Completion completion = complete(arguments);
  std::cout << files_word(completion) << '\n';
  for (const Offer& offer : completion.offers) {
    std::cout << offer.word << '\t' << short_meaning(offer.meaning) << '\n';
  }
  return exit_done;
}

}  // namespace sweep
