# shellcheck shell=bash disable=SC2154,SC2034 # a part: the renderer puts what is expected before it and a step behind it
#
# What all steps share. A step has two functions: install, which runs once in the build, and verify, which runs on the
# machine that built after its reboot, and again on a machine that was started from the image.
set -euo pipefail
umask 022
export LC_ALL=C DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a

# Files of the system stand behind this prefix. On a machine it is empty; a test sets it to a tree of its own.
root=${WEFT_ROOT-}
export PATH=$PATH:$root/usr/local/bin:$root/usr/local/cuda/bin:$root/usr/sbin:$root/sbin:$root/opt/amazon/efa/bin

say() { printf 'weft: %s: %s\n' "$expect_step" "$*"; }
fail() {
    say "FAIL $*" >&2
    exit 1
}

os_field() { sed -n "s/^$1=\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" "$root/etc/os-release" | head -n 1; }

kernel=$(uname -r)
case " $(os_field ID) $(os_field ID_LIKE) " in
*' debian '* | *' ubuntu '*) family=deb ;;
*' amzn '* | *' rhel '* | *' rocky '* | *' fedora '*) family=rpm ;;
*) fail "an operating system without dpkg or rpm: $(os_field ID)" ;;
esac

# retry TRIES COMMAND...: waits 1, 2, 4 ... seconds between tries.
retry() {
    local tries=$1 pause=1
    shift
    until "$@"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        say "$1 again in $pause s"
        sleep "$pause"
        pause=$((pause * 2))
    done
}

download() {
    case $1 in
    s3://*) aws s3 cp --only-show-errors "$1" "$2" ;;
    *) curl --fail --silent --show-error --location --proto =https --connect-timeout 10 --output "$2" "$1" ;;
    esac
}

# fetch URL SHA256 FILE: nothing is used before its checksum was compared.
fetch() {
    retry 5 download "$1" "$3" || fail "no answer from $1"
    local sum
    sum=$(sha256sum "$3" | cut -d ' ' -f 1)
    if [ "$sum" != "$2" ]; then
        rm -f "$3"
        fail "$1 has SHA-256 $sum, the lock says $2: find out who changed it, or pin it anew"
    fi
}

# unpack URL SHA256: a fresh directory with what the archive holds, its single top directory taken off.
unpack() {
    fetch "$1" "$2" "$work/archive"
    mkdir -p "$work/source"
    tar -xf "$work/archive" --no-same-owner --strip-components=1 -C "$work/source" || fail "$1 is an archive that tar cannot read"
}

apt() { apt-get -o DPkg::Lock::Timeout=300 -y "$@"; }

# packages DEB RPM: installs by name, each list separated by blanks.
packages() {
    local names=$1
    [ "$family" = deb ] || names=$2
    [ -n "$names" ] || return 0
    # shellcheck disable=SC2086 # lists of names
    if [ "$family" = deb ]; then
        retry 3 apt update && retry 3 apt install --no-install-recommends $names
    else
        retry 3 dnf install -y $names
    fi
}

headers_package() {
    case "$family $(os_field ID) $kernel" in
    deb*) echo "linux-headers-$kernel" ;;
    'rpm amzn 6.1.'* | 'rpm amzn 5.'*) echo "kernel-devel-$kernel" ;;
    'rpm amzn '*) echo "kernel$(printf '%s' "$kernel" | cut -d . -f 1,2)-devel-$kernel" ;;
    *) echo "kernel-devel-$kernel" ;;
    esac
}

# headers: those of the kernel that runs, and of no other. Mirrors drop old ones.
headers() {
    [ ! -e "$root/lib/modules/$kernel/build/Makefile" ] || return 0
    packages "$(headers_package)" "$(headers_package)" ||
        fail "no package $(headers_package) for the running kernel: the mirror has dropped it; take a parent whose kernel is still published, or pin another kernel first"
    [ -e "$root/lib/modules/$kernel/build/Makefile" ] || fail "$(headers_package) did not bring the headers of $kernel"
}

tools() {
    packages 'build-essential dkms curl' 'gcc gcc-c++ make tar curl'
    command -v dkms >/dev/null || packages 'dkms' 'dkms'
}

# module NAME FIELD: what modinfo says of a module for the running kernel; nothing without one.
module() { modinfo -k "$kernel" -F "$2" "$1" 2>/dev/null | head -n 1 || true; }

# built NAME VERSION: a module of that version is there for the kernel that runs. A build mark of one letter (3.3.0g) does not count.
built() {
    local have
    have=$(module "$1" version)
    [ -n "$have" ] || fail "no module $1 for the running kernel $kernel; there are modules for $(cd "$root/lib/modules" && echo *)"
    [ -z "$2" ] || [ "${have%[a-z]}" = "$2" ] || fail "module $1 is $have for kernel $kernel, wanted $2"
}

# fits NAME VERSION DEVICES: the module is built, and loaded where its device is there; a build machine may lack the device.
fits() {
    built "$1" "$2"
    if [ "$3" -gt 0 ]; then
        [ -d "$root/sys/module/$1" ] || modprobe "$1" || fail "module $1 does not load into kernel $kernel"
    fi
}

# devices VENDOR: PCI devices of a vendor, which need no driver to be seen.
devices() {
    local n=0 file
    for file in "$root"/sys/bus/pci/devices/*/vendor; do
        [ ! -r "$file" ] || [ "$(cat "$file")" != "$1" ] || n=$((n + 1))
    done
    echo "$n"
}

# hold DEB RPM: keeps packages at their version from here on.
hold() {
    # shellcheck disable=SC2086 # lists of names
    if [ "$family" = deb ]; then
        apt-mark hold $1
    else
        packages '' python3-dnf-plugin-versionlock
        dnf versionlock add $2
    fi
}

# cleanup is the seal's to do; other steps leave nothing.
cleanup() { :; }

work=$(mktemp -d "${TMPDIR:-/tmp}/weft.XXXXXX")
trap 'rm -rf "$work"' EXIT
