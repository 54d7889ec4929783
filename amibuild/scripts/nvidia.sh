# shellcheck shell=bash disable=SC2154 # a part
# flavour_option: the installer's option for the kernel modules has another name from 560 on.
flavour_option() {
    case $([ "${expect_version%%.*}" -ge 560 ] && echo new || echo old)-$expect_modules in
    new-open) echo --kernel-module-type=open ;;
    new-closed) echo --kernel-module-type=proprietary ;;
    old-open) echo -m=kernel-open ;;
    old-closed) echo -m=kernel ;;
    esac
}

install() {
    tools
    headers
    fetch "$expect_nvidia_driver_url" "$expect_nvidia_driver_sha256" "$work/driver.run"
    [ ! -x "$root/usr/bin/nvidia-uninstall" ] || nvidia-uninstall --silent
    sh "$work/driver.run" --silent --dkms --no-questions --no-drm "$(flavour_option)" --kernel-name="$kernel" ||
        fail "the driver does not build for $kernel: $(tail -n 3 "$root/var/log/nvidia-installer.log" 2>/dev/null)"
    unpack "$expect_nvidia_fabricmanager_url" "$expect_nvidia_fabricmanager_sha256"
    cp -a "$work/source/bin/." "$root/usr/bin/"
    cp -a "$work/source/lib/." "$root/usr/lib/"
    [ ! -d "$work/source/share" ] || cp -a "$work/source/share/." "$root/usr/share/"
    [ ! -d "$work/source/systemd" ] || cp -a "$work/source/systemd/." "$root/usr/lib/systemd/system/"
}

verify() {
    fits nvidia "$expect_version" "$(devices 0x10de)"
    case "$(module nvidia license) $expect_modules" in
    *GPL*' open' | NVIDIA' closed') ;;
    *) fail "module nvidia has the license $(module nvidia license), which is not that of the $expect_modules modules" ;;
    esac
    [ -x "$root/usr/bin/nv-fabricmanager" ] || fail 'no Fabric Manager'
}
