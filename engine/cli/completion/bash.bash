# bash completion for sweep
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
