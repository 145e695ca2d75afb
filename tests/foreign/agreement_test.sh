#!/usr/bin/env bash
# Shows what agreement.py says of a small CSV file, and of folders without one.
set -euo pipefail

agreement=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/agreement.py
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

mkdir "$root/counted" "$root/empty"
cat >"$root/counted/p.csv" <<'CSV'
pattern,N,status,reason,load_sectors.hardware,load_sectors.emulated,l1_hit_rate.hardware,l1_hit_rate.emulated,store_sectors.emulated,atomics_per_request.hardware,atomics_per_request.emulated
p,1,ok,,1000,1005,50,54.9,7,1,2
p,2,ok,,1000,1006,50,56,7,1,2
p,,ok,,0,0,,,7,1,2
p,4,ok,,0,3,1,,7,1,2
p,5,failed,"no, it did",,,,,,,
CSV
echo 'pattern,status,time' >"$root/empty/other.csv"

cat >"$root/expected" <<'TABLE'
4 points of 1 files; 1 failed, and are left out

| metric | points | within 0.5% (rates: 5 points) | exceptions |
|---|---|---|---|
| load_sectors | 4 | 2 | 2 |
| l1_hit_rate | 2 | 1 | 1 |

load_sectors, the furthest off first:
- p N=4: 3 emulated, 0 counted
- p N=2: 1,006 emulated, 1,000 counted, +0.60%

l1_hit_rate, the furthest off first:
- p N=2: 56 emulated, 50 counted, +6.0 points
TABLE
python3 "$agreement" "$root/counted" "$root/empty" | diff "$root/expected" -

fails() {
  if python3 "$agreement" "$@" >/dev/null 2>"$root/said"; then
    echo "accepted, and should be refused: $*"
    exit 1
  fi
}
fails
fails "$root/empty"
grep -q "has counts of both" "$root/said"
fails "$root/nowhere"
grep -q "there is no folder" "$root/said"
