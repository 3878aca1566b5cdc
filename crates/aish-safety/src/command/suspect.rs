//! What may be a command though it does not stand where one does: the parts of a line that cannot be parsed, the
//! strings of code that runs one which it puts together. Such a guess is noted only where it halts.

use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use aish_program_format::Trait;
use aish_programs::words::code_marks;

use super::syntax::{chosen, parse};
use super::walk::Walker;
use super::word::{Stream, Word};
use crate::rules::Effect;
use crate::rules::programs;
use crate::verdict::Verdict;

/// Words of the shell that stand before a command.
const BEFORE: &[&str] = &["do", "then", "else", "elif", "if", "while", "until", "time", "!", "{", "(", "}", ")"];

impl<'w> Walker<'w> {
    /// Asks about a text that does not parse; its parts are judged one by one for what is worse.
    pub(crate) fn unparsable(&mut self, text: &str, stdin: &Stream) -> Stream {
        self.note_plain(text, Verdict::Ask, Effect::Unknown, "parse.error", "cannot be parsed as a shell command");
        let lower = text.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if has(code_marks::WINDOWS_RUN) && has(code_marks::WINDOWS_FETCH) {
            self.foreign("PowerShell", super::word::Taint::REMOTE);
        }
        if self.guessing {
            return Stream::unknown(super::word::Taint::NONE);
        }
        if let Some(program) = chosen(text).and_then(|text| parse(&text, &self.budget)) {
            return self.program(&program, stdin);
        }
        if text.contains('\n') {
            for line in text.lines().filter(|line| !line.trim().is_empty()).take(500) {
                if let Some(program) = parse(line, &self.budget) {
                    self.program(&program, stdin);
                }
            }
        }
        self.glob_qualifiers(text);
        self.suspect_brackets(text);
        for part in text.split(['\n', ';', '|', '&']).take(500) {
            let mut part = part.trim();
            while let Some((first, rest)) =
                part.split_once(char::is_whitespace).filter(|(first, _)| BEFORE.contains(first))
            {
                let _ = first;
                part = rest.trim_start();
            }
            if part.len() == text.trim().len() {
                self.suspect_words(part);
            } else if !part.is_empty() {
                self.suspect(part);
            }
        }
        Stream::unknown(super::word::Taint::NONE)
    }

    /// Notes what a text would do as a line for a shell, where that halts; says whether it does.
    pub(crate) fn suspect(&mut self, text: &str) -> bool {
        match parse(text, &self.budget) {
            Some(program) => self.guess(|guess| {
                guess.program(&program, &Stream::default());
            }),
            None => self.suspect_words(text),
        }
    }

    /// Notes what a shell would run of the lines that the commands before it put together, where that halts:
    /// `… --format='git branch -D %(refname)' | sh`.
    pub(crate) fn suspect_templates(&mut self, program: &str) {
        let templates = core::mem::take(&mut self.feeding);
        if !programs::is(program, Trait::Shell) {
            // A database shell: `SELECT 'DROP TABLE ' || name …`, `sed 's/.*/DROP TABLE &;/'`.
            for text in templates.iter().take(16).flat_map(|template| super::sql::pieces(template)).take(64) {
                if self.guess_statements(&text) {
                    return;
                }
            }
            self.feeding = templates;
            return;
        }
        for template in templates.iter().take(16) {
            let bare: String = template.replace("%(", "x(").replace(['\'', '"', '(', ')', '{', '}', '$', '^'], " ");
            let from_verb = bare.split_once('=').map_or(bare.as_str(), |(_, rest)| rest);
            // What a program prints begins behind the word for it.
            let printed = bare.match_indices("print").take(8).filter_map(|(at, word)| bare.get(at + word.len()..));
            let printed = printed.map(|rest| rest.trim_start_matches('f'));
            if self.suspect_printed(template) {
                return;
            }
            for line in [bare.as_str(), from_verb].into_iter().chain(printed) {
                if self.suspect(line.trim_start().trim_start_matches("s/ /")) {
                    return;
                }
            }
        }
        self.feeding = templates;
    }

    /// Judges the strings inside a word of a command whose output a shell runs: `ruby -e 'puts "rm -rf /srv"' | sh`. What a
    /// program puts in the place of `%p`, or behind a string that ends in a blank, may be anything.
    fn suspect_printed(&mut self, template: &str) -> bool {
        let trimmed = template.trim();
        let inner = ['\'', '"'].iter().find_map(|quote| trimmed.strip_prefix(*quote)?.strip_suffix(*quote));
        let inner = inner.unwrap_or(trimmed);
        if let Some(line) = inner.strip_suffix("\\n").filter(|line| line.contains("%p"))
            && self.suspect(&line.replace("%p", "/*"))
        {
            return true;
        }
        super::code::strings_of(inner, &self.budget.clone()).filter(|string| string.contains(' ')).take(16).any(
            |mut string| {
                if string.ends_with(' ') {
                    string.push_str("/*");
                }
                self.suspect(&string)
            },
        )
    }

    /// The same for a text whose quotes do not close: its words are taken as they stand.
    fn suspect_words(&mut self, text: &str) -> bool {
        let words: Vec<Word> = text
            .split_whitespace()
            .take(256)
            .map(|word| {
                let bare: String = word.chars().filter(|letter| !matches!(letter, '\'' | '"' | '`' | '\\')).collect();
                Word { glob: bare.contains(['*', '?', '[']), ..Word::literal(bare) }
            })
            .collect();
        self.guess(|guess| {
            guess.run(&words, &Stream::default());
        })
    }

    /// Notes what an argument vector would do, where that halts.
    pub(crate) fn guess_program(&mut self, words: &[Word], stdin: &Stream) -> bool {
        self.guess(|guess| {
            guess.run(words, stdin);
        })
    }

    /// Notes what a text would do as statements of a database, where that halts.
    pub(crate) fn guess_statements(&mut self, text: &str) -> bool {
        self.guess(|guess| super::sql::judge(guess, "sql", text))
    }

    fn guess(&mut self, run: impl FnOnce(&mut Walker<'_>)) -> bool {
        if self.guessing {
            return false;
        }
        let (depth, trail) = (self.depth, self.trail.clone());
        self.guess_at(depth, trail, run)
    }

    /// Walks something on the side, from the present state; says whether it halts, and notes what it found only then.
    pub(crate) fn guess_at(
        &mut self,
        depth: usize,
        trail: Vec<Cow<'static, str>>,
        run: impl FnOnce(&mut Walker<'_>),
    ) -> bool {
        let guess = self.aside(depth, trail, run);
        let halts = guess.verdict() == Verdict::Halt;
        if halts {
            self.absorb(guess);
        }
        halts
    }

    /// Returns the verdict on something that is walked on the side, from the present state.
    pub(crate) fn verdict_on(&mut self, run: impl FnOnce(&mut Walker<'_>)) -> Verdict {
        let (depth, trail) = (self.depth, self.trail.clone());
        self.aside(depth, trail, run).verdict()
    }

    fn aside(&mut self, depth: usize, trail: Vec<Cow<'static, str>>, run: impl FnOnce(&mut Walker<'_>)) -> Walker<'w> {
        let mut guess = Walker::new(self.around, self.dropped);
        guess.state = core::mem::take(&mut self.state);
        guess.guessing = true;
        guess.budget = self.budget.clone();
        guess.rules = self.rules;
        guess.set_again = Rc::clone(&self.set_again);
        guess.depth = depth;
        guess.in_function = self.in_function;
        guess.arguments = self.arguments;
        guess.beyond = self.beyond.clone();
        guess.trail = trail;
        let (before, files, special) = (guess.state.enter(), guess.state.files.mark(), guess.state.special.take());
        run(&mut guess);
        guess.ask_special();
        guess.state.files.back(files);
        guess.state.leave(before);
        self.state = core::mem::take(&mut guess.state);
        self.state.special = special;
        guess
    }
}
