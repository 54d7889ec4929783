# shellcheck shell=sh disable=SC2154 # Render puts the settings before this part
#
# One pass over the capacity blocks of this cluster. A timer makes one every minute, an event of EC2 makes one at
# once. A pass looks at what is, does what is missing, and leaves the rest: a second one changes nothing.
#
# New work is held back by the queue's state DOWN and by its MaxTime, never by the state of a node or by a
# reservation: ParallelCluster replaces nodes that somebody drained, and takes reservations for its own.
set -u
LC_ALL=C
TZ=UTC
SLURM_TIME_FORMAT=%s
PATH=$PATH:/opt/slurm/bin:/usr/local/bin
export LC_ALL TZ SLURM_TIME_FORMAT PATH

# With WEFT_ROOT set, /var and /etc are taken below it; with WEFT_NOW, it is that second. Tests do so, no head node does.
root=${WEFT_ROOT-}
state=$root/var/lib/weft/guard
fleet=$root/etc/parallelcluster/slurm_plugin/fleet-config.json

# Jobs are gone this many seconds before EC2 begins to end instances: a pass may come a minute late, and Slurm gives
# a job KillWait (30 s) to end.
margin=120
# A job ends by the guard's limit when it ends this near to the guard's end: a limit is whole minutes, and up to a
# minute old when a job starts with it.
near=90

failed=0
say() { printf 'weft: %s\n' "$*"; }
trouble() {
    say "$*" >&2
    failed=1
}

# keep FILE TEXT: writes a file in one step.
keep() { printf '%s\n' "$2" >"$1.new" && mv "$1.new" "$1"; }

# once FILE TEXT: says a text unless it is what was said last.
once() {
    if [ "$(cat "$1" 2>/dev/null)" != "$2" ]; then
        [ -z "$2" ] || say "$2"
        keep "$1" "$2"
    fi
}

# slurm COMMAND...: one of Slurm's programs, which may hang while its controller is away.
slurm() { timeout 60 "$@" </dev/null; }

# field LINE NAME: the value of NAME= in a line of scontrol.
field() {
    field_rest=" $1"
    case $field_rest in
    *" $2="*)
        field_rest=${field_rest#*" $2="}
        printf '%s\n' "${field_rest%% *}"
        ;;
    esac
}

# minutes LIMIT: a limit as Slurm shows it, [days-]hours:minutes:seconds, in whole minutes; other words as they are.
minutes() {
    printf '%s\n' "$1" | awk '/^([0-9]+-)?[0-9]+:[0-9]+:[0-9]+$/ {
        days = 0
        if (split($0, part, "-") == 2) { days = part[1]; $0 = part[2] }
        split($0, clock, ":")
        print (days * 24 + clock[1]) * 60 + clock[2]
        next
    } { print }'
}

# at SECONDS: a time for people.
at() { date -u -d "@$1" '+%Y-%m-%d %H:%M UTC'; }

# remember RESERVATION DATE: takes the end of a block, as EC2 writes it, into its file.
remember() {
    case $2 in
    [0-9]*) remember_end=$(date -u -d "$2" +%s 2>/dev/null) && keep "$state/$1.end" "$remember_end" ;;
    *) return 1 ;;
    esac
}

# ask RESERVATION: reads the end of a block from EC2. It moves when the block is extended.
ask() {
    ask_end=$(timeout 40 aws ec2 describe-capacity-reservations --region "$region" --capacity-reservation-ids "$1" \
        --query 'CapacityReservations[0].EndDate' --output text 2>"$state/aws.err" </dev/null) && remember "$1" "$ask_end"
}

# find_end RESERVATION PLANNED: puts the end of a block into $end: as EC2 says, else as it last said, else as planned.
# EC2 forgets a block some time after its end: silence is no trouble then, since what is over is not extended.
find_end() {
    answered=1
    ask "$1" || answered=0
    end=$(cat "$state/$1.end" 2>/dev/null) || end=$2
    if [ "$answered" = 0 ] && [ "${end:-$now}" -ge "$now" ]; then
        trouble "block $1: EC2 does not tell its end: $(tr '\n' ' ' <"$state/aws.err" | cut -c 1-300)"
    fi
    [ -n "$end" ]
}

# look QUEUE: puts scontrol's line of a queue into $line.
look() {
    if ! line=$(slurm scontrol show partition --oneliner "$1" 2>&1); then
        trouble "queue $1: $line"
        return 1
    fi
}

# change QUEUE SETTING: changes a queue in Slurm's memory. slurm.conf, which is ParallelCluster's, stays as it is: a
# restart of Slurm takes the change back, and the next pass makes it again.
change() {
    if ! said=$(slurm scontrol update "PartitionName=$1" "$2" 2>&1); then
        trouble "queue $1: $2: $said"
        return 1
    fi
}

# limit QUEUE: no job may start that would outlive the block. A job that asks for more waits; one that asks for
# nothing gets what is left: MaxTime, or the queue's DefaultTime. One above MaxTime would have it wait.
limit() {
    left=$(((cut - now) / 60))
    [ "$left" -ge 1 ] || left=1
    bound "$1" MaxTime && bound "$1" DefaultTime
}

# bound QUEUE SETTING: a time of a queue is at most $left minutes. The queue's own, written down as theirs, stands
# where it is shorter; without a DefaultTime, MaxTime is what jobs get.
bound() {
    own='' theirs=''
    [ ! -r "$state/$1.$2" ] || read -r own theirs <"$state/$1.$2"
    current=$(minutes "$(field "$line" "$2")")
    [ "$current" = "$own" ] || theirs=$current
    want=$left
    case $theirs in
    NONE) want=NONE ;;
    *[!0-9]*) ;;
    *) [ "$theirs" -gt "$want" ] || want=$theirs ;;
    esac
    [ "$current" = "$want" ] || change "$1" "$2=$want" || return 1
    [ "$own" = "$want" ] || keep "$state/$1.$2" "$want $theirs"
}

# unlimit QUEUE: gives a queue its own times back.
unlimit() {
    for setting in MaxTime DefaultTime; do
        [ -r "$state/$1.$setting" ] || continue
        read -r own theirs <"$state/$1.$setting"
        if [ "$own" != "$theirs" ] && [ "$(minutes "$(field "$line" "$setting")")" = "$own" ]; then
            change "$1" "$setting=$theirs" || return 1
        fi
        rm -f "$state/$1.$setting"
    done
}

# hold QUEUE: starts no more jobs; running ones run on, new ones wait. A queue that somebody else closed is left: the
# fleet may be stopped (INACTIVE).
hold() {
    [ "$(field "$line" State)" = UP ] || return 0
    change "$1" State=DOWN || return 1
    [ -e "$state/$1.held" ] || say "queue $1: starts no more jobs: EC2 ends its instances from $(at $((end - lead))) on"
    : >"$state/$1.held"
}

# reopen QUEUE: undoes hold.
reopen() {
    [ -e "$state/$1.held" ] || return 0
    if [ "$(field "$line" State)" = DOWN ]; then
        change "$1" State=UP || return 1
        say "queue $1: starts jobs again"
    fi
    rm -f "$state/$1.held"
}

# release QUEUES: takes the guard off queues.
release() {
    for queue in $(printf '%s' "$1" | tr , ' '); do
        if look "$queue"; then
            unlimit "$queue"
            reopen "$queue"
        fi
    done
}

# list NODES: the jobs that run on nodes: number|start|end, times in seconds, an end of NONE for a job without limit.
list() {
    if ! slurm squeue --noheader --nodelist="$1" --states=RUNNING,SUSPENDED --format='%A|%S|%e' >"$state/jobs" 2>"$state/squeue.err"; then
        trouble "jobs: $(cat "$state/squeue.err")"
        : >"$state/jobs"
    fi
}

# limited END CUT: whether a job that ends at END does so by the guard's limit.
limited() {
    case $1 in
    *[!0-9]* | '') return 1 ;;
    esac
    [ "$1" -gt $(($2 - near)) ] && [ "$1" -lt $(($2 + near)) ]
}

# extend RESERVATION: the block ends later than the pass before knew. Jobs that got their limit from the guard get
# the time that was won; whoever had a signal gets it again before the new end.
extend() {
    before=$(cat "$state/$1.cut" 2>/dev/null) || before=$cut
    if [ "$cut" -gt "$before" ]; then
        say "block $1: ends at $(at "$end")"
        list "$nodes"
        while IFS='|' read -r job _ ends; do
            if limited "$ends" "$before"; then
                slurm scontrol update "JobId=$job" "TimeLimit=+$(((cut - before) / 60))" || trouble "job $job: its limit stays"
            fi
        done <"$state/jobs"
        rm -f "$state/$1.signalled"
    fi
    if [ "$cut" != "$before" ] || [ ! -e "$state/$1.cut" ]; then
        keep "$state/$1.cut" "$cut"
    fi
}

# warn RESERVATION: each job that is still there at the end gets its signal, once. One that ends before by a limit of
# its own knows its end.
warn() {
    list "$nodes"
    while IFS='|' read -r job start ends; do
        case $ends in
        *[!0-9]*) ;;
        *) [ "$ends" -gt $((cut - near)) ] || continue ;;
        esac
        if grep -qs "^$job $start " "$state/$1.signalled"; then
            continue
        fi
        # shellcheck disable=SC2086 # an option or nothing
        if slurm scancel --signal="$signal" $signal_to "$job"; then
            say "job $job: SIG$signal: it has until $(at "$cut")"
            cause=own
            limited "$ends" "$cut" && cause=guard
            printf '%s %s %s\n' "$job" "$start" "$cause" >>"$state/$1.signalled"
        else
            trouble "job $job: did not take SIG$signal"
        fi
    done <"$state/jobs"
}

# let_go: what still runs ends now, while Slurm can end it in order: back to the queue where the job allows it.
let_go() {
    list "$nodes"
    while IFS='|' read -r job _ _; do
        if slurm scontrol requeue "$job" 2>/dev/null; then
            say "job $job: back in the queue"
        elif slurm scancel "$job"; then
            say "job $job: ended, since it may not run again"
        else
            trouble "job $job: cannot be ended"
        fi
    done <"$state/jobs"
}

# move RESERVATION QUEUES: jobs that had the signal and wait again, by their own doing or the guard's, go to the queue
# that the config names. One whose limit was the guard's gets that queue's.
move() {
    case ,$2, in
    *",$requeue,"*) return 0 ;; # the block's own
    esac
    if [ -z "$requeue" ] || [ ! -r "$state/$1.signalled" ] || ! look "$requeue"; then
        return 0
    fi
    while read -r job _ cause; do
        from=$(slurm squeue --noheader --jobs="$job" --states=PENDING --format=%P 2>/dev/null) || continue
        case ,$2, in
        *",${from:-?},"*) ;;
        *) continue ;;
        esac
        time=''
        [ "$cause" != guard ] || time="TimeLimit=$(field "$line" MaxTime)"
        if said=$(slurm scontrol update "JobId=$job" "Partition=$requeue" ${time:+"$time"} 2>&1); then
            say "job $job: waits in queue $requeue"
        else
            trouble "job $job: does not go to queue $requeue: $said"
        fi
    done <"$state/$1.signalled"
}

# tell_others QUEUES: queues that are not the block's but have nodes of it can't be held back without harm to their
# other nodes.
tell_others() {
    others=$(slurm sinfo --all --noheader --Node --nodes="$nodes" --format=%R | sort -u | grep -vxF "$(printf '%s' "$1" | tr , '\n')" | tr '\n' ' ')
    text=''
    [ -z "$others" ] || text="queues ${others}have nodes of the block too: their jobs get the signal, but new ones are not held back"
    once "$state/$reservation.others" "$text"
}

# collect QUEUES: puts the nodes of queues into $nodes.
collect() {
    nodes=''
    for queue in $(printf '%s' "$1" | tr , ' '); do
        look "$queue" || return 1
        nodes=$nodes${nodes:+,}$(field "$line" Nodes)
    done
}

# ours RESERVATION: whether ParallelCluster's configuration still names a block. A queue that no longer stands on it
# is nobody's to hold back.
ours() { [ ! -r "$fleet" ] || grep -qF "\"$1\"" "$fleet"; }

# guard: one block: $reservation, its $queues, $lead seconds before its end in which EC2 ends instances, and the end
# as $planned.
guard() {
    if ! ours "$reservation"; then
        once "$state/$reservation.others" "block $reservation: the cluster's configuration does not name it any more"
        release "$queues"
        return
    fi
    if ! find_end "$reservation" "$planned"; then
        trouble "block $reservation: nobody knows its end: nothing is held back"
        return
    fi
    cut=$((end - lead - margin))
    collect "$queues" || return
    tell_others "$queues"
    extend "$reservation"
    for queue in $(printf '%s' "$queues" | tr , ' '); do
        look "$queue" && limit "$queue"
        if [ "$now" -ge $((cut - checkpoint - stop)) ]; then
            hold "$queue"
        else
            reopen "$queue"
        fi
    done
    [ "$now" -lt $((cut - checkpoint)) ] || warn "$reservation"
    [ "$now" -lt "$cut" ] || let_go
    move "$reservation" "$queues"
}

mkdir -p "$state" && chmod 700 "$state" && exec 9>"$state/lock" || exit 1
flock -w 50 9 || exit 1
if [ "${1-}" = --end ]; then
    remember "$2" "$3" || say "block $2: this is no time: $3"
fi
now=${WEFT_NOW:-$(date +%s)}
while IFS='|' read -r reservation queues lead planned; do
    [ -n "$reservation" ] || continue
    if [ "${1-}" = --off ]; then
        release "$queues"
    else
        guard
    fi
done <<BLOCKS
$blocks
BLOCKS
exit "$failed"
