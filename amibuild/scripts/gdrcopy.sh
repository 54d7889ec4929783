# shellcheck shell=bash disable=SC2154 # a part
service() { if [ "$family" = deb ]; then echo gdrdrv; else echo gdrcopy; fi; }

remove_old() {
    if [ "$family" = deb ]; then
        apt remove gdrcopy gdrcopy-tests gdrdrv-dkms libgdrapi || true
    else
        dnf remove -y gdrcopy gdrcopy-devel gdrcopy-kmod || true
    fi
}

install() {
    tools
    headers
    [ -n "$(find "$root"/usr/src/nvidia-* "$root"/usr/src/kernel-modules/nvidia-* -name nv-p2p.h 2>/dev/null | head -n 1)" ] ||
        fail 'no sources of the NVIDIA driver below /usr/src: gdrdrv is built against them, so the driver must come by dkms'
    packages 'devscripts debhelper check pkg-config fakeroot' 'rpm-build check-devel'
    unpack "$expect_gdrcopy_url" "$expect_gdrcopy_sha256"
    (cd "$work/source/packages" && CUDA=$root/usr/local/cuda "./build-$family-packages.sh") || fail 'GDRCopy does not build'
    remove_old
    # shellcheck disable=SC2046 # names made here, without blanks
    if [ "$family" = deb ]; then
        apt install $(find "$work/source/packages" -name '*.deb')
    else
        dnf install -y $(find "$work/source" -name '*.rpm' ! -name '*.src.rpm' ! -name '*debug*')
    fi
    # ParallelCluster switches it on at boot, on nodes with a GPU.
    systemctl disable --now "$(service)" || true
}

verify() {
    fits gdrdrv "$expect_version" "$(devices 0x10de)"
    [ "$(find "$root/lib/modules/$kernel" -type f -name 'gdrdrv.ko*' | grep -c .)" = 1 ] || fail "more than one gdrdrv for kernel $kernel"
    command -v gdrcopy_copybw >/dev/null || command -v copybw >/dev/null || fail 'no copybw: GDRCopy has not installed its tests'
}
