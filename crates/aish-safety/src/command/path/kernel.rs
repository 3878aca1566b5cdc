//! What the kernel shows as files: what of it is known to be harmless. The memory and the environment of processes, keys that
//! are pressed, disks and what acts when it is opened lie there too; what is not listed here is asked about.

use aish_programs::words::kernel_places::{
    DEVICE_FOLDERS, DEVICES, ELSEWHERE, OF_A_PROCESS, OF_SYS, OF_SYS_FIRMWARE, OF_SYS_KERNEL, OF_THE_MACHINE,
};

use super::glob_match;

/// Says whether a plain absolute path leads to something of the kernel's that is not known to be harmless to read, or may do
/// so. The folders that hold such a thing are among them: a program may read all that is below.
pub(crate) fn is_shut(path: &str) -> bool {
    let mut parts = path.strip_prefix('/').unwrap_or_default().split('/');
    let first = parts.next().unwrap_or_default();
    let rest: [Option<&str>; 3] = [parts.next(), parts.next(), parts.next()];
    match first {
        "dev" => match rest[0] {
            Some(name) => !(DEVICES.contains(&name) && rest[1].is_none() || DEVICE_FOLDERS.contains(&name)),
            None => true,
        },
        "proc" => rest[0].is_none_or(|name| !OF_THE_MACHINE.contains(&name) && is_shut_process(path)),
        "sys" => match rest {
            [None, ..] => false,
            [Some("kernel"), below, _] => below.is_some_and(|name| !OF_SYS_KERNEL.contains(&name)),
            [Some("firmware"), below, _] => below.is_some_and(|name| !OF_SYS_FIRMWARE.contains(&name)),
            [Some(name), ..] => !OF_SYS.contains(&name),
        },
        _ => is_pattern_of(first) && (first != "*" || rest[0].is_some()),
    }
}

/// The same for a path below `/proc` whose next part is a process, or is not known.
fn is_shut_process(path: &str) -> bool {
    let is_own = ["/proc/self/", "/proc/thread-self/"].iter().any(|own| path.starts_with(own));
    let mut parts = path.split('/').skip(3).peekable();
    if parts.peek() == Some(&"task") {
        parts.next();
        parts.next();
    }
    let Some(name) = parts.next() else { return true };
    if ELSEWHERE.contains(&name) {
        let mut there = alloc::string::String::new();
        parts.for_each(|part| {
            there.push('/');
            there.push_str(part);
        });
        return name == "root" && is_shut(&there);
    }
    !(OF_A_PROCESS.contains(&name) || is_own && name == "fd")
}

/// Says whether the first part of a path is a pattern that means one of these folders: `/pro?/kcore`.
fn is_pattern_of(first: &str) -> bool {
    first.contains(['*', '?', '[']) && ["dev", "proc"].iter().any(|folder| glob_match(first, folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_gives_nothing_away_is_open() {
        for path in "/dev/null /dev/urandom /dev/fd/3 /dev/shm/x /dev/pts/0 /proc/cpuinfo /proc/net/tcp /proc/sys/kernel/hostname \
            /proc/self/status /proc/self/fd/3 /proc/1/task/1/stat /proc/*/comm /proc/self/mounts /proc/self/cwd/src \
            /proc/self/root/etc/hosts /sys /sys/class/net/eth0/address /sys/kernel/mm/transparent_hugepage/enabled \
            /usr/share/dict/words /etc/hosts / /* dev/x"
            .split(' ')
        {
            assert!(!is_shut(path), "{path}");
        }
    }

    #[test]
    fn everything_else_is_shut() {
        for path in
            "/dev /dev/mem /dev/sda1 /dev/input/event0 /dev/watchdog /dev/null/x /dev/* /*/kcore /de?/mem /proc \
            /proc/kcore /proc/k* /proc/keys /proc/1 /proc/1/mem /proc/*/environ /proc/1/task/2/environ /proc/1/fd/3 \
            /proc/self/root/proc/kcore /proc/1/new /sys/kernel/debug/x /sys/kernel/tracing/trace_pipe \
            /sys/firmware/efi/efivars/x /pro[c]/kcore"
                .split(' ')
        {
            assert!(is_shut(path), "{path}");
        }
    }
}
