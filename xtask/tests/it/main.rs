//! Integration tests of the scripts that build the workspace.

#[cfg(test)]
mod build_failure;
#[cfg(test)]
mod fetch_pip;
#[cfg(test)]
mod fuzz_lines;

/// No file beside this one is forgotten.
#[test]
fn every_file_is_a_module() {
    let main = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        assert!(stem == "main" || main.contains(&format!("mod {stem};")), "{stem} is not declared");
    }
}
