# shellcheck shell=bash disable=SC2154 # a part: stands behind a step
case ${1-} in
install | verify | cleanup) "$1" ;;
'') # one script does it all where nothing reboots the machine in between
    install
    verify
    cleanup
    ;;
*) fail "unknown action $1" ;;
esac
say "${1:-install and verify} done"
