//! Integration tests of the chat service and the plugin tools.

#[cfg(test)]
mod bad_plugins;
#[cfg(test)]
mod full;
#[cfg(test)]
mod local;
#[cfg(test)]
mod outages;
#[cfg(test)]
mod parts;
#[cfg(test)]
mod plugins;
#[cfg(test)]
mod server;
#[cfg(test)]
mod service;
#[cfg(test)]
mod size;
#[cfg(test)]
mod workers;

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
