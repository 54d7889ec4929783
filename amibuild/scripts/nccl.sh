# shellcheck shell=bash disable=SC2154 # a part
install() {
    tools
    unpack "$expect_nccl_url" "$expect_nccl_sha256"
    make -C "$work/source" -j "$(nproc)" src.build CUDA_HOME="$root/usr/local/cuda"
    make -C "$work/source" src.install PREFIX="$root/opt/nccl" CUDA_HOME="$root/usr/local/cuda"
    echo "$root/opt/nccl/lib" >"$root/etc/ld.so.conf.d/weft-nccl.conf"
    ldconfig
}

verify() { [ -e "$root/opt/nccl/lib/libnccl.so.${expect_version%%-*}" ] || fail "no libnccl.so.${expect_version%%-*} in /opt/nccl/lib"; }
