# shellcheck shell=sh disable=SC2154 # Document puts the settings before this part
#
# Puts the guard on the head node, or takes it off, and makes one pass. Whoever runs it again changes nothing.
set -eu
umask 022
root=${WEFT_ROOT-}
dir=$root/opt/weft/guard
units=$root/etc/systemd/system

# place FILE MODE: stdin becomes a file, unless it is that already.
place() {
    cat >"$1.new"
    if cmp -s "$1.new" "$1"; then
        rm -f "$1.new"
    else
        chmod "$2" "$1.new"
        mv "$1.new" "$1"
        changed=1
    fi
}

remove() {
    [ ! -x "$dir/guard.sh" ] || "$dir/guard.sh" --off || status=$?
    if [ -e "$units/weft-guard.timer" ]; then
        systemctl disable --now weft-guard.timer
        rm -f "$units/weft-guard.timer" "$units/weft-guard.service" "$dir/guard.sh"
        systemctl daemon-reload
    fi
}

install() {
    mkdir -p "$dir" "$units"
    guard >"$dir/guard.sh.sent"
    if [ "$(sha256sum "$dir/guard.sh.sent" | cut -d ' ' -f 1)" != "$sha256" ]; then
        echo "weft: $dir/guard.sh.sent is not the script of the deployment: run it again" >&2
        exit 1
    fi
    place "$dir/guard.sh" 755 <"$dir/guard.sh.sent"
    place "$units/weft-guard.service" 644 <<UNIT
[Unit]
Description=weft: brings jobs to the end of a capacity block

[Service]
Type=oneshot
ExecStart=/opt/weft/guard/guard.sh
TimeoutStartSec=600
UNIT
    place "$units/weft-guard.timer" 644 <<UNIT
[Unit]
Description=weft: looks every minute whether a capacity block ends

[Timer]
OnCalendar=*-*-* *:*:00
AccuracySec=1s

[Install]
WantedBy=timers.target
UNIT
    if [ "$changed" = 1 ]; then
        systemctl daemon-reload
    fi
    systemctl enable --now weft-guard.timer
}

changed=0
status=0
if [ "$enabled" = 0 ]; then
    remove
else
    install
    if [ -n "$end" ]; then
        set -- --end "$reservation" "$end"
    else
        set --
    fi
    "$dir/guard.sh" "$@" || status=$?
fi
if [ "$action" = delivered ] && [ -n "$delivered" ]; then
    sudo -H -u "$user" bash -lc "$delivered" || status=$?
fi
exit "$status"
