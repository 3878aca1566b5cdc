//! Stands in for the crate `bindgen` in the build script of `llama-cpp-sys-2` (`[patch.crates-io]` in `Cargo.toml`).
//!
//! The real one reads C headers through libclang, which a machine with a compiler seldom has. The headers are those of one
//! pinned version and give the same bindings on every 64-bit Linux, so `scripts/bindings.sh` made them beforehand; here they are only
//! written to where the build script wants them. They are refused where they do not belong: for another package, another
//! version, or other settings than they were made with. Their sizes and offsets are checked by the compiler.

mod made;

use std::env::VarError;
use std::fmt;
use std::path::Path;

use made::Made;

/// Takes what the build script wants to be bound.
#[derive(Debug, Default)]
pub struct Builder {
    /// The settings, as the arguments that `bindgen`'s command line has for them.
    settings: Vec<String>,
    headers: Vec<String>,
    clang_arguments: Vec<String>,
}

impl Builder {
    /// Adds a header, as a path from the package's folder.
    #[must_use]
    pub fn header(mut self, path: impl Into<String>) -> Self {
        self.headers.push(path.into());
        self
    }

    /// Adds an argument for the C compiler.
    #[must_use]
    pub fn clang_arg(mut self, argument: impl Into<String>) -> Self {
        self.clang_arguments.push(argument.into());
        self
    }

    /// Takes observers of the headers; there is nothing to observe.
    #[must_use]
    #[expect(clippy::boxed_local, reason = "the form that llama-cpp-sys-2 calls")]
    pub fn parse_callbacks(self, _callbacks: Box<CargoCallbacks>) -> Self {
        self
    }

    /// Derives `PartialEq` for what is bound.
    #[must_use]
    pub fn derive_partialeq(self, doit: bool) -> Self {
        self.set(doit, "--with-derive-partialeq")
    }

    /// Binds what matches a regular expression.
    #[must_use]
    pub fn allowlist_item(mut self, pattern: impl AsRef<str>) -> Self {
        self.settings.extend(["--allowlist-item".into(), pattern.as_ref().into()]);
        self
    }

    /// Binds what the allowed items use as well.
    #[must_use]
    pub fn allowlist_recursively(self, doit: bool) -> Self {
        self.set(!doit, "--no-recursive-allowlist")
    }

    /// Puts a line before the bindings.
    #[must_use]
    pub fn raw_line(mut self, line: impl Into<String>) -> Self {
        self.settings.extend(["--raw-line".into(), line.into()]);
        self
    }

    /// Puts an enum's name before the names of its values.
    #[must_use]
    pub fn prepend_enum_name(self, doit: bool) -> Self {
        self.set(!doit, "--no-prepend-enum-name")
    }

    /// Finds the bindings that were made with these settings.
    ///
    /// # Errors
    /// When the build script belongs to another package or version, or its settings are others.
    pub fn generate(self) -> Result<Bindings, BindgenError> {
        self.find(made::LLAMA, |name| std::env::var(name))
    }

    fn find(
        &self,
        text: &'static str,
        variable: impl Fn(&str) -> Result<String, VarError>,
    ) -> Result<Bindings, BindgenError> {
        let variable = |name: &str| {
            variable(name).map_err(|_| BindgenError(format!("{name} is not set; cargo sets it for a build script")))
        };
        let made = Made::read(text)
            .ok_or_else(|| BindgenError("the bindings' head cannot be read: run scripts/bindings.sh".into()))?;
        let package = format!("{} {}", variable("CARGO_PKG_NAME")?, variable("CARGO_PKG_VERSION")?);
        if package != made.package {
            return Err(BindgenError(format!(
                "there are bindings for {}, and {package} wants some: run scripts/bindings.sh after a change of its version; \
                 for another package take the real bindgen (`[patch.crates-io]` in Cargo.toml)",
                made.package
            )));
        }
        let width = variable("CARGO_CFG_TARGET_POINTER_WIDTH")?;
        if width != "64" {
            return Err(BindgenError(format!(
                "the bindings of {package} are for 64-bit processors, and this target has {width} bits"
            )));
        }
        let settings = self.line(&variable("CARGO_MANIFEST_DIR")?);
        if settings != made.settings {
            return Err(BindgenError(format!(
                "the bindings of {package} were made with other settings: run scripts/bindings.sh\n  made:   {}\n  wanted: {settings}",
                made.settings
            )));
        }
        Ok(Bindings { text })
    }

    /// Returns the command line of `bindgen` that does the same, with paths from the package's folder.
    fn line(&self, folder: &str) -> String {
        let mut words: Vec<String> = self.headers.iter().chain(&self.settings).cloned().collect();
        words.push("--".into());
        words.extend(self.clang_arguments.iter().map(|argument| argument.replacen(&format!("{folder}/"), "", 1)));
        words.join(" ")
    }

    fn set(mut self, holds: bool, setting: &str) -> Self {
        if holds {
            self.settings.push(setting.into());
        }
        self
    }
}

/// Would tell cargo of the headers that were read; the build script names them itself.
#[derive(Debug, Default)]
pub struct CargoCallbacks;

impl CargoCallbacks {
    /// Makes one.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

/// The bindings that were asked for.
#[derive(Debug)]
pub struct Bindings {
    text: &'static str,
}

impl Bindings {
    /// Writes them to a file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_to_file(&self, path: impl AsRef<Path>) -> std::io::Result<()> {
        std::fs::write(path, self.text)
    }
}

/// Why there are no bindings.
pub struct BindgenError(String);

/// The build script's `expect` shows this one: as text that can be read.
impl fmt::Debug for BindgenError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for BindgenError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for BindgenError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the build script of the pinned version sets.
    fn builder() -> Builder {
        Builder::default()
            .header("wrapper.h")
            .clang_arg("-I/registry/llama/llama.cpp/include")
            .clang_arg("-I/registry/llama/llama.cpp/ggml/include")
            .parse_callbacks(Box::new(CargoCallbacks::new()))
            .derive_partialeq(true)
            .allowlist_item("ggml_.*")
            .allowlist_item("gguf_.*")
            .allowlist_item("llama_.*")
            .allowlist_recursively(false)
            .raw_line("type FILE = ::std::os::raw::c_void;")
            .prepend_enum_name(false)
            .clang_arg("-DLLAMA_RS_BUILD_COMMON")
            .allowlist_item("llama_rs_.*")
    }

    fn find(builder: &Builder, version: &str, width: &str) -> Result<Bindings, String> {
        let variable = |name: &str| {
            Ok(match name {
                "CARGO_PKG_NAME" => "llama-cpp-sys-2",
                "CARGO_PKG_VERSION" => version,
                "CARGO_CFG_TARGET_POINTER_WIDTH" => width,
                "CARGO_MANIFEST_DIR" => "/registry/llama",
                _ => return Err(VarError::NotPresent),
            }
            .into())
        };
        builder.find(made::LLAMA, variable).map_err(|error| format!("{error:?}"))
    }

    #[test]
    fn the_pinned_version_gets_its_bindings() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bindings.rs");
        find(&builder(), made::pinned(), "64").unwrap().write_to_file(&path).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        for name in [
            "pub fn llama_model_load_from_file(",
            "pub fn gguf_init_from_file(",
            "pub fn llama_rs_json_schema_to_grammar(",
        ] {
            assert!(text.contains(name), "{name}");
        }
        // The compiler compares what it lays out with what the headers gave.
        assert!(text.contains("[\"Size of llama_context_params\"]"));
    }

    #[test]
    fn what_they_were_not_made_for_is_refused() {
        let said = find(&builder(), "0.1.999", "64").unwrap_err();
        assert!(said.contains("llama-cpp-sys-2 0.1.999 wants some: run scripts/bindings.sh"), "{said}");
        let said = find(&builder().header("wrapper_mtmd.h"), made::pinned(), "64").unwrap_err();
        assert!(said.contains("were made with other settings: run scripts/bindings.sh"), "{said}");
        let said = find(&builder(), made::pinned(), "32").unwrap_err();
        assert!(said.contains("this target has 32 bits"), "{said}");
    }
}
