#!/usr/bin/env bash
# check_layout.sh ROOT: checks the house rules over the files of ROOT: which room includes which,
# where the CUDA headers may stand, and file names. Prints file:line and the rule for each breach;
# exits with 1 when there is one. Long files are only warned about.
set -euo pipefail
cd "$1"

folders=()
for folder in engine report tests; do
  if [[ -d $folder ]]; then folders+=("$folder"); fi
done

# What a room may include besides itself. cli and tests may include every room.
middle="backend spec text"
declare -A may_include=(
  [system]=""
  [text]="system"
  [search]="text"
  [spec]="search system text"
  [backend]="spec text"
  [cuda]="system $middle" [jit]="system $middle"
  [emulator]="system $middle" [explain]="emulator $middle" [space]="$middle" [store]="system $middle"
  [recording]="search store spec text"
  [predict]="$middle"
  [run]="jit predict search space store $middle"
  [report]="store text"
)
# The same for the folders within a room; what is not named here includes what it likes.
declare -A folder_may_include=(
  [engine/emulator/ptx]=""
  [engine/emulator/cache]="" [engine/emulator/count]="" [engine/emulator/cubin]=""
  [engine/emulator/alu]="engine/emulator/ptx"
  [engine/emulator/lower]="engine/emulator/alu engine/emulator/ptx"
  [engine/emulator/machine]="engine/emulator/count engine/emulator/lower"
  [report/charts]="report"
  [report/html]="report report/charts"
  [report/compare]="report report/html"
)
report_may_also=" engine/emulator/cache/device_profile.h engine/spec/metric.h engine/spec/pattern_header.h engine/spec/report_layout.h engine/spec/value_words.h "

breaches=0
breach() {
  printf '%s: error: %s\n' "$1" "$2"
  breaches=$((breaches + 1))
}

# The room a path belongs to: engine/jit/x.h -> jit, report/x.h -> report, tests/... -> tests.
room_of() {
  case $1 in
    engine/*/*) room=${1#engine/} && room=${room%%/*} ;;
    */*) room=${1%%/*} ;;
    *) room="" ;;
  esac
}

check_room() {
  local place=$1 from=$2 path=$3 to
  room_of "$path" && to=$room
  [[ $from != cli && $from != "$to" ]] || return 0
  if [[ -z ${may_include[$from]+known} ]]; then
    breach "$place" "the room '$from' has no rule; give it one in tests/layout/check_layout.sh"
  elif [[ " ${may_include[$from]} " != *" $to "* ]]; then
    [[ $from == report && $report_may_also == *" $path "* ]] ||
      breach "$place" "$from does not include $to, but this includes $path"
  fi
}

# check_folder PLACE FROM TO: the same between two folders of a room.
check_folder() {
  local place=$1 from=$2 to=$3
  [[ $from != "$to" && -n ${folder_may_include[$from]+known} ]] || return 0
  [[ ${to%/*} == "${from%/*}" || $to == "${from%/*}" ]] || return 0
  [[ " ${folder_may_include[$from]} " == *" $to "* ]] || breach "$place" "$from does not include $to"
}

check_cuda_header() {
  local place=$1 from=$2 path=$3
  case $path in
    nvrtc.h)
      [[ $from == jit ]] || breach "$place" "only engine/jit includes nvrtc.h"
      ;;
    cuda.h | cudaTypedefs.h | cuda_*.h | nvml.h | cupti* | nvperf*)
      [[ $from == cuda ]] || breach "$place" "only engine/cuda includes $path"
      ;;
  esac
}

check_include() {
  local place=$1 from=$2 path=$3 file
  case $path in
    ../* | */../*) breach "$place" "includes are written from the project's root, not with '..'" ;;
    engine/* | report/* | tests/*)
      check_room "$place" "$from" "$path"
      file=${place%%:*} && check_folder "$place" "${file%/*}" "${path%/*}"
      ;;
    *) check_cuda_header "$place" "$from" "$path" ;;
  esac
}

include_line='^([^:]+):([0-9]+):[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]([^>"]+)[>"]'
includes=$(grep -rnE '^[[:space:]]*#[[:space:]]*include' --include='*.h' --include='*.cpp' \
  "${folders[@]}" || true)
while IFS= read -r line; do
  [[ $line =~ $include_line ]] || continue
  file=${BASH_REMATCH[1]} number=${BASH_REMATCH[2]} path=${BASH_REMATCH[3]}
  room_of "$file"
  if [[ $room != tests ]]; then check_include "$file:$number" "$room" "$path"; fi
done <<<"$includes"

# engine/README.md tells a newcomer what each room is for.
if [[ -d engine && -f engine/README.md ]]; then
  for folder in engine/*/; do
    room=$(basename "$folder")
    grep -q "^| \`$room\` |" engine/README.md ||
      breach "engine/README.md:1" "the room '$room' has no row in the table of rooms"
  done
fi

# No shell is reached: programs are started by their paths, with posix_spawn.
while IFS= read -r line; do
  [[ -n $line ]] && breach "$(cut -d: -f1,2 <<<"$line")" "a program is started by posix_spawn with its path, not through a shell or PATH"
done < <(grep -rnE '\b(system|popen|wordexp|execlp?|execvpe?|posix_spawnp)[[:space:]]*\(' \
  --include='*.h' --include='*.cpp' engine report 2>/dev/null |
  grep -vE '^[^:]*:[0-9]+:[[:space:]]*//' || true)

while IFS= read -r file; do
  breach "$file:1" "a file's name says its one job; not utils, common, misc, helpers or manager"
done < <(find "${folders[@]}" -type f | grep -iE '(utils|common|misc|helpers|manager)[^/]*$' | sort)

while read -r lines file; do
  if [[ $file != total && $lines -gt 500 ]]; then
    printf '%s: warning: %s lines; over 500 a file has more than one job\n' "$file" "$lines"
  fi
done < <(find "${folders[@]}" \( -name '*.h' -o -name '*.cpp' \) -exec wc -l {} +)

[[ $breaches -eq 0 ]]
