# shellcheck shell=bash disable=SC2154 # a part
install() {
    fetch "$expect_enroot_url" "$expect_enroot_sha256" "$work/enroot.$family"
    fetch "$expect_enroot_caps_url" "$expect_enroot_caps_sha256" "$work/enroot-caps.$family"
    if [ "$family" = deb ]; then
        apt update && apt install "$work/enroot.deb" "$work/enroot-caps.deb"
    else
        dnf install -y "$work/enroot.rpm" "$work/enroot-caps.rpm"
    fi
}

verify() { [ "$(enroot version)" = "$expect_version" ] || fail "enroot is $(enroot version || echo 'not there'), wanted $expect_version"; }
