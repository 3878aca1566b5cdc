//! One line of an option: its flags, its value, its choices.

use super::{HelpOption, clean_name, split_outside};

/// An option with every flag that it has.
pub(super) struct Read {
    pub(super) option: HelpOption,
    pub(super) flags: Vec<String>,
}

/// Reads what stands before the description (`-o FILE, --out FILE`); none when there is no flag in it.
pub(super) fn read(flags: &str, description: &str) -> Option<Read> {
    let mut all: Vec<String> = Vec::new();
    let mut shown = String::new();
    let mut joined = false;
    let mut switch = false;
    // `--[no-]color`; and kubectl's `--all=false:`
    let flags = flags.replace("[no-]", "").replace("[no]", "");
    let flags = flags.trim_end().trim_end_matches(':');
    for part in split_outside(flags, &[',', '|']).into_iter().map(str::trim) {
        let mut words = split_outside(part, &[' ']).into_iter().filter(|word| !word.is_empty());
        let Some(first) = words.next().filter(|first| first.starts_with('-')) else { continue };
        let end = first.find(['=', '[', '<', '{', '(']).unwrap_or(first.len());
        let (flag, inline) = first.split_at(end);
        let flag = flag.trim_end_matches('.');
        if flag.trim_matches('-').is_empty() {
            continue;
        }
        let optional =
            inline.strip_prefix("[=").or_else(|| inline.strip_prefix('[').filter(|_| flag.starts_with("--")));
        let is_optional = inline.starts_with("[=");
        let inline = match optional {
            Some(inner) => inner.strip_suffix(']').unwrap_or(inner),
            None => inline.strip_prefix('=').unwrap_or(inline),
        };
        // The flag's own default shows its type.
        switch |= matches!(inline, "false" | "true");
        joined |= flag.starts_with("--") && !inline.is_empty() && (first.contains('=') || is_optional);
        let after = words.next().filter(|word| *word != "..." && !word.starts_with('-'));
        let value = if inline.is_empty() { after } else { Some(inline) };
        // `--arg name value` takes two words; a configuration can say one.
        if value.is_some() && inline.is_empty() && words.next().is_some_and(is_placeholder) {
            return None;
        }
        if shown.is_empty()
            && let Some(value) = value
        {
            value.clone_into(&mut shown);
        }
        all.push(flag.to_owned());
    }
    let flag = all.iter().find(|flag| flag.starts_with("--")).or(all.first())?.clone();
    let shown = shown.trim_end_matches("...");
    let value = if switch || shown.is_empty() { None } else { Some(placeholder(shown)) };
    let joined = joined && value.is_some();
    let choices = if value.is_some() { literal_choices(shown) } else { Vec::new() };
    let flag = if joined { format!("{flag}=") } else { flag };
    let mut option = HelpOption { flag, value, description: description.to_owned(), choices, required: false };
    finish(&mut option);
    Some(Read { option, flags: all })
}

/// Splits flags from a description that stands one blank behind them: behind a value in brackets, or where a sentence begins.
pub(super) fn run_on(body: &str) -> Option<(&str, &str)> {
    let (mut at, mut has_value) = (0, false);
    for word in split_outside(body, &[' ']) {
        let opens = word.starts_with(['<', '[', '{', '(']);
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
        let is_description = if has_value { !opens && !word.starts_with(['.', '|']) } else { is_sentence };
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
fn literal_choices(shown: &str) -> Vec<String> {
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
