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

/// Recognizes a heading and the part that it begins.
pub(super) fn heading(line: &str) -> Option<Section> {
    let body = line.trim();
    let indent = line.len() - line.trim_start().len();
    // `------- Listing options -------`
    let rule = |text: &str| text.len() >= 3 && text.bytes().all(|byte| matches!(byte, b'-' | b'=' | b'*' | b'#'));
    if let Some((left, rest)) = body.split_once(' ')
        && let Some((name, right)) = rest.rsplit_once(' ')
        && rule(left)
        && rule(right)
    {
        return heading(&format!("{}:", name.trim().trim_end_matches(':')));
    }
    let capitals = body.len() > 3 && indent == 0 && body.chars().all(|c| c.is_uppercase() || c == ' ');
    let name = body.strip_suffix(':').or_else(|| capitals.then_some(body))?;
    if indent > 2 || name.contains("  ") || name.starts_with(['-', '<', '[', '{']) || name.len() > 70 {
        return None;
    }
    let lower = name.to_lowercase();
    // `Basic Commands (Beginner)`
    let name = lower.split(" (").next().unwrap_or_default().trim();
    let last = name.split_whitespace().next_back().unwrap_or_default();
    Some(match last {
        "commands" | "subcommands" | "command" => Section::Commands,
        "arguments" if name.contains("optional") => Section::Options,
        "arguments" | "args" | "parameters" | "positionals" => Section::Positionals,
        "options" | "flags" if name.starts_with("general") || name.starts_with("global") => Section::GeneralOptions,
        "options" | "flags" => Section::Options,
        "description" => Section::About,
        "examples" | "example" | "environment" | "variables" | "aliases" | "also" | "more" => Section::Skipped,
        _ if name.starts_with("usage of ") => Section::Options,
        _ if name.starts_with("example") || name.starts_with("environment") => Section::Skipped,
        _ => Section::Other,
    })
}

/// Returns what stands behind `Usage:` (or below it, when that is empty).
pub(super) fn usage(body: &str) -> Option<&str> {
    if body == "USAGE" {
        return Some("");
    }
    let (word, rest) = body.split_once(':')?;
    word.eq_ignore_ascii_case("usage").then_some(rest)
}
