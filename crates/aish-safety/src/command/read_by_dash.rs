//! What dash reads otherwise: its brackets are those of a command, and `&>` ends a command.

use alloc::string::ToString;

use brush_parser::ast::{self, CommandPrefixOrSuffixItem as Item};

use super::walk::Walker;
use super::word::{HOLE, Word, is_numeric};
use crate::rules::{Effect, programs};
use crate::verdict::Verdict;

/// The lowest descriptor whose number is a word of its own to dash and to zsh.
const WORD_DESCRIPTOR: i32 = 10;

impl Walker<'_> {
    /// Asks about words of a command that are others to dash, where they name a program or a file then.
    pub(super) fn words_of_dash(&mut self, command: &ast::SimpleCommand) {
        let prefix = command.prefix.iter().flat_map(|prefix| prefix.0.iter());
        let suffix = command.suffix.iter().flat_map(|suffix| suffix.0.iter());
        let mut ended = false;
        for item in prefix.chain(suffix) {
            match item {
                Item::IoRedirect(redirect) => {
                    ended |= is_of_both(redirect);
                    self.redirect_of_dash(redirect);
                }
                Item::Word(word) | Item::AssignmentWord(_, word) if ended => {
                    let reason = "begins another command to dash, which ends one at `&>`";
                    self.note_plain(&word.value, Verdict::Ask, Effect::Run, "dash.ended", reason);
                }
                Item::Word(_) | Item::AssignmentWord(..) | Item::ProcessSubstitution(..) => {}
            }
        }
    }

    /// Asks about a redirect of which dash, or zsh, makes another one.
    pub(super) fn redirect_of_dash(&mut self, redirect: &ast::IoRedirect) {
        if let ast::IoRedirect::OutputAndError(target, _) = redirect
            && target.value.contains(['$', '`'])
        {
            let reason = "goes on behind the line in dash, to which `&>` is `&` and `>`";
            self.note_plain(&target.value, Verdict::Ask, Effect::Write, "dash.ended", reason);
        }
        let (ast::IoRedirect::File(fd, ..) | ast::IoRedirect::HereDocument(fd, _) | ast::IoRedirect::HereString(fd, _)) =
            redirect
        else {
            return;
        };
        if let Some(fd) = fd.filter(|fd| *fd >= WORD_DESCRIPTOR) {
            let reason = "has a descriptor of two digits, which is a word to zsh and dash";
            self.note_plain(&fd.to_string(), Verdict::Ask, Effect::Write, "dash.descriptor", reason);
        }
    }

    /// Asks about output to a file whose name `$'…'` quotes.
    pub(super) fn quoted_in_dash(&mut self) {
        let reason = "goes to another file where `$` before a quote is a letter, as in dash";
        self.note_plain("", Verdict::Ask, Effect::Write, "dash.quotes", reason);
    }

    /// Asks about an assignment that is a command to dash, and the path of a program: `x+=a/b`, `x[1]=a/b`.
    pub(super) fn assigned_by_dash(&mut self, assignment: &ast::Assignment, index: Option<&Word>, value: &[Word]) {
        // What is not known may hold a slash.
        let holds_slash = |word: &Word| word.text.contains('/') || !word.is_known() && !is_numeric(&word.text);
        let is_command = assignment.append || index.is_some();
        let is_path = index.is_some_and(holds_slash) || is_command && value.iter().any(holds_slash);
        if is_path && matches!(assignment.value, ast::AssignmentValue::Scalar(_)) {
            let reason = "is the path of a program to shells that know no such assignment";
            self.note_plain(&assignment.to_string(), Verdict::Ask, Effect::Run, "dash.assignment", reason);
        }
    }

    /// Asks about what is timed with an assignment before it, which dash takes for the program.
    pub(super) fn timed_by_dash(&mut self, command: &ast::Command) {
        let ast::Command::Simple(command) = command else { return };
        for item in command.prefix.iter().flat_map(|prefix| prefix.0.iter()) {
            if let Item::AssignmentWord(_, word) = item
                && word.value.contains(['/', '$', '`'])
            {
                let reason = "is the path of a program where `time` is one";
                self.note_plain(&word.value, Verdict::Ask, Effect::Run, "dash.assignment", reason);
            }
        }
    }

    /// Asks about `((…))` where dash, to which it is a subshell in a subshell, writes to a file or runs a program: `((1 > 2))`.
    pub(crate) fn brackets_of_dash(&mut self, text: &str) {
        let runs = |part: &str| {
            let part = part.trim_start_matches([' ', '\t', '(', '!']);
            let words = part.split([' ', '\t', ')', '<']).filter(|word| !word.is_empty());
            // Assignments stand before a program, too.
            let mut words = words.skip_while(|word| word.contains('=')).peekable();
            words.next().is_some_and(|word| {
                let counts = words.peek().is_none() && (word.ends_with("++") || word.ends_with("--"));
                word.contains(['$', '`']) || !counts && self.may_be_program(word)
            })
        };
        if text.contains(['>', '\'', '"', '\\']) || text.split([';', '|', '&', '\n']).any(runs) {
            self.counts_in_dash(text);
        }
    }

    /// Says whether a word may be the name of a program: a known one, a function of the line, a path, or letters as in a name. One
    /// letter alone is a variable.
    fn may_be_program(&self, word: &str) -> bool {
        let is_of_a_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.' | '+');
        let reads_as_name = word.chars().all(is_of_a_name)
            && !word.starts_with('-')
            && word.len() > 1
            && word.contains(|letter: char| letter.is_ascii_alphabetic());
        word.contains(['/', HOLE])
            || reads_as_name
            || programs::is_known(word)
            || self.state.functions.contains_key(word)
    }

    /// Asks about `$[…]`, which is no arithmetic to dash and fish, and may be several words and redirects.
    pub(crate) fn old_brackets_of_dash(&mut self, text: &str) {
        if text.contains(['<', '>', '|', '&', ';', '(', '\n', ' ', '\t', '!', '*', '?', '$', '`']) {
            self.counts_in_dash(text);
        }
    }

    /// Asks about a part of `[[ … ]]` that dash takes for a command: `[[ a || touch ]]` leaves a file `]]` there.
    pub(crate) fn run_by_dash(&mut self, text: &str) {
        let first = text.split([' ', '\t']).find(|word| !word.is_empty()).unwrap_or_default();
        if self.may_be_program(first) {
            self.counts_in_dash(text);
        }
    }

    /// Asks about a comparison in brackets that dash takes for a redirect.
    pub(crate) fn counts_in_dash(&mut self, text: &str) {
        let reason = "is no arithmetic and no test to dash, which takes its marks for those of a command";
        self.note_plain(text, Verdict::Ask, Effect::Write, "dash.brackets", reason);
    }

    /// Asks about a function that dash defines behind the line alone.
    pub(super) fn defined_by_dash(&mut self, function: &ast::FunctionDefinition) {
        if function.body.1.as_ref().is_some_and(|list| list.0.iter().any(is_of_both)) {
            let reason = "is defined behind the line in dash, to which `&>` is `&` and `>`";
            self.note_plain(&function.fname.value, Verdict::Ask, Effect::Run, "dash.ended", reason);
        }
    }

    /// Says whether dash runs a list, up to a `&>` in it, behind the line: what it sets is not set there.
    pub(super) fn ends_in_dash(item: &ast::AndOrList) -> bool {
        let command = |command: &ast::Command| match command {
            ast::Command::Simple(simple) => {
                let prefix = simple.prefix.iter().flat_map(|prefix| prefix.0.iter());
                let mut items = prefix.chain(simple.suffix.iter().flat_map(|suffix| suffix.0.iter()));
                items.any(|item| matches!(item, Item::IoRedirect(redirect) if is_of_both(redirect)))
            }
            ast::Command::Compound(_, redirects) | ast::Command::ExtendedTest(_, redirects) => {
                redirects.as_ref().is_some_and(|list| list.0.iter().any(is_of_both))
            }
            ast::Command::Function(_) => false,
        };
        let more = item.additional.iter().map(|more| match more {
            ast::AndOr::And(pipeline) | ast::AndOr::Or(pipeline) => pipeline,
        });
        core::iter::once(&item.first).chain(more).any(|pipeline| pipeline.seq.iter().any(command))
    }
}

/// Says whether a redirect is `&>` or `&>>`.
fn is_of_both(redirect: &ast::IoRedirect) -> bool {
    matches!(redirect, ast::IoRedirect::OutputAndError(..))
}
