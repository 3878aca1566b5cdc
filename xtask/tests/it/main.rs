//! Integration tests of the scripts that build the workspace.

#[cfg(test)]
#[expect(unreachable_pub, dead_code, reason = "it is a library, and its tests run here: no member of the workspace")]
#[path = "../../../build/bindgen/src/lib.rs"]
mod bindgen;
#[cfg(test)]
mod build_failure;
#[cfg(test)]
mod fetch_pip;
#[cfg(test)]
mod fuzz_lines;
