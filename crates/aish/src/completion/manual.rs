//! What manual pages say of a command and its options. Nothing is run for it: pages are read where `man` finds them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use flate2::read::GzDecoder;

/// Bytes of a page that are read.
const LONGEST: u64 = 2 * 1024 * 1024;
/// Pages that are kept.
const KEPT: usize = 64;
/// Characters of what is said of an option.
const TOLD: usize = 60;
/// Options of a page at most.
const MOST: usize = 500;
/// Sections in which commands stand.
const SECTIONS: &[&str] = &["1", "8", "6"];
/// Where pages are when nothing says otherwise.
const PLACES: &[&str] = &["/usr/local/share/man", "/usr/share/man"];

/// What one page says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Page {
    /// What the command does.
    pub(super) about: String,
    /// Its options and what each does, in the page's order.
    pub(super) options: Vec<(String, String)>,
    /// Its sub-commands and what each does; manual pages list none.
    pub(super) commands: Vec<(String, String)>,
}

impl Page {
    /// Returns what an option does.
    pub(super) fn told(&self, option: &str) -> Option<String> {
        let name = option.trim_end_matches('=');
        self.options
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, told)| told.clone())
            .filter(|told| !told.is_empty())
    }

    /// Returns what a sub-command does.
    pub(super) fn says(&self, command: &str) -> Option<String> {
        let name = command.trim_end();
        self.commands
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, says)| says.clone())
            .filter(|says| !says.is_empty())
    }
}

/// The pages that were read.
#[derive(Debug, Default)]
pub(super) struct Manuals {
    pages: BTreeMap<String, Arc<Page>>,
    /// Where they were looked for.
    path: Option<String>,
}

impl Manuals {
    /// Returns the page of a name (`ls`, `git-commit`); an empty one where there is none. `path` is `MANPATH`.
    pub(super) fn page(&mut self, name: &str, path: Option<&str>) -> Arc<Page> {
        let moved = self.path.as_deref() != path;
        if let Some(page) = self.pages.get(name).filter(|_| !moved) {
            return Arc::clone(page);
        }
        if moved || self.pages.len() >= KEPT {
            self.path = path.map(str::to_owned);
            self.pages.clear();
        }
        let page = Arc::new(text(name, path).map(|text| read(&text)).unwrap_or_default());
        self.pages.insert(name.to_owned(), Arc::clone(&page));
        page
    }
}

/// Reads the source of a page.
fn text(name: &str, path: Option<&str>) -> Option<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '[');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_name) {
        return None;
    }
    // An empty part stands for the usual places.
    let own: Vec<PathBuf> = path.iter().flat_map(|path| std::env::split_paths(path)).collect();
    let usual = own.is_empty() || own.iter().any(|place| place.as_os_str().is_empty());
    let places = own.into_iter().filter(|place| place.is_absolute());
    let places = places.chain(PLACES.iter().filter(|_| usual).map(PathBuf::from));
    for place in places {
        for section in SECTIONS {
            let file = place.join(format!("man{section}")).join(format!("{name}.{section}"));
            let mut bytes = Vec::new();
            let packed = file.with_file_name(format!("{name}.{section}.gz"));
            let read = match (File::open(&packed), File::open(&file)) {
                (Ok(packed), _) => GzDecoder::new(packed).take(LONGEST).read_to_end(&mut bytes),
                (Err(_), Ok(plain)) => plain.take(LONGEST).read_to_end(&mut bytes),
                (Err(_), Err(_)) => continue,
            };
            // What came before a fault is as good as the page.
            drop(read);
            return Some(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    None
}

/// Reads the source of a page: its name's line, and each paragraph that begins with an option.
fn read(text: &str) -> Page {
    let mut reader = Reader::default();
    for line in text.lines() {
        let (request, rest) = match line.strip_prefix('.') {
            Some(request) => request.trim_start().split_once([' ', '\t']).unwrap_or((request.trim(), "")),
            None => ("", line),
        };
        reader.take(request, rest);
        if reader.page.options.len() >= MOST {
            break;
        }
    }
    reader.close();
    reader.page
}

/// A page that is being read.
#[derive(Debug, Default)]
struct Reader {
    page: Page,
    section: String,
    /// The options of a paragraph, and what was said of them so far.
    open: Option<(Vec<String>, String)>,
    /// True where the next line may name options.
    is_tag: bool,
}

impl Reader {
    /// Takes a request with what follows it; a line of text has none.
    fn take(&mut self, request: &str, rest: &str) {
        match request {
            "SH" | "Sh" => {
                self.close();
                self.section = plain(rest).trim_matches('"').to_uppercase();
            }
            "Nd" => self.page.about = sentence(&plain(rest)),
            "TP" | "TQ" | "PP" | "P" | "LP" | "sp" => {
                self.close();
                self.is_tag = true;
            }
            "IP" | "It" => {
                self.close();
                let line = plain(rest);
                let line = if request == "It" { mdoc(&line) } else { Some(line) };
                self.open = line.and_then(|line| tags(&line)).map(|tags| (tags, String::new()));
            }
            "RE" | "El" | "SS" | "Ss" => self.close(),
            // Fonts, and words of the other kind of pages, hold text.
            "" | "B" | "I" | "R" | "BR" | "RB" | "BI" | "IB" | "IR" | "RI" | "SM" | "Nm" | "Fl" | "Ar" | "Cm"
            | "Xr" | "Pa" | "Dq" | "Ql" | "Sq" | "Em" | "Sy" => self.words(&plain(&joined(request, rest))),
            _ => {}
        }
    }

    fn words(&mut self, words: &str) {
        if self.section == "NAME" && self.page.about.is_empty() {
            if let Some((_, about)) = words.split_once(" - ") {
                self.page.about = sentence(about);
            }
            return;
        }
        match &mut self.open {
            None if self.is_tag => self.open = tags(words).map(|tags| (tags, String::new())),
            Some((_, told)) if told.len() < 4 * TOLD => {
                told.push(' ');
                told.push_str(words.trim());
            }
            Some(_) | None => {}
        }
        self.is_tag = false;
    }

    /// Notes the options that are open, with what was said of them.
    fn close(&mut self) {
        self.is_tag = false;
        let Some((names, told)) = self.open.take() else { return };
        let told = sentence(&told);
        for name in names {
            if !self.page.options.iter().any(|(known, _)| *known == name) {
                self.page.options.push((name, told.clone()));
            }
        }
    }
}

/// Returns the options that a line names; none where it does not begin with one.
fn tags(line: &str) -> Option<Vec<String>> {
    let line = line.trim().trim_matches('"');
    if !line.starts_with('-') {
        return None;
    }
    let is_end = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '?' | '+' | '#' | '@'));
    let names = line.split([' ', ',', '|', '/', '\t']).filter(|word| word.starts_with('-') && word.len() > 1);
    let names = names.map(|word| word.split(is_end).next().unwrap_or_default().trim_end_matches('.').to_owned());
    let names: Vec<String> = names.filter(|name| !name.trim_matches('-').is_empty()).take(6).collect();
    (!names.is_empty()).then_some(names)
}

/// Writes an item of the other kind of pages: `Fl a Ar file` is `-a file`.
fn mdoc(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let mut out = String::new();
    while let Some(word) = words.next() {
        match word {
            "Fl" => out.push_str(&format!(" -{}", words.next().unwrap_or_default())),
            "Ar" | "Cm" | "Op" | "Ns" => {}
            other => out.push_str(&format!(" {other}")),
        }
    }
    line.starts_with("Fl").then(|| out.trim().to_owned())
}

/// Joins the words behind a font's request: two fonts by turns stand without blanks between them.
fn joined(request: &str, rest: &str) -> String {
    let is_by_turns = matches!(request, "BR" | "RB" | "BI" | "IB" | "IR" | "RI");
    let mut out = String::new();
    let mut is_quoted = false;
    for c in rest.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ' ' if is_by_turns && !is_quoted => {}
            c => out.push(c),
        }
    }
    if request.is_empty() { rest.to_owned() } else { out }
}

/// Takes what only draws out of a line.
fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match rest.next() {
            Some('-') => out.push('-'),
            Some('e' | '\\') => out.push('\\'),
            Some(' ' | '~' | '0') => out.push(' '),
            Some('f' | '*' | '(' | 'n' | 'g' | 'k' | 's' | 'm') => {
                skip(&mut rest, line, &mut out);
            }
            Some('"' | '#') => break,
            _ => {}
        }
    }
    aish_types::visible(&out).into_owned()
}

/// Passes over the name behind an escape: one character, two behind `(`, or all up to `]` behind `[`.
fn skip(rest: &mut std::str::Chars<'_>, line: &str, out: &mut String) {
    let at = line.len() - rest.as_str().len();
    let sign = line.get(..at).and_then(|before| before.chars().next_back());
    if sign == Some('(') {
        let name: String = rest.by_ref().take(2).collect();
        out.push_str(match name.as_str() {
            "aq" | "oq" | "cq" => "'",
            "dq" | "lq" | "rq" => "\"",
            "em" | "en" | "hy" | "mi" => "-",
            _ => "",
        });
        return;
    }
    match rest.next() {
        Some('(') => drop(rest.by_ref().take(2).count()),
        Some('[') => drop(rest.by_ref().take_while(|c| *c != ']').count()),
        Some(_) | None => {}
    }
}

/// Returns the first sentence, cut where it is long.
pub(super) fn sentence(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let first = words.split_once(". ").map_or(words.as_str(), |(first, _)| first).trim_end_matches(['.', ';', ' ']);
    match first.char_indices().nth(TOLD) {
        Some((at, _)) => format!("{}…", first.get(..at).unwrap_or_default().trim_end()),
        None => first.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, about: &str, options: &[(&str, &str)]) {
        let page = read(text);
        let options = options.iter().map(|(name, told)| ((*name).to_owned(), (*told).to_owned())).collect();
        assert_eq!(page, Page { about: about.to_owned(), options, commands: Vec::new() });
    }

    #[test]
    fn pages_of_all_kinds_are_read() {
        // help2man.
        check(
            ".SH NAME\nls \\- list directory contents\n.SH DESCRIPTION\nSorts.\n.TP\n\\fB\\-a\\fR, \\fB\\-\\-all\\fR\ndo not ignore \
             entries starting with .\n.TP\n\\fB\\-\\-block\\-size\\fR=\\fI\\,SIZE\\/\\fR\nwith \\fB\\-l\\fR, scale\nsizes. More.\n.SS X\ntext\n",
            "list directory contents",
            &[
                ("-a", "do not ignore entries starting with"),
                ("--all", "do not ignore entries starting with"),
                ("--block-size", "with -l, scale sizes"),
            ],
        );
        // DocBook, as git's.
        check(
            ".SH \"NAME\"\ngit-commit \\- Record changes\\&.\n.SH \"OPTIONS\"\n.PP\n\\-C <commit>, \\-\\-reuse\\-message=<commit>\n.RS 4\n\
             Take an existing\n\\fIcommit\\fR\\&. And\n.RE\n.PP\nNot an option\n",
            "Record changes",
            &[("-C", "Take an existing commit"), ("--reuse-message", "Take an existing commit")],
        );
        // pod2man, and fonts by turns.
        check(
            ".SH NAME\nx \\- y\n.SH OPTIONS\n.IP \"\\fB\\-v\\fR\" 4\n.IX Item \"-v\"\nSays more.\n.TP\n.BR \\-n \", \" \\-\\-dry\\-run\nDo\n.B nothing\n",
            "y",
            &[("-v", "Says more"), ("-n", "Do nothing"), ("--dry-run", "Do nothing")],
        );
        // mdoc.
        check(
            ".Sh NAME\n.Nm ssh\n.Nd remote login client\n.Sh DESCRIPTION\n.Bl -tag\n.It Fl b Ar bind_address\nUse\n.Ar bind_address\non it.\n.It Fl 4\nForces it.\n.El\n",
            "remote login client",
            &[("-b", "Use bind_address on it"), ("-4", "Forces it")],
        );
        check("", "", &[]);
        check(".TP\n\\", "", &[]);
    }

    #[test]
    fn pages_are_found_where_the_path_says() {
        let folder = tempfile::tempdir().unwrap();
        let man = folder.path().join("man1");
        std::fs::create_dir(&man).unwrap();
        std::fs::write(man.join("frob.1"), ".SH NAME\nfrob \\- does it\n.SH O\n.TP\n\\-x\nhard\n").unwrap();
        let path = folder.path().display().to_string();
        let mut manuals = Manuals::default();
        // Where it was not, it is no longer looked for; another path is another place.
        assert_eq!(*manuals.page("frob", Some("/nowhere")), Page::default());
        let page = manuals.page("frob", Some(&path));
        assert_eq!((page.about.as_str(), page.told("-x").as_deref(), page.told("-y")), ("does it", Some("hard"), None));
        for name in ["../man1/frob", "", "a/b", ".", "no-such-page"] {
            assert_eq!(*manuals.page(name, Some(&path)), Page::default(), "{name}");
        }
    }
}
