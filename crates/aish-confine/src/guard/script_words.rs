//! The words of a script that may be paths, and what stands before them.

/// Words behind which a shell, or another program that runs scripts, takes the next one as a script; `[` looks whether it is
/// there before.
#[rustfmt::skip]
const RUN: &[&str] = &[
    ".", "source", "source_env", "source_env_if_exists", "sh", "bash", "zsh", "dash", "ksh", "fish", "exec", "env",
    "command", "eval", "nohup", "time", "sudo", "python", "python3", "node", "ruby", "perl", "[", "[[", "test", "if", "then",
    "else", "do", "while", "until", "!", "ExecStart", "ExecStartPre", "ExecStartPost", "ExecStop", "ExecReload", "Exec", "TryExec",
    "Include", "so", "runtime", "source-file",
];

/// Words behind which a folder is gone to.
const ENTER: &[&str] = &["cd", "pushd", "chdir"];

/// Words in a command whose folders programs are taken from.
const PATHS: &[&str] = &["path", "fpath", "PATH_add", "path_add", "fish_add_path"];

/// Programs that read what they are given and run nothing of it.
#[rustfmt::skip]
const READERS: &[&str] = &[
    "export", "ls", "cat", "echo", "printf", "grep", "egrep", "fgrep", "head", "tail", "wc", "sort", "uniq", "cut", "mkdir", "rmdir", "rm",
    "touch", "stat", "du", "diff", "cmp", "chmod", "chown", "basename", "dirname", "realpath", "readlink", "git", "black", "isort",
    "ruff", "flake8", "gofmt", "rustfmt", "prettier", "shellcheck", "shfmt", "clang-format", "yamllint", "markdownlint",
];

/// Programs whose words are names of tasks, as folders are called too.
#[rustfmt::skip]
const TASKS: &[&str] = &[
    "npm", "pnpm", "yarn", "bun", "make", "cargo", "go", "just", "task", "composer", "bundle", "rake", "gradle", "mvn", "hatch",
    "tox", "nox", "poetry", "uv", "mix", "dotnet", "docker",
];

/// Words of a command among which the program is, with what starts it.
const START: usize = 4;

/// What stands for a value that is not known.
const UNKNOWN: &str = "$_";

/// Commands that are taken apart one in the other.
const DEEPEST: usize = 16;

/// A word of a script.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Whether it is where a script is named that is run or read.
    pub(super) is_run: bool,
    /// Whether programs are taken from the folder that it names.
    pub(super) is_path: bool,
    /// Whether the script goes to the folder that it names.
    pub(super) is_entered: bool,
    /// Whether nothing is run of a folder that it names, or of what a pattern stands for.
    pub(super) is_read: bool,
}

impl Word {
    /// Says whether it names where programs are taken from, and no folder itself.
    pub(super) fn names_path(&self) -> bool {
        is_path(&self.text)
    }
}

/// Says whether programs or their modules are taken from what a variable of this name holds, or a word behind it.
fn is_path(name: &str) -> bool {
    let name = name.trim_end_matches('+');
    PATHS.contains(&name) || name.ends_with("PATH") && !name.contains(['$', '/'])
}

/// Lists the words of a script, but for those in lines that are comments.
pub(super) fn of(script: &str) -> Vec<Word> {
    let script = script.replace("\\\n", " ");
    let lines = script.lines().filter(|line| !line.trim_start().starts_with('#'));
    let mut words = Vec::new();
    for line in lines {
        // An empty piece is where a command begins.
        // What a program reads may be handed on to one that runs it.
        let is_handed_on = line.replace("||", "").contains(['|', '`']) || line.contains("$(") || line.contains("<(");
        pieces(line).split(String::is_empty).for_each(|command| marked(command, is_handed_on, &mut words));
    }
    words
}

/// Marks the words of a command.
fn marked(command: &[String], is_handed_on: bool, words: &mut Vec<Word>) {
    let starts = |programs: &[&str]| command.iter().take(START).any(|piece| programs.contains(&piece.as_str()));
    let (reads, has_tasks) = (starts(READERS) && !is_handed_on, starts(TASKS));
    let mut is_path = false;
    let (mut before, mut last) = ("", "");
    for text in command.iter().map(String::as_str) {
        let is_run = before.is_empty() || RUN.contains(&before);
        let is_entered = ENTER.contains(&before) || last == "-C";
        is_path |= self::is_path(text);
        let is_read = reads || has_tasks && !text.contains('/');
        words.push(Word { text: text.to_owned(), is_run, is_path, is_entered, is_read });
        // Options stand between a program and its script.
        if !text.starts_with('-') {
            before = text;
        }
        last = text;
    }
}

/// Cuts a line where a shell sets words apart, and at `=` and `:` in them. What a shell puts in the place of `$(…)` and `${…}` is
/// not known; the words in `$(…)` follow behind those around it.
fn pieces(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut texts = vec![(line.to_owned(), 0)];
    while let Some((text, depth)) = texts.pop() {
        let mut cut = Cut { found: vec![String::new()], word: String::new(), inner: Vec::new() };
        cut.read(&text.chars().collect::<Vec<_>>(), depth < DEEPEST);
        found.append(&mut cut.found);
        texts.extend(cut.inner.into_iter().rev().map(|text| (text, depth + 1)));
    }
    found
}

/// A text that is cut into words.
struct Cut {
    found: Vec<String>,
    /// The word that is read.
    word: String,
    /// What commands that are put in say.
    inner: Vec<String>,
}

impl Cut {
    /// Reads a text; where what is put in lies too deep to be taken apart, its words are read as those around it.
    fn read(&mut self, letters: &[char], takes_apart: bool) {
        let mut at = 0;
        while let Some(letter) = letters.get(at) {
            let next = letters.get(at + 1);
            at += 1;
            let rest = letters.get(at..).unwrap_or_default();
            match (letter, next) {
                ('$', Some('(' | '{')) | ('`', _) if takes_apart => at += self.put_in(*letter, rest),
                ('\\', Some(next)) => {
                    self.word.push(*next);
                    at += 1;
                }
                // Quotes end within a path.
                ('"' | '\'', Some('/')) if !self.word.is_empty() => {}
                // Of several names in braces each is one that a pattern stands for.
                ('{', _) if let Some(taken) = braces(rest) => {
                    self.word.push('*');
                    at += taken;
                }
                (letter, _) if letter.is_whitespace() || "\"',=:".contains(*letter) => self.end_word(),
                (letter, _) if ";|&()<>{}`".contains(*letter) => {
                    self.end_word();
                    self.found.push(String::new());
                }
                (letter, _) => self.word.push(*letter),
            }
        }
        self.end_word();
    }

    /// Reads what is put in behind its first letter; returns how many letters it took.
    fn put_in(&mut self, first: char, rest: &[char]) -> usize {
        let held = match first {
            '`' => rest.split(|letter| *letter == '`').next().unwrap_or_default(),
            _ => held(rest.get(1..).unwrap_or_default()),
        };
        let text: String = held.iter().collect();
        let is_variable = first == '$' && rest.first() == Some(&'{');
        self.word.push_str(if is_variable && text == "HOME" { "$HOME" } else { UNKNOWN });
        if !is_variable {
            self.inner.push(text);
        }
        held.len() + if first == '`' { 1 } else { 2 }
    }

    fn end_word(&mut self) {
        if !self.word.is_empty() {
            self.found.push(std::mem::take(&mut self.word));
        }
    }
}

/// Returns how many letters stand in braces of names, with the closing one.
fn braces(rest: &[char]) -> Option<usize> {
    let end = rest.iter().position(|letter| *letter == '}' || letter.is_whitespace())?;
    let names = rest.get(..end)?;
    let are_several = names.contains(&',') || names.windows(2).any(|pair| pair == ['.', '.']);
    (are_several && rest.get(end) == Some(&'}')).then_some(end + 1)
}

/// Returns what is before the bracket that closes one.
fn held(letters: &[char]) -> &[char] {
    let mut depth = 1;
    let end = letters.iter().position(|letter| {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    letters.get(..end.unwrap_or(letters.len())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes the words of a script: `!` before what is run, `>` before what is gone to, `:` before what programs are taken from.
    fn check(script: &str, expected: &[&str]) {
        let words: Vec<_> = of(script)
            .into_iter()
            .map(|word| {
                let mark = if word.is_entered { ">" } else { "" };
                let mark = if word.is_path { ":" } else { mark };
                format!("{}{mark}{}", if word.is_run { "!" } else { "" }, word.text)
            })
            .collect();
        assert_eq!(words, expected, "{script}");
    }

    #[test]
    fn words_are_read_with_what_stands_before_them() {
        check("exec sh -e tools/check a", &["!exec", "!sh", "!-e", "!tools/check", "a"]);
        check("# a b\n. \"$PWD/x\"; y", &["!.", "!$PWD/x", "!y"]);
        check("source \"$PWD\"/x", &["!source", "!$PWD/x"]);
        check("\"$(dirname \"$0\")\"/x", &["!$_/x", "!dirname", "$0"]);
        check("\"$(git rev-parse --show-toplevel)/x\" b", &["!$_/x", "b", "!git", "rev-parse", "--show-toplevel"]);
        check("`pwd`/x", &["!$_/x", "!pwd"]);
        check("${0%/*}/x ${HOME}/y ${PWD}/z", &["!$_/x", "$HOME/y", "$_/z"]);
        check("[ -f a/b ] && a/b", &["![", "!-f", "!a/b", "]", "!a/b"]);
        check("cd tools && make -C sub", &["!cd", ">tools", "!make", "-C", ">sub"]);
        check("PATH=bin:$PATH", &["!:PATH", ":bin", ":$PATH"]);
        check(
            "export PATH=bin; . ~/t/{sh,y}/x.sh; a {1..3} { b",
            &["!export", ":PATH", ":bin", "!.", "!~/t/*/x.sh", "!a", "*", "!b"],
        );
        check("a\\\n  b\\ c", &["!a", "b c"]);
        check("x=$(a $(b c/d))", &["!x", "$_", "!a", "$_", "!b", "c/d"]);
        check("x \"$(", &["!x", "$_"]);
        assert_eq!(of(&"$(".repeat(100_000)).len(), 100_000);
    }
}
