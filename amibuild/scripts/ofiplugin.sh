# shellcheck shell=bash disable=SC2154 # a part
prefix=$root/opt/amazon/ofi-nccl

install() {
    tools
    packages 'libhwloc-dev' 'hwloc-devel'
    unpack "$expect_aws_ofi_nccl_url" "$expect_aws_ofi_nccl_sha256"
    (cd "$work/source" && ./configure --prefix="$prefix" --with-libfabric="$root/opt/amazon/efa" --with-cuda="$root/usr/local/cuda" --enable-platform-aws)
    make -C "$work/source" -j "$(nproc)"
    make -C "$work/source" install
    echo "$prefix/lib" >"$root/etc/ld.so.conf.d/weft-ofi-nccl.conf"
    ldconfig
}

# NCCL takes the plugin by either name; a name that nothing provides is a silent fall back to sockets.
verify() {
    [ -e "$prefix/lib/libnccl-net-ofi.so" ] || [ -e "$prefix/lib/libnccl-net.so" ] || fail "no libnccl-net-ofi.so in $prefix/lib"
}
