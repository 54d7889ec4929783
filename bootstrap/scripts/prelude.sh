# shellcheck shell=sh disable=SC2034,SC2154 # a part: Render puts the expectations before it and an action behind it
#
# What all actions share. There is no set -e: in a function that a condition calls it does nothing, so every
# step that may fail is looked at.
set -u
LC_ALL=C
export LC_ALL

# Everything that is read or written below /sys, /proc, /dev, /etc, /lib, /opt, /usr and /var stands behind this
# prefix. On a node it is empty; a test sets it to a tree of its own.
root=${WEFT_ROOT-}
PATH=$PATH:$root/usr/local/bin:$root/usr/sbin:$root/sbin:$root/opt/amazon/efa/bin
export PATH

say() { printf 'weft: %s\n' "$*"; }

# clean TEXT: the text on one line, in printable ASCII.
clean() { printf '%s' "$1" | tr '\n\t' '  ' | tr -cd '\040-\176'; }

# listed WORD WORDS: whether a list separated by blanks holds a word.
listed() {
    case " $2 " in
    *" $1 "*) return 0 ;;
    *) return 1 ;;
    esac
}

failures=''
findings=0

# finding RULE GOT WANT DO: one line for an expectation that failed. A rule that the user lowered warns.
finding() {
    findings=$((findings + 1))
    finding_line="$1 got $(clean "$2") want $(clean "$3") do $(clean "$4")"
    if listed "$1" "$expect_lowered"; then
        say "WARN $finding_line"
        return 0
    fi
    say "FAIL $finding_line"
    failures="${failures:+$failures
}weft: FAIL $finding_line"
}

# finish: ends the action. ParallelCluster shows a script's stderr when the script failed, and only then.
finish() {
    if [ -z "$failures" ]; then
        exit 0
    fi
    if [ "$expect_mode" = report ]; then
        say "$action: failed expectations are only reported"
        exit 0
    fi
    printf '%s\n' "$failures" >&2
    exit 1
}

# broken TEXT: the action itself cannot do its work.
broken() {
    say "$action: $1"
    failures="weft: $action: $1"
    finish
}

deadline=$(($(date +%s) + expect_seconds))

# left: seconds until the action must have ended.
left() { printf '%s\n' $((deadline - $(date +%s))); }

# retry TRIES WHAT COMMAND...: waits 1, 2, 4 ... 30 seconds between tries, and gives up rather than pass the
# deadline.
retry() {
    retry_tries=$1
    retry_what=$2
    retry_pause=1
    shift 2
    until "$@"; do
        retry_tries=$((retry_tries - 1))
        if [ "$retry_tries" -le 0 ] || [ "$(left)" -le "$retry_pause" ]; then
            return 1
        fi
        say "$action: $retry_what: again in $retry_pause s"
        sleep "$retry_pause"
        retry_pause=$((retry_pause * 2))
        if [ "$retry_pause" -gt 30 ]; then
            retry_pause=30
        fi
    done
}

# bounded SECONDS COMMAND...: ends a command that hangs, at the deadline at the latest.
bounded() {
    bounded_seconds=$1
    shift
    if [ "$bounded_seconds" -gt "$(left)" ]; then
        bounded_seconds=$(left)
    fi
    if [ "$bounded_seconds" -lt 1 ]; then
        return 124
    fi
    timeout "$bounded_seconds" "$@"
}

# optional WHAT COMMAND...: a step that the node can do without.
optional() {
    optional_what=$1
    shift
    "$@" || say "$action: left out: $optional_what"
}

# A directory of this node and this run alone, gone when the action ends.
temporary=$(mktemp -d "${TMPDIR:-/tmp}/weft.XXXXXX" 2>/dev/null) || broken "cannot make a directory in ${TMPDIR:-/tmp}"
trap 'rm -rf "$temporary"' EXIT
trap 'exit 1' HUP INT TERM

have() { command -v "$1" >/dev/null 2>&1; }

# content FILE: puts the first line of a file into $line, or nothing.
content() {
    line=''
    if [ -r "$1" ]; then
        IFS= read -r line <"$1" || :
    fi
}

# count_gpus: NVIDIA's GPUs on the PCI bus, which need no driver to be seen: vendor 10de, class 03 (display).
count_gpus() {
    gpus=0
    for device in "$root"/sys/bus/pci/devices/*; do
        content "$device/vendor"
        if [ "$line" = 0x10de ]; then
            content "$device/class"
            case $line in
            0x03*) gpus=$((gpus + 1)) ;;
            esac
        fi
    done
    printf '%s\n' "$gpus"
}

# driver_flavour: open or closed, as the NVIDIA kernel module is; nothing without one. The loaded module counts
# before the file.
driver_flavour() {
    content "$root/proc/driver/nvidia/version"
    case $line in
    *'Open Kernel Module'*) echo open ;;
    ?*) echo closed ;;
    *)
        case "$(modinfo -k "$kernel" -F license nvidia 2>/dev/null | head -n 1)" in
        *GPL*) echo open ;;
        ?*) echo closed ;;
        esac
        ;;
    esac
}

# module NAME FIELD: what modinfo says of a module for the running kernel.
module() { modinfo -k "$kernel" -F "$2" "$1" 2>/dev/null | head -n 1; }

# gdrdrv_flavour: what the file of gdrdrv was built for; nothing where it does not say.
gdrdrv_flavour() {
    case "$(module gdrdrv description)" in
    *opensource*) echo open ;;
    *proprietary*) echo closed ;;
    esac
}

# package_version DEB RPM: the version of an installed package, revision left off; nothing without it.
package_version() {
    if [ "$family" = deb ]; then
        # shellcheck disable=SC2016 # dpkg-query's own fields
        dpkg-query -W -f '${db:Status-Abbrev} ${Version}\n' "$1" 2>/dev/null | sed -n 's/^ii *\([0-9]*:\)\{0,1\}\([^-]*\).*/\2/p'
    elif [ "$family" = rpm ]; then
        rpm -q --qf '%{VERSION}\n' "$2" 2>/dev/null | sed -n '/^[0-9]/p' | head -n 1
    fi
}

# os_field NAME: a field of os-release, quotes off. The file is read, not run.
os_field() { sed -n "s/^$1=\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" "$root/etc/os-release" 2>/dev/null | head -n 1; }

kernel=$(uname -r)
case " $(os_field ID) $(os_field ID_LIKE) " in
*' debian '* | *' ubuntu '*) family=deb ;;
*' amzn '* | *' rhel '* | *' rocky '* | *' fedora '* | *' centos '*) family=rpm ;;
*) family=unknown ;;
esac

# A script whose bytes are not those of the plan: an object that somebody wrote over, a copy cut short.
# ParallelCluster logs a script's hash and compares it with nothing. This finds a mix-up, not an attacker.
if [ "${1-}" = --sha256 ]; then
    own=$(sha256sum "$0" | cut -d ' ' -f 1)
    if [ "$own" != "${2-}" ]; then
        finding boot/checksum "$action with SHA-256 $own" "${2-no checksum}" 'run the deployment again: it uploads the script anew'
        finish
    fi
fi
