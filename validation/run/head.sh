# shellcheck shell=bash
#
# What weft does on the head node of a cluster: one call of a function with its arguments. Everything that a run is lies in one folder of
# the shared home, so that any client can go on with it.
set -u
umask 077
command -v sbatch >/dev/null || PATH=$PATH:/opt/slurm/bin
root=$HOME/.weft/validation
mkdir -p "$root" || exit 1

# locked: from here to its end the call is alone on this cluster. The kernel opens the lock when the process ends, however it ends.
locked() {
  exec 9>"$root/lock"
  flock -w 60 9 || { echo "another client holds $root/lock" >&2; exit 1; }
}

# open KEY ID: a new run from the archive on stdin, or the one that goes on for the same key.
open() {
  local going
  locked
  going=$(cat "$root/active" 2>/dev/null)
  if [ -n "$going" ] && [ -d "$root/$going" ] && [ ! -e "$root/$going/done" ]; then
    if [ "$(cat "$root/$going/key")" = "$1" ]; then echo "going $going"; else echo "busy $going"; fi
    return
  fi
  rm -rf "$root/$2.new"
  mkdir -p "$root/$2.new" && tar -xzf - -C "$root/$2.new" && mkdir -p "$root/$2.new/jobs" "$root/$2.new/out" &&
    printf '%s' "$1" >"$root/$2.new/key" && mv "$root/$2.new" "$root/$2" && printf '%s' "$2" >"$root/active.new" &&
    mv "$root/active.new" "$root/active" && echo "new $2"
}

# job_of ID NAME: the job's number in Slurm, as it was written down, as the job itself wrote it, or as Slurm knows it by its name: a
# client may have died between sbatch and writing.
job_of() {
  local at=$root/$1 number
  for file in "$at/jobs/$2.id" "$at/out/$2/job"; do
    [ -s "$file" ] && cat "$file" && return
  done
  number=$(squeue --noheader --states=all --format=%A --name="weft-$1-$2" 2>/dev/null | sort -n | head -n 1)
  [ -n "$number" ] && echo "$number"
}

# submit ID NAME AFTER...: submits a job once, behind other jobs of the run. On stdin its script, where the run has none yet.
submit() {
  local id=$1 name=$2 at=$root/$1 number behind='' said code after
  shift 2
  locked
  cd "$at" || exit 1
  if [ ! -s "jobs/$name.sh" ]; then
    cat >"jobs/$name.sh.new" && mv "jobs/$name.sh.new" "jobs/$name.sh"
  fi
  number=$(job_of "$id" "$name")
  if [ -z "$number" ]; then
    for after; do
      number=$(job_of "$id" "$after")
      [ -z "$number" ] || behind=$behind:$number
    done
    mkdir -p "out/$name"
    said=$(sbatch --parsable --chdir="$at" --job-name="weft-$id-$name" --output="$at/out/$name/job.log" --export=ALL \
      ${behind:+"--dependency=afterok$behind" --kill-on-invalid-dep=yes} "jobs/$name.sh" 2>&1)
    code=$?
    if [ "$code" != 0 ]; then
      printf 'refused %s\n' "$(printf '%s' "$said" | tr '\n' ' ')"
      return
    fi
    number=$(printf '%s\n' "$said" | tail -n 1 | sed 's/;.*//')
  fi
  printf '%s\n' "$number" >"jobs/$name.id.new" && mv "jobs/$name.id.new" "jobs/$name.id"
  printf 'job %s\n' "$number"
}

# ended LINE: whether a job, as scontrol shows it, has ended.
ended() { ! grep -q -E ' JobState=(PENDING|RUNNING|COMPLETING|CONFIGURING|SUSPENDED|REQUEUED|RESIZING|STOPPED|SIGNALING|STAGE_OUT) ' <<<"$1"; }

# accounted NUMBER: a job that Slurm has forgotten, from accounting where there is one.
accounted() {
  sacct -n -P -X -j "$1" -o JobID,State,ExitCode,NodeList,Start,End 2>/dev/null | head -n 1 |
    awk -F'|' 'NF == 6 { split($2, s, " "); printf "JobId=%s JobState=%s Reason=None ExitCode=%s NodeList=%s StartTime=%s EndTime=%s\n", $1, s[1], $3, $4, $5, $6 }'
}

# look ID: every job of the run with Slurm's line for it, and the nodes and reservations that tell why one waits. What a job came to is
# kept, because Slurm forgets a job minutes after its end.
look() {
  local at=$root/$1 file name line
  cd "$at" || exit 1
  for file in jobs/*.sh; do
    name=${file#jobs/}
    name=${name%.sh}
    number=$(job_of "$1" "$name")
    [ -n "$number" ] || continue
    line=$(cat "jobs/$name.end" 2>/dev/null)
    if [ -z "$line" ]; then
      line=$(scontrol show job --oneliner "$number" 2>/dev/null | grep -v ' HetJobOffset=[1-9]')
      [ -n "$line" ] || line=$(accounted "$number")
      [ -n "$line" ] || line="JobId=$number JobState=FORGOTTEN Reason=None "
      if ended "$line "; then
        printf '%s\n' "$line" >"jobs/$name.end.new" && mv "jobs/$name.end.new" "jobs/$name.end"
      fi
    fi
    printf 'job\t%s\t%s\n' "$name" "$line"
  done
  sinfo --noheader --Node --format='%N|%R|%T|%E' 2>/dev/null | sort -u | sed 's/^/node\t/'
  scontrol show reservation --oneliner 2>/dev/null | grep '^ReservationName=' | sed 's/^/reservation\t/'
  [ ! -e "done" ] || printf 'done\t%s\n' "$(cat "done")"
}

# fetch ID NAME EACH ALL: a job's files as an archive. A file above EACH bytes keeps its beginning and its end; above ALL bytes in all, further
# files are left out. Both are told.
fetch() {
  local at=$root/$1/out/$2 each=$3 all=$4 tmp sum=0 size file
  [ -d "$at" ] || return 0
  cd "$at" || exit 1
  tmp=$(mktemp -d) || exit 1
  while IFS= read -r -d '' file; do
    size=$(wc -c <"$file")
    sum=$((sum + (size < each ? size : each)))
    mkdir -p "$tmp/${file%/*}"
    if [ "$sum" -gt "$all" ]; then
      printf '%s\n' "$file" >>"$tmp/left-out"
    elif [ "$size" -gt "$each" ]; then
      { head -c $((each / 2)) "$file"; printf '\nweft: %s bytes of this file are left out here\n' $((size - each)); tail -c $((each / 2)) "$file"; } >"$tmp/$file"
    else
      cp "$file" "$tmp/$file"
    fi
  done < <(find . -type f -print0 | sort -z)
  tar -czf - -C "$tmp" .
  rm -rf "$tmp"
}

# get ID FILE, put ID FILE: a small file of a run.
get() { cat "$root/$1/$2" 2>/dev/null; }
put() { cat >"$root/$1/$2.new" && mv "$root/$1/$2.new" "$root/$1/$2"; }

# cancel ID NAME...: ends jobs of a run; without names all of them, and the run itself.
cancel() {
  local id=$1 at=$root/$1 name number names
  locked
  shift
  cd "$at" || exit 1
  names=$*
  [ -n "$names" ] || for file in jobs/*.sh; do name=${file#jobs/}; names="$names ${name%.sh}"; done
  for name in $names; do
    number=$(job_of "$id" "$name")
    [ -z "$number" ] || [ -e "jobs/$name.end" ] || scancel "$number" && echo "$name"
  done
  [ $# -gt 0 ] || finish "$id" cancelled
}

# finish ID WORD: the run has come to its end; another may begin.
finish() {
  printf '%s\n' "$2" >"$root/$1/done"
  [ "$(cat "$root/active" 2>/dev/null)" != "$1" ] || rm -f "$root/active"
}

# runs: all runs, the newest last, with what they came to.
runs() {
  local dir
  for dir in "$root"/*/; do
    [ -e "$dir/key" ] || continue
    dir=${dir%/}
    printf '%s\t%s\n' "${dir##*/}" "$(cat "$dir/done" 2>/dev/null)"
  done
}
