//! Integration tests of the tool layer.

#[cfg(test)]
mod acceptance;
#[cfg(test)]
mod arguments;
#[cfg(test)]
mod builtins;
#[cfg(test)]
mod calculator;
#[cfg(test)]
mod discovery;
#[cfg(test)]
mod door;
#[cfg(test)]
mod executor;
#[cfg(test)]
mod look_ups;
#[cfg(test)]
mod oracle;
#[cfg(test)]
mod registry;
#[cfg(test)]
mod seed;
#[cfg(test)]
mod sources;

/// No file beside this one is forgotten.
#[test]
fn every_file_is_a_module() {
    let main = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        assert!(stem == "main" || main.contains(&format!("mod {stem};")), "{stem} is not declared in main.rs");
    }
}
