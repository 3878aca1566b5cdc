//! Integration tests of the scripts that build the workspace.

#[cfg(test)]
#[path = "../../../build/bindgen/src/lib.rs"]
mod bindgen;
#[cfg(test)]
mod build_failure;
#[cfg(test)]
mod fetch_pip;
#[cfg(test)]
mod fuzz_lines;
