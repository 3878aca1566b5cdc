//! Generated edits against a reference that works on lists of lines.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree as _;

use crate::place::{Place, edit_file, names};

/// How a file writes its lines.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Plain,
    Marked,
    Utf16,
    Latin1,
}

/// What kind of thing the file is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    File,
    ReadOnly,
    Script,
    HardLink,
    Link,
    LinkOut,
}

#[derive(Debug, Clone)]
struct Task {
    lines: Vec<String>,
    ends: Vec<bool>,
    has_final_end: bool,
    shape: Shape,
    kind: Kind,
    /// Large files get so many lines before and after.
    padding: usize,
    from: Index,
    count: usize,
    new: Vec<String>,
}

fn line() -> impl Strategy<Value = String> {
    // Few different lines, so that passages repeat.
    const WORDS: &[&str] = &["x = 1", "\ty()", "    z;", "", "}", "fn é() {", "  ", "\t\tend", "a\tb", "$1 \\n .*"];
    select(WORDS).prop_map(str::to_owned)
}

fn task() -> impl Strategy<Value = Task> {
    let shape = prop_oneof![
        4 => Just(Shape::Plain), 1 => Just(Shape::Marked), 1 => Just(Shape::Utf16), 1 => Just(Shape::Latin1)
    ];
    let kind = prop_oneof![
        6 => Just(Kind::File), 1 => Just(Kind::ReadOnly), 1 => Just(Kind::Script), 1 => Just(Kind::HardLink),
        1 => Just(Kind::Link), 1 => Just(Kind::LinkOut)
    ];
    // Line ends: all alike, or mixed.
    let ends = prop_oneof![
        4 => Just(vec![false; 12]), 3 => Just(vec![true; 12]), 1 => vec(any::<bool>(), 12)
    ];
    let padding = prop_oneof![30 => Just(0), 1 => Just(100_000_usize)];
    (vec(line(), 1..12), ends, any::<bool>(), shape, kind, padding, any::<Index>(), 1_usize..4, vec(line(), 0..4))
        .prop_map(|(lines, ends, has_final_end, shape, kind, padding, from, count, new)| Task {
            lines,
            ends,
            has_final_end,
            shape,
            kind,
            padding,
            from,
            count,
            new,
        })
}

fn bytes(lines: &[(String, &str)], shape: Shape) -> Vec<u8> {
    let text: String = lines.iter().map(|(line, end)| format!("{line}{end}")).collect();
    match shape {
        Shape::Plain => text.into_bytes(),
        Shape::Marked => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        Shape::Utf16 => [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect(),
        Shape::Latin1 => text.chars().map(|c| u8::try_from(c).unwrap()).collect(),
    }
}

impl Task {
    /// The file as a list of lines, each with its end.
    fn file(&self) -> Vec<(String, &'static str)> {
        let end = |crlf: bool| if crlf { "\r\n" } else { "\n" };
        let first = end(self.ends[0]);
        let pad = |side: &str| {
            (0..self.padding).map(|n| (format!("{side} {n} {}", "-".repeat(20)), first)).collect::<Vec<_>>()
        };
        let mut lines = pad("before");
        lines.extend(self.lines.iter().zip(&self.ends).map(|(line, &crlf)| (line.clone(), end(crlf))));
        lines.extend(pad("after"));
        if let Some(last) = lines.last_mut().filter(|_| !self.has_final_end) {
            last.1 = "";
        }
        lines
    }
}

/// The reference: the lines from `at` on become others; those that stay at both sides of them keep their ends.
fn reference(file: &[(String, &'static str)], at: usize, old: usize, new: &[String]) -> Vec<(String, &'static str)> {
    let window = &file[at..at + old];
    let mut before = 0;
    while before < old.min(new.len()) && window[before].0 == new[before] {
        before += 1;
    }
    let mut after = 0;
    while after < old.min(new.len()) - before && window[old - 1 - after].0 == new[new.len() - 1 - after] {
        after += 1;
    }
    let first = at + before;
    // The end of a new line is that of the line that it begins at, else of the one above.
    let style = file[first..].iter().chain(file[..first].iter().rev()).map(|line| line.1).find(|end| !end.is_empty());
    let style = style.unwrap_or("\n");
    let mut out = file[..first].to_vec();
    out.extend(new[before..new.len() - after].iter().map(|line| (line.clone(), style)));
    out.extend_from_slice(&file[at + old - after..]);
    // The last line of a file without a last line end gets one where another follows it now.
    let above = out.len().saturating_sub(1);
    out[..above].iter_mut().filter(|line| line.1.is_empty()).for_each(|line| line.1 = style);
    out
}

fn check(task: &Task) -> Result<bool, TestCaseError> {
    let place = Place::new();
    let file = task.file();
    let before = bytes(&file, task.shape);
    // Without a letter beyond ASCII, Latin-1 is UTF-8.
    let shape = if before.is_ascii() { Shape::Plain } else { task.shape };
    let at = task.padding + task.from.index(task.lines.len());
    let old = task.count.min(file.len() - at).min(task.padding + task.lines.len() - at);
    // Whole lines with their ends: a passage that reaches the end of a file without a last line end has none.
    let ends_file = at + old == file.len() && !task.has_final_end;
    let passage = |lines: &mut dyn Iterator<Item = &str>| lines.map(|line| format!("{line}\n")).collect::<String>();
    let mut old_text = passage(&mut file[at..at + old].iter().map(|line| line.0.as_str()));
    let mut new_text = passage(&mut task.new.iter().map(String::as_str));
    if ends_file {
        old_text.pop();
        new_text.pop();
    }
    let (path, other) = match task.kind {
        Kind::Link | Kind::HardLink => (place.write("real/file.txt", &before), Some(place.root.join("file.txt"))),
        Kind::LinkOut => {
            let path = place.outside.join("file.txt");
            std::fs::write(&path, &before).unwrap();
            (path, Some(place.root.join("file.txt")))
        }
        Kind::File | Kind::ReadOnly | Kind::Script => (place.write("file.txt", &before), None),
    };
    match (task.kind, &other) {
        (Kind::HardLink, Some(other)) => std::fs::hard_link(&path, other).unwrap(),
        (Kind::Link, Some(other)) => std::os::unix::fs::symlink("real/file.txt", other).unwrap(),
        (Kind::LinkOut, Some(other)) => std::os::unix::fs::symlink(&path, other).unwrap(),
        _ => {}
    }
    let mode = match task.kind {
        Kind::ReadOnly => 0o444,
        Kind::Script => 0o755,
        Kind::File | Kind::HardLink | Kind::Link | Kind::LinkOut => 0o640,
    };
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    let tree = place.tree();
    let done = edit_file(&tree, "file.txt", &old_text, &new_text);
    let after = std::fs::read(&path).unwrap();
    let unified: String =
        file.iter().map(|(line, end)| format!("{line}{}", if end.is_empty() { "" } else { "\n" })).collect();
    let mut times = 0;
    if !old_text.is_empty() {
        times = (0..unified.len())
            .filter(|&from| unified.is_char_boundary(from) && unified[from..].starts_with(&old_text))
            .count();
    }
    let may = !matches!(task.kind, Kind::ReadOnly | Kind::LinkOut);
    let is_edit = times == 1 && old_text != new_text && may;
    if is_edit {
        prop_assert_eq!(&done, &Ok(()));
        let mut expected = reference(&file, at, old, &task.new);
        // Where nothing is left behind it, the last line has an end only if it is a new one that was given one.
        if ends_file
            && !task.new.is_empty()
            && let Some(last) = expected.last_mut()
        {
            last.1 = "";
        }
        let expected = bytes(&expected, shape);
        prop_assert_eq!(String::from_utf8_lossy(&after), String::from_utf8_lossy(&expected));
        prop_assert_eq!(&after, &expected);
    } else {
        prop_assert!(done.is_err(), "{:?} was done though it stands there {} times", old_text, times);
        prop_assert_eq!(&after, &before, "what is refused changes nothing");
    }
    let stat = std::fs::metadata(&path).unwrap();
    prop_assert_eq!(stat.mode() & 0o7777, mode);
    if let Some(other) = other {
        prop_assert_eq!(std::fs::read(&other).unwrap(), after);
        prop_assert_eq!(std::fs::symlink_metadata(&other).unwrap().is_symlink(), task.kind != Kind::HardLink);
        prop_assert!(task.kind != Kind::HardLink || stat.nlink() == 2);
    }
    prop_assert!(!names(&place.root).iter().any(|name| name.contains(".tmp")), "nothing is left beside");
    Ok(is_edit)
}

/// 100 tasks that edit, and as many beside them that must be refused as come.
#[test]
fn a_hundred_generated_edits_make_no_wrong_file() {
    let mut edits = 0;
    let mut runner = proptest::test_runner::TestRunner::default();
    let strategy = task();
    while edits < 100 {
        let task = strategy.new_tree(&mut runner).unwrap().current();
        match check(&task) {
            Ok(is_edit) => edits += usize::from(is_edit),
            Err(error) => panic!("{error}\n{:?}", Task { padding: task.padding, ..task.clone() }),
        }
    }
}

#[test]
fn a_file_of_ten_megabytes_keeps_all_but_the_edit() {
    let place = Place::new();
    let whole: String =
        (0..200_000).map(|n| format!("line {n:>8} of many, which is long enough to be told apart\r\n")).collect();
    assert!(whole.len() > 10 << 20);
    let path = place.write("big.txt", &whole);
    let tree = place.tree();
    edit_file(&tree, "big.txt", "line   123456 of", "LINE   123456 of").unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), whole.replace("line   123456 of", "LINE   123456 of"));
}
