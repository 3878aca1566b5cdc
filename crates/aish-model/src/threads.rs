//! How many threads compute: as many as there are physical cores, for two on one core wait for each other.

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, thread};

/// Returns the number of physical cores that this process may use, at least 1.
pub(crate) fn physical_cores() -> u32 {
    let allowed = thread::available_parallelism().map_or(1, |count| count.get());
    let cores = count_cores(Path::new("/sys/devices/system/cpu")).unwrap_or(allowed);
    u32::try_from(cores.min(allowed).max(1)).unwrap_or(1)
}

/// Counts the distinct sets of sibling threads that Linux tells of; none where it tells of none.
fn count_cores(root: &Path) -> Option<usize> {
    let cores: BTreeSet<String> = fs::read_dir(root)
        .ok()?
        .flatten()
        .filter_map(|entry| fs::read_to_string(entry.path().join("topology/thread_siblings_list")).ok())
        .collect();
    (!cores.is_empty()).then_some(cores.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn siblings_are_one_core() {
        let root = std::env::temp_dir().join(format!("aish-model-cores-{}", std::process::id()));
        for (cpu, siblings) in [("cpu0", "0,2\n"), ("cpu1", "1,3\n"), ("cpu2", "0,2\n"), ("cpu3", "1,3\n")] {
            let folder = root.join(cpu).join("topology");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("thread_siblings_list"), siblings).unwrap();
        }
        fs::create_dir_all(root.join("cpufreq")).unwrap();
        assert_eq!(count_cores(&root), Some(2));
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(count_cores(&root), None);
    }
}
