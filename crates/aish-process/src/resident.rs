//! What of this process is kept in memory.

use std::ffi::c_void;

/// Gives back the pages of the program's own code and constants, and returns how many bytes they span.
///
/// A start runs through code that is not run again: options, configuration, tables. The kernel keeps its pages mapped, with
/// their neighbours, until memory is short. What is needed later is mapped again from the page cache when it is called,
/// some microseconds for each 64 KiB. Does nothing where `/proc` does not tell what is mapped.
pub fn release_code() -> usize {
    let Ok(program) = std::fs::read_link("/proc/self/exe") else { return 0 };
    let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else { return 0 };
    let program = program.display().to_string();
    maps.lines().filter_map(|line| unwritten(&program, line)).map(|(start, length)| release(start, length)).sum()
}

/// Lets all threads share one heap: for a program whose threads wait nearly all the time, where a heap for each costs
/// system calls at its start and pages for good. To be called before the first thread is started.
pub fn share_heap() {
    #[cfg(target_env = "gnu")]
    share_arena();
}

#[cfg(target_env = "gnu")]
#[expect(unsafe_code, reason = "the allocator's settings have no safe wrapper in our dependencies")]
fn share_arena() {
    // SAFETY: it takes two numbers and sets one limit of the allocator.
    let done = unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    if done == 0 {
        tracing::debug!("the allocator keeps a heap for each thread");
    }
}

/// Reads a line of `/proc/self/maps`: start and length of the mapping, when it is the program's and was never written to.
///
/// Those are its code and what its file begins with, headers and constants. A later mapping that can only be read may hold
/// what the loader relocated before it was closed for writing.
fn unwritten(program: &str, line: &str) -> Option<(usize, usize)> {
    let mut fields = line.split_ascii_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    let start = usize::from_str_radix(start, 16).ok()?;
    let length = usize::from_str_radix(end, 16).ok()?.checked_sub(start)?;
    let access = fields.next()?;
    let at_front = u64::from_str_radix(fields.next()?, 16).ok()? == 0;
    // The path is the rest of the line, spaces and all.
    let ours = line.ends_with(&format!(" {program}"));
    (ours && (access == "r-xp" || access == "r--p" && at_front)).then_some((start, length))
}

#[expect(unsafe_code, reason = "advice about mapped memory has no safe wrapper in our dependencies")]
fn release(start: usize, length: usize) -> usize {
    let address = std::ptr::with_exposed_provenance_mut::<c_void>(start);
    // SAFETY: the range is one mapping of the program's file that was never open for writing, so that its
    // pages are the file's own; a page that is given back is mapped from the file again when it is touched.
    let done = unsafe { libc::madvise(address, length, libc::MADV_DONTNEED) };
    if done == 0 { length } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_never_written_is_told() {
        let line = "55bcbc0cd000-55bcbdb3b000 r-xp 00c82000 fe:00 326426                     /opt/my tools/aish";
        assert_eq!(unwritten("/opt/my tools/aish", line), Some((0x55bc_bc0c_d000, 0x1a6_e000)));
        assert_eq!(unwritten("tools/aish", &line.replace("r-xp", "r--p")), None);
        assert_eq!(unwritten("/usr/bin/other", line), None);
        assert_eq!(unwritten("/opt/my tools/aish", "55bcbc0cd000-55bcbdb3b000 r-xp 00000000 00:00 0 "), None);
        let front = "55bcbb44b000-55bcbc0cd000 r--p 00000000 fe:00 326426                     /opt/my tools/aish";
        assert_eq!(unwritten("/opt/my tools/aish", front), Some((0x55bc_bb44_b000, 0xc8_2000)));
        assert_eq!(unwritten("/opt/my tools/aish", &front.replace("r--p 00000000", "r--p 01f37000")), None);
        assert_eq!(unwritten("/opt/my tools/aish", &front.replace("r--p", "rw-p")), None);
        assert_eq!(unwritten("/opt/my tools/aish", "nonsense"), None);
    }

    #[test]
    fn code_that_was_given_back_runs_on() {
        let before = resident();
        assert!(release_code() > 0);
        let after = resident();
        assert!(after < before, "{after} of {before} kB");
        assert_eq!("a b".split(' ').collect::<Vec<_>>(), ["a", "b"]);
    }

    /// Kilobytes of this program's code in memory.
    fn resident() -> u64 {
        let program = std::fs::read_link("/proc/self/exe").unwrap().display().to_string();
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut ours = false;
        let mut sum = 0;
        for line in maps.lines() {
            if line.split_ascii_whitespace().next().is_some_and(|word| word.contains('-')) {
                ours = unwritten(&program, line).is_some();
            } else if let Some(rest) = line.strip_prefix("Rss:").filter(|_| ours) {
                sum += rest.split_ascii_whitespace().next().unwrap().parse::<u64>().unwrap();
            }
        }
        sum
    }
}
