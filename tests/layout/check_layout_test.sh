#!/usr/bin/env bash
# Shows that check_layout.sh accepts what the rules allow and names each breach: every case is a
# source tree of one file.
set -euo pipefail

checker=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/check_layout.sh
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
failed=0

# tree FILE INCLUDE...: makes a tree with one file that has these includes after a first line.
tree() {
  rm -rf "${root:?}"/*
  mkdir -p "$root/$(dirname "$1")"
  { echo '#pragma once' && printf '#include %s\n' "${@:2}"; } >"$root/$1"
}

accepts() {
  tree "$@"
  bash "$checker" "$root" || {
    echo "refused, and should be accepted: $*"
    failed=1
  }
}

# refuses EXPECTED FILE INCLUDE...: the checker fails and its output has EXPECTED.
refuses() {
  local expected=$1 output
  shift
  tree "$@"
  if output=$(bash "$checker" "$root") || [[ $output != *"$expected"* ]]; then
    printf "expected '%s' for: %s\nbut got: %s\n" "$expected" "$*" "$output"
    failed=1
  fi
}

accepts engine/text/a.h '<string>' '"engine/text/b.h"'
accepts engine/spec/a.cpp '"engine/text/b.h"' '"engine/spec/cuda_scanner.h"'
accepts engine/cuda/a.cpp '<cuda.h>' '<cupti_range_profiler.h>' '<nvml.h>' '"engine/backend/b.h"'
accepts engine/jit/a.cpp '<nvrtc.h>' '"engine/spec/b.h"'
accepts engine/jit/b.cpp '"engine/system/b.h"'
accepts engine/run/a.cpp '"engine/jit/b.h"' '"engine/store/b.h"' '"engine/text/b.h"'
accepts engine/cli/a.cpp '"engine/run/b.h"' '"engine/cuda/b.h"' '"report/b.h"'
accepts report/a.cpp '"engine/store/b.h"' '"engine/spec/metric.h"' '"report/b.h"'
accepts report/a.cpp '"engine/spec/report_layout.h"'
accepts engine/emulator/machine/a.cpp '"engine/emulator/lower/b.h"' '"engine/backend/b.h"'
accepts report/compare/a.cpp '"report/html/b.h"' '"report/c.h"'
accepts tests/jit/a.cpp '"engine/run/b.h"' '<nvrtc.h>' '"engine/cli/b.h"'

refuses 'engine/text/a.h:3: error: text does not include spec' \
  engine/text/a.h '<string>' '"engine/spec/b.h"'
refuses 'spec does not include backend' engine/spec/a.h '"engine/backend/b.h"'
refuses 'cuda does not include emulator' engine/cuda/a.h '"engine/emulator/b.h"'
refuses 'emulator does not include cuda' engine/emulator/a.h '"engine/cuda/b.h"'
refuses 'jit does not include run' engine/jit/a.h '<engine/run/b.h>'
refuses 'run does not include cli' engine/run/a.h '"engine/cli/b.h"'
refuses 'run does not include report' engine/run/a.h '"report/b.h"'
refuses 'report does not include run' report/a.h '"engine/run/b.h"'
refuses 'report does not include spec' report/a.h '"engine/spec/pattern.h"'
refuses 'run does not include tests' engine/run/a.h '"tests/b.h"'
refuses 'run does not include cuda' engine/run/a.h '"engine/cuda/b.h"'
refuses 'engine/emulator/ptx does not include engine/emulator/lower' \
  engine/emulator/ptx/a.h '"engine/emulator/lower/b.h"'
refuses 'report/charts does not include report/html' report/charts/a.h '"report/html/b.h"'
refuses "the room 'attic' has no rule" engine/attic/a.h '"engine/text/b.h"'
refuses 'not through a shell or PATH' report/a.cpp '<cstdlib> system("ls")'
refuses 'only engine/cuda includes cuda.h' engine/cli/a.cpp '<cuda.h>'
refuses 'only engine/cuda includes cupti_target.h' engine/run/a.cpp '<cupti_target.h>'
refuses 'only engine/cuda includes nvml.h' report/a.cpp '"nvml.h"'
refuses 'only engine/jit includes nvrtc.h' engine/cuda/a.cpp '<nvrtc.h>'
refuses 'not with' engine/run/a.cpp '"../cuda/b.h"'
refuses "a file's name says its one job" tests/text/string_utils.h '<string>'
refuses "a file's name says its one job" engine/text/FileManager.cpp '<string>'

tree engine/text/a.h '<string>'
mkdir "$root/engine/spec"
# shellcheck disable=SC2016
echo '| `text` | expressions |' >"$root/engine/README.md"
if output=$(bash "$checker" "$root") || [[ $output != *"the room 'spec' has no row"* ]]; then
  printf "a room that engine/README.md leaves out is not found: %s\n" "$output"
  failed=1
fi

exit "$failed"
