//! What a confined run sees: everything read-only, its roots under an overlay, private folders, secrets covered.
//!
//! Order: what is needed from the old view is taken as detached mounts (overlays, devices, what stays shown); then all is
//! made read-only; then private folders, roots, and covers are put over it, parents before what lies in them.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, fsconfig_create,
    fsconfig_set_flag, fsconfig_set_string, fsmount, fsopen, mount_change, move_mount, open_tree,
};

use crate::covers::Covers;
use crate::plan::{Network, Plan, Root};
use crate::set_up_error::SetUpError;
use crate::sys;

/// Where private folders are made before they are in their places.
const SCRATCH: &str = "/tmp";

/// Devices that a command may have.
pub(crate) const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];

/// Links of `/dev`.
const LINKS: &[(&str, &str)] = &[
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];

pub(crate) fn at<T>(what: impl std::fmt::Display, done: Result<T, impl Into<io::Error>>) -> Result<T, SetUpError> {
    done.map_err(SetUpError::at(what))
}

/// A mount that is in no folder yet, and where it goes.
struct Detached {
    mount: OwnedFd,
    to: PathBuf,
}

/// Builds the view for this process, which must be alone in a mount name space of its own.
///
/// `orders` returns sockets and FIFOs that are covered where they can be seen; it is asked at the end.
pub(crate) fn build(
    plan: &Plan,
    orders: impl FnOnce() -> Result<Vec<PathBuf>, SetUpError>,
) -> Result<Covers, SetUpError> {
    at("separate mounts", mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE))?;
    let private = private_folders();
    let mounts = mounts()?;
    let mut placed = plan.roots.iter().map(|root| layer_over(root, &mounts)).collect::<Result<Vec<_>, _>>()?;
    // They belong to the whole machine: written to, and never changed.
    let devices = take(DEVICES.iter().map(|name| Path::new("/dev").join(name)))?;
    let is_covered = |path: &Path| private.iter().chain(&plan.hidden).any(|folder| path.starts_with(folder));
    // What lies in a root is seen through its layer.
    let in_root = |path: &Path| plan.roots.iter().any(|root| path.starts_with(&root.path));
    let shown: Vec<PathBuf> = plan.shown.iter().filter(|path| is_covered(path) && !in_root(path)).cloned().collect();
    placed.extend(take(shown)?);
    // The folder and the roots lie below a private folder, or are what is worked on: they are never covered.
    if is_covered(&plan.folder) && !in_root(&plan.folder) {
        placed.extend(take([plan.folder.clone()])?);
    }
    let all = MountAttrFlags::MOUNT_ATTR_RDONLY | MountAttrFlags::MOUNT_ATTR_NOSUID;
    at("make all read-only", sys::set_mount_attributes(CWD, c"/", u64::from(all.bits())))?;

    scratch(plan)?;
    let inner = |name: &str| Path::new(SCRATCH).join(name);
    let clone = |name: &str| clone_of(&inner(name), OpenTreeFlags::empty());
    let (temporary, run, shared) = (clone("tmp")?, clone("run")?, clone("shm")?);
    let device = clone("dev")?;
    read_only(&device)?;
    let resolver = clone_of(&inner("resolv.conf"), OpenTreeFlags::empty())?;
    read_only(&resolver)?;
    // Covers are taken before the folder that they lie in goes out of sight.
    let mut covers = Covers::of(plan, &private, inner)?;
    // An open descriptor of each private folder is not enough to make folders in it: they are put in place first.
    attach(&device, Path::new("/dev"))?;
    for device in &devices {
        attach(&device.mount, &device.to)?;
    }
    attach(&shared, Path::new("/dev/shm"))?;
    at("a terminal folder", terminals())?;
    if Path::new("/run").is_dir() {
        attach(&run, Path::new("/run"))?;
    }
    if Path::new("/var/tmp").is_dir() {
        attach(&clone("vartmp")?, Path::new("/var/tmp"))?;
    }
    attach(&temporary, Path::new("/tmp"))?;
    processes(plan)?;
    placed.sort_by_key(|detached| detached.to.as_os_str().len());
    for detached in &placed {
        place(detached, &private)?;
    }
    covers.add_orders(plan, orders()?);
    covers.put()?;
    if plan.network == Network::Loopback
        && let Ok(settings) = fs::canonicalize("/etc/resolv.conf")
    {
        attach(&resolver, &settings)?;
    }
    Ok(covers)
}

/// Folders that are empty at the start of a run and gone at its end.
fn private_folders() -> Vec<PathBuf> {
    ["/tmp", "/var/tmp", "/dev", "/run"].map(PathBuf::from).into()
}

/// Makes an overlay; its folders are named by descriptors, so that no byte of a path has a meaning.
fn overlay(root: &Root) -> Result<OwnedFd, SetUpError> {
    let open = |path: &Path| {
        let opened = rustix::fs::open(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
        at(path.display(), opened)
    };
    let context = at("overlayfs", fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC))?;
    let folders = [("lowerdir", open(&root.path)?), ("upperdir", open(&root.upper)?), ("workdir", open(&root.work)?)];
    for (key, folder) in &folders {
        use std::os::fd::AsRawFd as _;
        let path = format!("/proc/self/fd/{}", folder.as_raw_fd());
        if let Err(error) = fsconfig_set_string(context.as_fd(), *key, path) {
            return Err(no_layer(root, error.into(), &context));
        }
    }
    at("userxattr", fsconfig_set_flag(context.as_fd(), "userxattr"))?;
    // Keeping syncs once; an overlay that does it at its end costs a commit of the whole file system (30 ms).
    let _ = fsconfig_set_flag(context.as_fd(), "volatile");
    if let Err(error) = fsconfig_create(context.as_fd()) {
        return Err(no_layer(root, error.into(), &context));
    }
    // Times of access tell copies of the tree's files from new ones, so that reading must not change them.
    let attributes =
        MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV | MountAttrFlags::MOUNT_ATTR_NOATIME;
    at("mount the layer", fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes))
}

/// Says why the kernel makes no layer over a root, with what it says itself, and what can be done.
fn no_layer(root: &Root, error: io::Error, context: &OwnedFd) -> SetUpError {
    const OVERLAY: rustix::fs::FsWord = 0x794c_7630;
    let is_overlay = |path: &Path| rustix::fs::statfs(path).is_ok_and(|stat| stat.f_type == OVERLAY);
    let mut why = format!("a layer over {}: {error}", root.path.display());
    let mut said = [0; 1024];
    while let Ok(length @ 1..) = rustix::io::read(context, &mut said) {
        let line = String::from_utf8_lossy(said.get(..length).unwrap_or_default());
        why.push_str(&format!("; {}", line.trim_start_matches(['e', 'w', 'i', ' ']).trim_end()));
    }
    if is_overlay(&root.upper) {
        why.push_str(
            "; the folder of layers lies on an overlay itself, as in a container: let XDG_STATE_HOME name a \
                      folder of another file system (a volume, or below /dev/shm)",
        );
    }
    SetUpError::unfit(why)
}

/// Lists where mounts are.
fn mounts() -> Result<Vec<PathBuf>, SetUpError> {
    let table = at("the table of mounts", sys::read_table(Path::new("/proc/self/mountinfo")))?;
    let lines = table.split(|byte| *byte == b'\n');
    Ok(lines.filter_map(|line| line.split(|byte| *byte == b' ').nth(4).map(unescape)).collect())
}

/// Reads a path of the table of mounts: blanks, tabs, line ends and backslashes are `\ooo`.
pub(crate) fn unescape(field: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    let mut out = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let code = (*first == b'\\').then(|| after.get(..3)).flatten();
        let value = code.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        match value {
            Some(value) => {
                out.push(value);
                rest = after.get(3..).unwrap_or_default();
            }
            None => {
                out.push(*first);
                rest = after;
            }
        }
    }
    std::ffi::OsString::from_vec(out).into()
}

/// Makes the layer over a tree. There must be no mounts in it: what one covers belongs to another name space, so that the kernel
/// makes no overlay there.
fn layer_over(root: &Root, mounts: &[PathBuf]) -> Result<Detached, SetUpError> {
    if let Some(inner) = mounts.iter().find(|path| **path != root.path && path.starts_with(&root.path)) {
        let inner = inner.display();
        return Err(SetUpError::unfit(format!(
            "{inner} is another mount, and no layer can be made over a tree with mounts in it; \
             unmount it, or work in a folder beside it"
        )));
    }
    Ok(Detached { mount: overlay(root)?, to: root.path.clone() })
}

/// Takes copies of the mounts at paths that can only be read; what is missing is left out.
fn take(paths: impl IntoIterator<Item = PathBuf>) -> Result<Vec<Detached>, SetUpError> {
    let mut taken = Vec::new();
    for path in paths {
        if !path.exists() {
            continue;
        }
        let mount = clone_of(&path, OpenTreeFlags::AT_RECURSIVE)?;
        read_only(&mount)?;
        taken.push(Detached { mount, to: path });
    }
    Ok(taken)
}

/// Takes a copy of the mount at a path, and with `AT_RECURSIVE` of those below it.
fn clone_of(path: &Path, below: OpenTreeFlags) -> Result<OwnedFd, SetUpError> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | below;
    at(path.display(), open_tree(CWD, path, flags))
}

pub(crate) fn read_only(mount: &OwnedFd) -> Result<(), SetUpError> {
    let attributes = MountAttrFlags::MOUNT_ATTR_RDONLY | MountAttrFlags::MOUNT_ATTR_NOSUID;
    at("make a mount read-only", sys::set_mount_attributes(mount.as_fd(), c"", u64::from(attributes.bits())))
}

pub(crate) fn attach(mount: &OwnedFd, to: &Path) -> Result<(), SetUpError> {
    at(to.display(), move_mount(mount.as_fd(), "", CWD, to, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH))
}

/// Puts a mount in its place; below a private folder that place is made first.
fn place(detached: &Detached, private: &[PathBuf]) -> Result<(), SetUpError> {
    let to = &detached.to;
    if to.symlink_metadata().is_err() && private.iter().any(|folder| to.starts_with(folder)) {
        let is_folder = at(to.display(), rustix::fs::fstat(&detached.mount))?.st_mode & 0o170_000 == 0o040_000;
        if is_folder {
            at(to.display(), fs::create_dir_all(to))?;
        } else {
            at(to.display(), to.parent().map_or(Ok(()), fs::create_dir_all))?;
            at(to.display(), fs::write(to, ""))?;
        }
    }
    attach(&detached.mount, to)
}

/// Makes one temporary file system that all private folders and covers are parts of.
fn scratch(plan: &Plan) -> Result<(), SetUpError> {
    let context = at("a temporary file system", fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC))?;
    let options = [
        ("size", plan.limits.scratch_bytes.to_string()),
        ("nr_inodes", "262144".to_owned()),
        ("mode", "755".to_owned()),
    ];
    for (key, value) in options {
        at(key, fsconfig_set_string(context.as_fd(), key, value))?;
    }
    at("a temporary file system", fsconfig_create(context.as_fd()))?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
    let mount = at("a temporary file system", fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes))?;
    attach(&mount, Path::new(SCRATCH))?;
    let inner = |name: &str| Path::new(SCRATCH).join(name);
    let fill = || -> io::Result<()> {
        for (name, mode) in [
            ("tmp", 0o1777),
            ("vartmp", 0o1777),
            ("shm", 0o1777),
            ("run", 0o755),
            ("dev", 0o755),
            ("empty-folder", 0o555),
        ] {
            fs::create_dir(inner(name))?;
            fs::set_permissions(inner(name), fs::Permissions::from_mode(mode))?;
        }
        fs::write(inner("empty-file"), "")?;
        fs::set_permissions(inner("empty-file"), fs::Permissions::from_mode(0o444))?;
        fs::write(inner("locked-file"), "")?;
        fs::set_permissions(inner("locked-file"), fs::Permissions::from_mode(0o0))?;
        fs::write(inner("resolv.conf"), "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")?;
        for name in ["pts", "shm"] {
            fs::create_dir(inner("dev").join(name))?;
        }
        for name in DEVICES {
            fs::write(inner("dev").join(name), "")?;
        }
        LINKS.iter().try_for_each(|(name, target)| symlink(target, inner("dev").join(name)))
    };
    at("private folders", fill())
}

/// Gives the run terminals of its own.
fn terminals() -> Result<(), io::Error> {
    let context = fsopen("devpts", FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (key, value) in [("mode", "0620"), ("ptmxmode", "0666")] {
        fsconfig_set_string(context.as_fd(), key, value)?;
    }
    fsconfig_create(context.as_fd())?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    let mount = fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes)?;
    move_mount(mount.as_fd(), "", CWD, "/dev/pts", MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    Ok(())
}

/// Gives the run a table of its own processes. All of it is read-only: for uid 0 much of it would act on the machine.
fn processes(plan: &Plan) -> Result<(), SetUpError> {
    let context = at("a process table", fsopen("proc", FsOpenFlags::FSOPEN_CLOEXEC))?;
    at("a process table", fsconfig_create(context.as_fd()))?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
    let mount = at("a process table", fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes))?;
    attach(&mount, Path::new("/proc"))?;
    // The limit of processes does not count for root; since Linux 6.14 a process name space has one of its own.
    if let Ok(text) = fs::read_to_string("/proc/sys/kernel/pid_max")
        && text.trim().parse::<u64>().is_ok_and(|most| most > plan.limits.processes)
        && rustix::process::geteuid().is_root()
        && has_own_pid_limit()
    {
        let _ = fs::write("/proc/sys/kernel/pid_max", plan.limits.processes.max(512).to_string());
    }
    read_only(&mount)
}

/// Says whether the number that is written is the name space's own: before Linux 6.14 it is the machine's.
fn has_own_pid_limit() -> bool {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    let mut numbers = release.split(|letter: char| !letter.is_ascii_digit()).map_while(|part| part.parse::<u32>().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (6, 14)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_table_are_read() {
        assert_eq!(unescape(b"/a\\040b\\134c"), PathBuf::from("/a b\\c"));
        assert_eq!(unescape(b"/a\\"), PathBuf::from("/a\\"));
        assert_eq!(unescape(b"/\\999"), PathBuf::from("/\\999"));
    }
}
