# shellcheck shell=bash disable=SC2154 # a part
install() {
    tools
    unpack "$expect_nccl_tests_url" "$expect_nccl_tests_sha256"
    local nccl=$root/opt/nccl
    [ -d "$nccl" ] || nccl=$root/usr
    make -C "$work/source" -j "$(nproc)" MPI=1 MPI_HOME="$root/opt/amazon/openmpi" CUDA_HOME="$root/usr/local/cuda" NCCL_HOME="$nccl"
    mkdir -p "$root/opt/nccl-tests"
    cp -a "$work/source/build" "$root/opt/nccl-tests/"
}

# A test that was not built with MPI runs each rank alone and reports bandwidth that no network carries.
verify() {
    local program
    for program in all_reduce_perf alltoall_perf; do
        [ -x "$root/opt/nccl-tests/build/$program" ] || fail "no $program in /opt/nccl-tests/build"
        ldd "$root/opt/nccl-tests/build/$program" | grep -q libmpi || fail "$program is not linked with MPI"
    done
}
