//! What can hold a command: a layer over the tree, where its effect stays in there as far as is known; nothing, where it
//! wants other hosts, services, secrets, another user, a terminal of its own, or the shell that the person works in.
//!
//! A wrong answer costs a question or a failure, never an effect: what is held is held by the kernel.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use aish_program_format::Trait;
use aish_programs::words::places;

use crate::analysis::Analysis;
use crate::autonomy::Sends;
use crate::change::{How, PathText, Target};
use crate::command::{Part, Surroundings, glob_match};
use crate::placement::Hold;
use crate::rules::{Effect, programs};
use crate::verdict::Verdict;

/// Why a command is asked about that reaches other hosts.
const NETWORK: &str = "it needs the network";

/// Variables in small letters that programs take orders from.
const OBEYED: &[&str] =
    &["histchars", "auto_resume", "http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"];

/// Whose shell a command is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// A person works in it.
    Persons,
    /// It is there for the model alone.
    Own,
}

/// Says what can hold a command. `tree` is the folder that a layer would lie over, absolute; none where there is none.
pub fn hold(command: &str, analysis: &Analysis, tree: Option<&str>, surroundings: &Surroundings, shell: Shell) -> Hold {
    let parts = &analysis.parts;
    let defines = matches!(command.split_whitespace().next(), Some("alias" | "unalias"));
    if !parts.is_empty() && (defines || parts.iter().all(changes_the_shell)) {
        return match analysis.judgement.verdict {
            _ if is_harmless_state(command, tree, surroundings) => Hold::Shell,
            // What it sets is found out apart, and comes back where it is harmless.
            Verdict::Allow if runs_others(command) => Hold::Layer,
            // Nobody else works in that shell.
            Verdict::Allow if shell == Shell::Own => Hold::Shell,
            // Whether something in the person's shell obeys it is found out there.
            Verdict::Allow if assigns_plainly(command) => Hold::Layer,
            Verdict::Allow | Verdict::Ask | Verdict::Halt => {
                Hold::Open("it changes the shell that you work in".to_string())
            }
        };
    }
    let fetches = parts.iter().any(is_fetch) && parts.iter().all(is_held_with_network);
    if let Some(why) = parts.iter().find_map(outside).filter(|why| !fetches || *why != NETWORK) {
        return Hold::Open(why.to_string());
    }
    let reaches = parts.iter().any(|part| outside(part).is_some()) || analysis.sends > Sends::Nothing;
    if reaches && !fetches {
        return Hold::Open("it may reach other machines".to_string());
    }
    let layer = || if reaches { Hold::Network(NETWORK.to_string()) } else { Hold::Layer };
    if analysis.judgement.verdict == Verdict::Allow && !reaches {
        return if looks(command, parts) { Hold::Clean } else { Hold::Layer };
    }
    // The end of a line that a backslash takes away is none.
    let end = command.trim_end_matches(|letter: char| letter.is_whitespace() || letter == '\\');
    if end.ends_with('&') && !end.ends_with("&&") {
        return Hold::Open("it goes on behind the line, and what runs in a layer ends with it".to_string());
    }
    let Some(tree) = tree else {
        return Hold::Open("this folder belongs to no tree, and no layer holds what it changes".to_string());
    };
    match analysis.changes.targets.iter().find_map(|target| beyond(target, tree, surroundings)) {
        Some(path) => Hold::Open(format!("it changes {path}, outside the tree")),
        None => layer(),
    }
}

/// Says whether a part needs no more than a layer, or no more than one from which the network can be reached.
fn is_held_with_network(part: &Part) -> bool {
    match outside(part) {
        None => true,
        Some(NETWORK) => is_fetch(part) && part.parts.iter().all(is_held_with_network),
        Some(_) => false,
    }
}

/// Says whether a part fetches what anybody may have, without keys or passwords of the person.
fn is_fetch(part: &Part) -> bool {
    let Some(program) = programs::find(first_word(part)) else { return false };
    let words = || part.text.split(' ').skip(1);
    let is_given = |(at, wanted): (usize, &str)| match wanted.strip_prefix('!') {
        Some(unwanted) => !words().any(|word| glob_match(unwanted, word) || is_among(word, unwanted)),
        None if at == 0 => wanted == "*" || words().next() == Some(wanted),
        None => words().any(|word| glob_match(wanted, word)),
    };
    let anonymous = program.facts().anonymous;
    anonymous.count > 0
        && program.tables().texts(anonymous).enumerate().all(is_given)
        && !matches!(part.effect, Effect::Publish | Effect::DeleteRemote)
}

/// Says whether a word is short options with one among them.
fn is_among(word: &str, option: &str) -> bool {
    let mut letters = option.chars();
    let (Some('-'), Some(letter), None) = (letters.next(), letters.next(), letters.next()) else { return false };
    word.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains(letter))
}

fn first_word(part: &Part) -> &str {
    let program = part.text.split(' ').next().unwrap_or_default();
    program.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(program)
}

/// Says whether a line runs other commands to find out what it sets.
fn runs_others(command: &str) -> bool {
    ["$(", "`", "<(", ">("].iter().any(|mark| command.contains(mark))
}

/// Says whether some of a line changes the shell that it runs in, which a run in a shell of its own would lose.
pub fn touches_the_shell(analysis: &Analysis) -> bool {
    analysis.parts.iter().any(changes_the_shell)
}

fn changes_the_shell(part: &Part) -> bool {
    programs::is(first_word(part), Trait::ChangesShell) || part.rule.starts_with("shell.")
}

/// Returns why a part needs more than a layer.
fn outside(part: &Part) -> Option<&'static str> {
    let by_effect = match part.effect {
        Effect::ReadSecret | Effect::SendSecret => Some("it wants what holds secrets"),
        Effect::Network | Effect::Publish | Effect::DeleteRemote => Some(NETWORK),
        // A file is known by its path, which is looked at beside this.
        Effect::System if part.rule.starts_with("files.") => None,
        Effect::System | Effect::DestroyDisk | Effect::Unprotect => Some("it changes the machine and not the tree"),
        Effect::Stop => Some("it acts on processes outside"),
        Effect::Read
        | Effect::Write
        | Effect::Delete
        | Effect::Discard
        | Effect::Permission
        | Effect::Exhaust
        | Effect::RunForeign
        | Effect::Run
        | Effect::Unknown => None,
    };
    let rule: &str = &part.rule;
    let by_rule = || match rule.split('.').next().unwrap_or_default() {
        "containers" => Some("it talks to a service that can do what root can"),
        "cloud" => Some(NETWORK),
        "services" if rule != "services.read" => Some("it acts on services of the machine"),
        _ if rule == "read.editor" => Some("it takes the terminal for itself"),
        _ if rule == "read.network" => Some(NETWORK),
        _ if programs::is(first_word(part), Trait::OtherUser) => Some("it acts as another user"),
        _ => None,
    };
    by_effect.or_else(by_rule).or_else(|| part.parts.iter().find_map(outside))
}

/// Says whether a line looks at the machine and does nothing else: one plain command, perhaps through plain filters.
fn looks(command: &str, parts: &[Part]) -> bool {
    let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || " -_./:=@%+,".contains(c));
    let mut segments = command.trim().split('|');
    let first = segments.next().unwrap_or_default();
    let rest: Vec<&str> = segments.collect();
    let is_filter =
        |text: &&str| is_plain(text) && programs::is(text.trim().split(' ').next().unwrap_or_default(), Trait::Sieve);
    is_plain(first)
        && rest.iter().all(is_filter)
        && parts.len() == rest.len() + 1
        && parts.first().is_some_and(|part| programs::looks_around(&part.rule) && part.parts.is_empty())
}

/// Says whether a line of literal words goes to a folder of the tree or lists jobs.
fn is_harmless_state(command: &str, tree: Option<&str>, surroundings: &Surroundings) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    if !is_literal(command) {
        return false;
    }
    let known = |name: &str| !surroundings.aliases.contains_key(name) && !surroundings.functions.contains_key(name);
    match words.as_slice() {
        ["cd", folder] if known("cd") && !folder.starts_with(['-', '+']) => {
            let path = PathText { folder: None, text: (*folder).to_string(), pattern: false };
            let there = absolute(&path, surroundings);
            there.zip(tree).is_some_and(|(there, tree)| is_below(&there, tree))
        }
        ["jobs"] | ["jobs", "-l" | "-r" | "-s" | "-p"] => known("jobs"),
        _ => false,
    }
}

/// Says whether a line of literal words sets variables that no program is known to obey, and does nothing else.
fn assigns_plainly(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let is_plain = |word: &str| word.split_once('=').is_some_and(|(name, _)| is_harmless_name(name));
    is_literal(command) && !command.trim().is_empty() && words.all(is_plain)
}

fn is_literal(command: &str) -> bool {
    command.chars().all(|c| c.is_alphanumeric() || " -_./:=@%+,".contains(c))
}

/// Says whether a value runs nothing where a shell's arithmetic or its prompt takes it for words of its own, as `$((x))` does
/// with what is in `x`.
pub fn is_harmless_value(value: &str) -> bool {
    value.chars().all(|c| !matches!(c, '$' | '`' | '\\') && (!c.is_control() || matches!(c, '\n' | '\t')))
}

/// Says whether no program or shell is known to take orders from a variable of this name: capitals are for those.
pub fn is_harmless_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !OBEYED.contains(&name)
}

/// Returns the path of a target that lies outside the tree.
fn beyond(target: &Target, tree: &str, surroundings: &Surroundings) -> Option<String> {
    let out = |path: &PathText| {
        let there = absolute(path, surroundings)?;
        (!is_below(&there, tree) && !is_stream(&there)).then_some(there)
    };
    match target {
        Target::Path { path, .. } => out(path),
        Target::Into { destination, sources, how, .. } => {
            let moved = if *how == How::Move { sources.as_slice() } else { &[] };
            out(destination).or_else(|| moved.iter().find_map(out))
        }
        Target::Git { folder, .. } => out(folder),
    }
}

fn is_stream(path: &str) -> bool {
    [places::SINKS, places::OUTPUTS].iter().any(|list| list.contains(&path))
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Puts a path together by its letters: none where its start is not known.
fn absolute(path: &PathText, surroundings: &Surroundings) -> Option<String> {
    let start = |text: &str| -> Option<Option<String>> {
        if text.starts_with('/') {
            return Some(Some(text.to_string()));
        }
        match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                Some(surroundings.home.as_ref().map(|home| format!("{home}{rest}")))
            }
            Some(_) => Some(None),
            None => None,
        }
    };
    let whole = match start(&path.text) {
        Some(whole) => whole?,
        None => {
            let folder = match path.folder.as_deref() {
                Some(folder) => match start(folder) {
                    Some(whole) => whole?,
                    None => format!("{}/{folder}", surroundings.folder.as_deref()?),
                },
                None => surroundings.folder.clone()?,
            };
            format!("{folder}/{}", path.text)
        }
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Some(format!("/{}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::analyse;
    use crate::policy::PolicyRules;

    fn of(command: &str) -> Hold {
        let surroundings = Surroundings {
            folder: Some("/home/ana/work/sub".into()),
            home: Some("/home/ana".into()),
            ..Surroundings::default()
        };
        let analysis = analyse(command, &surroundings, &PolicyRules::default());
        hold(command, &analysis, Some("/home/ana/work"), &surroundings, Shell::Persons)
    }

    #[test]
    fn effects_in_the_tree_and_unknown_ones_are_held() {
        for command in [
            "ls",
            "cat notes",
            "make",
            "cargo build",
            "python3 x.py",
            "rm -r build",
            "echo a > b",
            "git commit -m x",
            "for i in *.o; do rm \"$i\"; done",
            "cd .. && make",
            "x=5; echo $x",
            "mv a ../b",
            "echo a 2>/dev/null",
            "x=$(date)",
            "type ls",
            "ls /etc; ps aux",
            "cp ~/notes a",
            "sed -i s/a/b/ *.c",
            "./configure",
            "npm test",
        ] {
            assert_eq!(of(command), Hold::Layer, "{command}");
        }
    }

    #[test]
    fn what_no_layer_holds_is_open_with_a_reason() {
        for (command, why) in [
            ("curl -n http://example.org", "network"),
            ("curl -o ~/x http://example.org", "outside"),
            ("curl http://example.org | sudo sh", "network"),
            ("curl http://example.org; ssh host", "network"),
            ("git clone git@example.org:a", "machines"),
            ("git clone https://ana@example.org/a", "machines"),
            ("git -C clone fetch https://example.org/a", "machines"),
            ("curl -sn https://example.org", "network"),
            ("curl --netrc-optional https://example.org", "network"),
            ("git push", "network"),
            ("history", "secrets"),
            ("git pull", "machines"),
            ("ssh host ls", "network"),
            ("sudo ls", "another user"),
            ("apt install x", "the machine"),
            ("kill 4", "processes outside"),
            ("docker ps", "what root can"),
            ("vim a", "terminal"),
            ("cat ~/.ssh/id_rsa", "secrets"),
            ("cp a ~/b", "/home/ana/b, outside"),
            ("echo x > /tmp/f", "/tmp/f, outside"),
            ("mv ../../other/x .", "outside the tree"),
            ("export FOO=bar", "the shell"),
            ("cd /tmp", "the shell"),
            ("cd ../..", "the shell"),
            ("cd $x", "the shell"),
            ("PATH=/x", "the shell"),
            ("http_proxy=http://x", "the shell"),
            ("alias ll=ls", "the shell"),
            ("source x.sh", "the shell"),
            ("set -e", "the shell"),
            ("npm run dev &", "behind the line"),
            ("npm run dev & \\\n", "behind the line"),
        ] {
            let held = of(command);
            assert!(matches!(&held, Hold::Open(said) if said.contains(why)), "{command}: {held:?}");
        }
    }

    #[test]
    fn what_fetches_is_held_with_the_network() {
        for command in [
            "curl http://example.org",
            "curl -sSL https://example.org/x | sh",
            "curl -O https://example.org/x && tar xf x",
            "wget -q https://example.org/x",
            "git clone https://example.org/a",
        ] {
            assert_eq!(of(command), Hold::Network("it needs the network".to_string()), "{command}");
        }
    }

    #[test]
    fn harmless_state_stays_in_the_shell_and_looks_at_the_machine_see_it() {
        for command in ["cd ..", "cd sub/deep", "jobs -l", "cd /home/ana/work"] {
            assert_eq!(of(command), Hold::Shell, "{command}");
        }
        // What the person's shell makes of it is not known here.
        for command in ["x=5", "a=1 b=2", "starship_precmd_user_func=./build.sh"] {
            assert_eq!(of(command), Hold::Layer, "{command}");
        }
        for command in [
            "ps aux",
            "ps aux | grep node",
            "ps -ef | grep x | head -5",
            "ps axo pid,etime",
            "pstree -p",
            "hostname -s",
        ] {
            assert_eq!(of(command), Hold::Clean, "{command}");
        }
        for command in ["ps aux | xargs rm", "ps aux; ls", "ps $(ls)", "ps aux | sort", "ps | grep x > f", "ps > f"] {
            assert_ne!(of(command), Hold::Clean, "{command}");
        }
    }

    #[test]
    fn without_a_tree_only_what_is_harmless_is_held() {
        let surroundings = Surroundings { folder: Some("/home/ana".into()), ..Surroundings::default() };
        let of = |command: &str| {
            let analysis = analyse(command, &surroundings, &PolicyRules::default());
            hold(command, &analysis, None, &surroundings, Shell::Own)
        };
        assert_eq!(of("ls"), Hold::Layer);
        assert_eq!(of("set -e"), Hold::Shell, "nobody works in this shell");
        assert_eq!(of("x=$(ls)"), Hold::Layer);
        assert!(matches!(of("touch x"), Hold::Open(_)));
    }
}
