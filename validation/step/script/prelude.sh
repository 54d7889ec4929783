# shellcheck shell=bash disable=SC2034,SC2086,SC2154 # a part: render puts a job's name before it and its commands behind it
set -u
umask 077

cd "${SLURM_SUBMIT_DIR:?this script is for sbatch, started in the folder of the run}" || exit 1
out=out/$job
mkdir -p "$out/facts"
echo "$SLURM_JOB_ID" >"$out/job"
failed=0

# say TEXT: a line for people.
say() { printf 'weft: %s\n' "$*"; }

# clean: settings that came along from the shell that submitted this job would be measured with it. Containers keep their own.
clean() {
  local name
  for name in $(compgen -e | grep -E '^(NCCL|OFI_NCCL|FI|NVSHMEM|UCX|UCCL|SHARP|RDMAV)_'); do
    say "taken out of the environment: $name=${!name}"
    unset "$name"
  done
}

# libraries: where the EFA installer puts libfabric and NCCL's plugin. The file is what weft's boot action wrote on the node.
libraries() {
  local dir
  if [ -r /opt/weft/nccl-env.sh ]; then
    # shellcheck source=/dev/null
    . /opt/weft/nccl-env.sh
    return
  fi
  for dir in /opt/amazon/efa/lib /opt/amazon/efa/lib64 /opt/amazon/ofi-nccl/lib /opt/amazon/ofi-nccl/lib/*-linux-gnu; do
    [ -d "$dir" ] && LD_LIBRARY_PATH=$dir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  done
  [ -z "${LD_LIBRARY_PATH-}" ] || export LD_LIBRARY_PATH
}

# address NODE: where the node is reached.
address() { scontrol show node "$1" | sed -n 's/.*NodeAddr=\([^ ]*\).*/\1/p'; }

# all_ended: waits for programs that run at the same time; each wrote how it ended.
all_ended() {
  local code
  wait
  while IFS=$'\t' read -r _ code _; do
    [ "$code" = 0 ] || failed=$code
  done <"$out/programs.tsv"
}

# pick FIRST COUNT: some of the job's nodes, with commas.
pick() { local IFS=,; echo "${nodes[*]:$1:$2}"; }

# count LIST: how many nodes a list with commas has.
count() { local IFS=,; set -- $1; echo $#; }

# program LABEL ROUND NODES SECONDS COMMAND...: runs a program; what it prints goes to a file of its own, its end to programs.tsv.
# Launchers end it after the seconds.
program() {
  local label=$1 round=$2 where=$3 limit=$4 code
  shift 4
  say "$label on $where"
  "$@" >"$out/$label.log" 2>&1 </dev/null
  code=$?
  printf '%s\t%s\t%s\t%s\n' "$label" "$code" "$round" "$where" >>"$out/programs.tsv"
  if [ "$code" = 124 ] || [ "$code" = 137 ]; then
    say "$label did not end within $limit seconds"
  fi
  [ "$code" = 0 ] || failed=$code
  return "$code"
}

# finish: a job whose program failed has failed.
finish() {
  say "ends with $failed"
  exit "$failed"
}

# gate TEXT: in a run that nobody watches, the next step waits for this one to end well. Who watches judges by more than this.
gate() {
  [ -e unwatched ] || return 0
  say "stops here: $1"
  failed=65
}

# gate_road LABEL: what a node's log must say of its road.
gate_road() {
  local log=$out/$1.log
  if [ "$nics" != 0 ] && grep 'elected [Pp]rovider is' "$log" | grep -v -q -e "found $nics nics"; then
    gate "$1: not every rank found $nics NICs of provider efa"
  fi
  ! grep -q 'via NET/Socket' "$log" || gate "$1: nodes talk over sockets"
}

# gate_speed LABEL FLOOR: the largest size must reach a bus bandwidth in GB/s. Columns go by their names.
gate_speed() {
  local got
  got=$(awk -v mark=busbw '
    { sub(/^ *[0-9]+: /, "") }
    /^#/ { for (i = 2; i <= NF; i++) if ($i == mark) { column = i - 1; break } next }
    column && $1 ~ /^[0-9]+$/ && $1 > 0 { last = $column }
    END { print last + 0 }' "$out/$1.log")
  awk -v got="$got" -v floor="$2" 'BEGIN { exit got + 0 < floor + 0 }' || gate "$1: $got GB/s at the largest size, wanted $2"
}

# gate_loss LABEL: a loss that is no number.
gate_loss() { ! grep -q -i -E 'loss[=:] *[-+]?(nan|inf)' "$out/$1.log" || gate "$1: the loss is no number"; }

read -r -d '' facts <<'END'
[ "${SLURM_LOCALID:-0}" = 0 ] || exit 0
host=${SLURMD_NODENAME:-$(hostname -s)}
fact() { [ -z "$2" ] || printf '%s\t%s\n' "$1" "$2"; }
first() { for f in "$@"; do [ -r "$f" ] && head -n 1 "$f" && return; done; }
info=$(command -v fi_info || echo /opt/amazon/efa/bin/fi_info)
{
  fact cpus-per-rank "$(nproc)"
  if [ -x "$info" ]; then
    fact efa-devices "$("$info" -p efa -t FI_EP_RDM 2>/dev/null | sed -n 's/^ *domain: //p' | sort -u | wc -l)"
    fact libfabric "$("$info" --version 2>/dev/null | sed -n 's/^libfabric: //p')"
  fi
  fact nvidia-driver "$(first /sys/module/nvidia/version)"
  fact efa-driver "$(first /sys/module/efa/version)"
  fact gdrcopy "$(first /sys/module/gdrdrv/version)"
  fact efa-installer "$(first /opt/amazon/efa_installed_packages | sed 's/.*installer version: *//; s/[^0-9.].*//')"
} >"$1/$host.tsv"
END

read -r -d '' perf <<'END'
name=$1 folder=$2 json=$3
shift 3
for p in "$folder/$name" "$folder/${name}_mpi" "$(command -v "${name}_mpi")" "$(command -v "$name")" \
  "/opt/nccl-tests/build/$name" /usr/local/cuda*/efa/test-cuda*/"$name"; do
  [ -x "$p" ] && break
done
if [ ! -x "$p" ]; then
  echo "weft: $name is not on ${SLURMD_NODENAME:-$(hostname)}: build nccl-tests with MPI=1, and name its folder in validation.commands.ncclTests"
  exit 127
fi
# Only rank 0 writes the file. Programs before 2.17.3 can't.
if [ "${SLURM_PROCID:-0}" = 0 ] && "$p" -h 2>&1 | grep -q -e '-J'; then
  set -- "$@" -J "$json"
fi
exec "$p" "$@"
END

read -r -d '' patient <<'END'
code=1
until [ "$code" = 0 ] || [ "$SECONDS" -gt 40 ]; do # the server's step may take its time to start
  said=$(fi_pingpong "$@" 2>&1)
  code=$?
  [ "$code" = 0 ] || sleep 1
done
printf '%s\n' "$said"
exit "$code"
END

read -r -d '' node_wise <<'END'
MASTER_ADDR=$1 MASTER_PORT=$2 WORLD_SIZE=$SLURM_NTASKS RANK=$SLURM_PROCID
export MASTER_ADDR MASTER_PORT WORLD_SIZE RANK
folders=$3
for dir in $folders; do [ -d "$dir" ] && cd "$dir" && break; done
case " $folders " in "  " | *" $PWD "*) ;; *)
  echo "weft: none of $folders is there: name a command of your own in validation.commands"
  exit 127
  ;;
esac
eval "$4"
END

read -r -d '' rank_wise <<'END'
MASTER_ADDR=$1 MASTER_PORT=$2 WORLD_SIZE=$SLURM_NTASKS RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID
export MASTER_ADDR MASTER_PORT WORLD_SIZE RANK LOCAL_RANK
folders=$3
for dir in $folders; do [ -d "$dir" ] && cd "$dir" && break; done
case " $folders " in "  " | *" $PWD "*) ;; *)
  echo "weft: none of $folders is there: name a command of your own in validation.commands"
  exit 127
  ;;
esac
eval "$4"
END

mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
