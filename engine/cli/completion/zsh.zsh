#compdef sweep
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
