//! The confined run and its layer, with the real kernel: as root where the tests are root, and as an ordinary user.

#[cfg(test)]
mod as_user;
#[cfg(test)]
mod attempts;
#[cfg(test)]
mod bounds;
#[cfg(test)]
mod breakouts;
#[cfg(test)]
mod conflicts;
#[cfg(test)]
mod cut;
#[cfg(test)]
mod facts;
#[cfg(test)]
mod guarded;
#[cfg(test)]
mod keeping;
#[cfg(test)]
mod place;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod view;

#[test]
fn no_file_is_forgotten() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let text = include_str!("main.rs");
    for entry in entries {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || text.contains(&format!("mod {module};")), "{name}");
    }
}
