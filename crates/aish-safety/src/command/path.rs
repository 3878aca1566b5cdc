//! Paths: made plain, and what kind of place they name.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use aish_programs::words::{disposable, places};

use self::globs::Globs;
use super::word::{HOLE, Word};

pub(crate) mod globs;
mod kernel;
mod meant;
mod repository;
mod secret;
mod viewpoint;

pub(crate) use viewpoint::Viewpoint;

/// Files that are made again, by pattern.
static DISPOSABLE_FILES: Globs = Globs::new(disposable::FILES);
/// Folders that are made again, by pattern.
static DISPOSABLE_STEMS: Globs = Globs::new(disposable::STEMS);

/// A path made plain: no `.`, `..`, doubled slash; the home folder is `~`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place<T = String> {
    /// The plain text; no trailing slash but for the root.
    pub(crate) text: T,
    /// True where the last part is a pattern.
    pub(crate) glob: bool,
}

/// No system takes a longer path, in bytes.
const MAX_PATH: usize = 8_192;
/// Stands for the place of what is too long for a path: not known.
const NO_PATH: &str = "\u{FFFC}";

/// Makes a path plain, seen from `folder`, where it is known that the line went there.
pub(crate) fn place(word: &Word, folder: Option<&str>, home: Option<&str>) -> Place {
    let Place { text, glob } = seen(&word.text, word.glob, folder, home);
    Place { text: text.into_owned(), glob }
}

/// The same for a text; what is plain already is not copied.
pub(crate) fn seen<'t>(text: &'t str, glob: bool, folder: Option<&str>, home: Option<&str>) -> Place<Cow<'t, str>> {
    // Stars in a row are one or two: each would be gone through for each name.
    let thin = (glob && text.contains("***")).then(|| without_stars_in_a_row(text));
    if let Some(thin) = thin {
        return owned(&thin, glob, folder, home);
    }
    let text = strip_home(text, home);
    let mut glob = glob;
    let joined = match folder {
        Some(folder) if !text.starts_with(['/', '~']) => {
            glob |= folder.contains(['*', '?', '[']);
            let mut joined = strip_home(folder, home).into_owned();
            joined.push('/');
            joined.push_str(&text);
            Cow::Owned(joined)
        }
        _ => text,
    };
    if joined.len() > MAX_PATH {
        return Place { text: Cow::Borrowed(NO_PATH), glob };
    }
    Place { text: if is_plain(&joined) { joined } else { Cow::Owned(plain(&joined)) }, glob }
}

fn strip_home<'t>(text: &'t str, home: Option<&str>) -> Cow<'t, str> {
    if let Some(home) = home.map(|home| home.trim_end_matches('/')).filter(|home| home.len() > 1)
        && let Some(rest) = text.strip_prefix(home)
        && (rest.is_empty() || rest.starts_with('/'))
    {
        let mut out = String::from("~");
        out.push_str(rest);
        return Cow::Owned(out);
    }
    Cow::Borrowed(text)
}

/// Says whether a path has no part that could be left out, and none that stands for another.
fn is_plain(text: &str) -> bool {
    // What the part holds so far: nothing, dots only, or more.
    let mut dots = 0;
    let mut named = false;
    for byte in text.strip_prefix('/').unwrap_or(text).bytes() {
        match byte {
            b'/' if !named && dots < 3 => return false,
            b'/' => (dots, named) = (0, false),
            b'.' => dots += 1,
            _ => named = true,
        }
    }
    (named || dots > 2) && !text.starts_with("/p") && !text.starts_with("/mnt/c/")
}

fn plain(text: &str) -> String {
    let absolute = text.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&"..") | None if !absolute => parts.push(".."),
                Some(&"~") => {
                    // The folder of all homes.
                    parts.clear();
                    parts.push("~/..");
                }
                _ => {
                    parts.pop();
                }
            },
            _ => parts.push(part),
        }
    }
    let mut out = String::new();
    if absolute {
        out.push('/');
    }
    out.push_str(&parts.join("/"));
    if out.is_empty() {
        out.push('.');
    }
    // What a running process sees as its root is the root.
    for prefix in ["/proc/1/root", "/proc/self/root", "/mnt/c/Windows/../.."] {
        if let Some(rest) = out.strip_prefix(prefix)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return if rest.is_empty() { String::from("/") } else { String::from(rest) };
        }
    }
    match out.strip_prefix("/private") {
        Some(rest) if matches!(rest.split('/').nth(1), Some("tmp" | "var" | "etc")) => String::from(rest),
        _ => out,
    }
}

impl<T: AsRef<str>> Place<T> {
    fn text(&self) -> &str {
        self.text.as_ref()
    }

    fn parts(&self) -> impl Iterator<Item = &str> {
        self.text().split('/').filter(|part| !part.is_empty())
    }

    fn last(&self) -> &str {
        self.text().rsplit('/').next().unwrap_or_default()
    }

    /// The root, or all that is in it.
    pub(crate) fn is_root(&self) -> bool {
        self.text() == "/" || (self.text().starts_with('/') && self.parts().count() == 1 && is_everything(self.last()))
    }

    /// A folder of the system or something in it: never a person's own.
    pub(crate) fn is_system(&self) -> bool {
        if self.is_root() || self.text() == "~/.." || self.text().starts_with("~root") {
            return true;
        }
        if !self.text().starts_with('/') {
            return false;
        }
        let Some(first) = self.parts().next() else { return true };
        if self.is_scratch() || self.is_package_cache() {
            return false;
        }
        let matches_first = |name: &&str| *name == first || (self.glob && glob_match(first, name));
        places::SYSTEM.iter().any(matches_first) || (self.parts().count() == 1 && !first.contains(HOLE))
    }

    /// Configuration and boot files of the system, the ones a line of text can break.
    pub(crate) fn is_configuration(&self) -> bool {
        let mut parts = self.text().split('/').filter(|part| !part.is_empty());
        self.text().starts_with('/')
            && !self.is_scratch()
            && match parts.next() {
                Some("etc" | "boot" | "efi" | "proc" | "sys" | "bin" | "sbin" | "lib" | "lib64" | "lib32") => true,
                Some("usr") => !matches!(parts.next(), Some("local" | "share" | "src")),
                Some("var") => matches!(parts.next(), Some("lib" | "spool")),
                Some("Library" | "System") => true,
                _ => false,
            }
    }

    /// The home folder itself, all that is in it, or another person's.
    pub(crate) fn is_home(&self) -> bool {
        let mut parts = self.text().split('/').filter(|part| !part.is_empty());
        match parts.next() {
            Some("home" | "Users") if self.text().starts_with('/') => {
                match (parts.next(), parts.next(), parts.next()) {
                    (None, ..) | (Some(_), None, _) => true,
                    (Some(_), Some(last), None) => is_everything(last),
                    _ => false,
                }
            }
            Some("root") if self.text().starts_with('/') => true,
            Some(first) if first.starts_with('~') => match (parts.next(), parts.next()) {
                (None, _) => true,
                (Some(last), None) => is_everything(last),
                _ => false,
            },
            _ => false,
        }
    }

    /// A file or folder of the home that programs or log-in depend on.
    pub(crate) fn is_dotfile(&self) -> bool {
        self.below_home()
            .is_some_and(|mut parts| parts.next().is_some_and(|part| part.starts_with('.') && part != ".cache"))
    }

    fn below_home(&self) -> Option<impl Iterator<Item = &str>> {
        let mut parts = self.text().split('/').filter(|part| !part.is_empty());
        match parts.next()? {
            "home" | "Users" if self.text().starts_with('/') => {
                parts.next()?;
            }
            "root" if self.text().starts_with('/') => {}
            first if first.starts_with('~') => {}
            _ => return None,
        }
        Some(parts)
    }

    /// A start-up file of a shell, or another file whose lines are run later without being asked.
    pub(crate) fn is_startup(&self) -> bool {
        let last = self.last();
        places::STARTUP_NAMES.contains(&last) && !self.is_scratch()
            || self.text().contains('/') && places::STARTUP_FOLDERS.iter().any(|folder| self.text().contains(folder))
    }

    /// What lets somebody in: keys and rights.
    pub(crate) fn is_access(&self) -> bool {
        self.is_below(places::ACCESS)
    }

    /// A folder that a web server shows to everybody.
    pub(crate) fn is_published(&self) -> bool {
        self.parts().any(|part| places::PUBLISHED_NAMES.contains(&part))
            || places::PUBLISHED.iter().any(|folder| {
                self.text().strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
    }

    /// A block device or the memory.
    pub(crate) fn is_device(&self) -> bool {
        let Some(name) = self.text().strip_prefix("/dev/") else { return false };
        places::DEVICES.iter().any(|prefix| {
            name.starts_with(prefix) && (name.len() > prefix.len() || prefix.len() > 2 || *prefix == "md")
                || (self.glob && glob_match(name, &alloc::format!("{prefix}a")))
        })
    }

    /// A sink or the terminal of the command: writing there changes nothing. Another terminal is somebody else's.
    pub(crate) fn is_sink(&self) -> bool {
        places::SINKS.contains(&self.text()) || self.is_output()
    }

    /// A command's output or errors, by the name of their descriptor.
    pub(crate) fn is_output(&self) -> bool {
        places::OUTPUTS.contains(&self.text())
    }

    /// The inside of a repository's own records.
    pub(crate) fn is_repository(&self) -> bool {
        let inside = self.parts().any(|part| matches!(part, ".git" | ".hg" | ".svn" | ".jj") || (part == ".bzr"));
        // What a run that was cut off left behind keeps nothing.
        inside && (self.glob || !self.last().ends_with(".lock"))
    }

    /// In a folder of packages that their manager fetches again.
    fn is_package_cache(&self) -> bool {
        places::PACKAGE_CACHES
            .iter()
            .any(|folder| self.text().strip_prefix(folder).is_some_and(|rest| rest.len() > 1 && rest.starts_with('/')))
    }

    /// The folder that is worked in, its parent, or a pattern that takes everything.
    pub(crate) fn is_wide(&self) -> bool {
        let last = self.last();
        matches!(self.text(), "." | "..")
            || (self.glob && is_everything(last) && !self.is_disposable_folder() && !self.is_package_cache())
            || last == ".."
    }

    /// Below a folder for short-lived files.
    pub(crate) fn is_scratch(&self) -> bool {
        places::SCRATCH.iter().any(|folder| {
            self.text().strip_prefix(folder).is_some_and(|rest| {
                rest.len() > 1 && rest.starts_with('/') && !is_everything(rest.trim_start_matches('/'))
            })
        })
    }

    fn is_disposable_folder(&self) -> bool {
        self.parts().any(|part| disposable::FOLDERS.contains(&part))
    }

    /// What a build, a test or a tool makes again: routine to delete.
    pub(crate) fn is_disposable(&self) -> bool {
        if self.is_scratch() || self.is_package_cache() {
            return true;
        }
        let own =
            !self.text().starts_with('/') || self.parts().next().is_some_and(|part| places::PROJECTS.contains(&part));
        if !own {
            return false;
        }
        if self.is_repository() || self.parts().any(|part| part == "..") && self.parts().count() == 1 {
            return false;
        }
        let parts = self.parts().count();
        if parts <= 1 && self.text().starts_with('/') {
            return false;
        }
        let last = self.last();
        self.is_disposable_folder() || DISPOSABLE_FILES.any(last) || DISPOSABLE_STEMS.any(last)
    }

    /// Ends in one of these paths, each of which begins with a slash, or is something in one of them.
    fn is_below(&self, paths: &[&str]) -> bool {
        // `.kube/config` of the folder one is in; other names without a slash before them are rarely places.
        let text = self.text();
        if text.starts_with('.')
            && paths
                .iter()
                .filter_map(|path| path.strip_prefix('/'))
                .any(|path| text.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
        {
            return true;
        }
        let slashes = text.bytes().enumerate().filter(|(_, byte)| *byte == b'/');
        slashes.filter_map(|(at, _)| text.get(at..)).any(|rest| {
            let next = rest.as_bytes().get(1..3);
            paths.iter().any(|path| {
                path.as_bytes().get(1..3) == next
                    && rest.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        })
    }
}

/// Any letter of a name, in a pattern that is not written like this.
const ANY_LETTER: &str = "[!\u{1}]";

/// Puts what any letter of a name is in in place of `[^…]`, which is any letter but some to bash and zsh, and one of them or a `^` to dash.
pub(crate) fn either_way(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some((before, behind)) = rest.split_once("[^") {
        out.push_str(before);
        // The first letter is never the end.
        let skip = behind.chars().next().map_or(0, char::len_utf8);
        let end = behind.get(skip..).and_then(|tail| tail.find(']'));
        let Some(end) = end else {
            out.push('*');
            return out;
        };
        out.push_str(ANY_LETTER);
        rest = behind.get(skip + end + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

fn without_stars_in_a_row(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    for letter in pattern.chars() {
        if letter != '*' || !out.ends_with("**") {
            out.push(letter);
        }
    }
    out
}

fn owned<'t>(text: &str, glob: bool, folder: Option<&str>, home: Option<&str>) -> Place<Cow<'t, str>> {
    let Place { text, glob } = seen(text, glob, folder, home);
    Place { text: Cow::Owned(text.into_owned()), glob }
}

fn is_everything(whole: &str) -> bool {
    // Zsh's kinds of files and its order behind a pattern: `*(.)`, `*(DN)`.
    let qualified = whole.strip_suffix(')').and_then(|whole| whole.rsplit_once('('));
    let part = qualified.filter(|(_, kinds)| kinds.chars().all(|kind| "./@=*%^-DNFTMoOn".contains(kind)));
    let part = part.map_or(whole, |(stem, _)| stem);
    matches!(part, "*" | ".*" | "**" | "?*" | "*.*" | ".[!.]*" | ".??*" | "{*,.*}" | ".[^.]*" | ".[!\u{1}]*" | "*/")
}

/// Says whether a pattern may name a path, something in it, or a folder that holds it; as a shell, part by part, and
/// with a leading dot only where it is written.
pub(crate) fn meets(pattern: &str, path: &str) -> bool {
    let part = |(pattern, name): (&str, &str)| {
        pattern == name || glob_match(pattern, name) && (!name.starts_with('.') || pattern.starts_with('.'))
    };
    pattern.contains(['*', '?', '[']) && pattern.split('/').zip(path.split('/')).all(part)
}

/// Matches a whole text against a pattern with `*`, `?` and `[…]`; iterative, at most pattern × text steps.
pub(crate) fn glob_match(pattern: &str, text: &str) -> bool {
    !told_apart(pattern, text) && glob_bytes(pattern.as_bytes(), text.as_bytes())
}

/// Says whether a pattern and a text differ in their first or their last letter already, as most do.
pub(crate) fn told_apart(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let differs = |pattern: Option<&u8>, text: Option<&u8>| {
        pattern.is_some_and(|byte| !matches!(byte, b'*' | b'?' | b'[' | b']')) && pattern != text
    };
    differs(pattern.first(), text.first()) || differs(pattern.last(), text.last())
}

fn glob_bytes(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut to) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while let Some(&byte) = text.get(to) {
        let step = match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, to));
                at += 1;
                continue;
            }
            Some(b'?') => Some(1),
            Some(b'[') => class(pattern.get(at..).unwrap_or_default(), byte),
            Some(&letter) if letter == byte => Some(1),
            _ => None,
        };
        match (step, star) {
            (Some(length), _) => {
                at += length;
                to += 1;
            }
            (None, Some((star_at, star_to))) => {
                at = star_at + 1;
                to = star_to + 1;
                star = Some((star_at, star_to + 1));
            }
            (None, None) => return false,
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|byte| *byte == b'*')
}

/// Matches a bracket expression; returns its length where the byte is in it.
fn class(pattern: &[u8], byte: u8) -> Option<usize> {
    let negated = matches!(pattern.get(1), Some(b'!' | b'^'));
    let first = if negated { 2 } else { 1 };
    let mut inside = false;
    let mut at = first;
    loop {
        let low = match pattern.get(at) {
            Some(b']') if at > first => break,
            Some(low) => *low,
            // What nothing closes is a letter.
            None => return (byte == b'[').then_some(1),
        };
        let rest = pattern.get(at..).unwrap_or_default();
        if let Some((length, holds)) = named_class(rest, byte) {
            inside |= holds;
            at += length;
        } else if let (Some(b'-'), Some(&high)) =
            (pattern.get(at + 1), pattern.get(at + 2).filter(|high| **high != b']'))
        {
            inside |= (low..=high).contains(&byte);
            at += 3;
        } else {
            inside |= low == byte;
            at += 1;
        }
    }
    (inside != negated).then_some(at + 1)
}

/// Reads `[:alpha:]`; returns its length, and whether the byte is one of it.
fn named_class(pattern: &[u8], byte: u8) -> Option<(usize, bool)> {
    if let [b'[', mark @ (b'.' | b'='), behind @ ..] = pattern {
        // A letter that is written otherwise, or a class of its like: it may be any.
        let length = behind.windows(2).position(|pair| pair == [*mark, b']'])?;
        return Some((length + 4, true));
    }
    let name = pattern.strip_prefix(b"[:")?;
    let length = name.iter().take(8).position(|byte| *byte == b':').filter(|at| name.get(at + 1) == Some(&b']'))?;
    let holds = match name.get(..length)? {
        b"alpha" => byte.is_ascii_alphabetic(),
        b"lower" => byte.is_ascii_lowercase(),
        b"upper" => byte.is_ascii_uppercase(),
        b"digit" => byte.is_ascii_digit(),
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"punct" => byte.is_ascii_punctuation(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        b"graph" | b"print" => byte.is_ascii_graphic(),
        b"space" | b"blank" | b"cntrl" => byte.is_ascii_whitespace(),
        b"word" => byte.is_ascii_alphanumeric() || byte == b'_',
        _ => return None,
    };
    Some((length + 4, holds))
}
