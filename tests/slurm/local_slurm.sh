#!/usr/bin/env bash
# local_slurm.sh start|stop FOLDER: runs a Slurm of one node on this machine, with all of its files
# in FOLDER and without systemd, cgroups or a database. Its GPUs and most of its processors are
# pretended. Commands of Slurm reach it with SLURM_CONF=FOLDER/slurm.conf. Needs slurmctld, slurmd
# and munged: Debian's slurm-wlm and munge.
set -euo pipefail

folder=$2
export SLURM_CONF=$folder/slurm.conf
PATH=$PATH:/usr/sbin:/sbin

fail() {
  printf 'local_slurm.sh: %s\n' "$*" >&2
  tail -n 5 "$folder"/*.log >&2 || true
  exit 1
}

# Two ports of this machine that nobody listens on.
free_ports() {
  local port found=()
  while [[ ${#found[@]} -lt 2 ]]; do
    port=$((20000 + RANDOM % 10000))
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || found+=("$port")
  done
  echo "${found[@]}"
}

configure() {
  local host user controller_port node_port
  host=$(hostname -s) user=$(id -un)
  read -r controller_port node_port < <(free_ports)
  mkdir -p "$folder"/{state,spool}
  install -d -m 700 "$folder/munge"
  head -c 1024 /dev/urandom >"$folder/munge/key"
  chmod 400 "$folder/munge/key"
  cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$folder/munge/socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
SlurmdParameters=config_overrides
KillWait=10
MinJobAge=600
ReturnToService=2
GresTypes=gpu
NodeName=$host NodeAddr=127.0.0.1 CPUs=64 RealMemory=4096 Gres=gpu:4 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
  # A GPU is a device file, whichever it is.
  printf 'Name=gpu File=/dev/%s\n' null zero full random >"$folder/gres.conf"
}

start() {
  configure
  munged --force --socket="$folder/munge/socket" --key-file="$folder/munge/key" \
    --pid-file="$folder/munge.pid" --seed-file="$folder/munge/seed" --log-file="$folder/munge.log" ||
    fail "munged does not start"
  slurmctld -f "$SLURM_CONF" || fail "slurmctld does not start"
  slurmd -f "$SLURM_CONF" -N "$(hostname -s)" || fail "slurmd does not start"
  local tries
  for ((tries = 0; tries < 100; ++tries)); do
    [[ $(sinfo --noheader --format=%T 2>/dev/null) != idle ]] || return 0
    sleep 0.1
  done
  fail "the node does not become idle"
}

# The daemons end by themselves once they are told; their files may then be removed.
stop() {
  local daemon process
  for daemon in slurmd slurmctld munge; do
    process=$(cat "$folder/$daemon.pid" 2>/dev/null) || continue
    kill "$process" 2>/dev/null || continue
    while kill -0 "$process" 2>/dev/null; do sleep 0.05; done
  done
}

case $1 in
  start) start ;;
  stop) stop ;;
  *) fail "start or stop?" ;;
esac
