# shellcheck shell=bash disable=SC2154 # a part
install() {
    tools
    unpack "$expect_pyxis_url" "$expect_pyxis_sha256"
    [ -d "$root/opt/slurm/include/slurm" ] || fail 'no headers of Slurm in /opt/slurm/include: Pyxis is built against the Slurm of ParallelCluster'
    CPPFLAGS="-I $root/opt/slurm/include" make -C "$work/source" -j "$(nproc)" prefix="$root/opt/pyxis"
    make -C "$work/source" install prefix="$root/opt/pyxis"
    # It is switched on by a line of plugstack.conf, which is the cluster's to write.
}

verify() { [ -n "$(find "$root/opt/pyxis" -name spank_pyxis.so)" ] || fail 'no spank_pyxis.so in /opt/pyxis'; }
