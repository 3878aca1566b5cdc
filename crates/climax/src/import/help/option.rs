//! One line of an option: its flags, its value, its choices.

use super::{HelpOption, Many, clean_name, many, split_outside};

/// An option with every flag that it has.
pub(super) struct Read {
    pub(super) option: HelpOption,
    pub(super) flags: Vec<String>,
    /// Options that turn it off (`--color / --no-color`).
    pub(super) off: Vec<HelpOption>,
}

/// What several words behind a flag are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    /// As many values.
    Values,
    /// The name of one value, as click's `INTEGER RANGE`.
    OneName,
}

/// One flag of a line, with what stands behind it.
struct Flag<'t> {
    first: &'t str,
    rest: Vec<&'t str>,
    /// True behind a ` / `.
    off: bool,
}

/// What a flag shows of its value.
#[derive(Default)]
struct Shown {
    value: String,
    joined: bool,
    switch: bool,
    many: Many,
}

/// Reads what stands before the description (`-o FILE, --out FILE`); none when there is no flag in it, and when it takes
/// several values: a configuration can say one.
pub(super) fn read(flags: &str, description: &str, words: Words) -> Option<Read> {
    // `--[no-]color`; and kubectl's `--all=false:`
    let flags =
        flags.replace("[no-]", "").replace("[no]", "").replace("|-", " -").replace(",-", " -").replace("/-", " / -");
    let mut shown = Shown::default();
    let (mut all, mut off): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for part in parts(flags.trim_end().trim_end_matches(':')) {
        let end = part.first.find(['=', '[', '<', '{', '(']).unwrap_or(part.first.len());
        let (flag, inline) = part.first.split_at(end);
        let flag = flag.trim_end_matches('.');
        // Its value would have to stand behind the colon.
        match flag.find(':') {
            Some(1) => continue,
            Some(_) => return None,
            None => {}
        }
        // A quote or a bracket at its end is a scrap of a sentence.
        if flag.trim_matches('-').is_empty() || flag.ends_with(['"', '\'', '`', ']', ')', ';', '*']) {
            continue;
        }
        shown.take(flag, inline, &part, words)?;
        if part.off { &mut off } else { &mut all }.push(flag.to_owned());
    }
    let negative = |flag: &String| flag.strip_prefix("--no-").is_some_and(|name| all.contains(&format!("--{name}")));
    off.extend(all.iter().filter(|flag| negative(flag)).cloned().collect::<Vec<_>>());
    all.retain(|flag| !off.contains(flag));
    let flag = all.iter().find(|flag| flag.starts_with("--")).or(all.first())?.clone();
    let (option, off) = made(&flag, &shown, description, &off);
    let flags = all.into_iter().chain(off.iter().map(|option| option.flag.clone())).collect();
    Some(Read { option, flags, off })
}

/// Returns what stands behind the first option of a line that lists several (find's `-amin N -anewer FILE`), and not the names of
/// one: words behind one dash each, without a comma between them and a description.
pub(super) fn others<'t>(flags: &'t str, description: &str) -> Option<&'t str> {
    let is_word = |flag: &&str| flag.len() > 2 && flag.starts_with('-') && !flag.starts_with("--");
    let listed = flags.split_whitespace().filter(is_word).count();
    if listed < 2 || !description.is_empty() || flags.contains([',', '|']) {
        return None;
    }
    flags.split_once(" -").and_then(|(before, _)| flags.get(before.len() + 1..))
}

/// Makes the option and those that turn it off.
fn made(flag: &str, shown: &Shown, description: &str, off: &[String]) -> (HelpOption, Vec<HelpOption>) {
    let value = shown.value.trim_end_matches("...");
    let choices = if shown.switch || value.is_empty() { Vec::new() } else { literal_choices(value) };
    let value = if shown.switch || value.is_empty() { None } else { Some(placeholder(value)) };
    let is_list = many::is_list_type(flag, &shown.value);
    let many =
        if value.is_none() { Many::One } else { shown.many.max(if is_list { Many::Repeated } else { Many::One }) };
    let joined = shown.joined && value.is_some();
    let written = if joined { format!("{flag}=") } else { flag.to_owned() };
    let description = description.to_owned();
    let mut option = HelpOption { flag: written, value, description, choices, required: false, many };
    finish(&mut option);
    let turned_off = off.iter().find(|flag| flag.starts_with("--")).or(off.first()).map(|other| HelpOption {
        flag: other.clone(),
        description: format!("Turns {flag} off"),
        ..HelpOption::default()
    });
    (option, turned_off.into_iter().collect())
}

/// Splits what stands before a description into flags, each with the words behind it.
fn parts(flags: &str) -> Vec<Flag<'_>> {
    let mut parts: Vec<Flag<'_>> = Vec::new();
    let (mut off, mut is_other) = (false, false);
    for token in split_outside(flags, &[' ', '\t']).into_iter().filter(|token| !token.is_empty()) {
        // `USER | TOKEN` is one value.
        if token == "|" {
            is_other = true;
            continue;
        }
        let token = token.trim_end_matches([',', '|']);
        match token {
            "" | "or" => {}
            "..." if parts.last().is_none_or(|part| part.rest.is_empty() && !part.first.contains('=')) => {}
            word if is_other && !word.starts_with('-') => {}
            "/" => off = true,
            flag if flag.starts_with('-') => parts.push(Flag { first: flag, rest: Vec::new(), off }),
            word => {
                if let Some(part) = parts.last_mut() {
                    part.rest.push(word);
                }
            }
        }
        is_other = false;
    }
    parts
}

impl Shown {
    /// Takes what one flag shows; none when it takes several values.
    fn take(&mut self, flag: &str, inline: &str, part: &Flag<'_>, words: Words) -> Option<()> {
        let optional =
            inline.strip_prefix("[=").or_else(|| inline.strip_prefix('[').filter(|_| flag.starts_with("--")));
        let is_optional = inline.starts_with("[=");
        let inline = match optional {
            Some(inner) => inner.strip_suffix(']').unwrap_or(inner),
            None => inline.strip_prefix('=').unwrap_or(inline),
        };
        let inline = if inline == "..." && optional.is_none() { "value" } else { inline };
        // The flag's own default shows its type.
        self.switch |= matches!(inline, "false" | "true");
        let is_long = flag.starts_with("--");
        self.joined |= is_long && !inline.is_empty() && (part.first.contains('=') || is_optional);
        let mut rest = part.rest.iter();
        let shown = if inline.is_empty() { rest.next().copied().unwrap_or_default() } else { inline };
        let mut value = shown.to_owned();
        for more in rest.filter(|_| inline.is_empty()) {
            if is_placeholder(more) {
                match words {
                    Words::Values => return None,
                    Words::OneName => value = format!("{value} {more}"),
                }
            }
        }
        let following = part.rest.get(usize::from(inline.is_empty())..).unwrap_or_default();
        let many = many::of_option(&value, inline, following);
        let inner = value.trim_start_matches(['<', '[']).trim_end_matches([']', '>', '.']);
        if words == Words::OneName && value.starts_with('<') && value.ends_with("...") && inner.contains(' ') {
            return None;
        }
        // Such an option takes all that follows it, where its value is not joined to it.
        let takes_more = value.ends_with("...>") || value.ends_with("...]");
        self.joined |= is_long && inline.is_empty() && takes_more && many == Many::Repeated;
        self.many = self.many.max(many);
        if self.value.is_empty() {
            self.value = value;
        }
        Some(())
    }
}

/// Splits flags from a description that stands one blank behind them: behind a value in brackets, or where a sentence begins.
pub(super) fn run_on(body: &str) -> Option<(&str, &str)> {
    let (mut at, mut has_value) = (0, false);
    for word in split_outside(body, &[' ']) {
        let opens = word.starts_with(['<', '[', '{', '(']) || word.contains(":{");
        if word.is_empty() || word.starts_with('-') || opens && !has_value {
            has_value = opens || word.is_empty() && has_value;
            at += word.len() + 1;
            continue;
        }
        let (flags, rest) = body.split_at_checked(at)?;
        let mut letters = word.chars();
        let is_sentence = letters.next().is_some_and(|first| first.is_ascii_uppercase())
            && letters.next().is_some_and(|second| second.is_ascii_lowercase())
            && rest.contains(' ');
        let is_description =
            if has_value { (!opens || word.starts_with('(')) && !word.starts_with(['.', '|']) } else { is_sentence };
        return is_description.then(|| (flags.trim(), rest.trim()));
    }
    None
}

/// Says whether a word stands for another value, and is no part of a sentence or sign that the last one may be repeated.
fn is_placeholder(word: &str) -> bool {
    let name = word.trim_matches(['<', '>']);
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// Names a value; a default (`''`, `[]`, `30s`) names none.
fn placeholder(shown: &str) -> String {
    let name = clean_name(shown);
    if name.is_empty() { "value".into() } else { name }
}

/// Reads `{a,b}`, `[a|b]` and `(a|b)` as choices. `<a|b>` names kinds of values as often as values, and is none.
pub(super) fn literal_choices(shown: &str) -> Vec<String> {
    // `VALUE:{a, b}`
    let shown = shown.split_once(":{").map_or(shown, |(name, _)| shown.get(name.len() + 1..).unwrap_or(shown));
    let inner = shown.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let inner = inner.or_else(|| shown.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')));
    let inner = inner.or_else(|| shown.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')));
    let Some(inner) = inner else { return Vec::new() };
    let mark = if inner.contains('|') { '|' } else { ',' };
    words_of(inner.split(mark))
}

/// Takes choices that are plain words; where one is none, there are none.
fn words_of<'t>(parts: impl Iterator<Item = &'t str>) -> Vec<String> {
    let choices: Vec<String> = parts.map(|part| part.trim().trim_matches(['"', '\'']).to_owned()).collect();
    let plain = |choice: &String| {
        !choice.is_empty()
            && choice.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+'))
    };
    let literal = choices.iter().any(|choice| choice.contains(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit()));
    if choices.len() > 1 && literal && choices.iter().all(plain) { choices } else { Vec::new() }
}

/// Reads choices, the type and the mark of a required option out of a description.
pub(super) fn finish(option: &mut HelpOption) {
    let text = option.description.to_lowercase();
    option.required |= text.contains("[required]") || text.contains("(required)");
    if option.value.is_none() {
        let typed = ["string", "number", "array"].into_iter().find(|kind| text.contains(&format!("[{kind}]")));
        option.value = typed.map(str::to_owned);
    }
    mark_repeated(option);
    if option.value.is_none() || !option.choices.is_empty() {
        return;
    }
    for (open, close) in [("[possible values: ", ']'), ("[choices: ", ']'), ("(choices: ", ')')] {
        let Some((_, rest)) = option.description.split_once(open) else { continue };
        let Some((list, _)) = rest.split_once(close) else { continue };
        option.choices = words_of(list.split(','));
    }
    if option.choices.is_empty()
        && let Some(list) = option.description.strip_prefix('{').and_then(|rest| Some(rest.split_once('}')?.0))
    {
        option.choices = words_of(list.split(['|', ',']));
    }
}

/// Makes a list of an option with a value that may be given again by its own description.
fn mark_repeated(option: &mut HelpOption) {
    if option.value.is_some() && option.many == Many::One && many::is_told(&option.description.to_lowercase()) {
        option.many = Many::Repeated;
    }
}

/// Names that options with a value have, where a text does not show which have one.
#[rustfmt::skip]
const NOUNS: &[&str] = &[
    "config", "cwd", "dir", "directory", "exclude", "extension", "extensions", "fgrep", "file", "format", "grep", "host",
    "id", "ignore", "include", "jobs", "key", "level", "log-level", "loglevel", "name", "out", "outdir", "outfile", "output",
    "outDir", "outFile", "package", "password", "path", "port", "proxy", "reporter", "require", "retries", "root", "slow",
    "spec", "tag", "target", "timeout", "ui", "url", "user", "username",
];

/// Finds values of options in a text that shows few behind its flags: by the marks of those that have none (`[boolean]`), or
/// by defaults that are no yes or no, by lists of values, by names, and by descriptions that ask for something.
pub(super) fn values_from_descriptions(options: &mut [HelpOption]) {
    let is_switch = |option: &HelpOption| {
        let text = option.description.to_lowercase();
        ["type: boolean", "[boolean]", "[count]"].iter().any(|mark| text.contains(mark))
    };
    let marks = options.iter().filter(|option| is_switch(option)).count();
    let shown = options.iter().filter(|option| option.value.is_some()).count();
    let is_bare = shown * 8 <= options.len();
    let is_marked = marks > 1 && options.iter().any(|option| option.description.contains("[boolean]"));
    for option in options.iter_mut().filter(|option| option.value.is_none()) {
        let text = option.description.to_lowercase();
        let is_off = option.flag.starts_with("--no-");
        if !is_switch(option) && !is_off && (is_marked || is_bare && asks_for_value(&option.flag, &text)) {
            option.value = Some("value".to_owned());
            mark_repeated(option);
            if let Some((_, list)) = text.split_once("one of: ") {
                let list = list.split(" default").next().unwrap_or_default().trim_end_matches('.');
                option.choices = words_of(list.split(',').map(|word| word.trim().trim_start_matches("or ")));
            }
        }
    }
}

/// Says whether an option looks as if it took a value.
fn asks_for_value(flag: &str, description: &str) -> bool {
    let asks = ["specify ", "path to ", "path of ", "optional path ", "port to ", "list of ", "username ", "password "];
    asks.iter().any(|ask| description.starts_with(ask))
        || ["one of: ", "one or more: ", "given the path"].iter().any(|mark| description.contains(mark))
        || NOUNS.contains(&flag.trim_start_matches('-'))
        || default(description).is_some_and(|value| !is_yes_or_no(value))
}

/// Returns the default that a description names: `(default: x)`, `[default: x]`, `default: x` at its end, or `[8080]`.
fn default(text: &str) -> Option<&str> {
    if let Some((before, rest)) = text.split_once("default: ") {
        return match before.chars().next_back() {
            Some('(') => rest.split(')').next(),
            Some('[') => rest.split(']').next(),
            Some(_) | None => rest.split_whitespace().next(),
        };
    }
    let (_, rest) = text.rsplit_once(" [")?;
    let inner = rest.split_once(']')?.0;
    (inner == "none" || inner.starts_with(|c: char| c.is_ascii_digit())).then_some(inner)
}

fn is_yes_or_no(value: &str) -> bool {
    matches!(
        value.trim_matches(['"', '\'', '`', '.']),
        "true" | "false" | "on" | "off" | "yes" | "no" | "enabled" | "disabled" | ""
    )
}
