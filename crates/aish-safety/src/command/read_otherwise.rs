//! What zsh and fish read where bash reads none of it: comments, brackets in words and a quote behind a backslash.
//!
//! A shell of the other kind that cannot read the whole line runs nothing of it, so that only what all of them read
//! counts.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use aish_syntax::Kind;
use brush_parser::ast::{self, CommandPrefixOrSuffixItem as Item};

use super::braces::{self, Expanded};
use super::expand::substituted;
use super::otherwise::Otherwise;
use super::walk::Walker;
use super::ways::{Taken, Ways};
use super::word::{HOLE, Stream, Taint, Word};
use super::zsh::groups;
use crate::rules::{Effect, programs};
use crate::verdict::Verdict;

/// Letters and marks of which the qualifiers of a pattern of zsh are made: `*(.om[1])`, `*(/N)`.
const QUALIFIERS: &str = ".@=p*NDFrwxoOmnLacU-+[]0123456789,^";

/// The most letters of qualifiers.
const MAX_QUALIFIERS: usize = 8;

/// Writes a line as zsh reads it where lines are typed, without comments: what stands in them are words.
pub(super) fn with_comments_as_words(text: &str) -> Option<String> {
    if !text.contains('#') {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 1);
    let mut from = 0;
    for token in aish_syntax::scan(text).tokens.iter().filter(|token| token.kind == Kind::Comment) {
        out.push_str(text.get(from..token.start)?);
        out.push('\\');
        from = token.start;
    }
    out.push_str(text.get(from..)?);
    (from > 0 || out.len() > text.len()).then_some(out)
}

impl Walker<'_> {
    /// Walks a simple command as bash reads it, and on the side as other shells do.
    pub(super) fn read_by_all(&mut self, command: &ast::SimpleCommand, stdin: &Stream) -> Stream {
        let outer = core::mem::take(&mut self.otherwise);
        let given = Rc::clone(&self.state.positional);
        let mut out = self.simple_once(command, stdin);
        let otherwise = core::mem::replace(&mut self.otherwise, outer);
        if otherwise.split || otherwise.braces || otherwise.vanishes || otherwise.quotes {
            // Of other words it writes something else.
            out.taint = out.taint | Taint::GUESSED;
        }
        if !Rc::ptr_eq(&given, &self.state.positional) && (otherwise.split || otherwise.braces || otherwise.quotes) {
            // And what it leaves as arguments is something else.
            let guessed = |word: &Word| Word { taint: word.taint | Taint::GUESSED, ..word.clone() };
            self.state.positional = Rc::new(self.state.positional.iter().map(guessed).collect());
        }
        if otherwise.split {
            let reason = "does something else where a shell splits no value at blanks, as zsh and fish";
            self.ask_if_read(|walker| walker.read_as.split = true, (command, stdin), "zsh.split", reason);
        }
        if otherwise.braces {
            let reason = "does something else where a shell makes one word of a list in braces, as dash";
            self.ask_if_read(|walker| walker.read_as.braces = true, (command, stdin), "dash.braces", reason);
        }
        if otherwise.vanishes {
            let reason = "does something else where a word with a variable that is not set is none, as in fish";
            self.ask_if_read(|walker| walker.read_as.vanishes = true, (command, stdin), "fish.unset", reason);
        }
        if otherwise.quotes {
            let reason = "does something else where `$` before a quote is a letter, as in dash";
            self.ask_if_read(|walker| walker.read_as.quotes = true, (command, stdin), "dash.quotes", reason);
        }
        out
    }

    /// Asks about a simple command that is allowed here and would not be in a shell that reads it otherwise.
    fn ask_if_read(
        &mut self,
        otherwise: fn(&mut Walker<'_>),
        (command, stdin): (&ast::SimpleCommand, &Stream),
        rule: &'static str,
        reason: &str,
    ) {
        if self.guessing || self.verdict() > Verdict::Allow {
            return;
        }
        let verdict = self.verdict_on(|walker| {
            otherwise(walker);
            walker.state.rewalks = true;
            walker.simple_once(command, stdin);
            walker.state.rewalks = false;
        });
        if verdict > Verdict::Allow {
            self.note_plain("", Verdict::Ask, Effect::Unknown, rule, reason);
        }
    }

    /// Runs a substitution. In fish it is no shell of its own: what it sets stays, and where it goes to another folder the rest
    /// of the line is done there.
    pub(super) fn substituted_apart(&mut self, inside: impl FnOnce(&mut Self) -> Stream) -> Stream {
        let (folder, visited) = (self.state.folder.clone(), Rc::clone(&self.state.visited));
        let (before, mut ways) = (self.state.enter(), Ways::default());
        let depth = self.state.begin_branch();
        let out = inside(self);
        self.state.end_way(depth, &mut ways);
        let is_elsewhere = self.state.folder != folder || self.state.visited.len() != visited.len();
        let seen = Rc::clone(&self.state.visited);
        self.state.leave(before);
        self.state.join_ways(&ways, Taken::OneOrNone);
        if is_elsewhere {
            self.state.folder = Some(String::from(HOLE));
            self.state.visited = seen;
        }
        out
    }

    /// Expands a word, with what it is to dash, which knows no lists in braces, and to zsh, which splits no values at blanks.
    /// Numbers name nothing that matters.
    pub(super) fn expand_in_all(&mut self, source: &str) -> Vec<Word> {
        let (outer, read_as) = (core::mem::take(&mut self.otherwise), self.read_as);
        let mut words = self.expand(source);
        let differs = core::mem::replace(&mut self.otherwise, outer);
        let is_number = |word: &Word| word.text.bytes().all(|byte| byte.is_ascii_digit());
        if !words.iter().all(is_number) {
            let outer = self.otherwise;
            for reading in [Otherwise { braces: true, ..read_as }, Otherwise { split: true, ..read_as }] {
                if reading.braces && differs.braces && !read_as.braces
                    || reading.split && differs.split && !read_as.split
                {
                    self.read_as = reading;
                    words.extend(self.expand(source));
                }
            }
            (self.read_as, self.otherwise) = (read_as, outer);
        }
        words
    }

    /// Asks about a variable that is set for a command and stands in its words: fish sets it first.
    pub(super) fn assigned_first(&mut self, command: &ast::SimpleCommand, names: &[&str]) {
        if names.is_empty() || command.word_or_name.is_none() {
            return;
        }
        let suffix = command.suffix.iter().flat_map(|suffix| suffix.0.iter());
        let uses = |source: &str| {
            source.split('$').skip(1).any(|rest| {
                let rest = rest.trim_start_matches('{');
                names.iter().any(|name| {
                    let behind = rest.strip_prefix(name);
                    behind.is_some_and(|behind| !behind.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
                })
            })
        };
        let is_used = suffix.chain(command.prefix.iter().flat_map(|prefix| prefix.0.iter())).any(|item| match item {
            Item::Word(word) | Item::AssignmentWord(ast::Assignment { .. }, word) => uses(&word.value),
            Item::IoRedirect(ast::IoRedirect::File(_, _, ast::IoFileRedirectTarget::Filename(word))) => {
                uses(&word.value)
            }
            Item::IoRedirect(_) | Item::ProcessSubstitution(..) => false,
        });
        if is_used {
            let reason = "is given a variable that is set before it, which fish sets first";
            self.note_plain("", Verdict::Ask, Effect::Unknown, "fish.assigned", reason);
        }
    }

    /// Asks about a variable in braces, which are no letters to fish.
    pub(super) fn fish_braces(&mut self, source: &str) {
        let mut quote = None;
        let mut before = ' ';
        let mut letters = source.char_indices();
        while let Some((at, letter)) = letters.next() {
            match (quote, letter) {
                (None | Some('"'), '\\') => drop(letters.next()),
                (None, '\'' | '"') => quote = Some(letter),
                (Some(open), _) if open == letter => quote = None,
                (None, '{') if before != '$' && source.get(at + 1..).is_some_and(|rest| rest.starts_with('$')) => {
                    let reason = "holds a variable in braces, which fish leaves out";
                    self.note_plain(source, Verdict::Ask, Effect::Unknown, "fish.braces", reason);
                    return;
                }
                _ => {}
            }
            before = letter;
        }
    }

    /// Reads the file that the output of a process substitution names, which is a redirect from it to fish.
    pub(super) fn read_named(&mut self, stream: Stream) {
        let reads = self.reads.clone();
        self.read_file(&substituted(stream));
        self.reads = reads;
    }

    /// Reads what else a redirect may name: each of a list in braces, all of which zsh reads, and the name behind a `?`, which to
    /// fish is a file that need not be there.
    pub(super) fn read_names(&mut self, kind: &ast::IoFileRedirectKind, source: &str) {
        if !matches!(kind, ast::IoFileRedirectKind::Read | ast::IoFileRedirectKind::ReadAndWrite) {
            return;
        }
        if source.contains('{') && braces::expand(source, &self.budget) != Expanded::Same {
            let outer = self.otherwise.braces;
            for word in self.expand(source) {
                self.read_file(&word);
            }
            self.otherwise.braces = outer;
        }
        if let Some(behind) = source.strip_prefix('?').filter(|behind| !behind.is_empty()) {
            let word = self.expand_one(behind);
            self.read_file(&word);
        }
    }

    /// Asks about a line that does something else where its comments are words.
    pub(super) fn comment_counts(&mut self, text: &str) {
        let reason = "holds a comment whose words zsh gives to the command";
        self.note_plain(text, Verdict::Ask, Effect::Run, "zsh.comment", reason);
    }

    /// Asks about a line of which fish reads something else: by its escapes, for a substitution that is none to it, or for a
    /// `&` that is a letter within a word.
    pub(super) fn fish_counts(&mut self, text: &str) {
        let reason = "does something else where fish reads its escapes, back quotes and words with a `&`";
        self.note_plain(text, Verdict::Ask, Effect::Unknown, "fish.escape", reason);
    }

    /// Asks about comments that hold more than words: where lines are typed zsh knows no comments, and runs what stands
    /// behind a `;` in them. With a quote in them the lines below are read otherwise.
    pub(super) fn comments(&mut self, text: &str) {
        if !text.contains('#') {
            return;
        }
        let scan = aish_syntax::scan(text);
        let comments = scan.tokens.iter().filter(|token| token.kind == Kind::Comment);
        for token in comments {
            let comment = text.get(token.range()).unwrap_or_default();
            let more = text.get(token.end..).is_some_and(|rest| !rest.trim().is_empty());
            let quotes = more && (comment.contains(['\'', '"']) || comment.ends_with('\\'));
            if quotes || comment.contains([';', '|', '&', '<', '>', '`', '(', '{', '[']) {
                let reason = "holds a comment that zsh reads as a part of the line";
                self.note_plain(comment, Verdict::Ask, Effect::Run, "zsh.comment", reason);
                return;
            }
        }
    }

    /// Asks about brackets in the words of a command: to bash a pattern, an array or a word, to fish a substitution, and to zsh
    /// the end of a block.
    pub(super) fn fish_brackets(&mut self, command: &ast::SimpleCommand) {
        let name = command.word_or_name.as_ref();
        let prefix = command.prefix.iter().flat_map(|prefix| prefix.0.iter());
        let suffix = command.suffix.iter().flat_map(|suffix| suffix.0.iter());
        if let Some(name) = name {
            self.fish_groups(&name.value);
        }
        // By itself fish takes no assignment like this one: others (`x+=`, `x[1]=`) are programs to it. In a word that is no list, a
        // comment may hide the end of the brackets from zsh.
        let is_read = |item: &&Item| match item {
            Item::AssignmentWord(assignment, _) => {
                assignment.append
                    || !matches!(assignment.name, ast::AssignmentName::VariableName(_))
                    || matches!(assignment.value, ast::AssignmentValue::Scalar(_))
            }
            Item::Word(_) | Item::IoRedirect(_) | Item::ProcessSubstitution(..) => false,
        };
        let has_arguments = name.is_some() || self.arguments > 0;
        for item in prefix.filter(|item| has_arguments || is_read(item)).chain(suffix) {
            match item {
                Item::Word(word) => {
                    self.zsh_block(&word.value);
                    self.fish_groups(&word.value);
                }
                Item::AssignmentWord(assignment, word) => {
                    self.zsh_block(&word.value);
                    match assignment.value {
                        ast::AssignmentValue::Array(_) => self.fish_array(&word.value),
                        ast::AssignmentValue::Scalar(_) => self.fish_groups(&word.value),
                    }
                }
                Item::IoRedirect(ast::IoRedirect::File(_, _, ast::IoFileRedirectTarget::Filename(word))) => {
                    self.zsh_block(&word.value);
                    self.fish_commands(&word.value);
                }
                Item::IoRedirect(_) | Item::ProcessSubstitution(..) => {}
            }
        }
    }

    /// Asks about a bracket that is a word to bash, or the end of one, and to zsh the end of a block, behind which `always` runs
    /// another.
    fn zsh_block(&mut self, source: &str) {
        if ends_block(source) {
            let reason = "holds a bracket with which zsh ends a block";
            self.note_plain(source, Verdict::Ask, Effect::Run, "zsh.block", reason);
        }
    }

    fn fish_groups(&mut self, source: &str) {
        if source.contains("()") && groups(source).contains(&"") {
            let reason = "holds brackets with which zsh defines a function";
            self.note_plain(source, Verdict::Ask, Effect::Run, "zsh.function", reason);
        }
        // Fish takes no line with `${` in it, where that is no text.
        if !source.contains("${") || source.contains(['\'', '\\']) {
            self.fish_commands(source);
        }
    }

    /// As [`Self::fish_groups`], also where `${` stands: behind a redirect fish runs what is in brackets all the same.
    fn fish_commands(&mut self, source: &str) {
        if !source.contains('(') {
            return;
        }
        for group in groups(source) {
            if group.contains(char::is_alphabetic) && !is_qualifier(group) {
                self.fish_substitution(group);
            }
        }
    }

    fn fish_array(&mut self, source: &str) {
        let inside = source.split_once("=(").and_then(|(_, rest)| rest.trim_end().strip_suffix(')'));
        let inside = inside.unwrap_or_default().trim();
        // No program has such a name.
        let names_none =
            inside.is_empty() || inside.starts_with(['[', '-']) && !inside.contains(['(', ';', '|', '&', '\n']);
        if !names_none {
            self.fish_substitution(inside);
        }
    }

    fn fish_substitution(&mut self, source: &str) {
        let reason = "holds brackets whose content fish runs as a command";
        self.note_plain(source, Verdict::Ask, Effect::Run, "fish.substitution", reason);
    }

    /// Asks about a backslash at the end of a quote, with which the quote goes on in fish.
    pub(super) fn fish_quote(&mut self, inside: &str) {
        let backslashes = inside.len() - inside.trim_end_matches('\\').len();
        if backslashes % 2 == 1 {
            let reason = "ends a quote in a way that fish reads otherwise";
            self.note_plain(inside, Verdict::Ask, Effect::Unknown, "fish.quote", reason);
        }
    }
}

/// Says whether a word ends in a bracket outside quotes that nothing in it opens.
fn ends_block(source: &str) -> bool {
    if !source.ends_with('}') {
        return false;
    }
    let (mut quote, mut open, mut ends) = (None, 0_usize, false);
    let mut letters = source.chars();
    while let Some(letter) = letters.next() {
        ends = false;
        match (quote, letter) {
            (None | Some('"'), '\\') => drop(letters.next()),
            (Some(mark), _) if mark == letter => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(letter),
            (None, '{') => open += 1,
            (None, '}') => {
                ends = open == 0;
                open = open.saturating_sub(1);
            }
            (None, _) => {}
        }
    }
    ends
}

/// Says whether what stands in the brackets of a pattern are qualifiers of zsh, and no command to fish.
fn is_qualifier(group: &str) -> bool {
    let rest = group.strip_prefix('/').unwrap_or(group);
    group.len() <= MAX_QUALIFIERS
        && rest.chars().all(|letter| QUALIFIERS.contains(letter))
        && (group.len() == 1 || !programs::is_known(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_that_end_a_block_are_told() {
        assert!(["}", "a}", "'{'}", "{a}}", "\\{a}"].iter().all(|word| ends_block(word)));
        assert!(!["{}", "${x}", "'}'", "\"a}\"", "a\\}", "}a", "{a,b}", "x"].iter().any(|word| ends_block(word)));
    }

    #[test]
    fn qualifiers_are_no_commands() {
        assert!([".", "/", "/N", "om[1]", ".N", "N"].iter().all(|group| is_qualifier(group)));
        assert!(!["./x", "touch x", "a|b", "cp", "x;w", "/bin/x"].iter().any(|group| is_qualifier(group)));
    }
}
