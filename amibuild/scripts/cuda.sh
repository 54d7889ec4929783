# shellcheck shell=bash disable=SC2154 # a part
install() {
    fetch "$expect_cuda_url" "$expect_cuda_sha256" "$work/cuda.run"
    sh "$work/cuda.run" --silent --toolkit --override --no-drm --tmpdir="$work"
}

verify() {
    command -v nvcc >/dev/null || fail 'no nvcc in /usr/local/cuda/bin'
    nvcc --version | grep -q "release ${expect_version%.*}" || fail "nvcc is $(nvcc --version | tail -n 1), wanted $expect_version"
}
