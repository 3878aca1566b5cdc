//! The build script of the programs: links them for a fixed address, and with what unwinds in them.
//!
//! Position-independent programs of this size have tens of thousands of pointers, in tables and constants, that are
//! adjusted at each start: most of the time before `main`, and more than a megabyte of memory that no other process
//! shares. Libraries, heap and stacks are at random addresses all the same. `AISH_PIE=1` keeps the programs
//! position-independent, for distributions that demand it.
//!
//! `-z pack-relative-relocs` (DT_RELR) is no way around that. The same objects linked in three ways, `aish --version`
//! 300 times in turn on a busy machine with glibc 2.36 (lld, profile `dist`; medians of the processor time and of page
//! faults; `aish check ls` 150 times):
//!
//! | linked | bytes, stripped | processor time | page faults | `aish check ls` |
//! |---|---|---|---|---|
//! | for a fixed address | 31.81 MB | 1.67 ms | 252 | 2.52 ms |
//! | position-independent | 33.17 MB | 2.44 ms | 526 | 3.33 ms |
//! | the same with DT_RELR | 31.83 MB | 2.44 ms | 519 | 3.50 ms |
//!
//! DT_RELR packs the list of 56,568 pointers from 1.36 MB into 17 kB. The pointers are written all the same, and each
//! page that holds one is copied: that is what takes the time. Besides, glibc reads DT_RELR since 2.36, and the packages
//! promise 2.28.
//!
//! Rust's standard library unwinds with `libgcc_s.so.1`, which is looked for, mapped and set up at each start: of a program
//! that does nothing 0.80 ms of processor time and 68 page faults, and 0.69 ms and 60 with `libgcc_eh.a` in its place (`perf
//! stat -r 200`). GCC brings both. A linker's script under the library's name leads to the archive; where it is not found, or
//! another linker is chosen, everything stays as it is.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What the linker reads in place of `libgcc_s.so`.
const ARCHIVES: &str = "GROUP ( -lgcc_eh -lgcc )\n";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=AISH_PIE");
    println!("cargo:rerun-if-env-changed=RUSTC_LINKER");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let known = variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    if known && variable("AISH_PIE") != "1" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
    let is_own = variable("HOST") == variable("TARGET") && variable("RUSTC_LINKER").is_empty();
    if known && is_own && has_archive() {
        let folder = PathBuf::from(variable("OUT_DIR"));
        if std::fs::write(folder.join("libgcc_s.so"), ARCHIVES).is_ok() {
            println!("cargo:rustc-link-arg-bins=-L{}", folder.display());
        }
    }
}

/// Says whether the C compiler, which links, has the archive that unwinds.
fn has_archive() -> bool {
    let said = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output();
    said.is_ok_and(|said| Path::new(String::from_utf8_lossy(&said.stdout).trim()).is_absolute())
}
