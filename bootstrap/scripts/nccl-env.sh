# shellcheck shell=sh disable=SC2154 # a part: Render puts expectations and prelude before it
#
# Writes /opt/weft/nccl-env.sh: the shortest environment in which NCCL takes EFA on this type, or fails loudly.
# A job sources it:  . /opt/weft/nccl-env.sh
# It is not in /etc/profile.d: nothing changes an environment that did not ask. A variable that is set
# already keeps its value, and the file says so.

target=/opt/weft/nccl-env.sh

# quoted TEXT: the text as one word of a shell.
quoted() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; }

# beginning of the file: its only function, gone again at the end.
beginning() {
    cat <<'LINES'
# The environment of NCCL over EFA on this node, written by weft at boot. Source it in a job.
weft_want() {
    eval "weft_has=\${$1-\$2}"
    [ "$weft_has" = "$2" ] || echo "weft: $1 keeps the value that it has; this type wants another" >&2
    export "$1=$weft_has"
}
LINES
}

variable() { printf 'weft_want %s %s\n' "$1" "$(quoted "$2")"; }

# library_folders: where the installer put libfabric and the plugin, which differs from one system to another.
library_folders() {
    for name in libfabric.so libnccl-net; do
        find "$root/opt/amazon/efa" "$root/opt/amazon/ofi-nccl" -name "$name*" 2>/dev/null | sed 's|/[^/]*$||' | sort | head -n 1
    done
}

# plugin_name: NCCL looks for libnccl-net.so by itself. Some installers bring libnccl-net-ofi.so only.
plugin_name() {
    plugins=$(find "$root/opt/amazon/ofi-nccl" -name 'libnccl-net*.so' 2>/dev/null)
    case "$plugins" in
    '' | *libnccl-net.so*) ;;
    *libnccl-net-ofi.so*) echo ofi ;;
    esac
}

compose() {
    beginning
    printf '%s\n' "$expect_environment" | while IFS='=' read -r name value; do
        [ -z "$name" ] || variable "$name" "$value"
    done
    name=$(plugin_name)
    [ -z "$name" ] || variable NCCL_NET_PLUGIN "$name"
    library_folders | while IFS= read -r folder; do
        folder=${folder#"$root"}
        cat <<LINES
case ":\${LD_LIBRARY_PATH-}:" in
*:$folder:*) ;;
*) export LD_LIBRARY_PATH="$folder\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}" ;;
esac
LINES
    done
    echo 'unset -f weft_want'
}

publish() {
    mkdir -p "$root${target%/*}" &&
        cp "$1" "$root$target.new" &&
        chmod 644 "$root$target.new" &&
        mv "$root$target.new" "$root$target"
}

# report_residue FILE: settings of other fabrics and of old recipes, by name. They stay as they are.
report_residue() {
    sed -n 's/^[[:space:]]*\(export[[:space:]]\{1,\}\)\{0,1\}\([A-Za-z_][A-Za-z0-9_]*=[^#]*\).*/\2/p' "$root$1" | sed 's/[[:space:]]*$//; s/"//g' |
        while IFS= read -r setting; do
            residue_of "$1" "$setting"
        done
}

residue_of() {
    printf '%s\n' "$expect_residue" | while IFS='|' read -r pattern why; do
        # shellcheck disable=SC2254 # a pattern
        case $2 in
        $pattern)
            [ -z "$why" ] || say "residue in $1: ${2%%=*}: $why"
            break
            ;;
        esac
    done
}

compose >"$temporary/nccl-env.sh"
if cmp -s "$temporary/nccl-env.sh" "$root$target"; then
    say "nccl-env: $target is as it should be"
else
    publish "$temporary/nccl-env.sh" || broken "cannot write $target"
    say "nccl-env: wrote $target"
fi
for path in "$root"/etc/nccl.conf "$root"/etc/environment "$root"/etc/enroot/environ.d/* "$root"/etc/profile.d/*.sh; do
    [ ! -f "$path" ] || report_residue "${path#"$root"}"
done
finish
