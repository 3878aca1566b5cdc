//! Gives secrets of settings back when a run is over: at their place, and where a file of settings went as a whole.
//!
//! A file at another place gets them only where the next run finds it by its name and hides them again; else the word stays,
//! and a person is asked about the file.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::CWD;

use crate::attributes::{self, Attributes, FileKind};
use crate::beneath::{real, within};
use crate::deep::in_its_folder;
use crate::extended::{self, Which};
use crate::in_tree;
use crate::layer::{Layer, LayerError, at};
use crate::modes::{Modes, is_gone};
use crate::veil::{HiddenLine, LONGEST, Veil, WORD, begins_section, print};

impl Layer {
    /// Gives the lines that were not changed their secrets back. Done again, it does nothing.
    ///
    /// # Errors
    /// When the layer cannot be read or written.
    pub(crate) fn unveil(&self) -> Result<(), LayerError> {
        let veils = self.veils()?;
        if veils.is_empty() {
            return Ok(());
        }
        for veil in &veils {
            self.give_back(veil.root, &veil.path, &veil.lines)?;
        }
        for (root, path) in self.with_words()? {
            if veils.iter().any(|veil| veil.root == root && veil.path == path) {
                continue;
            }
            let lines = sure_lines(&veils, &path);
            let upper = self.upper(root);
            let new = at(&upper, Attributes::of(&upper.join(&path)))?;
            let Some(new) = new.filter(|_| is_found_again(&upper, &path)) else { continue };
            // Nobody reads it there who could not before.
            let is_opened =
                |veil: &&Veil| veil.path.file_name() == path.file_name() && new.mode & 0o077 & !veil.mode != 0;
            if !veils.iter().any(|veil| is_opened(&veil)) {
                self.give_back(root, &path, &lines)?;
            }
        }
        Ok(())
    }

    /// Gives lines of a plain file of the layer their secrets back. Its attributes stay.
    fn give_back(&self, root: usize, path: &Path, lines: &[HiddenLine]) -> Result<(), LayerError> {
        let place = self.upper(root).join(path);
        let upper = at(&place, real(&self.upper(root)))?;
        // A link that the command put on the way leads to what the next run does not hide.
        match within(&upper, path.parent().unwrap_or(Path::new(""))) {
            Err(error) if is_gone(&error) => Ok(()),
            folder => at(&place, folder.and_then(|_| self.give_back_at(&place, lines))),
        }
    }

    fn give_back_at(&self, path: &Path, lines: &[HiddenLine]) -> io::Result<()> {
        let Some(before) = Attributes::of(path)?.filter(|before| before.kind == FileKind::File) else { return Ok(()) };
        let closed = before.mode & 0o600 != 0o600;
        let open = |mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode));
        let beside = self.folder.join("unveiled");
        let restored = || -> io::Result<bool> {
            let mut out = BufWriter::new(File::create(&beside)?);
            let changed = restore(BufReader::new(attributes::open(path)?), &mut out, lines)?;
            out.flush()?;
            Ok(changed)
        };
        if closed {
            open(before.mode | 0o600)?;
        }
        let done = restored();
        let wrote = matches!(done, Ok(true)).then(|| match before.has_names() {
            true => before.apply(CWD, path).and_then(|()| replace(path, &before, &beside)),
            false => File::options().write(true).truncate(true).open(path).and_then(|mut file| {
                io::copy(&mut File::open(&beside)?, &mut file)?;
                Ok(())
            }),
        });
        let _ = fs::remove_file(&beside);
        if closed || matches!(wrote, Some(Ok(()))) {
            before.apply(CWD, path)?;
        }
        done.and(wrote.unwrap_or(Ok(())))
    }

    /// Lists files of the layer, by root and path, in which a word stands that was put in the place of a secret.
    pub(crate) fn with_words(&self) -> Result<Vec<(usize, PathBuf)>, LayerError> {
        let mut found = Vec::new();
        if self.veils()?.is_empty() {
            return Ok(found);
        }
        for (root, _) in self.about.covered.iter().enumerate().filter(|(_, covered)| !covered.cache) {
            let upper = self.upper(root);
            let mut folders = vec![upper.clone()];
            while let Some(folder) = folders.pop() {
                for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                    let (kind, path) = (entry.file_type(), entry.path());
                    if kind.as_ref().is_ok_and(fs::FileType::is_dir) {
                        folders.push(path);
                    } else if kind.is_ok_and(|kind| kind.is_file()) && has_word(&path).unwrap_or(false) {
                        found.extend(path.strip_prefix(&upper).ok().map(|path| (root, path.to_owned())));
                    }
                }
            }
        }
        Ok(found)
    }

    /// Opens up what leads to settings that had secrets, so that they have them again whatever the command did to the way.
    pub(crate) fn open_veiled(&self, modes: &Modes) -> Result<(), LayerError> {
        for (root, path) in self.veiled()? {
            let upper = self.upper(root);
            match real(&upper).and_then(|real| modes.open_to(root, &real, path.parent().unwrap_or(Path::new("")))) {
                Err(error) if is_gone(&error) => {}
                done => at(&upper.join(&path), done)?,
            }
        }
        Ok(())
    }

    /// Lists what was put into the layer and is as it was put there, by root and path: files, and folders in which nothing else
    /// is. None of it is of the run.
    pub(crate) fn as_put(&self) -> Result<Vec<(usize, PathBuf)>, LayerError> {
        let mut found = Vec::new();
        for veil in self.veils()? {
            let upper = self.upper(veil.root);
            let file = upper.join(&veil.path);
            let Some(now) = at(&file, Attributes::of(&file))?.filter(|now| now.size <= LONGEST) else { continue };
            if now.kind == FileKind::File
                && (now.mode, now.modified) == (veil.mode, veil.modified)
                && fs::read(&file).is_ok_and(|text| Some(print(&text)) == veil.print)
            {
                found.push((veil.root, veil.path));
            }
        }
        let mut folders: Vec<(usize, PathBuf)> = Vec::new();
        for (root, path) in &found {
            folders.extend(path.ancestors().skip(1).map(|folder| (*root, folder.to_owned())));
        }
        // From below.
        folders.sort_by_key(|(_, path)| std::cmp::Reverse(path.components().count()));
        folders.dedup();
        for (root, path) in folders {
            let names = crate::walk::names(&self.upper(root).join(&path))?;
            if names.iter().all(|name| found.contains(&(root, path.join(name)))) {
                found.push((root, path));
            }
        }
        Ok(found)
    }
}

/// Puts a file in the place of one that has other names: those are the command's own, and what they show is not hidden from the
/// next one.
fn replace(path: &Path, before: &Attributes, file: &Path) -> io::Result<()> {
    extended::copy(path, file, Which::All)?;
    let accessed = fs::metadata(path)?.accessed()?;
    File::options().write(true).open(file)?.set_times(fs::FileTimes::new().set_accessed(accessed))?;
    before.apply(CWD, file)?;
    let folder = path.parent().unwrap_or(path);
    let around = Attributes::of(folder)?;
    in_its_folder(path, || fs::rename(file, path))?;
    // What the folder has in it is what the command left there.
    around.map_or(Ok(()), |around| around.apply(CWD, folder))
}

/// Returns lines of files of settings called as a path, of which each has one secret alone.
fn sure_lines(veils: &[Veil], path: &Path) -> Vec<HiddenLine> {
    let named = || veils.iter().filter(|veil| veil.path.file_name() == path.file_name()).flat_map(|veil| &veil.lines);
    let is_sure = |line: &&HiddenLine| {
        named().all(|other| {
            (&other.section, &other.veiled) != (&line.section, &line.veiled) || other.original == line.original
        })
    };
    named().filter(is_sure).cloned().collect()
}

/// Says whether the next run finds a file of settings by its path alone.
fn is_found_again(upper: &Path, path: &Path) -> bool {
    let is_repositorys =
        path.ends_with(".git/config") && path.parent().is_some_and(|git| upper.join(git).join("HEAD").is_file());
    is_repositorys || in_tree::is_settings(path)
}

/// Says whether a file has a word that stands for a secret.
fn has_word(path: &Path) -> io::Result<bool> {
    let mut file = attributes::open(path)?;
    let (mut buffer, mut kept) = (vec![0; 64 << 10], 0);
    loop {
        let read = io::Read::read(&mut file, buffer.get_mut(kept..).unwrap_or_default())?;
        if read == 0 {
            return Ok(false);
        }
        let length = kept + read;
        let text = buffer.get(..length).unwrap_or_default();
        if text.windows(WORD.len()).any(|part| part == WORD.as_bytes()) {
            return Ok(true);
        }
        // A word may begin at the end.
        kept = length.min(WORD.len());
        buffer.copy_within(length - kept..length, 0);
    }
}

/// Gives lines that are the same as they were made, in the same section, their secrets back, and says whether there were any.
pub(crate) fn restore(mut from: impl io::BufRead, to: &mut impl io::Write, hidden: &[HiddenLine]) -> io::Result<bool> {
    let (mut changed, mut section, mut line) = (false, Vec::new(), Vec::new());
    loop {
        // A line that is longer than what was read has no secret of ours, and goes on in parts.
        let read = io::Read::take(&mut from, LONGEST).read_until(b'\n', &mut line)?;
        if read > 0 && goes_on(&line) && (line.len() as u64) < LONGEST {
            continue;
        }
        if line.is_empty() {
            return Ok(changed);
        }
        if begins_section(&line) {
            section.clone_from(&line);
        }
        let known = hidden.iter().find(|known| known.veiled == line && known.section == section);
        changed |= known.is_some();
        to.write_all(known.map_or(&line, |known| &known.original))?;
        line.clear();
    }
}

/// Says whether a line goes on behind its end: a backslash stands before it, or it has no end.
fn goes_on(line: &[u8]) -> bool {
    let Some(text) = line.strip_suffix(b"\n") else { return true };
    // Behind another one it means itself.
    text.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}
