//! The bindings' file: what they were made for, and themselves.

/// The bindings of llama.cpp, with a head that `scripts/bindings.sh` writes.
pub(crate) const LLAMA: &str = include_str!("../llama-cpp-sys-2.inc");

/// What stands in the head of a file of bindings.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Made<'a> {
    /// Name and version of the package, with a blank between them.
    pub(crate) package: &'a str,
    /// The arguments that `bindgen` was given.
    pub(crate) settings: &'a str,
}

impl<'a> Made<'a> {
    /// Reads the head: `// PACKAGE VERSION`, then `// bindgen VERSION: ARGUMENTS`.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        let mut lines = text.lines();
        let package = lines.next()?.strip_prefix("// ")?;
        let (_, settings) = lines.next()?.strip_prefix("// bindgen ")?.split_once(": ")?;
        Some(Self { package, settings })
    }
}

#[cfg(test)]
pub(crate) fn pinned() -> &'static str {
    Made::read(LLAMA).unwrap().package.rsplit(' ').next().unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_is_read() {
        let made = Made { package: "a-sys 0.1.2", settings: "a.h -- -Ib" };
        assert_eq!(Made::read("// a-sys 0.1.2\n// bindgen 0.72.1: a.h -- -Ib\n\npub fn a();\n"), Some(made));
        assert_eq!(Made::read("pub fn a();\n"), None);
    }

    #[test]
    fn they_are_for_the_version_that_is_pinned() {
        let manifest = include_str!("../../../Cargo.toml");
        let pin = format!("llama-cpp-sys-2 = {{ version = \"={}\"", pinned());
        assert!(manifest.contains(&pin), "run scripts/bindings.sh: the bindings are for {}", pinned());
    }
}
