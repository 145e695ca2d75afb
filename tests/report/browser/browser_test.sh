#!/usr/bin/env bash
# browser_test.sh WRITER FOLDER: has WRITER write its reports to FOLDER/pages and opens them in
# Chromium. Exits with 77, which CTest counts as skipped, where what that needs is missing.
#
# With SWEEP_SCREENSHOTS=DIR it leaves pictures of the pages there.
set -euo pipefail
writer=$1
folder=$2
source=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

skip() {
  echo "skipped: $*"
  exit 77
}

command -v node >/dev/null || skip "there is no node (apt-get install nodejs)"
command -v npm >/dev/null || skip "there is no npm (apt-get install npm)"
[[ $(node -p 'Number(process.versions.node.split(".")[0]) >= 18') == true ]] ||
  skip "node $(node --version) is older than 18"
chromium=""
for name in chromium chromium-browser google-chrome; do
  chromium=$(command -v "$name") && break
done
[[ -n $chromium ]] || skip "there is no chromium (apt-get install chromium)"

mkdir -p "$folder/pages"
for file in package.json package-lock.json .npmrc; do
  cmp -s "$source/$file" "$folder/$file" && continue
  cp "$source/$file" "$folder/$file"
  rm -f "$folder/installed"
done
if [[ ! -e $folder/installed ]]; then
  (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1) ||
    skip "npm could not install puppeteer-core"
  touch "$folder/installed"
fi
cp "$source"/*.mjs "$folder/"

"$writer" "$folder/pages"
exec node "$folder/browser_test.mjs" "$chromium" "$folder/pages"
