//! Code in other languages than the shell's: scanned for what leads out of it.

use alloc::vec::Vec;

use aish_program_format::{Act, Language, Trait};
use aish_programs::words::code_marks;

use super::sql;
use super::walk::Walker;
use super::word::{Stream, Taint, Word};
use crate::rules::{Effect, programs};
use crate::verdict::Verdict;

pub(crate) mod awk;
mod cmake;
mod find;
mod literal;
mod names;
mod scan;
mod sed;
mod tcl;

pub(crate) use scan::strings_of;

/// Judges code that a program is given.
pub(crate) fn judge(walker: &mut Walker<'_>, program: &str, text: &str, language: Language) {
    match language {
        Language::Shell => {
            walker.text(text, &Stream::default());
        }
        Language::Sql => sql::judge(walker, program, text),
        Language::Make => makefile(walker, text),
        Language::Recipes => recipes(walker, text),
        Language::CMake => cmake::judge(walker, text),
        Language::Editor if programs::is(program, Trait::StreamEditor) => sed::judge(walker, text),
        Language::Editor => editor(walker, text),
        Language::Tcl => tcl::judge(walker, text),
        Language::Crontab => crontab(walker, text),
        Language::Socat => socat(walker, text),
        Language::Words => {
            walker.expand_document(text);
        }
        Language::Bindings => bindings(walker, text),
        Language::Keys => keys(walker, text),
        Language::Transfer => transfer(walker, program, text),
        Language::General => scan::scan(walker, program, text),
    }
}

/// Says whether a script of awk or of a stream editor is understood, and leads nowhere but to what it names as it is.
pub(crate) fn is_contained(program: &str, text: &str) -> bool {
    if programs::is(program, Trait::StreamEditor) { sed::is_contained(text) } else { awk::is_contained(text) }
}

/// Says what is known of what code writes: where it decodes something, that may be what it prints.
pub(crate) fn written(text: &str, language: Language) -> Taint {
    let lower = text.to_ascii_lowercase();
    let decodes = language == Language::General
        && (code_marks::DECODE.iter().any(|word| lower.contains(word))
            || lower.contains("pack(")
            || lower.contains("chr("));
    if decodes { Taint::DECODED } else { Taint::NONE }
}

/// Recipes, and what `$(shell …)` runs already while the file is read.
fn makefile(walker: &mut Walker<'_>, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find("$(shell ") {
        let inside = rest.get(at + 8..).unwrap_or_default();
        let end = super::span::closing(inside, '(', ')', &walker.budget).unwrap_or(inside.len());
        walker.text(&unescape_dollars(inside.get(..end).unwrap_or_default()), &Stream::default());
        rest = inside.get(end..).unwrap_or_default();
    }
    for line in text.lines() {
        let recipe = match (line.strip_prefix('\t'), line.split_once(';'), line.split_once("!=")) {
            (Some(recipe), ..) => recipe,
            (None, Some((target, recipe)), _) if target.contains(':') => recipe,
            (None, _, Some((_, command))) => command,
            _ => continue,
        };
        walker.text(&unescape_dollars(recipe.trim_start_matches(['@', '-', '+'])), &Stream::default());
    }
}

fn unescape_dollars(text: &str) -> alloc::string::String {
    text.replace("$$", "$")
}

/// Ex commands: `!cmd`, `r !cmd`, `w !cmd`, `system(…)`.
fn editor(walker: &mut Walker<'_>, text: &str) {
    for line in text.lines() {
        if let Some((before, command)) = line.split_once('!') {
            // `w !cmd` writes to a command, `w! name` over a file.
            let spaced = before.ends_with(' ');
            let before = before.trim_start_matches(':').trim();
            let word = before.split_whitespace().next_back().unwrap_or_default();
            let forced = !spaced && matches!(word, "w" | "write" | "%w" | "%write");
            let runs = before.is_empty()
                || matches!(
                    word,
                    "silent"
                        | "sil"
                        | "r"
                        | "read"
                        | "w"
                        | "write"
                        | "exe"
                        | "execute"
                        | "%"
                        | "noautocmd"
                        | "terminal"
                        | "term"
                        | "%w"
                        | "%write"
                )
                || before.ends_with('%')
                || before.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, ',' | '.' | '$' | '%'));
            if runs && !forced && !command.starts_with('=') {
                walker.text(unbalanced_end(command), &Stream::default());
                continue;
            }
        }
        written_files(walker, line);
        let bare = line.trim_start_matches(':').trim();
        if let Some(command) = bare.strip_prefix("terminal ").or_else(|| bare.strip_prefix("term ")) {
            walker.text(command, &Stream::default());
        }
        deletions(walker, line);
        // Lisp and script functions have their strings in the same form as other languages.
        scan::scan(walker, "editor", line);
    }
}

/// `w /a/file`, `saveas ~/b`: files that are written under another name.
fn written_files(walker: &mut Walker<'_>, line: &str) {
    for command in line.split('|').take(16) {
        let command = command.trim_start_matches([':', ' ', '%', ',', '$']).trim_end();
        let Some((verb, name)) = command.split_once(' ') else { continue };
        let name = name.trim_start();
        let writes = matches!(verb.trim_end_matches('!'), "w" | "write" | "wq" | "sav" | "saveas");
        if writes && name.starts_with(['/', '~']) {
            walker.write_file(&Word::literal(name), &Stream::default());
        }
    }
}

/// Vim's `delete(NAME, "rf")`, which deletes a tree.
fn deletions(walker: &mut Walker<'_>, line: &str) {
    for (at, call) in line.match_indices("delete(").take(16) {
        let is_other = line.get(..at).and_then(|before| before.chars().next_back()).is_some_and(char::is_alphanumeric);
        let budget = walker.budget.clone();
        let mut strings = scan::strings_of(line.get(at + call.len()..).unwrap_or_default(), &budget);
        if let (false, Some(name), Some("rf")) = (is_other, strings.next(), strings.next().as_deref()) {
            let words = programs::stand_in(Act::RemoveTree).chain(["--", name.as_str()]).map(Word::literal);
            walker.run(&words.collect::<Vec<_>>(), &Stream::default());
        }
    }
}

/// Recipes that are a file's own: a line each, behind an indent, a dash or a key.
fn recipes(walker: &mut Walker<'_>, text: &str) {
    for line in text.lines() {
        let bare = line.trim();
        let bare = bare.strip_prefix("- ").unwrap_or(bare);
        let is_key = |key: &str| key.chars().all(|letter| letter.is_alphanumeric() || "-_\"'".contains(letter));
        let command = match bare.split_once(": ") {
            Some((key, rest)) if is_key(key) => rest,
            Some(_) | None => bare,
        };
        let command = command.trim().trim_start_matches('@');
        let unquoted = ['"', '\''].iter().find_map(|quote| command.strip_prefix(*quote)?.strip_suffix(*quote));
        walker.text(unquoted.unwrap_or(command), &Stream::default());
    }
}

/// Cuts off the quote that closes what the command stands in (`:execute '!cmd'`).
fn unbalanced_end(command: &str) -> &str {
    let cut = ['\'', '"'].iter().find_map(|quote| {
        let odd = command.matches(*quote).count() % 2 == 1;
        command.strip_suffix(*quote).filter(|_| odd)
    });
    cut.unwrap_or(command)
}

fn crontab(walker: &mut Walker<'_>, text: &str) {
    for line in text.lines() {
        let line = line.trim();
        let fields = if line.starts_with('@') { 1 } else { 5 };
        let mut rest = line;
        for _ in 0..fields {
            rest = rest.split_once([' ', '\t']).map_or("", |(_, rest)| rest.trim_start());
        }
        if !rest.is_empty() && !line.starts_with('#') {
            walker.text(rest, &Stream::default());
        }
    }
}

/// Judges each string of a list as a line for a shell.
pub(crate) fn listed(walker: &mut Walker<'_>, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'']) {
        rest = rest.get(at..).unwrap_or_default();
        match literal::read(rest, &walker.budget) {
            Some((line, length)) => {
                walker.text(&line, &Stream::default());
                rest = rest.get(length..).unwrap_or_default();
            }
            None => return,
        }
    }
}

/// Commands of a file transfer: what is deleted over there, what secret is put there, what runs here.
fn transfer(walker: &mut Walker<'_>, program: &str, text: &str) {
    for command in text.split(['\n', ';']) {
        let command = command.trim().trim_start_matches('-');
        if let Some(line) = command.strip_prefix('!') {
            walker.text(line, &Stream::default());
            continue;
        }
        let mut words = command.split_whitespace();
        let verb = words.next().unwrap_or_default();
        match verb {
            "rm" | "mrm" | "delete" | "mdelete" | "del" | "deltree" | "rmdir" | "mrmdir" | "glob" => {
                let mut reason = alloc::string::String::from("deletes files on another machine through ");
                reason.push_str(program);
                walker.note_plain(command, Verdict::Halt, Effect::DeleteRemote, "network.transfer-delete", &reason);
            }
            "mirror" if words.clone().any(|word| word == "--delete" || word == "--Remove-source-files") => {
                walker.note_plain(
                    command,
                    Verdict::Halt,
                    Effect::DeleteRemote,
                    "network.transfer-delete",
                    "deletes what the other side has not",
                );
            }
            "put" | "mput" | "send" | "reput" | "append" => {
                let names = words.any(|word| walker.is_secret_word(&Word::literal(word)));
                if names {
                    walker.note_plain(
                        command,
                        Verdict::Halt,
                        Effect::SendSecret,
                        "exfiltration.transfer",
                        "sends secrets to another machine",
                    );
                }
            }
            _ => {}
        }
    }
}

/// Lines of a store of keys, and requests of the web by hand.
fn keys(walker: &mut Walker<'_>, text: &str) {
    for line in text.split(['\n', '\r']).filter(|line| !line.trim().is_empty()).take(64) {
        let line = line.replace("\\r", "").replace("\\n", "");
        let mut words = line.split_whitespace();
        let asked: Vec<Word> = match words.next() {
            Some("DELETE") => programs::stand_in(Act::DeleteThere).chain(words.take(1)).map(Word::literal).collect(),
            Some(verb) => {
                programs::stand_in(Act::TellStore).chain([verb]).chain(words.take(16)).map(Word::literal).collect()
            }
            None => continue,
        };
        if walker.guess_program(&asked, &Stream::default()) {
            return;
        }
    }
}

/// Actions that run what stands in their brackets: `execute(…)`, `execute-silent(…)`, `become(…)`, `reload(…)`.
fn bindings(walker: &mut Walker<'_>, text: &str) {
    for action in ["execute", "become", "reload", "transform", "preview", "execute-silent", "execute-multi"] {
        let Some((_, rest)) = text.split_once(action) else { continue };
        let rest = rest.strip_prefix("-silent").or_else(|| rest.strip_prefix("-multi")).unwrap_or(rest);
        let line = match rest.strip_prefix(':') {
            Some(line) => line,
            None => rest.strip_prefix('(').and_then(|rest| rest.rsplit_once(')')).map_or("", |(line, _)| line),
        };
        if !line.is_empty() {
            walker.text(line, &Stream::default());
        }
    }
}

fn socat(walker: &mut Walker<'_>, text: &str) {
    let lower = text.to_ascii_lowercase();
    for prefix in ["exec:", "system:", "shell:"] {
        if lower.starts_with(prefix) {
            let line = text.get(prefix.len()..).unwrap_or_default();
            let line = line.split(',').next().unwrap_or_default();
            let bare = ['\'', '"'].iter().find_map(|quote| line.strip_prefix(*quote)?.strip_suffix(*quote));
            walker.text(bare.unwrap_or(line), &Stream::default());
        }
    }
}
