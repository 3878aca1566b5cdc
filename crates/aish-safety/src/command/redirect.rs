//! Redirects: what is read, what is written over.

use alloc::string::String;
use alloc::vec::Vec;

use brush_parser::ast::{self, IoFileRedirectKind as Kind, IoFileRedirectTarget as Target};

use super::budget::Work;
use super::reason::push_shown;
use super::state::FileContent;
use super::walk::Walker;
use super::word::{HOLE, Stream, Taint, Word};
use crate::rules::Effect;
use crate::verdict::Verdict;

/// Where a command's output goes.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    /// The file.
    pub(crate) target: Word,
    /// True for `>>`.
    pub(crate) append: bool,
    /// True where it is what the command writes, and not only its errors.
    pub(crate) standard: bool,
}

/// What becomes of what a file holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writing {
    /// It goes.
    Over,
    /// It stays, before what is written.
    Behind,
}

/// Says whether a name stands for what comes in.
pub(crate) fn is_standard_input(name: &str) -> bool {
    matches!(name, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

/// The number that stands for the descriptors of a coprocess.
pub(crate) const COPROCESS: i32 = -1;

/// A command's redirects.
#[derive(Debug, Default)]
pub(crate) struct Redirects {
    /// What it reads, where that is redirected.
    pub(crate) stdin: Option<Stream>,
    /// True where that is a file which nothing before it in the pipe names, so that nothing of the pipe reaches it.
    pub(crate) apart: bool,
    /// Files it writes.
    pub(crate) outputs: Vec<Output>,
    /// Commands that read what it writes.
    pub(crate) readers: Vec<ast::SubshellCommand>,
    /// True where its output goes to another machine.
    pub(crate) sent: bool,
    /// True where a text that the line gives holds the value of a variable that is a secret by its name.
    given_secret: bool,
    /// Descriptors that are opened.
    opened: Vec<(i32, Stream)>,
}

impl Redirects {
    /// Reads from a stream. What is given another one before has both in zsh, and the last one in other shells.
    fn takes(&mut self, stream: Stream) {
        self.stdin = Some(match self.stdin.take() {
            None => stream,
            Some(before) => before.beside(stream),
        });
    }

    /// Opens a descriptor for a stream; the one that is read, where none is named.
    fn opens(&mut self, fd: Option<i32>, stream: Stream) {
        match fd {
            None | Some(0) => self.takes(stream),
            Some(fd) => self.opened.push((fd, stream)),
        }
    }

    /// Returns what is read; where a pipe leads to this very command, zsh has that read, too.
    pub(crate) fn input(&self, given: &Stream, piped: bool) -> Stream {
        match &self.stdin {
            None => given.clone(),
            Some(stream) if piped => stream.clone().behind_unknown(),
            Some(stream) => stream.clone(),
        }
    }

    fn add(&mut self, output: Output) {
        self.sent |= is_socket(&output.target.text);
        self.outputs.push(output);
    }
}

impl Walker<'_> {
    /// Reads one redirect.
    pub(crate) fn redirect(&mut self, redirect: &ast::IoRedirect, out: &mut Redirects) {
        match redirect {
            ast::IoRedirect::HereDocument(_, document) => {
                let text = &document.doc.value;
                let word =
                    if document.requires_expansion { self.expand_document(text) } else { Word::literal(text.as_str()) };
                out.given_secret |= word.taint.has(Taint::SECRET) || word.taint.has(Taint::ADDRESS);
                out.takes(stream_of(word));
            }
            ast::IoRedirect::HereString(fd, word) => {
                let word = self.expand_one(&word.value);
                out.given_secret |= word.taint.has(Taint::SECRET) || word.taint.has(Taint::ADDRESS);
                let mut stream = stream_of(word);
                if let Some(text) = &mut stream.text {
                    text.push('\n');
                }
                out.opens(*fd, stream);
            }
            ast::IoRedirect::OutputAndError(word, append) => {
                let target = self.expand_one(&word.value);
                out.add(Output { target, append: *append, standard: true });
            }
            ast::IoRedirect::File(fd, kind, target) => self.file(*fd, kind, target, out),
        }
    }

    fn file(&mut self, fd: Option<i32>, kind: &Kind, target: &Target, out: &mut Redirects) {
        match target {
            Target::Filename(word) => {
                self.read_names(kind, &word.value);
                let word = self.expand_one(&word.value);
                self.file_named(fd, kind, word, out);
            }
            Target::Fd(from) => self.duplicate(fd, kind, *from, out),
            Target::Duplicate(word) => {
                let word = self.expand_one(&word.value);
                match word.text.trim_end_matches('-').parse::<i32>() {
                    // It may be another, or the name of a file.
                    Ok(from)
                        if from != COPROCESS
                            && word.taint.has(Taint::GUESSED)
                            && matches!(kind, Kind::DuplicateOutput) =>
                    {
                        self.duplicate(fd, kind, from, out);
                        out.add(Output { target: word, append: false, standard: true });
                    }
                    Ok(from) => self.duplicate(fd, kind, from, out),
                    Err(_) if word.text == "-" => {}
                    Err(_) if matches!(kind, Kind::DuplicateOutput) => {
                        out.add(Output { target: word, append: false, standard: true });
                    }
                    Err(_) => {
                        let stream = self.read_file(&word);
                        out.takes(stream);
                    }
                }
            }
            Target::ProcessSubstitution(ast::ProcessSubstitutionKind::Read, subshell) => {
                let stream = self.process_substitution(subshell, &Stream::default());
                out.opens(fd, stream);
            }
            Target::ProcessSubstitution(ast::ProcessSubstitutionKind::Write, subshell) => match fd {
                // It runs at once, and what is written to the descriptor later is its input.
                Some(fd) if fd > 2 && self.readers.len() < 16 => {
                    self.process_substitution(subshell, &Stream::unknown(Taint::NONE));
                    self.readers.push((fd, subshell.clone()));
                }
                _ => out.readers.push(subshell.clone()),
            },
        }
    }

    /// Says whether a file may hold what programs before in the pipe, or before in the line, write.
    fn may_be_written_before(&self, file: &Word) -> bool {
        let name = file.text.rsplit('/').next().unwrap_or_default();
        !file.is_known()
            || file.glob
            || file.text.starts_with("/proc/")
            || file.text.starts_with("/dev/fd/")
            || self.state.files.contains_key(&self.place(file).text)
            || self.feeding.iter().any(|word| word.contains(name))
    }

    /// Runs `inside` with nothing of the pipe's words where the input is another one.
    pub(crate) fn fed<T>(&mut self, redirects: &Redirects, inside: impl FnOnce(&mut Self) -> T) -> T {
        if !redirects.apart {
            return inside(self);
        }
        let feeding = core::mem::take(&mut self.feeding);
        let out = inside(self);
        self.feeding = feeding;
        out
    }

    fn duplicate(&mut self, fd: Option<i32>, kind: &Kind, from: i32, out: &mut Redirects) {
        if self.state.sockets.contains(&from) && matches!(kind, Kind::DuplicateOutput) {
            out.sent = true;
        }
        if from == COPROCESS && matches!(kind, Kind::DuplicateOutput) {
            out.readers.extend(self.coprocess.clone());
        }
        if matches!(kind, Kind::DuplicateOutput) {
            let reader = self.readers.iter().rev().find(|(opened, _)| *opened == from);
            out.readers.extend(reader.map(|(_, reader)| reader.clone()));
        }
        let stream = out.opened.iter().rev().find(|(opened, _)| *opened == from).map(|(_, stream)| stream.clone());
        let stream = stream.or_else(|| self.state.descriptors.get(&from).cloned());
        // What the line did not open was opened before it.
        let opened_before = (from > 2 && matches!(kind, Kind::DuplicateInput)).then(|| Stream::unknown(Taint::CONTENT));
        let Some(stream) = stream.or(opened_before) else { return };
        out.opens(fd, stream);
    }

    fn file_named(&mut self, fd: Option<i32>, kind: &Kind, word: Word, out: &mut Redirects) {
        // A file that is not there is named.
        out.given_secret |= word.taint.has(Taint::SECRET);
        match kind {
            // What comes in anyhow.
            Kind::Read if matches!(fd, None | Some(0)) && is_standard_input(&word.text) => {}
            Kind::Read | Kind::ReadAndWrite | Kind::DuplicateInput => {
                if word.text.starts_with(HOLE) && word.taint.has(Taint::CONTENT) {
                    let reason = "reads what a file names, which may be a connection to another machine";
                    self.note_plain(&word.text, Verdict::Ask, Effect::Network, "network.socket", reason);
                }
                let stream = self.read_file(&word);
                if matches!(fd, None | Some(0)) {
                    out.apart = !self.may_be_written_before(&word);
                }
                out.opens(fd, stream);
                if matches!(kind, Kind::ReadAndWrite) {
                    out.add(Output { target: word, append: true, standard: true });
                }
            }
            Kind::Write | Kind::Clobber | Kind::DuplicateOutput => {
                out.add(Output { target: word, append: false, standard: matches!(fd, None | Some(1)) });
            }
            Kind::Append => {
                out.add(Output { target: word, append: true, standard: matches!(fd, None | Some(1)) });
            }
        }
    }

    /// Runs `inside` with redirects around it, and judges what they write.
    pub(crate) fn redirected(
        &mut self,
        redirects: Option<&ast::RedirectList>,
        stdin: &Stream,
        inside: impl FnOnce(&mut Self, &Stream) -> Stream,
    ) -> Stream {
        let piped = core::mem::take(&mut self.piped);
        let Some(list) = redirects else { return inside(self, stdin) };
        let mut read = Redirects::default();
        let quotes = core::mem::take(&mut self.otherwise.quotes);
        self.with_each_value(|walker| {
            for redirect in &list.0 {
                walker.redirect_of_dash(redirect);
                walker.redirect(redirect, &mut read);
            }
        });
        if core::mem::replace(&mut self.otherwise.quotes, quotes) && !read.outputs.is_empty() {
            self.quoted_in_dash();
        }
        for (fd, stream) in core::mem::take(&mut read.opened) {
            self.state.descriptors.insert(fd, stream);
        }
        let out = self.fed(&read, |walker| inside(walker, &read.input(stdin, piped)));
        self.finish_redirects(&read, out)
    }

    /// Judges where the output goes; returns what is left for the pipe.
    pub(crate) fn finish_redirects(&mut self, redirects: &Redirects, out: Stream) -> Stream {
        if redirects.given_secret {
            let reason = "is given the value of a variable that holds a secret";
            self.note_plain("", Verdict::Ask, Effect::ReadSecret, "secrets.given-text", reason);
        }
        for reader in &redirects.readers {
            let mut stream = out.clone();
            stream.connected = true;
            self.process_substitution(reader, &stream);
        }
        if redirects.sent && (out.taint.has(Taint::SECRET) || out.taint.has(Taint::PRIVATE)) {
            self.note_plain(
                "",
                Verdict::Halt,
                Effect::SendSecret,
                "exfiltration.socket",
                "sends secrets to another machine through a socket",
            );
        }
        if redirects.sent && out.taint.has(Taint::SHELL) {
            self.note_plain(
                "",
                Verdict::Halt,
                Effect::RunForeign,
                "network.reverse-shell",
                "hands a shell to another machine",
            );
        }
        if redirects.outputs.is_empty() {
            return out;
        }
        let mut left = out.clone();
        for output in &redirects.outputs {
            if output.standard && !self.place(&output.target).is_output() {
                left = Stream { text: Some(String::new()), taint: Taint::NONE, connected: true };
            }
            let content = if output.standard { out.clone() } else { Stream::unknown(Taint::NONE) };
            let writing = if output.append { Writing::Behind } else { Writing::Over };
            // A name that is a guess may be there all the same.
            let is_guess = output.target.text.is_empty() && output.target.taint.has(Taint::GUESSED);
            let unknown = is_guess.then(|| Word::unknown(output.target.taint));
            self.write_as(unknown.as_ref().unwrap_or(&output.target), writing, &content);
        }
        left
    }

    /// Keeps what descriptors were opened, for `exec` without a program.
    pub(crate) fn keep_descriptors(&mut self, redirects: &mut Redirects, fds: &[i32]) {
        for (fd, stream) in core::mem::take(&mut redirects.opened) {
            self.state.descriptors.insert(fd, stream);
        }
        if redirects.sent {
            self.state.sockets.extend_from_slice(fds);
        }
    }

    /// Returns what is known of a file's content, and asks where it is secret.
    pub(crate) fn read_file(&mut self, word: &Word) -> Stream {
        self.note_read(word);
        if let Some(text) = word.text.strip_prefix(super::syntax::INLINE) {
            return Stream { text: Some(text.into()), taint: word.taint, connected: true };
        }
        let place = self.place(word);
        if let Some(content) = self.state.files.get(&place.text) {
            return Stream { text: content.text.clone(), taint: content.taint | word.taint, connected: true };
        }
        if is_socket(&word.text) {
            let reason = "reads from a connection to another machine";
            self.note_plain(&word.text, Verdict::Ask, Effect::Network, "network.socket", reason);
            return Stream::unknown(Taint::REMOTE);
        }
        if let Some(fd) = place.text.strip_prefix("/dev/fd/").or_else(|| place.text.strip_prefix("/proc/self/fd/"))
            && let Ok(fd) = fd.parse::<i32>()
            && let Some(stream) = self.state.descriptors.get(&fd)
        {
            return stream.clone().perhaps();
        }
        if place.is_secret() || place.is_plainly_secret() || place.is_device() || self.is_secret_word(word) {
            let mut text = String::from("reads ");
            push_shown(&mut text, &word.text);
            text.push_str(", which holds secrets");
            self.note_plain(&word.text, Verdict::Ask, Effect::ReadSecret, "secrets.read", &text);
            return Stream::unknown(Taint::SECRET);
        }
        let private = if super::filters::is_account_list(&place.text) { Taint::PRIVATE } else { Taint::NONE };
        Stream::unknown(word.taint | private | super::picked::of_file(&place.text) | Taint::CONTENT)
    }

    /// Runs a process substitution; returns what it writes.
    pub(crate) fn process_substitution(&mut self, subshell: &ast::SubshellCommand, stdin: &Stream) -> Stream {
        self.within("a process substitution".into(), |walker| {
            walker.substituted_apart(|walker| walker.deeper(|walker| walker.list(&subshell.list, stdin)))
        })
    }
}

/// Turns an expanded word into a stream.
pub(crate) fn stream_of(word: Word) -> Stream {
    if word.is_known() {
        Stream { text: Some(word.text), taint: word.taint, connected: true }
    } else {
        Stream { text: None, taint: word.taint, connected: true }
    }
}

/// Bash's own network files.
pub(crate) fn is_socket(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}

/// Says whether output or errors may be open for a file that is read, or for another descriptor: what opens them again by their
/// names writes to that then.
pub(crate) fn moves_descriptors(text: &str) -> bool {
    let reads = text.match_indices('<').any(|(at, _)| text.get(..at).unwrap_or_default().ends_with(['1', '2']));
    let is_own = |rest: &str| {
        let rest = rest.trim_start_matches([' ', '\t']);
        let behind = rest.strip_prefix(['1', '2', '-']);
        behind.is_some_and(|behind| !behind.starts_with(|next: char| next.is_alphanumeric() || "-/_.$".contains(next)))
    };
    reads || text.split(">&").skip(1).any(|rest| !is_own(rest))
}

impl Walker<'_> {
    /// Judges that a file is written from its beginning, and notes its content.
    pub(crate) fn write_file(&mut self, target: &Word, content: &Stream) {
        self.write_as(target, Writing::Over, content);
    }

    fn write_as(&mut self, target: &Word, writing: Writing, content: &Stream) {
        let place = self.place(target);
        let is_sure = !target.taint.has(Taint::GUESSED);
        let is_sink = place.is_sink() && !(self.moves_descriptors && place.is_output());
        if is_sure && is_sink || place.text == "." && target.text.is_empty() {
            return;
        }
        if !self.budget.pay(Work::Scan, content.text.as_ref().map_or(0, String::len)) {
            return;
        }
        self.record_redirect(target);
        let (verdict, effect, rule, what) = self.judge_writing(target, &place, writing, content);
        let mut reason = String::from(what);
        push_shown(&mut reason, &target.text);
        self.note_plain(&target.text, verdict, effect, rule, &reason);
        let mut text = content.text.clone();
        if writing == Writing::Behind && text.is_some() {
            text = self
                .state
                .files
                .get(&place.text)
                .and_then(|old| old.text.clone())
                .map_or(text.clone(), |old| text.map(|new| old + &new));
        }
        let taint = content.taint;
        if place.text.len() < 4096 {
            self.state.note_file(place.text, FileContent { text, taint });
        }
    }

    /// Judges by the place what it means to write a file; ends with how the reason begins.
    fn judge_writing(
        &mut self,
        target: &Word,
        place: &super::path::Place,
        writing: Writing,
        content: &Stream,
    ) -> (Verdict, Effect, &'static str, &'static str) {
        let mut verdict = Verdict::Ask;
        let (mut effect, mut rule, mut what) = (Effect::Write, "files.write", "writes ");
        if is_socket(&target.text) {
            (effect, rule, what) = (Effect::Network, "network.socket", "sends what it writes to ");
            if content.taint.has(Taint::SECRET) || content.taint.has(Taint::PRIVATE) {
                (verdict, effect, rule) = (Verdict::Halt, Effect::SendSecret, "exfiltration.socket");
            }
        } else if place.is_device() {
            (verdict, effect, rule, what) =
                (Verdict::Halt, Effect::DestroyDisk, "disks.write-device", "writes over the device ");
        } else if self.is_protected(place) {
            (verdict, effect, rule, what) =
                (Verdict::Halt, Effect::Unprotect, "protected.write", "changes a file of this program, ");
        } else if place.is_access() {
            (verdict, effect, rule, what) =
                (Verdict::Halt, Effect::Permission, "privileges.write-access", "changes who gets in through ");
        } else if place.is_configuration() {
            (verdict, effect, rule, what) =
                (Verdict::Halt, Effect::System, "files.write-system", "changes the system file ");
        } else if place.is_repository() && !place.text.ends_with("/info/exclude") {
            (verdict, effect, rule, what) =
                (Verdict::Halt, Effect::Discard, "git.write-records", "writes into the repository's records at ");
        } else if place.is_startup() {
            if let Some(text) = content.text.clone() {
                self.within("a start-up file".into(), |walker| {
                    walker.apart_from(|walker| walker.text(&text, &Stream::default()))
                });
            }
            (effect, rule, what) = (Effect::System, "files.write-startup", "changes the start-up file ");
            if writing == Writing::Over && place.text.starts_with('~') || content.taint.foreign() {
                verdict = Verdict::Halt;
            }
        } else if writing == Writing::Over && place.is_dotfile() && place.is_secret() {
            (verdict, effect, rule, what) =
                (Verdict::Halt, Effect::Delete, "secrets.write-over", "writes over keys or passwords in ");
        } else if writing == Writing::Over && place.text.starts_with("/var/log/") {
            (verdict, effect, rule, what) =
                (Verdict::Halt, Effect::Delete, "files.truncate-log", "writes over the log ");
        } else if content.taint.has(Taint::ENDLESS) {
            (verdict, effect, rule, what) = (Verdict::Halt, Effect::Exhaust, "disks.fill", "fills the disk through ");
        }
        (verdict, effect, rule, what)
    }

    /// Says whether a place is one of ours that only a person may change.
    pub(crate) fn is_protected(&self, place: &super::path::Place) -> bool {
        // Seen from the folder that the line began in, where it did not go elsewhere.
        let folder = self.around.folder.as_deref();
        let place = super::path::seen(&place.text, place.glob, folder, self.around.home.as_deref());
        let below = |inner: &str, outer: &str| {
            inner == outer || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
        };
        // What lies in the home folder is written with a tilde.
        let written = |path: &str| super::path::place(&Word::literal(path), None, self.around.home.as_deref()).text;
        let is_project = folder.is_some_and(|folder| below(&written(folder), &place.text));
        let is_one = |protected: &String, as_a_whole: bool| {
            let protected = written(protected);
            below(&place.text, &protected)
                || as_a_whole && below(&protected, &place.text) && place.text.len() > 1
                // Where no shell reads it, all that the root holds is the root to those that match names themselves.
                || (place.glob || place.text != "/*") && super::path::meets(&place.text, &protected)
        };
        self.around.protected.iter().any(|protected| is_one(protected, true))
            || self.around.protected_in_project.iter().any(|protected| is_one(protected, !is_project))
    }
}
