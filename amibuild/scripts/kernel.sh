# shellcheck shell=bash disable=SC2154 # a part
install() {
    packages "linux-image-$expect_version linux-headers-$expect_version" "kernel-$expect_version kernel-devel-$expect_version"
    hold "linux-image-$expect_version linux-headers-$expect_version" "kernel-$expect_version kernel-devel-$expect_version"
    if [ "$family" = rpm ]; then
        grubby --set-default "/boot/vmlinuz-$expect_version"
    else
        sed -i "s|^GRUB_DEFAULT=.*|GRUB_DEFAULT=\"Advanced options for Ubuntu>Ubuntu, with Linux $expect_version\"|" "$root/etc/default/grub"
        update-grub
    fi
}

verify() { [ "$kernel" = "$expect_version" ] || fail "kernel $kernel runs, wanted $expect_version"; }
