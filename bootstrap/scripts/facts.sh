# shellcheck shell=sh disable=SC2034,SC2154 # a part: Render puts it between the version comparison and nodecheck
#
# What the node is, read and not judged. An empty value was not found.

number_of() { printf '%s\n' "$1" | grep -c . || :; }

# efa_devices: RDMA devices that the efa driver runs. The folder holds others too: the NVLink bridges of
# p6-b200 and p6-b300 are ConnectX devices.
efa_devices() {
    efas=0
    for device in "$root"/sys/class/infiniband/*; do
        driver=$(readlink "$device/device/driver") || continue
        [ "${driver##*/}" != efa ] || efas=$((efas + 1))
    done
    printf '%s\n' "$efas"
}

rdma_devices() {
    number_of "$(find "$root/sys/class/infiniband" -mindepth 1 -maxdepth 1 2>/dev/null)"
}

# efa_complete: on some types the devices appear late in the boot.
efa_complete() { [ "$(efa_devices)" -ge "${expect_efa_devices:-0}" ]; }

# loaded MODULE...: those of the modules that are loaded.
loaded() {
    for name in "$@"; do
        [ ! -d "$root/sys/module/$name" ] || echo "$name"
    done
}

read_system() {
    content "$root/sys/devices/virtual/dmi/id/product_name"
    instance_type=$line
    os=$(os_field ID)
    os_version=$(os_field VERSION_ID)
    architecture=$(uname -m)
}

read_gpus() {
    pci_gpus=$(count_gpus)
    smi_gpus='' smi_driver='' cuda_driver='' fabric_state=''
    if have nvidia-smi && smi=$(bounded 60 nvidia-smi -L 2>&1); then
        smi_gpus=$(printf '%s\n' "$smi" | grep -c '^GPU [0-9]')
        smi_driver=$(bounded 60 nvidia-smi --query-gpu=driver_version --format=csv,noheader | sort -u | head -n 1)
        cuda_driver=$(bounded 60 nvidia-smi | sed -n 's/.*CUDA Version: *\([0-9.]*\).*/\1/p' | head -n 1)
        [ "$expect_fabric_manager" != yes ] || retry 5 'the NVLink fabric is not ready' fabric_ready || :
        fabric_state=$(fabric_states)
    fi
    smi_error=''
    [ -n "$smi_gpus" ] || [ "$pci_gpus" = 0 ] || smi_error=$(clean "${smi-nvidia-smi is not there}")
    content "$root/proc/driver/nvidia/version"
    driver=$(printf '%s\n' "$line" | tr ' ' '\n' | grep -m 1 '^[0-9][0-9]*\.[0-9.]*$')
    flavour=$(driver_flavour)
    cuda_toolkit=$(sed -n '/"cuda" *:/,/}/s/.*"version" *: *"\([^"]*\)".*/\1/p' "$root/usr/local/cuda/version.json" 2>/dev/null | head -n 1)
}

# fabric_states: what nvidia-smi says of each GPU's NVLink fabric, once each.
fabric_states() {
    bounded 60 nvidia-smi -q | awk '/^ *Fabric *$/ { inside = 1; next } inside && /State *:/ { sub(/^[^:]*: */, ""); print; inside = 0 }' | sort -u
}

# fabric_ready: GPUs without a fabric of their own say N/A.
fabric_ready() { ! fabric_states | grep -qvE '^(Completed|N/A)$'; }

read_fabric_manager() {
    manager=$(bounded 30 systemctl is-active nvidia-fabricmanager 2>/dev/null | head -n 1)
    manager_version=''
    if have nv-fabricmanager; then
        manager_version=$(bounded 30 nv-fabricmanager --version 2>/dev/null | sed -n 's/.*[^0-9.]\([0-9][0-9.]*\)[^0-9]*$/\1/p' | head -n 1)
    fi
}

read_efa() {
    retry "$expect_efa_tries" 'EFA devices are missing' efa_complete || :
    efa_devices=$(efa_devices)
    rdma_devices=$(rdma_devices)
    content "$root/sys/module/efa/version"
    efa_driver=${line:-$(module efa version)}
    efa_domains='' libfabric=''
    if have fi_info; then
        efa_domains=$(bounded 60 fi_info -p efa -t FI_EP_RDM 2>/dev/null | sed -n 's/^ *domain: *//p' | sort -u | grep -c .)
        libfabric=$(bounded 60 fi_info --version 2>/dev/null | sed -n 's/^libfabric: *//p' | head -n 1)
    fi
    installed=$root/opt/amazon/efa_installed_packages
    efa_installer=$(sed -n 's/.*EFA installer version: *\([^ ]*\).*/\1/p' "$installed" 2>/dev/null | head -n 1)
    plugin_version=$(package_version libnccl-ofi libnccl-ofi)
}

read_gdrcopy() {
    gdrcopy_package=$(package_version gdrdrv-dkms gdrcopy-kmod)
    gdrdrv_file=$(module gdrdrv version)
    gdrdrv_loaded=''
    if [ -d "$root/sys/module/gdrdrv" ]; then
        content "$root/sys/module/gdrdrv/version"
        gdrdrv_loaded=${line:-unknown}
    fi
    gdrdrv_device=false
    [ ! -e "$root/dev/gdrdrv" ] || gdrdrv_device=true
    peermem=$(loaded efa_nv_peermem nvidia_peermem nv_peer_mem)
}

# limit_of ITEM: what the last line for everybody sets, as PAM reads limits.
limit_of() {
    cat "$root/etc/security/limits.conf" "$root"/etc/security/limits.d/*.conf 2>/dev/null |
        awk -v item="$1" '$1 == "*" && $3 == item && $2 ~ /^(hard|-)$/ { value = $4 } END { print value }'
}

read_memlock() {
    memlock_limits=$(limit_of memlock)
    memlock_slurmd=$(bounded 30 systemctl show --property LimitMEMLOCK --value slurmd 2>/dev/null | head -n 1)
    memlock_process=$(sed -n 's/^Max locked memory *[^ ]* *\([^ ]*\).*/\1/p' "$root/proc/self/limits" 2>/dev/null)
}

read_storage() {
    nvme_devices=$(grep -l 'Instance Storage' "$root"/sys/class/nvme/*/model 2>/dev/null | grep -c .)
    nvme_mounts=$(awk '$1 ~ /^\/dev\/(nvme|mapper\/|md)/ && $2 !~ /^\/($|boot)/ { print $2 }' "$root/proc/mounts" 2>/dev/null | sort -u)
}

read_containers() {
    enroot='' docker=''
    ! have enroot || enroot=$(bounded 30 enroot version 2>/dev/null | head -n 1)
    ! have docker || docker=$(bounded 30 docker --version 2>/dev/null | sed -n 's/^Docker version \([^ ,]*\).*/\1/p')
    pyxis=$(package_version nvslurm-plugin-pyxis nvslurm-plugin-pyxis)
    pyxis_plugin=$(find "$root/usr/local/lib/slurm" "$root/usr/lib/slurm" "$root/opt/slurm/lib/slurm" -name spank_pyxis.so 2>/dev/null | head -n 1)
    hooks=$(find "$root/etc/enroot/hooks.d" -type f 2>/dev/null | sed 's|.*/||' | sort)
}

# environment_names FILE: names of variables that have to do with the network or with CPUs; never a value.
environment_names() {
    sed -n 's/^[[:space:]]*\(export[[:space:]]\{1,\}\)\{0,1\}\([A-Za-z_][A-Za-z0-9_]*\)=.*/\2/p' "$1" 2>/dev/null |
        grep -E '^(NCCL|OFI|FI|NVSHMEM|UCX|SHARP|RDMAV|MLX5|HCOLL|OMP)_|^LD_LIBRARY_PATH$' | sort -u
}

environment_files() {
    for path in "$root"/etc/nccl.conf "$root"/etc/environment "$root"/etc/enroot/environ.d/* "$root"/etc/profile.d/*.sh; do
        [ ! -f "$path" ] || printf '%s\n' "${path#"$root"}"
    done
}

plugin_files() {
    find "$root"/opt/amazon/ofi-nccl "$root"/opt/aws-ofi-nccl -name 'libnccl-net*.so' 2>/dev/null | sort | while IFS= read -r path; do
        printf '%s\n' "${path#"$root"}"
    done
}

# gin_symbols FILE: the GIN interfaces that a plugin exports; what it was built with decides, not its version.
gin_symbols() { nm -D "$root$1" 2>/dev/null | sed -n 's/.* \(ncclGinPlugin_v[0-9]*\)$/\1/p' | sort -u; }

# Facts as JSON lines. text, count and list print one member; an empty value is null.
text() {
    case $2 in
    '') printf ',"%s":null' "$1" ;;
    *[!a-zA-Z0-9._/:+~-]*) printf ',"%s":"%s"' "$1" "$(clean "$2" | sed 's/[\\"]/\\&/g')" ;;
    *) printf ',"%s":"%s"' "$1" "$2" ;;
    esac
}

count() {
    case $2 in
    '' | *[!0-9]*) printf ',"%s":null' "$1" ;;
    *) printf ',"%s":%d' "$1" "$2" ;;
    esac
}

list() {
    if [ -z "$2" ]; then
        printf ',"%s":[]' "$1"
        return
    fi
    printf ',"%s":[' "$1"
    printf '%s\n' "$2" | sed '/^$/d; s/[\\"]/\\&/g; s/.*/"&"/' | tr -cd '\n\040-\176' | paste -s -d , - | tr -d '\n'
    printf ']'
}

fact() { printf '{"fact":"%s"%s}\n' "$1" "$2"; }

print_facts() {
    fact node ",\"schema\":1$(text instanceType "$instance_type"; text os "$os"; text osVersion "$os_version"; text kernel "$kernel"; text architecture "$architecture")"
    fact gpu "$(count pci "$pci_gpus"; count smi "$smi_gpus"; text error "$smi_error"; text driver "$driver"; text library "$smi_driver"; text flavour "$flavour"; text cuda "$cuda_driver"; text toolkit "$cuda_toolkit")"
    fact fabricManager "$(text state "$manager"; text version "$manager_version"; list fabric "$fabric_state")"
    fact efa "$(count devices "$efa_devices"; count rdma "$rdma_devices"; count domains "$efa_domains"; text driver "$efa_driver"; text installer "$efa_installer"; text libfabric "$libfabric"; text plugin "$plugin_version")"
    plugin_files | while IFS= read -r path; do
        fact plugin "$(text file "$path"; list gin "$(gin_symbols "$path")")"
    done
    fact gdrcopy "$(text package "$gdrcopy_package"; text module "$gdrdrv_file"; text loaded "$gdrdrv_loaded"; text flavour "$(gdrdrv_flavour)"),\"device\":$gdrdrv_device$(list peermem "$peermem")"
    fact memlock "$(text limits "$memlock_limits"; text slurmd "$memlock_slurmd"; text process "$memlock_process")"
    fact nvme "$(count devices "$nvme_devices"; list mounts "$nvme_mounts")"
    fact containers "$(text enroot "$enroot"; text pyxis "$pyxis"; text pyxisPlugin "${pyxis_plugin#"$root"}"; text docker "$docker"; list hooks "$hooks")"
    environment_files | while IFS= read -r path; do
        names=$(environment_names "$root$path")
        [ -z "$names" ] || fact environment "$(text file "$path"; list names "$names")"
    done
}
