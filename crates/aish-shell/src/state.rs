//! What a bash has beside its environment: variables, functions, aliases and options, as text that another one can read.
//!
//! A command that runs apart from the live shell begins with this, and says at its end what it became. Values of a run
//! are data: they are compared and quoted anew, and never read by the live shell as they came.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::alias;

/// Variables that each bash has of its own, or that lead its prompts.
#[rustfmt::skip]
const OWN: &[&str] = &[
    "_", "BASHOPTS", "BASHPID", "BASH_ENV", "BASH_XTRACEFD", "COLUMNS", "COPROC", "DIRSTACK", "ENV", "EUID", "FUNCNAME",
    "GROUPS", "HOSTNAME", "HOSTTYPE", "IFS", "LINENO", "LINES", "MACHTYPE", "MAILCHECK", "OPTERR", "OPTIND", "OSTYPE",
    "PIPESTATUS", "PPID", "PROMPT_COMMAND", "PROMPT_DIRTRIM", "PS0", "PS1", "PS2", "PS3", "PS4", "PWD", "RANDOM",
    "SECONDS", "SHELLOPTS", "SHLVL", "SRANDOM", "TMOUT", "TMPDIR", "UID",
];

/// How the names of others of them begin.
const OWN_BEGINNINGS: &[&str] = &["BASH_", "COMP_", "EPOCH", "HIST", "READLINE_", "__aish_"];

/// Prints a shell's state, each part ended by a NUL; what follows on the same stream is up to the caller.
pub(crate) const SCRIPT: &str = r#"\builtin printf '%s\0' "$PWD"
\builtin declare -p
\builtin printf '\0'
\builtin declare -F
\builtin printf '\0'
\builtin declare -f
\builtin printf '\0'
\builtin alias -p
\builtin printf '\0'
\builtin shopt -p
\builtin printf '\0'
\builtin trap -p
\builtin bind -X 2>/dev/null
\builtin declare -p PROMPT_COMMAND PS0 PS1 PS2 PS4 2>/dev/null
\builtin printf '\0'
"#;

/// One variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its attributes, a letter each, as `declare` takes them; empty for none.
    pub attributes: String,
    /// Its value; none for arrays and for what has none.
    pub value: Option<String>,
    /// The words that declare it, as bash prints them.
    text: String,
}

impl Variable {
    /// Returns the words that declare it, as bash prints them.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// One function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its definition, as bash prints it.
    pub text: String,
}

/// What a shell has beside its environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShellState {
    /// The folder that it is in.
    pub cwd: PathBuf,
    /// Variables, the exported ones too, but for those that each bash has of its own.
    pub variables: Vec<Variable>,
    /// Functions.
    pub functions: Vec<Function>,
    /// The lines that define the aliases.
    pub aliases: String,
    /// The lines that set the options of `shopt`.
    pub options: String,
    /// What acts by itself, as bash prints it: traps, keys that run something, prompts.
    acts: String,
}

impl ShellState {
    /// Reads what [`SCRIPT`] printed; none where it is not whole.
    pub(crate) fn read(answer: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(answer);
        let mut fields = text.split('\0');
        fields.next()?;
        let cwd = crate::report::path(answer.split(|byte| *byte == 0).next()?);
        let variables = variables(fields.next()?);
        let names = fields.next()?;
        let functions = functions(names, fields.next()?);
        let aliases = fields.next()?.to_owned();
        let options = fields.next()?.to_owned();
        let acts = fields.next()?.to_owned();
        fields.next().is_some().then_some(Self { cwd, variables, functions, aliases, options, acts })
    }

    /// Says whether something that the shell may run has a variable in it, or makes a variable stand for it: functions, aliases,
    /// traps, keys, prompts, and values that hold such text. Where the value would assign as arithmetic, the name alone is enough:
    /// `((x))` reads what is in `x` as an expression.
    pub fn takes(&self, name: &str, value: &str) -> bool {
        let assigns = ["=", "++", "--", "["].iter().any(|operator| value.contains(operator));
        let functions = self.functions.iter().map(|function| function.text.as_str());
        let others =
            self.variables.iter().filter(|variable| variable.name != name).map(|variable| variable.text.as_str());
        let texts = functions.chain(others).chain([self.aliases.as_str(), self.acts.as_str()]);
        texts.into_iter().any(|text| is_taken(text, name, assigns))
    }

    /// Makes the state of a shell that has an environment and nothing else.
    pub fn of_environment(cwd: PathBuf, exports: &BTreeMap<String, String>) -> Self {
        let is_name = |name: &str| {
            !name.starts_with(|c: char| c.is_ascii_digit())
                && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
        };
        let variable = |(name, value): (&String, &String)| Variable {
            name: name.clone(),
            attributes: "x".to_owned(),
            value: Some(value.clone()),
            text: format!("declare -x {name}='{}'", value.replace('\'', r"'\''")),
        };
        let variables = exports.iter().filter(|(name, _)| is_name(name) && !is_own(name)).map(variable).collect();
        Self { cwd, variables, ..Self::default() }
    }

    /// Returns the exported variables.
    pub fn exports(&self) -> BTreeMap<String, String> {
        let exported = self.variables.iter().filter(|variable| variable.attributes.contains('x'));
        exported.filter_map(|variable| Some((variable.name.clone(), variable.value.clone()?))).collect()
    }

    /// Looks a variable up.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// Leaves out functions and aliases of which something may not be seen, each by itself: how it is written, or what an alias
    /// stands for.
    pub fn leave_out(&mut self, may_be_seen: impl Fn(&str) -> bool) {
        self.functions.retain(|function| may_be_seen(&function.text));
        let aliases = alias::read(&self.aliases);
        let open = aliases.iter().filter(|alias| may_be_seen(alias.text) && may_be_seen(&alias.value));
        self.aliases = open.map(|alias| alias.text).collect();
    }

    /// Returns the script that gives a fresh bash this state.
    pub fn to_script(&self) -> String {
        let mut script = String::new();
        for part in self.variables.iter().map(|variable| &variable.text).chain([&self.options]) {
            script.push_str(part);
            script.push('\n');
        }
        for function in &self.functions {
            script.push_str(&function.text);
            script.push('\n');
        }
        // Last: an alias must not change how a function is read.
        script.push_str(&self.aliases);
        script
    }
}

/// Says whether a name stands in a text, anywhere or where a shell puts in the value of a variable, or gives its name away: `$name`,
/// `${name`, `${!name`, `other=name`.
fn is_taken(text: &str, name: &str, anywhere: bool) -> bool {
    let is_of_a_name = |letter: char| letter == '_' || letter.is_ascii_alphanumeric();
    text.match_indices(name).any(|(at, _)| {
        let (before, behind) = (text.get(..at).unwrap_or_default(), text.get(at + name.len()..).unwrap_or_default());
        let is_whole = !before.ends_with(is_of_a_name) && !behind.starts_with(is_of_a_name);
        let before = before.trim_end_matches(['\'', '"', '\\']);
        let before = before.strip_suffix(['!', '#']).unwrap_or(before);
        is_whole && (anywhere || before.ends_with('$') || before.ends_with("${") || before.ends_with('='))
    })
}

fn is_own(name: &str) -> bool {
    OWN.contains(&name) || OWN_BEGINNINGS.iter().any(|start| name.starts_with(start)) || name == "BASH"
}

/// Reads the output of `declare -p`.
pub(crate) fn variables(text: &str) -> Vec<Variable> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(after) = rest.strip_prefix("declare -") {
        let Some((flags, after)) = after.split_once(' ') else { break };
        let name_end = after.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(after.len());
        // Inside a function that restores its options they are a variable by the name of `-`.
        if name_end == 0 {
            rest = after.split_once('\n').map_or("", |(_, rest)| rest);
            continue;
        }
        let (name, after) = after.split_at(name_end);
        let length = value_length(after);
        let value = after.get(..length).unwrap_or(after);
        let whole = rest.len() - after.len() + value.len();
        let known = value.strip_prefix('=').filter(|value| value.starts_with(['"', '$']));
        if !is_own(name) {
            all.push(Variable {
                name: name.to_owned(),
                attributes: flags.trim_matches('-').to_owned(),
                value: known.map(|quoted| crate::declarations::unquote(quoted).0),
                text: rest.get(..whole).unwrap_or(rest).to_owned(),
            });
        }
        rest = after.get(value.len()..).unwrap_or_default();
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    all
}

/// Returns the length of `=` and a value as `declare -p` quotes it, or 0.
fn value_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'=') {
        return 0;
    }
    let mut at = 1;
    let mut quote = None;
    while let Some(byte) = bytes.get(at) {
        match (quote, byte) {
            (None, b'\n') => break,
            (None, b'"') => quote = Some(b'"'),
            (None, b'\'') => quote = Some(b'\''),
            // Inside `"…"` and `$'…'` a backslash keeps what follows from being an end.
            (Some(_), b'\\') => at += 1,
            (Some(open), byte) if open == *byte => quote = None,
            _ => {}
        }
        at += 1;
    }
    at.min(text.len())
}

/// Takes the output of `declare -f` apart, by the names that `declare -F` lists in the same order. Without all of them
/// it is none: a text that is not understood is not handed on.
fn functions(names: &str, text: &str) -> Vec<Function> {
    let names: Vec<&str> = names.lines().filter_map(|line| line.rsplit(' ').next()).collect();
    let mut starts = Vec::with_capacity(names.len());
    let mut from = 0;
    for name in &names {
        let head = [format!("{name} () \n"), format!("function {name} () \n")];
        let is_start = |at: usize| at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n');
        let found = head.iter().filter_map(|head| {
            let rest = text.get(from..)?;
            rest.match_indices(head.as_str()).map(|(at, _)| from + at).find(|at| is_start(*at))
        });
        let Some(at) = found.min() else { return Vec::new() };
        starts.push(at);
        from = at + 1;
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let own = |name: &str| name.starts_with("__aish_");
    names
        .iter()
        .zip(starts.iter().copied().zip(ends))
        .filter(|(name, _)| !own(name))
        .map(|(name, (start, end))| Function {
            name: (*name).to_owned(),
            text: text.get(start..end).unwrap_or_default().trim_end().to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets a real bash print its state after a script.
    fn state_of(script: &str) -> ShellState {
        let output = std::process::Command::new("bash")
            .args(["--norc", "--noprofile", "-c"])
            .arg(format!("shopt -s expand_aliases\n{script}\n{SCRIPT}"))
            .output()
            .unwrap();
        ShellState::read(&output.stdout).unwrap()
    }

    #[test]
    fn a_fresh_bash_becomes_what_the_first_one_was() {
        let script = "a='plain'; b=$'two\\nlines \"q\" $x `y` \\\\ \\e'; export c='x y'; d=(1 'two 2' $'n\\nl ) (')\n\
                      declare -A m=([k]='v\"q' [\"a b\"]=c); declare -i n=7; declare -r ro=1; declare -n ref=a\n\
                      f() { cat <<E\nnot ()\n}\nE\n}\nfunction g-h { echo '}'; }\n__aish_hook() { :; }\n\
                      alias ll='ls -l' q=\"echo 'a b'\"; shopt -s globstar";
        let first = state_of(script);
        let names: Vec<&str> = first.functions.iter().map(|function| function.name.as_str()).collect();
        assert_eq!(names, ["f", "g-h"]);
        assert_eq!(first.variable("b").unwrap().value.as_deref(), Some("two\nlines \"q\" $x `y` \\ \u{1b}"));
        assert_eq!((first.variable("d").unwrap().value.as_deref(), first.variable("PATH").is_some()), (None, true));
        let second = state_of(&first.to_script());
        assert_eq!(first, second);
        assert!(second.options.contains("shopt -s globstar") && second.aliases.contains("ll='ls -l'"), "{second:?}");
    }

    #[test]
    fn what_may_not_be_seen_is_left_out_and_nothing_else() {
        let mut state = state_of("alias a='ls' m=$'one\\ntwo' t='x hush y' z=pwd; f() { echo hush; }; g() { :; }");
        state.leave_out(|text| !text.contains("hush"));
        let names: Vec<_> = alias::read(&state.aliases).iter().map(|alias| alias.name).collect();
        assert_eq!(names, ["a", "m", "z"]);
        assert_eq!(state.functions.iter().map(|function| function.name.as_str()).collect::<Vec<_>>(), ["g"]);
        let again = state_of(&state.to_script());
        assert_eq!(again.aliases, state.aliases, "a bash can read them");
    }

    #[test]
    fn what_is_not_whole_is_none() {
        for text in ["", "/x\0declare -- a=\"1\"\n\0", "/x\0\0\0\0\0\0"] {
            assert_eq!(ShellState::read(text.as_bytes()), None, "{text:?}");
        }
        let text = b"/x\0declare -- a=\"open\nstill\0declare -f f\ndeclare -f g\n\0f () \n{ \n}\n\0\0\0\0";
        let broken = ShellState::read(text).unwrap();
        assert_eq!((broken.variables.len(), broken.functions.len()), (1, 0), "{broken:?}");
    }

    #[test]
    fn a_variable_is_taken_where_something_acts_on_it() {
        let state = state_of(
            r#"f() { local cur; cur=1; echo "$cur" "${asked[@]}" "${!by_name}" plain; given=handed; }
               alias e='echo $in_alias'; trap 'run "$trapped"' USR1; PROMPT_COMMAND='${prompted-:}'
               quoted='see "$within"'; alone=1; g() { (( counted > 1 )) && echo "${list[at]}"; }"#,
        );
        for name in ["cur", "asked", "by_name", "handed", "in_alias", "trapped", "prompted", "within"] {
            assert!(state.takes(name, "1"), "{name}");
        }
        for name in ["plain", "given", "alone", "quoted", "c", "rapped", "counted"] {
            assert!(!state.takes(name, "a-1"), "{name}");
        }
        for value in ["PATH=1", "--x", "x++", "a[i]"] {
            assert!(state.takes("counted", value) && state.takes("at", value), "{value}");
            assert!(!state.takes("rapped", value), "{value}");
        }
    }
}
