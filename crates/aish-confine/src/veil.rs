//! Secrets in files of settings that programs must read: passwords and tokens in a repository's `config`, in `.npmrc` and its like.
//!
//! Such a file cannot be closed, since every command of git reads it. So it is in the layer from the start, with a word in
//! each secret's place; a command reads and changes that one. When the run is over, each line that still is what it was made
//! gets its secret back where it still is in the section that it was in, before the layer is compared with the tree. In any
//! other line the word stays: a command could send a secret elsewhere by writing its word there.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::attributes::Attributes;
use crate::extended::{self, Which};
use crate::layer::{Layer, LayerError, at};
use crate::secret_lines::{hide_in_line, section};
use crate::tracked::Tracked;

/// Bytes of a file of settings that is read.
pub(crate) const LONGEST: u64 = 1 << 20;

/// How words begin that stand for secrets.
pub(crate) const WORD: &str = "hidden-by-aish-";

/// A file of which the layer has another version from the start.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Veil {
    pub(crate) root: usize,
    #[serde(with = "crate::spelling")]
    pub(crate) path: PathBuf,
    pub(crate) lines: Vec<HiddenLine>,
    /// Its mode and time of modification, which the layer's has too.
    #[serde(default)]
    pub(crate) mode: u32,
    #[serde(default)]
    pub(crate) modified: (i64, i64),
    /// Tells its content with the secrets.
    #[serde(default)]
    pub(crate) print: Option<u64>,
}

/// A line with a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HiddenLine {
    /// The line that begins its section, as the run sees it; empty before the first.
    pub(crate) section: Vec<u8>,
    /// As the run sees it.
    pub(crate) veiled: Vec<u8>,
    /// As it is.
    pub(crate) original: Vec<u8>,
}

impl Layer {
    /// Puts words in the place of secrets in files of settings, of which those in no root are passed over.
    ///
    /// # Errors
    /// When the layer cannot be written.
    pub(crate) fn veil(&self, settings: &[PathBuf]) -> Result<(), LayerError> {
        let mut veils = Vec::new();
        let mut tracked = Tracked::default();
        for (root, covered) in self.about.covered.iter().enumerate().filter(|(_, covered)| !covered.cache) {
            for (file, path) in settings.iter().filter_map(|file| Some((file, file.strip_prefix(&covered.path).ok()?)))
            {
                let Some(whole) = read(file) else { continue };
                let Some((text, lines)) = hide(&whole).filter(|_| !tracked.has(&covered.path, file)) else { continue };
                self.put(root, path, &text)?;
                let put = self.upper(root).join(path);
                let Some(Attributes { mode, modified, .. }) = at(&put, Attributes::of(&put))? else { continue };
                let print = Some(print(&whole));
                veils.push(Veil { root, path: path.to_owned(), lines, mode, modified, print });
            }
        }
        if veils.is_empty() {
            return Ok(());
        }
        let notes = self.veils_path();
        let text = serde_json::to_vec(&veils).map_err(io::Error::from);
        at(&notes, text.and_then(|text| fs::write(&notes, text)))
    }

    pub(crate) fn veils(&self) -> Result<Vec<Veil>, LayerError> {
        let notes = self.veils_path();
        match fs::read(&notes) {
            Ok(text) => at(&notes, serde_json::from_slice(&text).map_err(io::Error::from)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(source) => Err(LayerError { path: notes, source }),
        }
    }

    /// Lists the files that were in the layer before the run, by root and path.
    pub(crate) fn veiled(&self) -> Result<Vec<(usize, PathBuf)>, LayerError> {
        Ok(self.veils()?.into_iter().map(|veil| (veil.root, veil.path)).collect())
    }

    fn veils_path(&self) -> PathBuf {
        self.folder.join("veils")
    }

    /// Writes a file into the layer with the attributes of the one below, and its folders.
    fn put(&self, root: usize, path: &Path, text: &[u8]) -> Result<(), LayerError> {
        let (tree, upper) = (self.tree(root), self.upper(root));
        let folders: Vec<&Path> = path.ancestors().skip(1).collect();
        for folder in folders.iter().rev().map(|folder| upper.join(folder)) {
            match fs::create_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                done => at(&folder, done)?,
            }
        }
        let file = upper.join(path);
        at(&file, fs::write(&file, text))?;
        // It stands for the copy that overlayfs would make.
        let below = tree.join(path);
        if at(&below, Attributes::of(&below))?.is_some_and(|below| below.has_names()) {
            let folder = upper.join(path.parent().unwrap_or(Path::new("")));
            at(&folder, extended::note_copies(&folder))?;
            let accessed = at(&below, fs::metadata(&below).and_then(|meta| meta.accessed()))?;
            let times = fs::FileTimes::new().set_accessed(accessed);
            at(&file, fs::File::options().write(true).open(&file).and_then(|file| file.set_times(times)))?;
        }
        // Folders after what is in them, whose coming changed their times.
        for one in [path].iter().chain(&folders) {
            let (below, above) = (tree.join(one), upper.join(one));
            at(&above, extended::copy(&below, &above, Which::Seen))?;
            if let Some(as_below) = at(&below, Attributes::of(&below))? {
                at(&above, as_below.apply(rustix::fs::CWD, &above))?;
            }
        }
        Ok(())
    }
}

/// Reads a plain file of a usual length; none where it is another.
pub(crate) fn read(path: &Path) -> Option<Vec<u8>> {
    let meta = fs::symlink_metadata(path).ok()?;
    (meta.is_file() && meta.len() <= LONGEST).then(|| fs::read(path).ok())?
}

/// Splits a text behind each line end that no backslash stands before, so that values of several lines stay whole.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut escaped = false;
    text.split_inclusive(move |byte| {
        let ends = *byte == b'\n' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    })
}

/// Puts words in the place of secrets, and returns the lines that have one; none where there are none.
pub(crate) fn hide(text: &[u8]) -> Option<(Vec<u8>, Vec<HiddenLine>)> {
    let (mut out, mut hidden, mut header, mut name) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for line in lines(text) {
        if let Some(begun) = section(line) {
            name = begun;
        }
        // A word of its own for each, so that no two lines become the same.
        let word = format!("{WORD}{}", hidden.len() + 1);
        let veiled = hide_in_line(&name, line, &word);
        let seen = veiled.as_deref().unwrap_or(line);
        if begins_section(seen) {
            header = seen.to_vec();
        }
        out.extend_from_slice(seen);
        hidden.extend(veiled.map(|veiled| HiddenLine { section: header.clone(), veiled, original: line.to_vec() }));
    }
    (!hidden.is_empty()).then_some((out, hidden))
}

/// Says whether a line begins a section.
pub(crate) fn begins_section(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"[")
}

/// Tells versions of a text apart.
pub(crate) fn print(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use crate::unveil;

    use super::*;

    fn restore(text: &[u8], hidden: &[HiddenLine]) -> Vec<u8> {
        let mut out = Vec::new();
        unveil::restore(text, &mut out, hidden).unwrap();
        out
    }

    #[test]
    fn secrets_of_settings_are_words_and_come_back_where_their_lines_are_the_same() {
        let text = b"[remote \"origin\"]\n\turl = https://ana:s3cret@example.org/a.git\n\tfetch = +refs\n\
            [http \"https://example.org/\"]\n\textraheader = AUTHORIZATION: basic s3cret\\\n more s3cret\n\
            [url \"https://ghp_s3cret0123456789abcdef@example.org/\"]\n\tinsteadOf = x\n[github] token = s3cret";
        let (veiled, hidden) = hide(text).unwrap();
        let shown = String::from_utf8(veiled.clone()).unwrap();
        assert!(!shown.contains("s3cret"), "{shown}");
        assert!(shown.contains("url = https://hidden-by-aish-1@example.org/a.git\n\tfetch = +refs\n"), "{shown}");
        assert!(shown.ends_with("insteadOf = x\n[github] token = hidden-by-aish-4"), "{shown}");
        assert_eq!(restore(&veiled, &hidden), text);
        let back = |text: &str| String::from_utf8(restore(text.as_bytes(), &hidden)).unwrap();
        assert!(!back(&shown.replace("@example.org/a.git", "@elsewhere.example/")).contains("ana:s3cret"));
        let other_section = back(&shown.replace("\"https://example.org/\"", "\"https://elsewhere.example/\""));
        assert!(other_section.contains("ana:s3cret") && !other_section.contains("basic s3cret"), "{other_section}");
    }

    #[test]
    fn settings_without_secrets_stay_as_they_are() {
        for text in [
            "",
            "[remote \"o\"]\n\turl = https://example.org/a\n",
            "url = ssh://git@example.org/a\n",
            "//registry.npmjs.org/:_authToken=${NPM_TOKEN}\nregistry=https://registry.npmjs.org/\n",
            "[user]\n\tname = Ana\n[core]\n\tbare = false\n",
        ] {
            assert_eq!(hide(text.as_bytes()), None, "{text}");
        }
        let (veiled, _) = hide(b"//registry.npmjs.org/:_authToken=npm_abc\n").unwrap();
        assert_eq!(veiled, b"//registry.npmjs.org/:_authToken= hidden-by-aish-1\n");
    }
}
