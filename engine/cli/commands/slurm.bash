#!/usr/bin/env bash
# Measures the sweep NEW_NAME on several GPUs of a cluster: NEW_COUNT in NEW_SHARDS
# shards, each a task of a job array, and after them a job that merges what they measured.
#
#   bash NEW_FILE        submits all tasks and the merging
#   bash NEW_FILE 3,5    submits tasks 3 and 5 again, and the merging
#
# A task measures only what its database lacks. One that is preempted, requeued, killed or out of
# time goes on where it was; no point is measured twice.
#
#SBATCH --job-name=NEW_NAME
#SBATCH --output=NEW_NAME-%A_%a.log
#SBATCH --open-mode=append           # a task that goes on keeps what it has said
#SBATCH --gres=gpu:1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8            # these compile while the GPU measures
#SBATCH --time=04:00:00
#SBATCH --requeue                    # after preemption, or when the node fails
#SBATCH --signal=B:TERM@60           # so many seconds before the time is over
##SBATCH --partition=NAME
##SBATCH --account=NAME
set -euo pipefail

sweep=NEW_PROGRAM
file=NEW_SWEEP
name=NEW_BASE
output=results                       # a folder that every node sees
shards=NEW_SHARDS
options=(NEW_OPTIONS)                # more options of 'sweep run'

# After SIGTERM the run finishes the point under way, writes its reports and ends with 143. Slurm
# sends it before it preempts or cancels a task, and before the time is over: in the last case the
# task is still taken for running, and asks to be queued again.
measure() {
  local run code signalled
  "$sweep" run "$file" "${options[@]}" -o "$output" --shard "$SLURM_ARRAY_TASK_ID/$shards" &
  run=$!
  trap 'signalled=yes; kill -TERM "$run" 2>/dev/null || true' TERM
  until [[ ${signalled-yes} == no ]]; do
    signalled=no code=0
    wait "$run" || code=$?           # ends with a signal too, before the run does
  done
  if [[ $code -eq 143 && $(squeue --noheader --jobs="$SLURM_JOB_ID" --format=%T) == RUNNING ]]; then
    scontrol requeue "$SLURM_JOB_ID"
  fi
  exit "$code"
}

# Shards that are missing are named; what is there is merged and reported all the same.
merge() {
  "$sweep" merge "$output/$name".*-of-"$shards".db -o "$output/$name.db"
  "$sweep" report "$output/$name.db" -o "$output/$name.md"
  "$sweep" report "$output/$name.db" --format html -o "$output/$name.html"
}

# With afterok in the place of afterany nothing is merged unless every task succeeds.
submit() {
  local job
  job=$(sbatch --parsable --array="$1" "$0" measure)
  job=${job%%;*}
  echo "job $job measures the shards $1"
  sbatch --dependency="afterany:$job" --gres=none --cpus-per-task=1 --time=01:00:00 \
    --job-name="$name-merge" --output="$name-merge-%j.log" "$0" merge
}

# 'sbatch --array=1-NEW_SHARDS NEW_FILE' measures too, without the merging.
case ${1-${SLURM_ARRAY_TASK_ID:+measure}} in
  measure) measure ;;
  merge) merge ;;
  *) submit "${1:-1-$shards}" ;;
esac
