# shellcheck shell=bash disable=SC2154 # a part: the last step
#
# From here on nothing moves the kernel, the driver or what was built for them: an upgrade at boot would leave a kernel without modules.
kernel_packages() {
    if [ "$family" = deb ]; then
        dpkg-query -W -f '${Package}\n' 'linux-image-*' 'linux-headers-*' 'linux-aws' 'linux-modules-*' 2>/dev/null || true
        dpkg-query -W -f '${Package}\n' 'nvidia-*' 'libnvidia-*' efa efa-nv-peermem gdrdrv-dkms 2>/dev/null || true
    else
        rpm -qa --qf '%{NAME}\n' 'kernel*' 'nvidia-*' 'kmod-nvidia*' efa 'efa-nv-peermem' gdrcopy-kmod
    fi
}

install() {
    local names
    names=$(kernel_packages | sort -u | tr '\n' ' ')
    [ -n "$names" ] || fail 'no kernel package is installed: nothing can be held'
    hold "$names" "$names"
    if [ "$family" = deb ] && [ -d "$root/etc/apt/apt.conf.d" ]; then
        printf 'APT::Periodic::Unattended-Upgrade "0";\n' >"$root/etc/apt/apt.conf.d/99weft"
    fi
}

# Every module that the image is for is there for the kernel that boots, whatever the steps before did to it.
verify() {
    local pair
    for pair in $expect_module_versions; do
        built "${pair%%=*}" "${pair#*=}"
    done
}

# cleanup is the last word before the image is made: ParallelCluster's own, without which an image remembers the machine that built it.
cleanup() { [ ! -x "$root/usr/local/sbin/ami_cleanup.sh" ] || "$root/usr/local/sbin/ami_cleanup.sh"; }
