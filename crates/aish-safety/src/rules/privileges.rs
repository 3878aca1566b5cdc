//! Users, groups, rights, keys, security modules.

use super::rule::Effect::{Permission, System, Unprotect, Write};
use super::rule::{Rule, ask, halt};

/// The family.
pub const RULES: &[Rule] = &[
    halt("privileges.chmod-open", Permission, "chmod %mode-open -R|--recursive", "opens {targets} to everybody, recursively", &["chmod -R 777 /etc", "chmod -R a+w ."], &["chmod -R 755 public"]),
    halt("privileges.chmod-open-system", Permission, "chmod %mode-open %system|home|root|dotfile|device|access|secret", "opens {targets} to everybody", &["chmod 777 /etc/passwd", "chmod 666 ~/.ssh/id_rsa"], &["chmod 777 x.sh"]),
    halt("privileges.chmod-system", Permission, "chmod -R|--recursive %system|home|root|wide", "changes the rights of {targets} recursively", &["chmod -R 755 /usr", "chmod -R 700 /"], &["chmod -R 755 public"]),
    halt("privileges.chmod-config", Permission, "chmod|setfacl|chattr|chcon %config|root", "changes the rights of {targets}", &["chmod a-x /bin/chmod", "chmod 644 /etc/shadow"], &["chmod +x x.sh"]),
    halt("privileges.chmod-shut", Permission, "chmod %mode-shut -R|--recursive|%wide|home|dotfile|system", "takes the rights over {targets} away", &["chmod -R 000 .", "chmod 000 ~"], &["chmod +x x.sh"]),
    halt("privileges.chmod-suid", Permission, "chmod %mode-suid", "lets everybody run {targets} with its owner's rights", &["chmod u+s /tmp/sh", "chmod 4755 x"], &["chmod 755 x"]),
    halt("privileges.chown-recursive", Permission, "chown|chgrp -R|--recursive %system|home|root|wide", "gives {targets} to another user, recursively", &["chown -R nobody /usr", "chown -R root:root ~"], &["chown -R ana:ana public"]),
    halt("privileges.chown-config", Permission, "chown|chgrp %config|root|access|device", "gives {targets} to another user", &["chown ana /etc/shadow"], &["chown ana x"]),
    halt("privileges.setfacl", Permission, "setfacl -b|--remove-all|-R|--recursive|--restore|-k", "changes access lists widely", &["setfacl -R -b /srv", "setfacl -Rm o::rwx /srv"], &["setfacl -m u:ana:r x"]),
    halt("privileges.chattr", Unprotect, "chattr %is:-i|-a|-R|-ia|-ai !%is:+*", "takes the write protection off {targets}", &["chattr -- -i x"], &["chattr +i x"]),
    halt("privileges.chattr-option", Unprotect, "chattr -i|-a|-R", "takes write protection off {targets}", &["chattr -i /etc/passwd", "chattr -R +i /etc"], &["chattr +i x"]),
    halt("privileges.setcap", Permission, "setcap|setpcaps cap_*|*=*ep|*+ep|-r|%some", "gives a program rights of the system", &["setcap cap_setuid+ep x"], &["getcap x"]),
    ask("privileges.chmod", Permission, "chmod|chown|chgrp|setfacl|chcon|restorecon|chattr|lchown|xattr|icacls|takeown|cacls", "changes rights: {targets}", &["chmod +x x.sh", "chown ana x"], &[]),
    halt("privileges.user-delete", System, "userdel|deluser|groupdel|delgroup|sysadminctl|dscl|pw|luserdel|lgroupdel|homectl|smbpasswd|pdbedit %some", "deletes the user or group {targets}", &["userdel -r deploy", "delgroup x"], &[]),
    halt("privileges.user-root", Permission, "useradd|adduser|usermod|groupmod -u=0|-o|--uid=0|--non-unique|-g=0|-G=*sudo*|-G=*wheel*|-G=*root*|-G=*docker*|-aG=*|-G=*admin*|--groups=*sudo*|--groups=*wheel*", "gives a user the rights of root", &["useradd -o -u 0 x", "usermod -aG sudo x"], &["useradd x"]),
    halt("privileges.user-group", Permission, "adduser|gpasswd|addgroup|newusers * sudo|wheel|root|admin|docker|disk|shadow|lxd", "gives a user the rights of root", &["adduser ana sudo"], &["adduser ana"]),
    halt("privileges.user-lock", System, "usermod|chage|passwd|chsh|chfn|gpasswd|faillock|vipw|pwconv -L|--lock|-l|-d|--delete|-e|--expire|-E=0|-E|--expiredate|-s=*nologin|-s=/bin/false|-p|-m|-r|-R|-u|--unlock|-M|--reset", "locks, empties or changes the account {targets}", &["passwd -d root", "usermod -L ana", "chage -E 0 ana", "chsh -s /bin/false ana"], &["passwd -S ana"]),
    halt("privileges.password-pipe", Permission, "passwd|chpasswd|newusers|smbpasswd|kpasswd <any", "sets passwords", &["echo root:x | chpasswd"], &["passwd"]),
    halt("privileges.group-remove", System, "gpasswd|groupmod|groupmems -d|-r|--delete|--remove-password|-p|--purge|-M|-A", "takes users out of a group", &["gpasswd -d ana sudo"], &["gpasswd x"]),
    halt("privileges.password-root", Permission, "passwd root", "changes the password of root", &["passwd root"], &["passwd"]),
    ask("privileges.user", System, "useradd|adduser|usermod|groupadd|addgroup|groupmod|passwd|chage|chsh|chfn|newgrp|chpasswd|gpasswd|smbpasswd", "changes users or groups: {targets}", &["useradd x", "passwd"], &[]),
    halt("privileges.selinux", Unprotect, "setenforce|setsebool|semanage|semodule|aa-disable|aa-teardown|aa-complain|apparmor_parser|aa-remove-unknown|auditctl|csrutil|spctl 0|Permissive|permissive|%some|-R|-D|-e|disable|--master-disable|-r|-d", "weakens the system's protection", &["setenforce 0", "auditctl -D", "csrutil disable", "aa-disable /usr/bin/x"], &["csrutil status-none"]),
    halt("privileges.audit-off", Unprotect, "auditctl|spctl|semodule -D|-e=0|--master-disable|-d|-r|-B|-R|--global-disable", "switches records or protection off", &["auditctl -e 0"], &["auditctl -l"]),
    halt("privileges.sysctl", System, "sysctl -w|--write|-p|--load|--system", "changes settings of the kernel", &["sysctl -w kernel.panic=1"], &["sysctl kernel.hostname"]),
    halt("privileges.sysctl-plain", System, "sysctl *=*", "changes settings of the kernel", &["sysctl vm.swappiness=1"], &["sysctl kernel.hostname"]),
    halt("privileges.kernel-module", System, "insmod|rmmod|modprobe|kexec|depmod|dkms|kmod|kldunload|kldload|kextload|kextunload|livepatch %some|-r|-l|-e|--remove|-f|--force", "changes the running kernel", &["rmmod ext4", "insmod evil.ko", "kexec -e"], &["modprobe"]),
    halt("privileges.ssh-copy-id", Permission, "ssh-copy-id", "lets a key into another machine", &["ssh-copy-id host"], &[]),
    halt("privileges.pam", System, "pam-auth-update|authconfig|authselect|update-ca-certificates|trust|update-crypto-policies|realm|net|ipa-client-install|ipa-getkeytab|alternatives|update-alternatives ** --force|disable|anchor|--remove|remove|--remove-all|--fresh|select|leave|--set|--uninstall", "changes how users are let in or which programs run", &["authselect disable-feature x --force", "realm leave"], &["realm list"]),
    halt("privileges.pam-options", System, "pam-auth-update|authconfig|trust|alternatives|update-alternatives|update-ca-certificates|authselect|ipa-client-install --force|--remove|--remove-all|--fresh|--uninstall|--set", "changes how users are let in or which programs run", &["pam-auth-update --force", "update-alternatives --remove-all editor"], &["update-alternatives --list editor"]),
    halt("privileges.visudo-file", Permission, "visudo|vipw|vigr -f|-q|-s <any", "changes who is root", &["echo x | visudo -f /etc/sudoers.d/x"], &["visudo -c"]),
    ask("privileges.key", Write, "ssh-keygen|ssh-add|gpg|gpg2|gpgconf|keytool|openssl|certutil|pwgen|htpasswd|certbot|mkcert|step|kinit|ssh-agent|age-keygen|security|trust|update-ca-certificates|update-alternatives|visudo", "works on keys or certificates", &["ssh-keygen -t ed25519", "openssl genrsa"], &[]),
];
