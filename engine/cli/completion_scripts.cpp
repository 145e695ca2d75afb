#include "engine/cli/completion_scripts.h"

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

}  // namespace

const char* completion_script(std::string_view shell) {
  if (shell == "bash") return bash;
  if (shell == "zsh") return zsh;
  if (shell == "fish") return fish;
  return nullptr;
}

}  // namespace sweep
