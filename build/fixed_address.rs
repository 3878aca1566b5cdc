//! The build script of the programs: links them for a fixed address.
//!
//! Position-independent programs of this size have a hundred thousand pointers, in tables and constants, that are adjusted at
//! each start: most of the time before `main`, and more than a megabyte of memory that no other process shares. Libraries, heap and
//! stacks are at random addresses all the same. `AISH_PIE=1` keeps the programs position-independent, for distributions that
//! demand it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=AISH_PIE");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let known = variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    if known && variable("AISH_PIE") != "1" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
