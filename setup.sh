#!/usr/bin/env bash
# setup.sh [--tests]: installs what the build needs and is not there (Debian and Ubuntu, with apt) and
# builds the program into build/; with --tests its tests too. Safe to run again: what is there stays
# as it is.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

packages=(
  g++ cmake ninja-build
  libboost-program-options-dev libfmt-dev libsqlite3-dev libxxhash-dev libyaml-cpp-dev
  nlohmann-json3-dev
)
test_packages=(libboost-test-dev librapidcheck-dev)

say() { printf 'setup: %s\n' "$*"; }

# fail LINE...: says why, what to do about it, and ends.
fail() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}

with_tests=no
case "$#:${1:-}" in
  0:) ;;
  1:--tests) with_tests=yes && packages+=("${test_packages[@]}") ;;
  1:-h | 1:--help)
    printf '%s\n' "usage: ./setup.sh [--tests]" \
      "Installs what the build lacks, with apt, and builds build/sweep; with --tests the tests too."
    exit 0
    ;;
  *) fail "'$*' is not understood." "usage: ./setup.sh [--tests]" ;;
esac

as_root() {
  if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" </dev/null
}

# Fetches apt's lists, once.
update_lists() {
  [[ -z ${lists_updated:-} ]] || return 0
  lists_updated=yes
  apt_get update || say "apt-get update reports an error; going on with the lists there are."
}

# missing_packages PACKAGE...: prints those that are not installed, one a line.
missing_packages() {
  local package installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null) ||
    true  # it fails when it does not know one of them
  for package in "$@"; do
    grep -qxF "installed $package" <<<"$installed" || echo "$package"
  done
}

install_packages() {
  local -a unknown=() ways_out=(
    "Ask an administrator to run:  apt-get install $*"
    "and run ./setup.sh again. Where the libraries come from elsewhere, build without this script:"
    "  cmake --preset release && cmake --build build"
  )
  say "installing with apt: $*"
  if [[ $EUID -ne 0 ]] && ! { command -v sudo >/dev/null && sudo true; }; then
    fail "installing needs root, and sudo is not there or refuses." "${ways_out[@]}"
  fi
  update_lists
  local package
  for package in "$@"; do
    apt-cache show "$package" >/dev/null 2>&1 || unknown+=("$package")
  done
  if [[ ${#unknown[@]} -gt 0 ]]; then
    fail "apt does not know: ${unknown[*]}" \
      "On Ubuntu they are in the component 'universe': sudo add-apt-repository universe" \
      "On Debian the component 'main' of Debian 12 or newer has them."
  fi
  apt_get install -y --no-install-recommends "$@" ||
    fail "apt could not install: $*" "${ways_out[@]}"
}

# install_optional PACKAGE WITHOUT: goes on when it cannot be installed, and says what is lost.
install_optional() {
  if [[ $EUID -ne 0 ]] && ! { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }; then
    say "installing $1 needs root: $2. An administrator may run: apt-get install $1"
    return
  fi
  say "installing $1 with apt"
  update_lists
  apt_get install -y --no-install-recommends "$1" || say "apt could not install $1: $2."
}

# npm gives Vega-Lite, which the HTML reports draw their interactive charts with; nothing else needs
# it. Not where there is a Node.js from elsewhere: Debian's npm (some 350 packages, 320 MiB) conflicts
# with it. SWEEP_NPM=no leaves it out.
install_npm() {
  local without="HTML reports will have pictures in place of interactive charts"
  command -v npm >/dev/null && return
  if [[ ${SWEEP_NPM:-} == no ]]; then
    say "without npm, as SWEEP_NPM=no asks: $without."
  elif command -v node >/dev/null; then
    say "there is a Node.js without npm: $without. Install the npm that belongs to it."
  else
    install_optional npm "$without"
  fi
}

# Without apt nothing is installed: says what is needed and goes on with what is there.
check_tools() {
  local tool
  local -a absent=()
  say "there is no apt here, so nothing is installed. The build needs a C++20 compiler," \
    "CMake 3.22, Ninja, Boost 1.74 (Program_options), fmt, nlohmann-json, SQLite, xxHash and" \
    "yaml-cpp, with their headers; the tests need Boost.Test and RapidCheck too."
  for tool in c++ cmake ninja; do
    command -v "$tool" >/dev/null || absent+=("$tool")
  done
  [[ ${#absent[@]} -eq 0 ]] ||
    fail "not found: ${absent[*]}" "Install what is missing and run ./setup.sh again."
}

# Refuses a build/ that cannot be used, before CMake or Ninja fail on it less plainly.
check_build_folder() {
  local generator source
  local again="Move it away or remove it (rm -r build) and run ./setup.sh again."
  [[ -e build ]] || return 0
  [[ -d build && -w build ]] || fail "build/ is not a folder that you may write to." "$again"
  [[ -f build/CMakeCache.txt ]] || return 0
  generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' build/CMakeCache.txt)
  source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' build/CMakeCache.txt)
  if [[ -n $generator && $generator != Ninja ]]; then
    fail "build/ was made for '$generator', and this script builds with Ninja." "$again"
  fi
  if [[ -n $source && ! $source -ef . ]]; then
    fail "build/ was made from the sources in $source, not from these." "$again"
  fi
}

# True when build/ has no build files yet or none of the tests that are wanted, or was made for
# another toolkit than the one named.
needs_configuring() {
  [[ -f build/build.ninja ]] || return 0
  [[ $with_tests == no ]] || grep -qxF "SWEEP_TESTS:BOOL=ON" build/CMakeCache.txt || return 0
  [[ -n ${SWEEP_CUDA_HOME:-} ]] &&
    ! grep -qF "CUDA_INCLUDE_DIR:PATH=${SWEEP_CUDA_HOME%/}/" build/CMakeCache.txt
}

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  mapfile -t missing < <(missing_packages "${packages[@]}")
  if [[ ${#missing[@]} -gt 0 ]]; then
    install_packages "${missing[@]}"
  else
    say "every package that the build needs is installed."
  fi
  install_npm
else
  check_tools
fi

check_build_folder
options=()
if [[ $with_tests == yes ]]; then
  target=all tests=ON aim="the program and its tests"
else
  target=sweep tests=OFF aim="the program"
fi
if needs_configuring; then
  say "configuring build/"
  # A build/ with tests keeps them.
  [[ $with_tests == no && -f build/build.ninja ]] || options=("-DSWEEP_TESTS=$tests")
  cmake --preset release "${options[@]}" -U CUDA_INCLUDE_DIR -U CUPTI_INCLUDE_DIR ||
    fail "CMake cannot configure the build; its first error above says why."
fi
say "building $aim in build/; [steps done/all of them]:"
cmake --build build --target "$target" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" ||
  fail "the build failed; the first error above says why."
say "ready: build/sweep"
