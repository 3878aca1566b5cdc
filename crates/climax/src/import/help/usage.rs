//! The forms behind `Usage:`, as words, brackets and alternatives.

mod forms;

use forms::{Forms, tokens};

use super::{Help, Positional, Subcommand, is_command_word, option};

/// Words of tools that run a program of another name, which follows them.
const RUNNERS: &[&str] = &["python", "python3", "node", "npx", "bunx", "perl", "ruby", "uvx", "sudo", "$", ">", "%"];

/// Reads forms into a help: options and positionals that the text did not describe, and sub-commands where forms differ in a word.
pub(super) fn apply(help: &mut Help, known: &mut Vec<String>, forms: &[String], words: &[&str]) {
    let own: Vec<Vec<&str>> = forms.iter().filter_map(|form| behind(form, words)).collect();
    help.of_another = !forms.is_empty() && own.is_empty();
    help.has_usage = !forms.is_empty();
    if help.commands.is_empty() {
        commands_of_forms(help, &own);
        commands_in_braces(help, &own);
    }
    let lists_commands = !help.commands.is_empty();
    let mut read = Forms::new(&help.options);
    let (mut count, mut alone) = (0, false);
    for form in &own {
        let literal = form
            .iter()
            .find(|token| !token.starts_with(['-', '[']))
            .is_some_and(|token| help.commands.iter().any(|command| command.name.split(' ').next() == Some(token)));
        if literal || asks_for_help(form) {
            continue;
        }
        count += 1;
        alone |= lists_commands && is_alone(form, own.len());
        read.read(form, count);
    }
    take_options(help, known, &read);
    let shown = read.positionals(count);
    // Where nothing can be said to it, it only shows its help.
    help.alone |=
        alone && (!help.options.is_empty() || shown.iter().any(|positional| !is_placeholder(&positional.name)));
    if help.positionals.is_empty() {
        let is_command = |positional: &Positional| lists_commands && is_placeholder(&positional.name);
        help.positionals = shown.into_iter().filter(|positional| !is_command(positional)).collect();
        return;
    }
    for listed in &mut help.positionals {
        if let Some(shown) = shown.iter().find(|shown| shown.name == listed.name) {
            (listed.required, listed.dashes) = (shown.required, shown.dashes);
            listed.choices.clone_from(&shown.choices);
            listed.many = listed.many.max(shown.many);
        } else if count > 0 {
            // What no form shows need not be given, unless its own line says so.
            listed.required &= listed.description.to_lowercase().contains("required");
        }
    }
}

/// Reads what stands behind a sub-command's word in its parent's list (`UNIT [PATH]`).
pub(super) fn arguments(text: &str) -> Vec<Positional> {
    let mut read = Forms::default();
    read.read(&tokens(text), 1);
    read.positionals(1)
}

fn take_options(help: &mut Help, known: &mut Vec<String>, read: &Forms) {
    for shown in &read.options {
        let Some(read) = option::read(shown, "", option::Words::Values) else { continue };
        if matches!(read.option.flag.as_str(), "--help" | "-h" | "--version") {
            continue;
        }
        if let Some(value) = &read.option.value
            && let Some(listed) = help.options.iter_mut().find(|listed| read.flags.contains(&listed.flag))
        {
            // The list below may leave out that a value follows.
            listed.value.get_or_insert_with(|| value.clone());
            listed.many = listed.many.max(read.option.many);
        }
        if !read.flags.iter().any(|flag| known.contains(flag)) {
            known.extend(read.flags);
            help.options.push(read.option);
        }
    }
}

/// Returns the tokens behind the command's own words; none when the form is of another command.
fn behind<'f>(form: &'f str, words: &[&str]) -> Option<Vec<&'f str>> {
    let all = tokens(form);
    let is_program = |token: &&str| words.first().is_some_and(|program| base(token) == base(program));
    let runs = all.first().is_some_and(|first| RUNNERS.contains(&base(first)));
    // `python -m pip install`, `$ oclif pack`, `npx browserslist`
    let at = if runs { all.iter().take(4).position(&is_program).unwrap_or(0) } else { 0 };
    let mut rest = all.iter().skip(at + 1);
    let same_program = all.get(at).is_some_and(is_program);
    let mut left = words.get(1..).unwrap_or_default().iter().peekable();
    let mut out: Vec<&str> = Vec::new();
    for token in rest.by_ref() {
        match left.peek() {
            Some(word) if *word == token => {
                left.next();
            }
            // Options of the program stand before the sub-command's word.
            Some(_) if token.starts_with(['[', '-', '<']) => {}
            Some(_) if same_program => return None,
            _ => out.push(token),
        }
    }
    if left.peek().is_some() && same_program { None } else { Some(out) }
}

fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Recognizes forms that show nothing but how to ask for help or a version.
fn asks_for_help(form: &[&str]) -> bool {
    let asks = |token: &&str| matches!(*token, "--help" | "-h" | "--version" | "-V" | "-v" | "|" | "help" | "-help");
    !form.is_empty() && form.iter().all(asks)
}

/// Says whether a form is one of the command by itself: no word in it stands for a sub-command.
fn is_alone(form: &[&str], forms: usize) -> bool {
    let stands = |token: &&str| {
        let has_braces = token.starts_with('{');
        has_braces || token.split(['|', ' ']).any(|word| is_placeholder(&super::clean_name(word)))
    };
    // argparse's `TYPE ...`
    let is_open = |pair: &[&str]| matches!(pair, [name, "..."] if !name.starts_with('['));
    if form.windows(2).any(is_open) {
        return false;
    }
    match form.iter().find(|token| stands(token)) {
        // cobra's form of a command that does nothing by itself, and of one that does, has no sub-command in it.
        None => forms > 1 || !form.is_empty(),
        // clap's mark of a sub-command that need not be there.
        Some(token) => *token == "[COMMAND]" || *token == "[SUBCOMMAND]",
    }
}

/// Says whether a positional's name stands for a sub-command.
fn is_placeholder(name: &str) -> bool {
    matches!(
        name,
        "command"
            | "commands"
            | "subcommand"
            | "cmd"
            | "action"
            | "function"
            | "group"
            | "args"
            | "arguments"
            | "command_args"
    )
}

/// Takes the literal words at the beginning of each form as a sub-command, where there are several.
fn commands_of_forms(help: &mut Help, forms: &[Vec<&str>]) {
    // Where positionals are marked as such, every plain word stands for itself.
    let most = if forms.iter().flatten().any(|token| token.trim_start_matches('[').starts_with('<')) { 3 } else { 1 };
    let literals: Vec<Vec<&str>> = forms.iter().filter_map(|form| Some(literal(form, most)?.0)).collect();
    // What stands behind different words is a value all the same (`org set orgname`, `org rm orgname`).
    let is_value = |words: &[&str], at: usize| {
        literals.iter().any(|other| other.get(at) == words.get(at) && other.get(..at) != words.get(..at))
    };
    let found = forms.iter().filter_map(|form| {
        let (words, _) = literal(form, most)?;
        let count = (1..words.len()).find(|&at| is_value(&words, at)).unwrap_or(words.len());
        literal(form, count)
    });
    let found: Vec<(Vec<&str>, &[&str])> = found.collect();
    let mut names: Vec<&str> = found.iter().filter_map(|(words, _)| words.first().copied()).collect();
    names.dedup();
    if names.len() < 2 {
        return;
    }
    help.alone = forms.iter().any(|form| literal(form, most).is_none() && !asks_for_help(form));
    for (words, rest) in found {
        let name = words.join(" ");
        if help.commands.iter().any(|command| command.name == name) {
            continue;
        }
        let mut read = Forms::default();
        read.read(rest, 1);
        let mut shown = Help { positionals: read.positionals(1), ..Help::default() };
        take_options(&mut shown, &mut Vec::new(), &read);
        help.commands.push(Subcommand { name, listed: false, shown });
    }
}

/// Returns the words, so many at most, with which a form begins that stand for themselves, with what follows them.
fn literal<'f, 't>(form: &'f [&'t str], most: usize) -> Option<(Vec<&'t str>, &'f [&'t str])> {
    let at = form.iter().position(|token| !token.starts_with(['-', '[']))?;
    // What stands behind a flag is its value: `-F hostname`.
    if at.checked_sub(1).and_then(|before| form.get(before)).is_some_and(|before| before.starts_with('-')) {
        return None;
    }
    let words: Vec<&str> =
        form.get(at..)?.iter().take(most).take_while(|word| is_command_word(word)).copied().collect();
    let rest = form.get(at + words.len()..).unwrap_or_default();
    (!words.is_empty()).then_some((words, rest))
}

/// Takes argparse's `{add,list} ...` as sub-commands.
fn commands_in_braces(help: &mut Help, forms: &[Vec<&str>]) {
    for form in forms {
        let pairs = form.iter().zip(form.iter().skip(1));
        for (token, _) in pairs.filter(|(token, next)| token.starts_with('{') && **next == "...") {
            let names = token.trim_matches(['{', '}']).split(',').filter(|name| is_command_word(name));
            let command = |name: &str| Subcommand { name: name.to_owned(), listed: true, shown: Help::default() };
            help.commands.extend(names.map(command));
        }
    }
}
