//! Built-ins that change what later commands of the line mean, aliases, and variables that are code.

use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use aish_programs::words::{builtins, variables};

use super::budget::{Work, beyond_ordinary};
use super::path::glob_match;
use super::reason::push_shown;
use super::redirect::Redirects;
use super::run::shown;
use super::simple::Assigned;
use super::walk::Walker;
use super::word::{HOLE, Stream, Taint, Word};
use crate::rules::Effect;
use crate::verdict::Verdict;

/// The most folders of one line that are followed.
const MAX_VISITED: usize = 16;

/// Built-ins that set variables, and are not there in dash or in fish.
const NOT_EVERYWHERE: &[&str] = &["getopts", "let", "mapfile", "printf", "readarray", "wait"];

/// Built-ins that say which word of theirs they cannot take.
const SAYS: &[&str] = &["cd", "chdir", "fc", "getopts", "pushd", "read", "shift", "unset", "wait"];

impl Walker<'_> {
    /// Follows a built-in; none where the name is none of these.
    pub(crate) fn builtin(&mut self, name: &str, words: &[Word], stdin: &Stream) -> Option<Stream> {
        if name == "return" && self.in_function > 0 {
            self.state.returns();
        }
        if !NOT_EVERYWHERE.contains(&name) {
            return self.built_in(name, words, stdin);
        }
        let depth = self.state.begin_branch();
        let out = self.built_in(name, words, stdin);
        self.state.end_branch(depth);
        out
    }

    fn built_in(&mut self, name: &str, words: &[Word], stdin: &Stream) -> Option<Stream> {
        let arguments = words.get(1..).unwrap_or_default();
        if SAYS.contains(&name) {
            self.shown_by_shell(arguments);
        }
        if builtins::SUBSCRIPTS.contains(&name) {
            self.subscripts(name, arguments);
        } else if matches!(name, "alias" | "hash") {
            self.names_of_files(name, arguments);
        }
        self.counted_words(name, arguments);
        match name {
            "cd" | "pushd" | "chdir" => self.changes_folder(words),
            "alias" => self.aliases(words),
            _ if builtins::DECLARES.contains(&name) => self.declares(name, words),
            "unset" => {
                self.unsets(arguments);
                self.note_harmless(words, "shell.unset", "removes variables of the shell");
            }
            "set" => self.sets(words),
            "shift" => {
                self.shifts(arguments);
                self.note_harmless(words, "shell.shift", "shifts the arguments");
            }
            "read" | "mapfile" | "readarray" => {
                self.read(name, arguments, stdin);
                self.note_harmless(words, "shell.read", "reads input into variables");
            }
            "printf" if arguments.first().is_some_and(|word| word.text.starts_with("-v")) => {
                self.prints_to_variable(words);
            }
            "getopts" => {
                self.gets_options(arguments);
                return None;
            }
            "wait" => {
                self.waits(arguments);
                return None;
            }
            "hash" => self.hashes(words)?,
            "history" | "print" if arguments.first().is_some_and(|word| super::history::keeps_line(&word.text)) => {
                self.keep_line(arguments);
                let reason = "puts a line where it may be run from";
                self.note_plain(&shown(words), Verdict::Ask, Effect::Write, "shell.history", reason);
            }
            "fc" | "r" if !arguments.iter().any(|word| word.text.starts_with("-l")) => {
                let out = self.run_kept_line(arguments);
                let reason = "runs lines of the history again";
                self.note_plain(&shown(words), Verdict::Ask, Effect::Run, "shell.history", reason);
                return Some(out);
            }
            _ => return None,
        }
        Some(written(name, arguments))
    }

    fn changes_folder(&mut self, words: &[Word]) {
        self.note_visited();
        self.change_folder(words.get(1..).unwrap_or_default());
        self.note_visited();
        self.note_harmless(words, "shell.cd", "changes the working folder");
    }

    fn gets_options(&mut self, arguments: &[Word]) {
        if let Some(variable) = arguments.get(1) {
            self.state.assign(&variable.text.clone(), alloc::vec![Word::unknown(Taint::NONE)]);
        }
        self.option_found(arguments);
    }

    /// Follows `hash` where it binds a name to something; none where it does not.
    fn hashes(&mut self, words: &[Word]) -> Option<()> {
        let arguments = words.get(1..).unwrap_or_default();
        let first = arguments.first().map_or("", |word| word.text.as_str());
        let reason = match arguments {
            [_, path, alias, ..] if first == "-p" => {
                self.state.aliases.insert(alias.text.clone(), path.text.clone());
                "binds a name to another program"
            }
            _ if first.starts_with("-d") || arguments.iter().any(|word| word.text.contains('=')) => {
                "gives a folder or a program a name that zsh puts in its place"
            }
            _ => return None,
        };
        self.note_plain(&shown(words), Verdict::Ask, Effect::Write, "shell.hash", reason);
        Some(())
    }

    fn unsets(&mut self, arguments: &[Word]) {
        for word in arguments.iter().take_while(|word| word.text.starts_with('-') && word.text != "--") {
            // Not `-f`, which removes functions, and zsh's `-m`, which takes patterns.
            if word.text != "-v" {
                self.unknown_option("unset", &word.text);
            }
        }
        for word in arguments.iter().filter(|word| !word.text.starts_with('-')) {
            if self.around.functions.contains_key(&word.text) || self.state.functions.contains_key(&word.text) {
                self.unknown_option("unset", &word.text);
            }
            self.state.note_special(&word.text, &[Word::unknown(Taint::NONE)]);
            self.state.forget_keys(&word.text);
            self.state.keep(&word.text, Vec::new());
        }
    }

    pub(super) fn note_harmless(&mut self, words: &[Word], rule: &'static str, reason: &str) {
        self.note_plain(&shown(words), Verdict::Allow, Effect::Read, rule, reason);
    }

    /// Takes arguments of the shell away: as many as are said, where there are so many.
    fn shifts(&mut self, arguments: &[Word]) {
        let left = self.state.positional.len();
        let count = match arguments.first() {
            None => Some(1),
            Some(word) if word.taint.has(Taint::GUESSED) => None,
            Some(word) => word.text.parse::<usize>().ok(),
        };
        if let Some(count) = count {
            if (1..=left).contains(&count) && self.budget.pay(Work::Argument, left / 4 + 1) {
                Rc::make_mut(&mut self.state.positional).drain(..count);
            }
            return;
        }
        let depth = self.state.begin_branch();
        self.state.positional = Rc::default();
        self.state.end_branch(depth);
    }

    /// Asks about words that the shell shows where something is wrong with them, of which one is a secret.
    pub(crate) fn shown_by_shell(&mut self, words: &[Word]) {
        if words.iter().any(|word| word.taint.has(Taint::SECRET)) {
            let reason = "is given a secret, which the shell shows where it is no good";
            self.note_plain(&shown(words), Verdict::Ask, Effect::ReadSecret, "secrets.given-text", reason);
        }
    }

    /// Keeps the present folder among those that the line may be in.
    fn note_visited(&mut self) {
        let Some(folder) = self.state.folder.clone().filter(|folder| !self.state.visited.contains(folder)) else {
            return;
        };
        if self.state.visited.len() < MAX_VISITED {
            Rc::make_mut(&mut self.state.visited).push(folder);
        } else {
            let reason = "goes to more folders than are followed";
            self.note_plain(&folder, Verdict::Ask, Effect::Unknown, "bounds.folders", reason);
        }
    }

    /// Says whether a file holds secrets in one of the folders that the line may be in.
    pub(crate) fn is_secret_elsewhere(&self, text: &str, glob: bool) -> bool {
        let (visited, home) = (&self.state.visited, self.around.home.as_deref());
        let is_secret = |folder: &String| self.secrets.holds(&self.start().from(folder).seen(text, glob));
        // Where nothing took it there, it is where it began.
        let is_secret_at_first = || text.starts_with("..") && self.secrets.holds(&self.start().seen(text, glob));
        let is_listed = || {
            let folder = self.state.folder.as_deref();
            folder.is_some_and(|folder| super::path::seen(folder, false, None, home).is_settings())
        };
        text.starts_with(HOLE) && is_listed()
            || !visited.is_empty()
                && !text.starts_with(['/', '~'])
                && (!self.budget.pay(Work::Place, visited.len())
                    || !self.budget.pay(Work::Path, visited.iter().map(|folder| beyond_ordinary(folder)).sum())
                    || visited.iter().any(is_secret)
                    || is_secret_at_first())
    }

    /// Returns the marks of a word that names a folder which the line was in, or a file there: which one is not known.
    pub(crate) fn taint_of_visited(&self) -> Taint {
        let home = self.around.home.as_deref();
        let holds = |folder: &String| {
            let place = super::path::seen(folder, false, None, home);
            place.holds_secrets() || place.is_secret()
        };
        match self.state.visited.iter().any(holds) {
            true => Taint::NAMES_SECRETS,
            false => Taint::NONE,
        }
    }

    /// Goes to a folder that a search finds something in: where it starts, around that, or below it.
    pub(crate) fn moves_below(&mut self, start: &Word) {
        let start = self.place(start).text;
        let visited = Rc::make_mut(&mut self.state.visited);
        visited.extend(["", "/..", "/*", "/.*"].map(|end| start.clone() + end));
        self.state.folder = Some(String::from(HOLE));
    }

    fn change_folder(&mut self, arguments: &[Word]) {
        let mut names = arguments.iter().filter(|word| !word.text.starts_with('-') || word.text == "-");
        let target = names.next();
        if names.next().is_some() {
            let reason = "goes to a folder whose name zsh makes of two words";
            self.note_plain("cd", Verdict::Ask, Effect::Unknown, "zsh.cd", reason);
        }
        if target.is_some_and(Word::may_be_secret) {
            let reason = "goes to a folder that perhaps holds secrets";
            self.note_plain("cd", Verdict::Ask, Effect::ReadSecret, "secrets.folder", reason);
        }
        let Some(target) = target else {
            self.state.folder = Some("~".into());
            return;
        };
        if target.text == "-" {
            self.state.folder = Some(String::from(HOLE));
            return;
        }
        self.enter_folder(&target.clone());
    }

    /// Goes to a folder.
    pub(crate) fn enter_folder(&mut self, folder: &Word) {
        if !folder.is_known() {
            self.state.folder = Some(folder.text.clone());
            return;
        }
        let place = self.place(folder).text;
        // Nobody works in a deeper one, and each file that the line names below it would be as long.
        self.state.folder = Some(if place.len() > 1_024 { String::from(HOLE) } else { place });
    }

    /// Returns an alias's name and text for a command's first word as it is written.
    pub(crate) fn alias(&self, source: &str) -> Option<(String, String)> {
        if self.calling.iter().any(|called| called == source) {
            return None;
        }
        let text = self.state.aliases.get(source).or_else(|| self.around.aliases.get(source))?;
        Some((source.into(), text.clone()))
    }

    /// Runs an alias with the arguments behind it.
    pub(crate) fn run_alias(&mut self, name: &str, text: &str, arguments: &[Word], stdin: &Stream) -> Stream {
        let mut line = String::from(text);
        for (at, word) in arguments.iter().enumerate() {
            // The words are put back through variables, so that they are not read as source again.
            let variable = alloc::format!("__argument_{at}");
            line.push_str(if word.glob { " $" } else { " \"$" });
            line.push_str(&variable);
            if !word.glob {
                line.push('"');
            }
            self.state.variables.insert(variable, alloc::vec![alloc::vec![word.clone()]]);
        }
        self.calling.push(name.into());
        let out = self
            .within(alloc::format!("alias {name}").into(), |walker| walker.deeper(|walker| walker.text(&line, stdin)));
        self.calling.pop();
        out
    }

    /// Judges assignments to variables whose value is code.
    pub(crate) fn code_settings(&mut self, assigned: &[Assigned]) {
        for one in assigned {
            let Some(value) = one.value.first() else { continue };
            self.code_setting(&one.name, value);
            if let Some(body) = value.text.strip_prefix("() {") {
                // A function that a shell takes from its environment; old ones run what stands behind it too.
                self.suspect(body.rsplit_once('}').map_or(body, |(body, _)| body));
                if let Some((_, behind)) = value.text.split_once("};") {
                    self.suspect(behind);
                }
            }
        }
    }

    fn code_setting(&mut self, name: &str, value: &Word) {
        if variables::OPENED.contains(&name) {
            self.opens_by_value(name, value);
        }
        if name == "GIT_CONFIG_PARAMETERS" {
            self.ask_variable(name, value);
            // Settings in quotes, one behind the other: `'core.pager=cmd' 'alias.x'='!cmd'`.
            let settings = self.expand(&value.text.clone());
            for setting in settings.iter().take(64) {
                if let Some((_, line)) = setting.text.split_once('=') {
                    self.suspect(line.trim_start_matches('!'));
                }
            }
        } else if variables::SCRIPTS.contains(&name) {
            // The shell expands the name of the file, too.
            let text = value.text.clone();
            self.within(alloc::format!("the variable {name}").into(), |walker| walker.expand_document(&text));
            let stream = self.read_file(value);
            self.code_stream(name, &stream);
            self.ask_variable(name, value);
        } else if variables::CODE.contains(&name) || variables::CODE_GLOBS.iter().any(|glob| glob_match(glob, name)) {
            self.code_variable(name, value);
        } else if variables::PRELOADED.contains(&name) && self.may_be_written_by_anybody(value) {
            let mut reason = String::from("puts code from a folder that anybody may write into a program, through ");
            reason.push_str(name);
            self.note_plain(&value.text, Verdict::Halt, Effect::RunForeign, "shell.preload", &reason);
        } else if variables::LOADERS.contains(&name) || name == "IFS" {
            self.ask_variable(name, value);
            if let Some((_, language)) = variables::LANGUAGE.iter().find(|(known, _)| *known == name) {
                let (text, known) = (value.text.clone(), value.is_known());
                self.within(alloc::format!("the variable {name}").into(), |walker| {
                    walker.code(name, &text, value.taint, known, *language, &Stream::default());
                });
            }
        }
    }

    /// Says whether a file is foreign, or lies where anybody may write.
    fn may_be_written_by_anybody(&self, file: &Word) -> bool {
        file.taint.foreign()
            || self.file_taint(file).foreign()
            || self.place(file).is_scratch()
            || file.text.starts_with("./")
    }

    /// Follows the value of a variable that is code, or that some program runs.
    fn code_variable(&mut self, name: &str, value: &Word) {
        let text = value.text.trim_start_matches(['|', '!']).to_string();
        // What a setting inside the value runs: `alias.x=!…`, `--checkpoint-action=exec=…`.
        for mark in ["=!", "exec=", "-exec=", "--to-command="] {
            if let Some((_, line)) = text.split_once(mark) {
                let line = line.trim_end_matches(['\'', '"']).to_string();
                self.suspect(&line);
            }
        }
        let prompt = matches!(name, "PS0" | "PS1" | "PS2" | "PS4");
        if value.taint.foreign() && !value.is_known() {
            self.code_stream(name, &Stream::unknown(value.taint));
        }
        let of_shell = prompt || name == "PROMPT_COMMAND";
        self.within(alloc::format!("the variable {name}").into(), |walker| match of_shell {
            true if prompt => drop(walker.expand_document(&text)),
            true => drop(walker.apart_from(|walker| walker.text(&text, &Stream::default()))),
            false => walker.in_another_program(|walker| {
                walker.apart_from(|walker| walker.text(&text, &Stream::default()));
            }),
        });
        if name == "PROMPT_COMMAND" {
            self.ask_variable(name, value);
        }
    }

    /// Judges the files that programs open by a variable's value: that of a zone, to tell the time, and messages in a language.
    fn opens_by_value(&mut self, name: &str, value: &Word) {
        let path = value.text.trim_start_matches(':');
        if name == "TZ" && path.starts_with('/') {
            self.read_file(&Word { text: path.into(), ..value.clone() });
        } else if !value.is_known() || path.split('/').any(|part| part == "..") || name != "TZ" && path.contains('/') {
            self.ask_variable(name, value);
        }
    }

    /// Judges a text that is run by a shell, known or not.
    pub(crate) fn code_stream(&mut self, name: &str, stream: &Stream) {
        match &stream.text {
            Some(text) => {
                let text = text.clone();
                self.within(name.to_string().into(), |walker| walker.text(&text, &Stream::default()));
            }
            None if stream.taint.foreign() => self.foreign(name, stream.taint),
            None => {}
        }
    }

    /// Notes that fetched or decoded text is run.
    pub(crate) fn foreign(&mut self, name: &str, taint: Taint) {
        let (rule, text) = if taint.has(Taint::REMOTE) {
            ("flow.remote-code", "runs code that was fetched from another machine, in ")
        } else {
            ("flow.decoded-code", "runs code that was decoded and cannot be read here, in ")
        };
        let mut reason = String::from(text);
        push_shown(&mut reason, name);
        self.note_plain(name, Verdict::Halt, Effect::RunForeign, rule, &reason);
    }

    /// Judges a line that only assigns or only redirects.
    pub(crate) fn bare(
        &mut self,
        assigned: &[Assigned],
        redirects: &Redirects,
        command: &brush_parser::ast::SimpleCommand,
    ) {
        self.code_settings(assigned);
        // A variable that programs have from elsewhere changes for them too.
        let inherited = assigned.iter().map(|one| one.name.as_str()).filter(|name| self.is_inherited(name));
        let inherited: Vec<&str> = inherited.collect();
        self.environment(inherited.into_iter(), None);
        if let Some(one) = assigned.first() {
            self.note_plain(&one.name, Verdict::Allow, Effect::Read, "shell.assign", "sets variables of the shell");
            return;
        }
        if command.word_or_name.is_some() && redirects.outputs.is_empty() {
            self.note_plain(
                "",
                Verdict::Ask,
                Effect::Unknown,
                "unknown.program",
                "runs a command that is empty as far as is known",
            );
        }
        for output in &redirects.outputs {
            if output.append || !output.standard {
                continue;
            }
            let place = self.place(&output.target);
            if place.is_startup() || place.is_dotfile() || place.text.starts_with("/var/") {
                let mut reason = String::from("empties ");
                push_shown(&mut reason, &output.target.text);
                self.note_plain(&output.target.text, Verdict::Halt, Effect::Delete, "files.empty", &reason);
            }
        }
    }
}

fn nothing() -> Stream {
    Stream { text: Some(String::new()), taint: Taint::NONE, connected: true }
}

/// Returns what a built-in that is followed here writes.
fn written(name: &str, arguments: &[Word]) -> Stream {
    match tells(name, arguments) {
        // What is made of the text of a function is code that cannot be read here.
        true if builtins::DECLARES.contains(&name) => Stream { taint: Taint::GUESSED | Taint::ASSUMED, ..nothing() },
        true => Stream::unknown(Taint::NONE),
        false if shows_nothing(name, arguments) => nothing(),
        false => Stream::unknown(Taint::NONE),
    }
}

/// Says whether a built-in that is followed here writes something that is not known: what it holds, or a folder.
fn tells(name: &str, arguments: &[Word]) -> bool {
    match name {
        "unset" | "shift" | "read" | "mapfile" | "readarray" | "printf" => false,
        "cd" | "chdir" => arguments.iter().any(|word| word.text.starts_with(['-', '+', HOLE])),
        "set" => arguments.is_empty(),
        _ if builtins::DECLARES.contains(&name) => {
            let shows = |word: &Word| word.text.starts_with('-') && word.text.contains(['f', 'F', 'p']);
            arguments.is_empty() || arguments.iter().any(shows)
        }
        _ => true,
    }
}

/// Says whether a built-in surely writes nothing: with options it may, and zsh shows a variable that is declared again.
fn shows_nothing(name: &str, arguments: &[Word]) -> bool {
    let declares = builtins::DECLARES.contains(&name);
    arguments.iter().all(|word| !word.text.starts_with(['-', '+']) && (!declares || word.text.contains('=')))
}
