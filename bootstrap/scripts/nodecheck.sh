# shellcheck shell=sh disable=SC2154 # a part: Render puts expectations, prelude, version comparison and facts before it
#
# Tells what the node is and compares it with what the plan expects. An expectation that is empty is not judged.

# installed COMPONENT: the version that the node has, in the catalogue's words; nothing where none was found.
installed() {
    case $1 in
    nvidia-driver) echo "$driver" ;;
    cuda) echo "$cuda_toolkit" ;; # what the driver supports is installed nowhere
    gdrcopy) echo "${gdrcopy_package:-$gdrdrv_file}" ;;
    efa-installer) echo "$efa_installer" ;;
    efa-driver) echo "$efa_driver" ;;
    libfabric) echo "$libfabric" ;;
    aws-ofi-nccl) echo "$plugin_version" ;;
    kernel) echo "$kernel" ;;
    enroot) echo "$enroot" ;;
    pyxis) echo "$pyxis" ;;
    esac
}

check_gpus() {
    [ -n "$expect_gpus" ] || return 0
    if [ "$pci_gpus" != "$expect_gpus" ]; then
        finding node/gpu-count "$pci_gpus GPUs on the PCI bus" "$expect_gpus" 'replace the node: a GPU fell off the bus'
    elif [ -n "$smi_gpus" ] && [ "$smi_gpus" != "$expect_gpus" ]; then
        finding node/gpu-count "$smi_gpus of $pci_gpus GPUs in nvidia-smi" "$expect_gpus" 'look for Xid errors in dmesg and replace the node'
    fi
}

# check_flavour: GPUs that take one flavour of NVIDIA's kernel modules have no driver with the other one, which is then no
# finding of its own.
check_flavour() {
    [ -n "$expect_flavour" ] && [ -n "$flavour" ] && [ "$flavour" != "$expect_flavour" ] || return 0
    wrong_flavour=yes smi_gpus=
    finding ami/driver-flavour "$flavour NVIDIA kernel modules" "the $expect_flavour ones: $expect_flavour_reason" \
        'install the driver packages of the other flavour in the image: nvidia-open and nvidia-driver-NNN-open are the open ones'
}

check_driver() {
    [ "${expect_gpus:-0}" != 0 ] && [ -z "$wrong_flavour" ] || return 0
    if [ -z "$driver" ]; then
        finding node/driver "no NVIDIA module loaded for kernel $kernel" 'a loaded driver' 'build the driver for this kernel in the image, and hold kernel and driver packages'
    elif [ -z "$smi_gpus" ]; then
        finding node/driver "nvidia-smi: $smi_error" 'nvidia-smi that lists the GPUs' 'use libraries and module of one driver version'
    elif [ -n "$smi_driver" ] && [ "$(version_compare "$driver" "$smi_driver")" != 0 ]; then
        finding node/driver "module $driver and library $smi_driver" 'one version' 'reboot the node, and hold the driver packages'
    fi
}

check_efa() {
    [ "${expect_efa_devices:-0}" != 0 ] || return 0
    if [ "$efa_devices" -lt "$expect_efa_devices" ]; then
        finding node/efa-count "$efa_devices EFA devices ($rdma_devices RDMA devices of all drivers)" "$expect_efa_devices" 'look at the interfaces of the launch template and at the efa driver in dmesg'
    elif [ -z "$efa_domains" ]; then
        finding node/efa-count 'no fi_info to list EFA domains with' "$expect_efa_devices domains" 'install the EFA installer in the image'
    elif [ "$efa_domains" -lt "$expect_efa_devices" ]; then
        finding node/efa-count "$efa_domains domains in fi_info for $efa_devices EFA devices" "$expect_efa_devices" 'use the libfabric of the EFA installer'
    fi
}

check_gdrdrv() {
    [ "$expect_gdrdrv" = yes ] || return 0
    if [ -z "$gdrdrv_loaded" ]; then
        finding node/gdrdrv 'gdrdrv is not loaded' 'a loaded gdrdrv' 'enable the service of GDRCopy'
    elif [ "$gdrdrv_device" != true ]; then
        finding node/gdrdrv 'no device /dev/gdrdrv' 'the device' 'restart the service of GDRCopy'
    elif [ -n "$gdrdrv_file" ] && [ "$gdrdrv_loaded" != "$gdrdrv_file" ]; then
        finding node/gdrdrv "gdrdrv $gdrdrv_loaded loaded, its file is $gdrdrv_file" 'one version' 'reboot the node'
    fi
}

# check_peermem: the network reads GPU memory through a peer-memory module, or by DMA-BUF, which takes the open
# NVIDIA module and a kernel that has it.
check_peermem() {
    [ "$expect_peermem" = yes ] && [ -z "$peermem$wrong_flavour" ] || return 0
    if [ "$flavour" != open ] || below "$kernel" "$expect_dmabuf_kernel"; then
        finding node/peermem "no peer-memory module, and no DMA-BUF with the ${flavour:-missing} NVIDIA module on kernel $kernel" \
            "efa_nv_peermem, or the open NVIDIA module on kernel $expect_dmabuf_kernel or later" 'install the EFA installer after the driver, or the open driver'
    fi
}

check_fabric_manager() {
    [ "$expect_fabric_manager" = yes ] || return 0
    if [ "$manager" != active ]; then
        finding node/fabric-manager "nvidia-fabricmanager is ${manager:-missing}" active 'install it in the driver version and look at its journal'
    elif printf '%s\n' "$fabric_state" | grep -qvE '^(Completed|N/A)?$'; then
        finding node/fabric-manager "fabric $(printf '%s\n' "$fabric_state" | paste -s -d , -)" Completed 'wait for the Fabric Manager, then replace the node: CUDA fails with error 802'
    fi
}

# check_memlock: jobs get what slurmd has, sessions what PAM sets.
check_memlock() {
    [ "$expect_memlock" = unlimited ] || return 0
    case $memlock_slurmd in
    '' | infinity | unlimited) ;;
    *)
        finding node/memlock "slurmd with $memlock_slurmd bytes" unlimited 'set LimitMEMLOCK=infinity in the unit of slurmd'
        return
        ;;
    esac
    case ${memlock_limits:-${memlock_slurmd:-$memlock_process}} in
    unlimited | infinity | -1) ;;
    *) finding node/memlock "${memlock_limits:-nothing} in /etc/security, ${memlock_process:-unknown} bytes at boot" unlimited 'install the EFA installer, which sets it, or add: * - memlock unlimited' ;;
    esac
}

# each_line LINES COMMAND: calls a command with the fields of each line, in this shell.
each_line() {
    while IFS='|' read -r one two three four five; do
        [ -z "$one" ] || "$2" "$one" "$two" "$three" "$four" "$five"
    done <<LINES
$1
LINES
}

# check_floor COMPONENT MIN NEED WHO: a component that has to be on the host and is not there fails; another
# one may live in a container.
check_floor() {
    version=$(installed "$1")
    if [ -z "$version" ]; then
        [ "$3" != must ] || finding ver/floor "no $1 found" "$2 or later ($4)" "install $1 in the image"
        return
    fi
    case $(version_compare "$version" "${2:-$version}") in
    -1) finding ver/floor "$1 $version" "$2 or later ($4)" "install $1 $2 or later in the image" ;;
    '') finding ver/unreadable "$1 '$version'" 'a version of a known form' "look at what the node says of $1" ;;
    esac
}

# check_denied COMPONENT FROM BELOW FIXED REASON: versions known to be bad, FROM alone where BELOW is empty.
check_denied() {
    version=$(installed "$1")
    [ -n "$version" ] || return 0
    case $(version_compare "$version" "$2") in
    0) ;;
    1) [ -n "$3" ] && below "$version" "$3" || return 0 ;;
    *) return 0 ;;
    esac
    finding ver/denied "$1 $version" "another version: $5" "install $1 $4 or later in the image"
}

# check_pair COMPONENT MIN OTHERS REASON: where a component is at or above a version, the others that the node
# has must be at or above their own: "efa-installer 1.43.3 efa-driver 2.17.3". One finding tells the fault.
check_pair() {
    version=$(installed "$1")
    [ -n "$version" ] && ! below "$version" "$2" || return 0
    pair="$1 $version" pair_reason=$4
    # shellcheck disable=SC2086 # words
    set -- $3
    while [ $# -ge 2 ]; do
        version=$(installed "$1")
        if [ -n "$version" ] && [ "$(version_compare "$version" "$2")" = -1 ]; then
            finding ver/pair "$pair with $1 $version" "$1 $2 or later: $pair_reason" "install $1 $2 or later in the image"
            return
        fi
        shift 2
    done
}

# keep FILE: the facts stay on the node, where the validation reads them.
keep() {
    mkdir -p "$root/var/lib/weft" && cp "$1" "$root/var/lib/weft/.facts.new" && mv "$root/var/lib/weft/.facts.new" "$root/var/lib/weft/facts.jsonl"
}

read_system
read_efa
read_gpus
read_fabric_manager
read_gdrcopy
read_memlock
read_storage
read_containers
print_facts >"$temporary/facts.jsonl"
cat "$temporary/facts.jsonl"
optional 'keeping the facts in /var/lib/weft' keep "$temporary/facts.jsonl"

wrong_flavour=
check_flavour
check_gpus
check_driver
check_efa
check_gdrdrv
check_peermem
check_fabric_manager
check_memlock
each_line "$expect_floors" check_floor
each_line "$expect_denied" check_denied
each_line "$expect_pairs" check_pair
[ "$findings" != 0 ] || say 'nodecheck: the node is what the plan expects'
finish
