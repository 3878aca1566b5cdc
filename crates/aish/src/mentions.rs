//! Files that a question mentions: `@path`, `@path:10-40`, `@folder`, `@src/*.rs`, `@"a b"`.
//!
//! The path of an image that was pasted into the question, as a terminal does where a file is dropped on it, is a mention too.
//!
//! A mention is the person's own act, so that nobody is asked about it, but for files that may hold secrets. The question
//! stays as it was typed; what the files hold goes behind it, as data.

use std::path::{Path, PathBuf};

use aish_tools::builtin::FilePlaces;
use aish_types::near::slip;
use aish_types::{Block, head_and_tail, sanitize};
use percent_encoding::percent_decode_str;

use crate::undo::pattern;

/// The most bytes of one file.
const MOST_FILE: usize = 64 * 1024;
/// The most bytes of all files.
const MOST_ALL: usize = 256 * 1024;
/// The most bytes of a file that is read at all.
const MOST_READ: u64 = 16 * 1024 * 1024;
/// The most names of a folder.
const MOST_NAMES: usize = 500;
/// The most bytes of a path that was pasted.
const MOST_PATH: usize = 4096;
/// The most files of one question.
const MOST_FILES: usize = 50;

/// One mention as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mention {
    path: String,
    lines: Option<(usize, usize)>,
}

/// What goes along with a question.
#[derive(Debug, Default)]
pub struct Mentioned {
    /// The parts behind the question; empty where nothing is mentioned.
    pub text: String,
    /// Images.
    pub blocks: Vec<Block>,
    /// What was sent and what was not, a line each.
    pub said: Vec<String>,
    /// Files that may hold secrets, which were left out.
    pub withheld: Vec<PathBuf>,
    /// Whether one that may hold secrets was sent.
    pub holds_secrets: bool,
}

/// Reads what a question mentions, seen from a folder. Files that may hold secrets are read where they are in `allowed`.
pub fn read(
    question: &str,
    pasted: &[String],
    folder: &Path,
    home: Option<&Path>,
    places: &dyn FilePlaces,
    allowed: &[PathBuf],
) -> Mentioned {
    let mut out = Mentioned::default();
    let mut sent = Vec::new();
    for path in pasted.iter().filter(|text| question.contains(text.trim())).filter_map(|text| image(text, folder, home))
    {
        if sent.len() < MOST_FILES && !sent.contains(&(path.clone(), None)) {
            sent.push((path.clone(), None));
            attach(&path, None, folder, places, allowed, &mut out);
        }
    }
    let mut without_file = 0;
    for mention in find(question) {
        let paths = resolve(&mention, folder, home);
        if paths.is_empty() {
            without_file += 1;
            if without_file <= MISSING_TOLD {
                out.said.push(missing(&mention.path, folder, home));
            }
        }
        for path in paths {
            if sent.contains(&(path.clone(), mention.lines)) {
                continue;
            }
            if sent.len() >= MOST_FILES {
                out.said.push(format!("more than {MOST_FILES} files are mentioned; the rest was left out"));
                return out;
            }
            sent.push((path.clone(), mention.lines));
            attach(&path, mention.lines, folder, places, allowed, &mut out);
        }
    }
    out
}

fn attach(
    path: &Path,
    lines: Option<(usize, usize)>,
    folder: &Path,
    places: &dyn FilePlaces,
    allowed: &[PathBuf],
    out: &mut Mentioned,
) {
    let name = path.strip_prefix(folder).unwrap_or(path).display().to_string();
    let name = if name.is_empty() { ".".to_owned() } else { sanitize(&name).replace(['"', '<', '>', '\n'], "?") };
    // Where a link leads is what is read; the link's own name may say that it is a secret.
    let Ok(real) = std::fs::canonicalize(path) else { return };
    if places.is_hidden(&real) || places.is_hidden(path) {
        if !allowed.contains(&real) {
            out.said.push(format!("@{name} may hold secrets; it was not sent"));
            out.withheld.push(real);
            return;
        }
        out.holds_secrets = true;
    }
    let kind = std::fs::metadata(&real);
    match kind {
        Ok(meta) if meta.is_dir() => listing(&real, &name, out),
        Ok(meta) if meta.is_file() && meta.len() <= MOST_READ => file(&real, &name, lines, out),
        Ok(meta) if meta.is_file() => out.said.push(format!("@{name} is too large ({} bytes)", meta.len())),
        Ok(_) => out.said.push(format!("@{name} is no file")),
        Err(error) => out.said.push(format!("@{name}: {error}")),
    }
}

fn file(path: &Path, name: &str, lines: Option<(usize, usize)>, out: &mut Mentioned) {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => return out.said.push(format!("@{name}: {error}")),
    };
    if let Ok(block) = crate::image::read(path) {
        out.blocks.push(block);
        return out.said.push(format!("sent @{name} as an image"));
    }
    let text = match aish_files::Text::decode(&bytes) {
        Ok(text) => text.text,
        Err(why) => return out.said.push(format!("@{name} {why}; it was not sent")),
    };
    let total = text.lines().count();
    let has = if total == 1 { "1 line".to_owned() } else { format!("{total} lines") };
    let (range, text) = match lines {
        Some((from, to)) => {
            let to = to.min(total);
            let part: Vec<&str> = text.lines().skip(from - 1).take((to + 1).saturating_sub(from)).collect();
            if part.is_empty() {
                return out.said.push(format!("@{name} has {has}; it was not sent"));
            }
            (format!(" lines=\"{from}-{to} of {total}\""), part.join("\n"))
        }
        None => (format!(" lines=\"{total}\""), text),
    };
    let room = MOST_FILE.min(MOST_ALL.saturating_sub(out.text.len()));
    if room == 0 {
        return out.said.push(format!("@{name} was left out: {} KiB went along already", MOST_ALL / 1024));
    }
    let cut = head_and_tail(&text, room);
    let is_cut = if cut.omitted > 0 { ", its middle left out" } else { "" };
    out.said.push(match lines {
        Some((from, to)) if from == to.min(total) => format!("sent @{name}, line {from}{is_cut}"),
        Some((from, to)) => format!("sent @{name}, lines {from} to {}{is_cut}", to.min(total)),
        None => format!("sent @{name} ({has}{is_cut})"),
    });
    let inside = cut.text.replace("</file", "<\\/file");
    out.text.push_str(&format!("<file path=\"{name}\"{range}>\n{}\n</file>\n", inside.trim_end_matches('\n')));
}

fn listing(path: &Path, name: &str, out: &mut Mentioned) {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten().take(10_000);
    let mut names: Vec<String> = entries
        .map(|entry| {
            let slash = if entry.path().is_dir() { "/" } else { "" };
            format!("{}{slash}", sanitize(&entry.file_name().to_string_lossy()).replace('\n', "?"))
        })
        .collect();
    names.sort();
    let total = names.len();
    names.truncate(MOST_NAMES);
    out.said.push(format!("sent the names in @{name} ({} of {total})", names.len()));
    let inside = names.join("\n").replace("</folder", "<\\/folder");
    out.text.push_str(&format!("<folder path=\"{name}\" names=\"{total}\">\n{inside}\n</folder>\n"));
}

/// Returns the image that a pasted text is the path of: as it is, quoted or escaped for a shell, or as a `file:` address.
fn image(pasted: &str, folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let text = pasted.trim();
    if text.is_empty() || text.len() > MOST_PATH || text.contains('\n') {
        return None;
    }
    let unquoted =
        shell_words::split(text).ok().filter(|words| words.len() == 1).and_then(|words| words.into_iter().next());
    let decoded = |path: &str| percent_decode_str(path).decode_utf8_lossy().into_owned();
    let address = text.strip_prefix("file://").map(|path| decoded(path.trim_start_matches("localhost")));
    let paths = [Some(text.to_owned()), unquoted, address].into_iter().flatten();
    let found = paths.map(|path| match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => folder.join(path),
    });
    found.into_iter().find(|path| crate::image::read(path).is_ok())
}

/// How many mentions without a file are told of: code that is asked about is full of `@`.
const MISSING_TOLD: usize = 3;

/// Finds what a mention stands for; nothing where there is no such file.
fn resolve(mention: &Mention, folder: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let text = mention.path.as_str();
    let path = place(text, folder, home);
    if path.symlink_metadata().is_ok() {
        return vec![path];
    }
    if text.contains(['*', '?', '[']) { pattern::expand(folder, text) } else { Vec::new() }
}

/// Returns where a path of a mention leads.
fn place(text: &str, folder: &Path, home: Option<&Path>) -> PathBuf {
    match (text.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => folder.join(text),
    }
}

/// Says that a mention stands for no file, which may be a slip, a name of somebody or code.
fn missing(text: &str, folder: &Path, home: Option<&Path>) -> String {
    let path = place(text, folder, home);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let entries = path.parent().and_then(|parent| std::fs::read_dir(parent).ok()).into_iter().flatten().flatten();
    let names = entries.take(10_000).filter_map(|entry| entry.file_name().into_string().ok());
    let meant =
        slip(&name, names).filter(|_| name.len() > 2 && text.ends_with(&name)).map_or_else(String::new, |meant| {
            format!("; did you mean @{}{meant}?", text.get(..text.len() - name.len()).unwrap_or_default())
        });
    format!("@{text}: there is no such file; it was sent as it is{meant}")
}

/// Finds the mentions of a question: `@` where a word begins, outside of back quotes.
fn find(question: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut is_code = false;
    let mut before = ' ';
    let mut rest = question;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        if c == '`' {
            is_code = !is_code;
        }
        if c == '@' && !is_code && (before.is_whitespace() || matches!(before, '(' | '[' | '"' | '\'')) {
            let (word, quoted, length) = word(rest);
            found.extend(mention(&word, quoted));
            rest = rest.get(length..).unwrap_or_default();
            before = 'x';
            continue;
        }
        before = c;
    }
    found
}

/// Reads the word behind an `@`: quoted, or up to a blank that no backslash stands before.
fn word(rest: &str) -> (String, bool, usize) {
    if let Some(inner) = rest.strip_prefix('"')
        && let Some(end) = inner.find('"')
    {
        let tail = inner.get(end + 1..).unwrap_or_default();
        let range: usize = tail.chars().take_while(|c| matches!(c, ':' | '-') || c.is_ascii_digit()).count();
        let text = format!("{}{}", inner.get(..end).unwrap_or_default(), tail.get(..range).unwrap_or_default());
        return (text, true, end + 2 + range);
    }
    let mut text = String::new();
    let mut is_escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            _ if is_escaped => {
                text.push(c);
                is_escaped = false;
            }
            '\\' => is_escaped = true,
            c if c.is_whitespace() => return (text, false, at),
            c => text.push(c),
        }
    }
    (text, false, rest.len())
}

/// Takes a word apart: path and lines. Marks that end a sentence are no part of it.
fn mention(word: &str, quoted: bool) -> Option<Mention> {
    let word = if quoted { word } else { word.trim_end_matches(['.', ',', ';', '!', ')', ']', '"', '\'', '?', ':']) };
    if word.is_empty() || word.contains('@') {
        return None;
    }
    let lines = word.rsplit_once(':').and_then(|(path, lines)| {
        let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
        let (from, to) = (from.parse().ok()?, to.parse().ok()?);
        (from >= 1 && to >= from && !path.is_empty()).then_some((path, (from, to)))
    });
    Some(match lines {
        Some((path, lines)) => Mention { path: path.to_owned(), lines: Some(lines) },
        None => Mention { path: word.to_owned(), lines: None },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Open;

    impl FilePlaces for Open {
        fn tree(&self, _folder: &Path) -> Option<PathBuf> {
            None
        }

        fn is_hidden(&self, path: &Path) -> bool {
            path.ends_with(".env")
        }

        fn guarded(&self, _root: &Path, _below: &Path, _old: &str, _new: &str) -> Option<&'static str> {
            None
        }
    }

    #[test]
    fn mentions_are_words_of_their_own() {
        let found = |text: &str| -> Vec<(String, Option<(usize, usize)>)> {
            find(text).into_iter().map(|mention| (mention.path, mention.lines)).collect()
        };
        let one = |path: &str| vec![(path.to_owned(), None)];
        assert_eq!(found("what is @src/a.rs?"), one("src/a.rs"));
        assert_eq!(found("(see @a.rs), and"), one("a.rs"));
        assert_eq!(found("@a.rs:10-40 why"), [("a.rs".to_owned(), Some((10, 40)))]);
        assert_eq!(found("@a.rs:7"), [("a.rs".to_owned(), Some((7, 7)))]);
        assert_eq!(found("@\"a b.txt\":2-3."), [("a b.txt".to_owned(), Some((2, 3)))]);
        assert_eq!(found(r"@a\ b.txt now"), one("a b.txt"));
        assert_eq!(found("mail me@example.org or `@code` or user@host"), []);
        assert_eq!(found("@ alone, @:3"), [(":3".to_owned(), None)]);
    }

    #[test]
    fn the_path_of_an_image_that_was_pasted_is_a_mention() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a plot.png"), b"\x89PNG\r\n\x1a\n....").unwrap();
        std::fs::write(at("text.png"), "no image").unwrap();
        std::fs::write(at("a.txt"), "text").unwrap();
        let path = at("a plot.png").display().to_string();
        let check = |pasted: &str, question: &str, expected: usize| {
            let found = read(question, &[pasted.to_owned()], folder.path(), None, &Open, &[]);
            assert_eq!((found.blocks.len(), found.said.len()), (expected, expected), "{pasted:?}: {:?}", found.said);
        };
        for pasted in [
            path.clone(),
            format!("{path} "),
            format!("'{path}'"),
            path.replace(' ', "\\ "),
            format!("file://{}", path.replace(' ', "%20")),
            "a plot.png".to_owned(),
        ] {
            check(&pasted, &format!("what is on {}?", pasted.trim()), 1);
        }
        // What is no longer in the question, no image, no path.
        check(&path, "what is this?", 0);
        for pasted in ["text.png", "a.txt", "", " ", "a plot.png\nb", "%zz", "file://%"] {
            check(pasted, &format!("what is {pasted}"), 0);
        }
        let both = read("@a\\ plot.png or a plot.png", &["a plot.png".to_owned()], folder.path(), None, &Open, &[]);
        assert_eq!(both.said, ["sent @a plot.png as an image"]);
    }

    #[test]
    fn files_go_behind_the_question() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a.txt"), "one\ntwo\nthree\n").unwrap();
        std::fs::write(at("b.bin"), b"\0\x01").unwrap();
        std::fs::write(at(".env"), "T=1").unwrap();
        std::fs::create_dir(at("sub")).unwrap();
        std::fs::write(at("sub/x.md"), "</file> x").unwrap();
        let read = |question: &str, allowed: &[PathBuf]| read(question, &[], folder.path(), None, &Open, allowed);
        let part = read("explain @a.txt:2-9 please", &[]);
        assert_eq!(part.text, "<file path=\"a.txt\" lines=\"2-3 of 3\">\ntwo\nthree\n</file>\n");
        assert_eq!(part.said, ["sent @a.txt, lines 2 to 3"]);
        assert_eq!(read("explain @a.txt:3 @.env", &[at(".env")]).said, ["sent @a.txt, line 3", "sent @.env (1 line)"]);
        assert_eq!(read("@sub", &[]).text, "<folder path=\"sub\" names=\"1\">\nx.md\n</folder>\n");
        assert!(read("@sub/*.md", &[]).text.contains("<\\/file> x\n</file>"));
        assert_eq!(
            read("@b.bin @nothing.txt @who", &[]).said,
            [
                "@b.bin is binary; it was not sent",
                "@nothing.txt: there is no such file; it was sent as it is",
                "@who: there is no such file; it was sent as it is"
            ]
        );
        assert_eq!(
            read("explain @a.tx and @sub/y.md, or `@code`", &[]).said,
            [
                "@a.tx: there is no such file; it was sent as it is; did you mean @a.txt?",
                "@sub/y.md: there is no such file; it was sent as it is; did you mean @sub/x.md?"
            ]
        );
        assert_eq!(read("@a1 @a2 @a3 @a4 @a5", &[]).said.len(), MISSING_TOLD);
        std::fs::create_dir(at("deploy")).unwrap();
        std::os::unix::fs::symlink("../a.txt", at("deploy/.env")).unwrap();
        assert_eq!(read("@deploy/.env", &[]).said, ["@deploy/.env may hold secrets; it was not sent"]);
        let secret = read("@.env", &[]);
        assert_eq!((secret.text.as_str(), secret.withheld.len()), ("", 1));
        let sent = read("@.env", &secret.withheld);
        assert!(sent.text.contains("T=1") && sent.holds_secrets && !secret.holds_secrets);
    }
}
