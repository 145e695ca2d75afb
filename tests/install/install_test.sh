#!/usr/bin/env bash
# install_test.sh CMAKE SOURCES BUILD TYPE: installs BUILD into an empty folder, moves what is there to
# another place, and demands that it works without the sources and that `uninstall` leaves nothing.
set -euo pipefail

cmake=$1
sources=$2
build=$3
type=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

wrong() {
  printf 'wrong: %s\n' "$*"
  failed=1
}

quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; wrong "failed: $*"; }; }

# stage PREFIX: installs there.
stage() { quietly "$cmake" --install "$build" --prefix "$1"; }

# unstage PLACE: uninstalls what is there, and nothing else.
unstage() {
  quietly "$cmake" -D RECORDS="$build/installed" -D PLACE="$1" -P "$sources/cmake/Uninstall.cmake"
}

# The program in another place than it was installed in, through a symbolic link, away from all
# sources and settings.
sweep() {
  (cd "$work/elsewhere" && env -u SWEEP_PATH HOME="$work/home" XDG_CACHE_HOME="$work/cache" \
    CUDA_VISIBLE_DEVICES='' NO_COLOR=1 "$work/links/sweep" "$@")
}

# says TEXT ARGUMENT...: the program ends well, and its output has TEXT.
says() {
  local text=$1 output
  shift
  output=$(sweep "$@" 2>&1) || wrong "sweep $*: exit code $?: $output"
  [[ $output == *"$text"* ]] || wrong "sweep $*: '$text' is not in: $output"
}

# same FILE ARGUMENT...: the installed FILE is what the program prints.
same() {
  local file=$work/moved/share/$1
  shift
  sweep "$@" | cmp -s - "$file" || wrong "$file is not what sweep $* prints"
}

check_commands() {
  says "sweep 0." --version
  says "SWEEP_CUDA_HOME" help environment
  says "$work/moved/share/sweep/patterns/stride.cu" show pattern stride
  says "$work/moved/share/sweep/sweeps/stride.yaml" show sweep stride
  local kind extension name names
  for kind in pattern:cu sweep:yaml; do
    extension=${kind#*:} kind=${kind%:*}
    names=$(sweep list "${kind}s")
    for name in "$sources/${kind}s"/*."$extension"; do
      name=$(basename "$name" ".$extension")
      grep -qw -- "$name" <<<"$names" || wrong "sweep list ${kind}s does not name $name"
    done
  done
  same bash-completion/completions/sweep completion bash
  same zsh/site-functions/_sweep completion zsh
  same fish/vendor_completions.d/sweep.fish completion fish
  same man/man1/sweep.1 man
  same sweep/sweep.schema.json schema sweep
  same sweep/pattern.schema.json schema pattern
}

# A pattern of the user's beside those of the program, executed on the emulator and reported.
check_run() {
  local code=0
  sweep check stride >"$work/log" 2>&1 || code=$?
  if [[ $code == 69 ]]; then
    echo "nothing is run: $(head -1 "$work/log")"
    return
  fi
  grep -q "good:" "$work/log" || wrong "sweep check stride: $(<"$work/log")"
  says "mine.cu" new pattern mine
  says "mine.yaml" new sweep mine.cu
  says "0 failed" run mine.yaml --device emulator
  says "" report results/mine.db --format html -o mine.html
  grep -q "<html" "$work/elsewhere/mine.html" || wrong "report wrote no page"
}

# No file tells where it was built; but what helps to find faults does.
check_paths() {
  local found folder
  [[ $type == Release ]] || return 0
  for folder in "$sources" "$build"; do
    if found=$(grep -rlaF "$folder/" "$work/moved"); then wrong "$found has $folder in it"; fi
  done
}

# check_gone FOLDER: nothing is in it.
check_gone() {
  local left
  left=$(find "$1" -mindepth 1)
  [[ -z $left ]] || wrong "left behind: $left"
}

mkdir "$work/links" "$work/elsewhere" "$work/home" "$work/empty" "$work/stage"

stage "$work/empty"
mv "$work/empty" "$work/moved"
ln -s "$work/moved/bin/sweep" "$work/links/sweep"
check_commands
check_run
check_paths
mv "$work/moved" "$work/empty"
stage "$work/empty"
unstage "$work/empty"
[[ -d $work/empty ]] || wrong "a folder that was there before is gone"
check_gone "$work/empty"

# What others keep there stays, and so do the folders that were there.
mkdir -p "$work/shared/bin" "$work/shared/share/sweep/patterns"
touch "$work/shared/share/sweep/patterns/mine.cu"
find "$work/shared" >"$work/before"
stage "$work/shared"
unstage "$work/shared"
find "$work/shared" | diff "$work/before" - || wrong "what was there before is not as it was"

export DESTDIR=$work/stage
stage /usr
[[ -x $work/stage/usr/bin/sweep ]] || wrong "DESTDIR has no program"
unset DESTDIR
unstage "$work/stage/usr"
check_gone "$work/stage"

exit "$failed"
