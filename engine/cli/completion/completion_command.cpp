#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <string_view>

#include "engine/cli/commands.h"
#include "engine/cli/completion/completion.h"
#include "engine/cli/options/output.h"
#include "engine/text/diagnostic.h"

namespace sweep {
namespace {

constexpr const char* bash = R"bash(# bash completion for sweep
_sweep() {
  # The line is split at blanks: COMP_WORDS would break words at '=' and ':' too.
  local line=${COMP_LINE:0:COMP_POINT} current prefix kind answer
  local -a words=() answers=() files=()
  read -ra words <<< "$line"
  if [[ $line == *[[:blank:]] ]]; then words+=(""); fi
  current=${words[${#words[@]} - 1]}
  mapfile -t answers < <("${words[0]/#\~/$HOME}" complete "${words[@]:1}" 2>/dev/null)
  COMPREPLY=()
  if [[ ${#answers[@]} -eq 0 ]]; then return; fi
  kind=${answers[0]}
  for answer in "${answers[@]:1}"; do COMPREPLY+=("${answer%%$'\t'*}"); done
  case $kind in
    goes-on) compopt -o nospace 2>/dev/null ;;
    folders)
      compopt -o filenames 2>/dev/null
      mapfile -t files < <(compgen -d -- "$current")
      ;;
    files)
      compopt -o filenames 2>/dev/null
      mapfile -t files < <(compgen -f -- "$current")
      ;;
    files\ *)
      compopt -o filenames 2>/dev/null
      local ending
      mapfile -t files < <(
        compgen -d -- "$current"
        for ending in ${kind#files }; do compgen -f -X "!*.$ending" -- "$current"; done
      )
      ;;
  esac
  COMPREPLY+=("${files[@]}")
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:] ]]; then
    compopt -o nospace 2>/dev/null
  fi
  # What stands before the last '=' or ':' is not part of the word for readline.
  if [[ $current == *[=:]* && $COMP_WORDBREAKS == *[=:]* ]]; then
    prefix=${current%"${current##*[=:]}"}
    COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
  fi
}
complete -F _sweep sweep
)bash";

constexpr const char* zsh = R"zsh(#compdef sweep
# zsh completion for sweep
_sweep() {
  local kind answer word meaning tab=$'\t'
  local -a answers described endings
  answers=("${(@f)$(${~words[1]} complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  kind=${answers[1]}
  for answer in "${(@)answers[2,-1]}"; do
    word=${answer%%$tab*}
    meaning=${answer#*$tab}
    described+=("${word//:/\\:}${meaning:+:$meaning}")
  done
  local result=1
  if (( $#described )); then
    if [[ $kind == goes-on ]]; then
      _describe -V sweep described -S '' && result=0
    elif (( $#described == 1 )) && [[ ${answers[2]%%$tab*} == *[=:] ]]; then
      _describe -V sweep described -S '' && result=0
    else
      _describe -V sweep described && result=0
    fi
  fi
  case $kind in
    folders) _files -/ && result=0 ;;
    files) _files && result=0 ;;
    files\ *)
      endings=(${=kind#files })
      _files -g "*.(${(j:|:)endings})(-.)" && result=0
      ;;
  esac
  return result
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _sweep "$@"
else
  compdef _sweep sweep
fi
)zsh";

constexpr const char* fish = R"fish(# fish completion for sweep
function __sweep_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l answers (command $program complete $words "$current" 2>/dev/null)
    set -q answers[1]; or return
    set -l kind (string split ' ' -- $answers[1])
    set -e answers[1]
    if set -q answers[1]
        printf '%s\n' $answers
    end
    switch $kind[1]
        case folders
            __fish_complete_directories "$current" ''
        case files
            if set -q kind[2]
                for ending in $kind[2..-1]
                    __fish_complete_suffix ".$ending" | string match -r '^.*(?:/|\.'$ending')(?:\t.*)?$'
                end
            else
                __fish_complete_path "$current"
            end
    end
end
complete -c sweep -f -a '(__sweep_complete)'
)fish";

/// The script that completes the program's command lines in "bash", "zsh" or "fish"; null for
/// other shells. It asks `sweep complete WORD...`, WORD being what stands between the program's
/// name and the cursor, which answers with a line that says what to do with files ("words",
/// "goes-on" for no space after the word, "files ENDING...", "files", "folders") and a line
/// "WORD<tab>MEANING" for each word there may be.
const char* completion_script(std::string_view shell) {
  if (shell == "bash") return bash;
  if (shell == "zsh") return zsh;
  if (shell == "fish") return fish;
  return nullptr;
}

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
  const char* script = completion_script(shell);
  if (script == nullptr) {
    throw UsageError(fmt::format(
        "there is no completion for '{}'; {}", shell,
        suggest(shell, std::vector<std::string>{"bash", "zsh", "fish"}, "the shells are")));
  }
  write_result(given_output(given), script);
  return exit_done;
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
