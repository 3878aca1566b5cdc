//! Headings of help texts.

/// The part of the text that a line is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    About,
    Usage,
    Commands,
    Options,
    /// Options that every sub-command repeats.
    GeneralOptions,
    Positionals,
    /// Anything else that may hold options: headings are the author's own words.
    Other,
    /// What looks like options and is none: examples, variables.
    Skipped,
}

/// Words with which a heading ends that needs no colon and may be indented.
const KNOWN: &[&str] = &[
    "usage",
    "synopsis",
    "commands",
    "subcommands",
    "topics",
    "options",
    "flags",
    "arguments",
    "args",
    "parameters",
    "positionals",
    "examples",
];

/// Recognizes a heading and the part that it begins; `next` is the line below.
pub(super) fn heading(line: &str, next: Option<&str>) -> Option<Section> {
    let body = line.trim();
    let indent = line.len() - line.trim_start().len();
    // `------- Listing options -------`
    let rule = |text: &str| text.len() >= 3 && text.bytes().all(|byte| matches!(byte, b'-' | b'=' | b'*' | b'#'));
    if let Some((left, rest)) = body.split_once(' ')
        && let Some((name, right)) = rest.rsplit_once(' ')
        && rule(left)
        && rule(right)
    {
        return heading(&format!("{}:", name.trim().trim_end_matches(':')), next);
    }
    let name = match body.strip_suffix(':') {
        Some(name) => name,
        None if is_title(body, indent, next) => body,
        None => return None,
    };
    if indent > 2 || name.contains("  ") || name.starts_with(['-', '<', '[', '{', '$']) || name.len() > 70 {
        return None;
    }
    let lower = name.to_lowercase();
    // `Basic Commands (Beginner)`
    let name = lower.split(" (").next().unwrap_or_default().trim();
    let last = name.split_whitespace().next_back().unwrap_or_default();
    Some(match last {
        "commands" | "subcommands" | "command" | "topics" | "functions" => Section::Commands,
        "arguments" if name.contains("optional") => Section::Options,
        "arguments" | "args" | "parameters" | "positionals" => Section::Positionals,
        "options" | "flags" if name.starts_with("general") || name.starts_with("global") => Section::GeneralOptions,
        "options" | "flags" => Section::Options,
        "description" | "name" => Section::About,
        "synopsis" | "usage" => Section::Usage,
        "examples" | "example" | "environment" | "variables" | "aliases" | "also" | "more" => Section::Skipped,
        _ if name.starts_with("usage of ") => Section::Options,
        _ if name.starts_with("example") || name.starts_with("environment") => Section::Skipped,
        _ => Section::Other,
    })
}

/// Says whether a line without a colon is a heading: capitals, or a few words over what is a list.
fn is_title(body: &str, indent: usize, next: Option<&str>) -> bool {
    let last = body.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let is_known = KNOWN.contains(&last.as_str());
    let letters = |c: char| c.is_uppercase() || c == ' ';
    if body.len() > 3 && body.chars().all(letters) && (indent == 0 || is_known && indent <= 2) {
        return true;
    }
    let is_short = body.split(' ').count() <= 4 && body.len() <= 40 && body.ends_with(char::is_alphanumeric);
    let below = next.filter(|next| next.starts_with([' ', '\t']) && !next.trim().is_empty());
    indent == 0
        && is_short
        && body.starts_with(|c: char| c.is_uppercase())
        && below.is_some_and(|below| is_known || below.trim_start().starts_with('-'))
}

/// Returns what stands behind `Usage:` (or below it, when that is empty).
pub(super) fn usage(body: &str) -> Option<&str> {
    let (word, rest) = body.split_once(':')?;
    word.eq_ignore_ascii_case("usage").then_some(rest)
}
