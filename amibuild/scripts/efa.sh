# shellcheck shell=bash disable=SC2154 # a part
install() {
    tools
    headers
    unpack "$expect_efa_installer_url" "$expect_efa_installer_sha256"
    (cd "$work/source" && ./efa_installer.sh --yes) || fail "the EFA installer fails on kernel $kernel; its own words stand above"
}

# by_driver: EFA devices, by their driver and not by a directory that other cards are in too.
by_driver() {
    local n=0 link
    for link in "$root"/sys/class/infiniband/*/device/driver; do
        [ "$(basename "$(readlink "$link" || true)")" != efa ] || n=$((n + 1))
    done
    echo "$n"
}

verify() {
    grep -qx "# EFA installer version: $expect_version" "$root/opt/amazon/efa_installed_packages" ||
        fail "$(grep -m 1 'EFA installer version' "$root/opt/amazon/efa_installed_packages" || echo 'no EFA installer'), wanted $expect_version"
    local devices
    devices=$(by_driver)
    fits efa "$expect_driver" "$devices"
    if [ "$devices" -gt 0 ]; then
        fi_info -p efa -t FI_EP_RDM >"$work/domains" || fail "fi_info -p efa finds nothing, on a machine with $devices EFA devices"
    else
        # Without a device the provider has no domains; that libfabric has it can be told all the same.
        fi_info -l | grep -q '^efa' || fail 'libfabric has no provider efa'
    fi
}
