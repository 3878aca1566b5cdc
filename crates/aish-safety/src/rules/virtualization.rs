//! Virtual machines and system containers.

use super::rule::Effect::{DeleteRemote, Stop, System};
use super::rule::{Rule, allow, ask, halt};

/// The family.
pub const RULES: &[Rule] = &[
    halt(
        "virtualization.virsh",
        DeleteRemote,
        "virsh ** destroy|undefine|shutdown|reboot|reset|vol-delete|vol-wipe|pool-delete|pool-destroy|pool-undefine|net-destroy|net-undefine|snapshot-delete|snapshot-revert|detach-disk|detach-device|blockcommit|managedsave-remove|iface-destroy|nwfilter-undefine|secret-undefine|checkpoint-delete",
        "stops or deletes the virtual machine {targets}",
        &["virsh undefine web --remove-all-storage", "virsh destroy web"],
        &["virsh list --all"],
    ),
    halt(
        "virtualization.kubernetes-uninstall",
        DeleteRemote,
        "k3s-uninstall.sh|k3s-agent-uninstall.sh|rke2-uninstall.sh|microk8s.reset|k0s-uninstall.sh|uninstall.sh|nvm-uninstall.sh|docker-uninstall.sh !-h|--help",
        "takes a cluster or a program off this machine with its data",
        &["k3s-uninstall.sh", "/usr/local/bin/k3s-uninstall.sh"],
        &["k3s-uninstall.sh --help"],
    ),
    halt(
        "virtualization.vbox",
        DeleteRemote,
        "VBoxManage|vboxmanage|prlctl|vmrun|utmctl|tart|vmctl|xl|xe|qm|pct|pvesm|pvecm|bhyvectl|vm-bhyve|iocage|bastille|ezjail-admin|jail|govc|esxcli|vim-cmd|ovirt-shell|onevm ** unregistervm|--delete|delete|destroy|poweroff|reset|closemedium|discardstate|deleteVM|stop|shutdown|free|delnode|*.destroy|*-destroy|*-uninstall|vm-uninstall|rollback|delsnapshot|rm|remove|vmsvc/destroy|system|vm.power|datastore.rm|snapshot.remove|terminate|unlink|expel",
        "stops or deletes the virtual machine {targets}",
        &["VBoxManage unregistervm web --delete", "qm destroy 100 --purge", "govc vm.destroy web", "xl destroy web"],
        &["VBoxManage list vms", "qm list"],
    ),
    halt(
        "virtualization.lxc",
        DeleteRemote,
        "lxc|incus|lxc-destroy|lxc-stop|multipass|limactl|orb|orbctl ** delete|rm|stop|purge|restore|detach|remove",
        "stops or deletes the container {targets}",
        &["lxc delete -f c1", "incus rm c1"],
        &["lxc list"],
    ),
    halt(
        "virtualization.lxc-old",
        DeleteRemote,
        "lxc-destroy|lxc-stop|lxc-snapshot %some|-n|--name|-d|-r",
        "stops or deletes the container {targets}",
        &["lxc-destroy -n c1"],
        &["lxc-ls"],
    ),
    halt(
        "virtualization.machinectl",
        Stop,
        "machinectl terminate|kill|poweroff|reboot|remove|clean|stop",
        "stops or deletes the machine {targets}",
        &["machinectl remove c1"],
        &["machinectl list"],
    ),
    halt(
        "virtualization.wsl",
        DeleteRemote,
        "wsl|wsl.exe --unregister|--shutdown|--terminate|-t|--uninstall",
        "deletes or stops a Linux system",
        &["wsl --unregister Ubuntu"],
        &["wsl --list"],
    ),
    halt(
        "virtualization.adb",
        DeleteRemote,
        "adb|idevicerestore|heimdall ** uninstall|reboot|wipe|format|sideload|erase|remount|disable-verity|factory-reset|recovery",
        "changes or wipes a device",
        &["adb uninstall x", "adb reboot recovery"],
        &["adb devices"],
    ),
    allow(
        "virtualization.read",
        "virsh|VBoxManage|vboxmanage|lxc|incus|qm|pct|multipass|machinectl|vagrant|xl|limactl|adb|govc|lxc-ls|prlctl list|dominfo|info|ls|show|status|version|domstate|showvminfo|vcpuinfo|nodeinfo|net-list|pool-list|vol-list|global-status|devices|dumpxml|snapshot-list|vm.info|about",
        "shows virtual machines",
        &["virsh list --all", "vagrant status"],
        &["virsh destroy x"],
    ),
    ask(
        "virtualization.other",
        System,
        "virsh|VBoxManage|vboxmanage|lxc|incus|qm|pct|multipass|machinectl|vagrant|xl|xe|limactl|adb|govc|virt-install|qemu-system-x86_64|qemu-img|prlctl|vmrun|wsl|wsl.exe|esxcli|systemd-nspawn|lxc-create|lxc-start|tart",
        "works on virtual machines",
        &["virsh start web", "vagrant up"],
        &[],
    ),
];
