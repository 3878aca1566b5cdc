//! The crate's tests from outside.

#[cfg(test)]
mod files;
#[cfg(test)]
mod payloads;

/// No file beside this one is forgotten.
#[test]
fn every_file_is_a_module() {
    let main = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            path.is_dir() || stem == "main" || main.contains(&format!("mod {stem};")),
            "{stem} is not declared in main.rs"
        );
    }
}
