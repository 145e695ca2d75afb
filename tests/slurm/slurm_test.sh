#!/usr/bin/env bash
# slurm_test.sh SWEEP: eight tasks of a Slurm array measure a sweep on the emulator. Two are
# cancelled, one is killed and one queued again while they run; what is missing is submitted once
# more. Merged, the points are those of an unbroken run.
set -euo pipefail
sweep=$1
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
PATH=$PATH:/usr/sbin:/sbin

skip() {
  echo "Slurm test skipped: $*"
  exit 77
}

for tool in munged slurmctld slurmd sbatch scancel scontrol squeue; do
  command -v "$tool" >/dev/null || skip "there is no $tool; Debian has it in slurm-wlm and munge"
done

folder=$(mktemp -d)
end() {
  bash "$here/local_slurm.sh" stop "$folder/slurm"
  rm -rf "$folder"
}
trap end EXIT

fail() {
  echo "slurm_test.sh: $*" >&2
  tail -n 20 "$folder"/*.log "$folder"/slurm/slurmctld.log >&2 || true
  exit 1
}

cd "$folder"
cat >sizes.yaml <<'END'
pattern: stride
axes: {STRIDE: {from: 1, to: 16}, BLOCK: [64, 128, 256], T: float, BYTES: 32 Mi}
END
run_options=(--device emulator --exact --quiet)
code=0
"$sweep" run sizes.yaml "${run_options[@]}" -o unbroken >unbroken.log 2>&1 || code=$?
[[ $code -ne 69 ]] || skip "$(cat unbroken.log)"
[[ $code -eq 0 ]] || fail "the unbroken run ends with $code"

mkdir slurm
bash "$here/local_slurm.sh" start "$folder/slurm" ||
  skip "Slurm does not start here"
export SLURM_CONF=$folder/slurm/slurm.conf

# The tasks' processes are on this machine: a run's lock says which.
process_of() { head -n 1 "results/sizes.$1-of-8.db.lock" 2>/dev/null; }

# wait_for WHAT COMMAND...: until the command succeeds.
wait_for() {
  local what=$1 end=$((SECONDS + 60))
  shift
  until "$@"; do
    [[ $SECONDS -lt $end ]] || fail "$what: not after a minute"
    sleep 0.05
  done
}

# have_points SHARD...: whether each has recorded some.
have_points() {
  local shard lines
  for shard in "$@"; do
    lines=$("$sweep" report "results/sizes.$shard-of-8.db" --format csv 2>/dev/null | wc -l)
    [[ $lines -gt 1 ]] || return 1
  done
}

# Slurm lets a task that is queued again wait for two minutes.
hurry() {
  local task
  for task in $(squeue --noheader --array --format='%i %r' | sed -n 's/ BeginTime$//p'); do
    scontrol update "jobid=$task" StartTime=now || true
  done
}

is_empty() {
  hurry
  [[ -z $(squeue --noheader) ]]
}

# submit [TASKS]: gives the array's number in `array`.
submit() {
  array=$(bash sizes.slurm.sh "$@" | sed -n 's/^job \([0-9]*\) measures.*/\1/p')
  [[ -n $array ]] || fail "nothing is submitted"
}

"$sweep" new slurm sizes.yaml 2>/dev/null
sed -i "s/^options=()/options=(${run_options[*]})/" sizes.slurm.sh
submit
wait_for "the first tasks record points" have_points 1 2 3 4
kill -KILL "$(process_of 4)"
scancel --signal=KILL "${array}_1"
scancel --signal=KILL "${array}_2"
scontrol requeue "${array}_3"
wait_for "the tasks and the merging end" is_empty

cat sizes-merge-*.log
for shard in 1 2 4; do
  grep -q "shard $shard of 8 (sizes.$shard-of-8.db) did not finish" sizes-merge-*.log ||
    fail "the merging does not say that shard $shard is not whole"
done
! grep -q "shard 3 of 8" sizes-merge-*.log || fail "the task that was queued again did not go on"
grep -q "Not all of the sweep's points are here" results/sizes.md ||
  fail "the report does not say that it is not whole"

rm sizes-merge-*.log
submit 1,2,4
wait_for "the rest ends" is_empty
cat sizes-merge-*.log

# Every parameter and every count, in the same order.
for run in unbroken results; do
  "$sweep" report "$run/sizes.db" --format csv -o "$run.csv"
done
cmp unbroken.csv results.csv || fail "the merged points are not those of an unbroken run"
[[ $(wc -l <results.csv) -eq 49 ]] || fail "there are not 48 points"
"$sweep" run sizes.yaml "${run_options[@]}" -o results >again.log 2>&1 || fail "it cannot be run"
grep -q "48 ok, 0 failed, 48 reused" results/sizes.md ||
  fail "a run after the merging does not reuse the points"
