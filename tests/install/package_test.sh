#!/usr/bin/env bash
# package_test.sh CPACK BUILD STATIC: makes the .deb of BUILD and demands what Debian expects of one;
# with STATIC 1 that it needs nothing but the C library. 77 where its tools are missing, or a library
# that it was linked with is from no package.
set -euo pipefail

cpack=$1
build=$2
static=$3
for tool in "$cpack" dpkg-deb dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || {
    echo "skipped: there is no $tool"
    exit 77
  }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

wrong() {
  printf 'wrong: %s\n' "$*"
  failed=1
}

# has FIELD PATTERN: the package's FIELD matches.
has() {
  local value
  value=$(dpkg-deb -f "$package" "$1")
  [[ $value =~ $2 ]] || wrong "$1 is '$value', and not: $2"
}

# The generator's name keeps CPack from building first, as it does with Makefiles.
(cd "$build" && "$cpack" -G DEB -B "$work" -D CPACK_DEBIAN_COMPRESSION_TYPE=none \
  -D CPACK_CMAKE_GENERATOR=Ninja) >"$work/log" 2>&1 || {
  cat "$work/log"
  grep -q "no dependency information found" "$work/log" || exit 1
  echo "skipped: a library is not from a package"
  exit 77
}
packages=("$work"/sweep-cuda_*.deb)
package=${packages[0]}

has Package '^sweep-cuda$'
has Version '^[0-9]+\.[0-9]+\.[0-9]+$'
has Architecture "^$(dpkg --print-architecture)\$"
has Maintainer '^sweep developers <[^ ]+@[^ ]+>$'
has Conflicts '^sweep$'
has Suggests 'nvidia-cuda-toolkit'
has Description $'^[^\n]+\n [^\n]+'
if [[ $static == 1 ]]; then
  has Depends '^libc6 \([^,]*\)$'
else
  has Depends 'libc6.*libsqlite3-0.*libstdc\+\+6.*libyaml-cpp'
fi

dpkg-deb -c "$package" >"$work/list"
for file in bin/sweep share/sweep/patterns/stride.cu share/sweep/sweeps/stride.yaml \
  share/man/man1/sweep.1.gz share/zsh/vendor-completions/_sweep share/bash-completion/completions/sweep \
  share/doc/sweep-cuda/{copyright,changelog.gz,README.md}; do
  grep -q " \./usr/$file\$" "$work/list" || wrong "the package has no /usr/$file"
done
while read -r mode owner _ _ _ path; do
  [[ $owner == root/root ]] || wrong "$path belongs to $owner"
  case $mode in
    drwxr-xr-x | -rw-r--r--) ;;
    -rwxr-xr-x) [[ $path == ./usr/bin/sweep ]] || wrong "$path is executable" ;;
    *) wrong "$path has the mode $mode" ;;
  esac
done <"$work/list"

dpkg-deb -x "$package" "$work/root"
"$work/root/usr/bin/sweep" --version >/dev/null || wrong "the packaged program does not start"
gzip -dc "$work/root/usr/share/doc/sweep-cuda/changelog.gz" | head -1 | grep -q '^sweep-cuda (' ||
  wrong "the changelog does not begin with the package's name"

exit "$failed"
