# shellcheck shell=sh disable=SC2154 # a part: Render puts expectations, prelude and version comparison before it
#
# GDRCopy is there, was built for this kernel and driver, and its module is loaded. On a node where that holds
# already nothing is changed. What is wrong is mended by the least step that does: start the service, load the
# module anew, build it anew, install the pinned version. Nothing is remembered between runs, so that a new
# kernel or driver shows in the next one.

build_log=$temporary/build.log
as_package='install GDRCopy as a package in the image: its service loads the module, and dkms builds it for a new kernel'

# wrong GOT [DO]: GDRCopy is not what the node needs.
wrong() {
    finding boot/gdrcopy "$1" "GDRCopy ${expect_gdrcopy_min:-of any version} or later, loaded" "${2:-build an image with it}"
    finish
}

# survey looks at the node and changes nothing.
survey() {
    package=$(package_version gdrdrv-dkms gdrcopy-kmod)
    file=$(module gdrdrv version)
    loaded=''
    if [ -d "$root/sys/module/gdrdrv" ]; then
        content "$root/sys/module/gdrdrv/version"
        loaded=${line:-unknown}
    fi
    content "$root/sys/module/gdrdrv/srcversion"
    loaded_source=$line
}

# too_old: whether GDRCopy does not reach what the node needs. The module knows two parts of its version: 2.5
# for the packages 2.5, 2.5.1 and 2.5.2. So the package speaks where there is one.
too_old() { [ -n "$expect_gdrcopy_min" ] && below "${package:-$file}" "$expect_gdrcopy_min"; }

# build_fault prints why the module's file will not do for this kernel, driver and package; nothing if it will.
build_fault() {
    built_for=$(gdrdrv_flavour)
    if [ -z "$file" ]; then
        echo "no gdrdrv module for kernel $kernel"
    elif [ -n "$built_for" ] && [ "$built_for" != "$(driver_flavour)" ]; then
        echo "gdrdrv built for the $built_for NVIDIA module, which is $(driver_flavour) here"
    elif [ -n "$package" ] && [ "$(version_compare "$file" "$(printf '%s' "$package" | cut -d . -f 1,2)")" != 0 ]; then
        echo "package $package and gdrdrv module $file"
    fi
}

# stale: whether the loaded module is another than the file.
stale() {
    [ "$loaded" != "$file" ] || {
        [ -n "$loaded_source" ] && [ "$loaded_source" != "$(module gdrdrv srcversion)" ]
    }
}

headers_package() {
    case "$family $(os_field ID) $kernel" in
    deb*) echo "linux-headers-$kernel" ;;
    'rpm amzn 6.1.'* | 'rpm amzn 5.'* | 'rpm amzn 4.'*) echo "kernel-devel-$kernel" ;;
    'rpm amzn '*) echo "kernel$(printf '%s' "$kernel" | cut -d . -f 1,2)-devel-$kernel" ;;
    *) echo "kernel-devel-$kernel" ;;
    esac
}

# check_build_needs: what a build takes. A failed build leaves packages that claim to be installed.
check_build_needs() {
    if [ ! -e "$root/lib/modules/$kernel/build/Makefile" ]; then
        wrong "no headers of kernel $kernel" "install $(headers_package) in the image; a mirror may have dropped it"
    fi
    if [ -z "$(find "$root"/usr/src/nvidia-* "$root"/usr/src/kernel-modules/nvidia-* -name nv-p2p.c 2>/dev/null | head -n 1)" ]; then
        wrong 'no sources of the NVIDIA driver below /usr/src' 'install the driver by dkms, not as prebuilt kernel modules'
    fi
    for tool in dkms make gcc; do
        have "$tool" || wrong "no $tool to build gdrdrv with" "install $tool in the image"
    done
}

# logged COMMAND...: keeps what a long step says until it is needed.
logged() {
    say "gdrcopy: $*"
    bounded "$(left)" "$@" >>"$build_log" 2>&1
}

last_words() { sed '/^[[:space:]]*$/d' "$build_log" 2>/dev/null | tail -n 1; }

rebuild() {
    check_build_needs
    logged dkms build --force -m gdrdrv -v "$package" -k "$kernel" &&
        logged dkms install --force -m gdrdrv -v "$package" -k "$kernel"
}

fetch_once() {
    case $expect_gdrcopy_url in
    s3://*) aws s3 cp --only-show-errors "$expect_gdrcopy_url" "$archive" ;;
    *) curl --fail --silent --show-error --location --proto =https --connect-timeout 10 --max-time 120 --output "$archive" "$expect_gdrcopy_url" ;;
    esac 2>>"$build_log"
}

# fetch brings the pinned archive, and nothing else.
fetch() {
    archive=$temporary/gdrcopy.tar.gz
    retry 6 'the download failed' fetch_once || wrong "no answer from $expect_gdrcopy_url: $(last_words)" 'look at the route and at the S3Access of the node'
    sum=$(sha256sum "$archive" | cut -d ' ' -f 1)
    if [ "$sum" != "$expect_gdrcopy_sha256" ]; then
        finding boot/checksum "$expect_gdrcopy_url with SHA-256 $sum" "$expect_gdrcopy_sha256" 'nothing was installed: find out who changed it, or pin it anew'
        finish
    fi
}

packages() { find "$temporary/source" -name "*.$family" ! -name '*.src.rpm' ! -name '*debug*' | sort; }

# make_packages builds packages with GDRCopy's own recipe, as ParallelCluster does for its images.
make_packages() {
    recipe=$(find "$temporary/source" -path "*/packages/build-$family-packages.sh" | head -n 1)
    [ -n "$recipe" ] || wrong "an archive without .$family packages and without GDRCopy's sources" 'pin the release archive of NVIDIA/gdrcopy'
    builder=rpmbuild
    [ "$family" = rpm ] || builder=debuild
    have "$builder" || wrong "no $builder to make packages with" "install $builder in the image, or pin an archive of packages"
    (cd "$(dirname "$recipe")" && CUDA=$root/usr/local/cuda logged bash "./${recipe##*/}")
}

install_packages() {
    # shellcheck disable=SC2046 # names made here, without blanks
    case $family in
    deb) logged env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y --allow-downgrades $(packages) ;;
    rpm) logged dnf install -y $(packages) ;;
    esac
}

install_pinned() {
    [ -n "$expect_gdrcopy_url" ] || wrong "$1" 'build an image with it, or pin a version to install'
    [ "$family" != unknown ] || wrong "an operating system without dpkg or rpm: $(os_field ID)"
    say "gdrcopy: $1: installing $expect_gdrcopy_version"
    check_build_needs
    fetch
    mkdir "$temporary/source"
    tar -xzf "$archive" --no-same-owner -C "$temporary/source" || wrong 'an archive that tar cannot read'
    [ -n "$(packages)" ] || make_packages || wrong "GDRCopy does not build: $(last_words)"
    retry 3 'the installation failed' install_packages || wrong "GDRCopy does not install: $(last_words)"
}

# service_name: GDRCopy's packages call their service differently.
service_name() {
    if [ "$family" = deb ]; then echo gdrdrv; else echo gdrcopy; fi
}

# unload takes out a module that is another than the file.
unload() {
    systemctl stop "$(service_name)" >>"$build_log" 2>&1
    [ ! -d "$root/sys/module/gdrdrv" ] || rmmod gdrdrv >>"$build_log" 2>&1
}

# start loads the module by its service, which makes the device node too, and has it loaded at the next boot.
start() {
    systemctl enable "$(service_name)" >>"$build_log" 2>&1 || wrong "no service $(service_name): $(last_words)" "$as_package"
    systemctl restart "$(service_name)" >>"$build_log" 2>&1
}

# load has the file's module loaded. A module of the right version that was built against another driver
# is refused by the kernel; building it anew is the way out.
load() {
    if [ -n "$loaded" ] && stale; then
        say "gdrcopy: module $loaded is loaded, the file is $file: loading it anew"
        unload || wrong "module $loaded in use, the file is $file" 'reboot the node'
    fi
    start && return
    [ -n "$package" ] || wrong "gdrdrv of no package does not load: $(last_words)" "$as_package"
    say "gdrcopy: gdrdrv does not load ($(last_words)): building it for this driver"
    rebuild || wrong "gdrdrv does not build: $(last_words)"
    start || wrong "gdrdrv does not load: $(last_words)"
}

# prove does what a job will do: opens the device and copies.
prove() {
    [ -e "$root/dev/gdrdrv" ] || wrong 'no device /dev/gdrdrv' "systemctl restart $(service_name)"
    for tool in gdrcopy_sanity gdrcopy_copybw copybw; do
        have "$tool" || continue
        bounded 120 "$tool" >>"$build_log" 2>&1 || wrong "$tool failed: $(last_words)" 'compare the driver and the module in the log of the boot'
        say "gdrcopy: $tool passed"
        return
    done
    say 'gdrcopy: no gdrcopy_sanity or copybw to try it with'
}

mend() {
    if [ -z "$package$file" ]; then
        install_pinned 'GDRCopy is not installed'
    elif too_old; then
        install_pinned "GDRCopy ${package:-$file} is too old"
    fi
    survey
    fault=$(build_fault)
    if [ -n "$fault" ]; then
        [ -n "$package" ] || wrong "$fault, from no package" "$as_package"
        say "gdrcopy: $fault: building it anew"
        rebuild || wrong "$fault; gdrdrv does not build: $(last_words)"
        survey
        fault=$(build_fault)
        [ -z "$fault" ] || wrong "$fault, after a build that claims success"
    fi
    load
    survey
    if [ -z "$loaded" ] || stale; then
        wrong "gdrdrv ${loaded:-not} loaded, the file is $file" 'reboot the node'
    fi
}

if [ "$(count_gpus)" = 0 ]; then
    say 'gdrcopy: no NVIDIA GPU, nothing to do'
    exit 0
fi
survey
[ -n "$(driver_flavour)" ] || wrong "no NVIDIA module for kernel $kernel" 'build the driver for this kernel in the image'
copies=$(find "$root/lib/modules/$kernel" -type f -name 'gdrdrv.ko*' 2>/dev/null | grep -c .)
[ "$copies" -le 1 ] || wrong "$copies gdrdrv modules for kernel $kernel" 'remove all but the one of the package'
if [ -z "$loaded" ] || [ -n "$(build_fault)" ] || stale || too_old; then
    mend
else
    say "gdrcopy: ${package:-$file} is loaded, nothing to change"
fi
prove
finish
