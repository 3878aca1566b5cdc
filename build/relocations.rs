//! The build script of the programs: packs their relocations. There are tens of thousands, and each start works through all.
//!
//! The C library must know the packed form (DT_RELR, glibc 2.36); where it does not say so, nothing is changed.
#![expect(clippy::print_stdout, reason = "a build script speaks to cargo")]

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=../../build/relocations.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let linux = variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    let native = variable("HOST") == variable("TARGET");
    if linux && native && glibc().is_some_and(|version| version >= (2, 36)) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of this machine's C library.
fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
