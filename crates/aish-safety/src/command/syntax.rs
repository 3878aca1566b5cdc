//! From text to tree: the parser, and what it does not take written so that it does.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use brush_parser::{ParserOptions, Token, ast};

use super::budget::{Budget, Work};
use super::{broken, plain_line};

/// Begins the path of a file whose content follows: what `NAME=<(command)` names, which the parser does not take.
pub(crate) const INLINE: &str = "/dev/fd/inline:";

/// Puts what a process substitution writes in place of its name, where it is a variable's value.
pub(crate) fn inlined(text: &str) -> Option<String> {
    text.contains("=<(").then(|| text.replace("=<(", &format!("={INLINE}$(")))
}

/// Makes loops of menus, which the parser does not take: `select x in …` runs its body as `for x in …` does.
pub(crate) fn chosen(text: &str) -> Option<String> {
    text.contains("select ").then(|| {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find("select ") {
            let before = rest.get(..at).unwrap_or_default();
            out.push_str(before);
            let starts = before.trim_end_matches([' ', '\t']).is_empty()
                && out.trim_end_matches([' ', '\t']).is_empty()
                || before.trim_end_matches([' ', '\t']).ends_with([';', '\n', '&', '|', '{', '(']);
            out.push_str(if starts { "for " } else { "select " });
            rest = rest.get(at + 7..).unwrap_or_default();
        }
        out.push_str(rest);
        out
    })
}

/// Shorter lists of tokens that hardly nest go to the parser, though they may not parse: it is quick about them.
const MIN_BROKEN: usize = 256;

/// The deepest nesting of tokens that is parsed, brackets and words together: half as much again as either alone.
const MAX_DEPTH: usize = super::bounds::MAX_NESTING / 2 * 3;

/// The longest mark of a here-document, in bytes.
const MAX_TAG: usize = 256;

/// The most steps that the parser may take, as [`steps`] estimates them.
const MAX_STEPS: usize = 1 << 18;

/// The most brackets of a word that begins as an element of an array and holds quotes.
const MAX_QUOTED: usize = 16;

/// Parses a text; none where the parser does not take it, or the budget does not allow it.
pub(crate) fn parse(text: &str, budget: &Budget) -> Option<ast::Program> {
    if !budget.pay(Work::Scan, text.len()) {
        return None;
    }
    if let Some(program) = plain_line::read(text) {
        return Some(program);
    }
    let text = &*with_numbers_apart(text);
    if has_commanded_tag(text) {
        return None;
    }
    let text = &*with_documents_begun(text)?;
    if !budget.pay(Work::Tokenize, text.len()) || !budget.pay(Work::Scan, documents(text)) {
        return None;
    }
    let options = ParserOptions::default();
    let mut tokens = brush_parser::uncached_tokenize_str(text, &options.tokenizer_options()).ok()?;
    if broken::depth(&tokens) > MAX_DEPTH {
        // The parser would overflow its stack.
        budget.spend_all();
        return None;
    }
    let nested = broken::nesting(&tokens);
    if tokens.windows(2).any(is_no_descriptor)
        || super::glued::is_glued(&tokens, text)
        || (nested > 2 || tokens.len() >= MIN_BROKEN) && broken::is_broken(&tokens)
        || steps(tokens.len(), nested) > MAX_STEPS
        || !budget.pay(Work::Scan, subscripts(&tokens, nested))
        || !budget.pay(Work::Parse, steps(tokens.len(), nested))
    {
        return None;
    }
    if nested > 1 {
        tokens = apart(tokens);
    }
    brush_parser::parse_tokens(&tokens, &options).ok()
}

/// Writes `$$` as `${$}` where a bracket or a quote stands behind it: to shells it is the number of their process, and what follows
/// begins nothing; the tokenizer takes the second sign for the beginning of `${`, `$(`, `$[` or `$'`.
fn with_numbers_apart(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut rest, mut escaped) = (text, false);
    while let Some(letter) = rest.chars().next() {
        let signs = rest.len() - rest.trim_start_matches('$').len();
        // A sign behind a backslash is one by itself, outside quotes; in single ones none of them means anything.
        let alone = usize::from(escaped).min(signs);
        let behind = rest.get(signs..).unwrap_or_default();
        if signs - alone >= 2 && behind.starts_with(['{', '(', '[', '\'', '"', '`']) {
            let before = text.len() - rest.len();
            if out.is_empty() {
                out.push_str(text.get(..before).unwrap_or_default());
            }
            out.push_str(&"$".repeat(alone));
            out.push_str(&"${$}".repeat((signs - alone) / 2));
            out.push_str(&"$".repeat((signs - alone) % 2));
            (rest, escaped) = (behind, false);
            continue;
        }
        let length = signs.max(letter.len_utf8());
        if !out.is_empty() {
            out.push_str(rest.get(..length).unwrap_or_default());
        }
        escaped = letter == '\\' && !escaped;
        rest = rest.get(length..).unwrap_or_default();
    }
    if out.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// Ends the line of a here-document. At the end of a text the tokenizer looks for the mark of one that has not begun: where it
/// takes the mark for an empty one, it does so for ever. None where the end of the line would be escaped.
fn with_documents_begun(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains("<<") {
        return Some(Cow::Borrowed(text));
    }
    let escapes = text.len() - text.trim_end_matches('\\').len();
    escapes.is_multiple_of(2).then(|| Cow::Owned(format!("{text}\n")))
}

/// Estimates how many bytes the tokenizer moves or compares for here-documents: all that stands behind their marks is
/// put aside and taken up piece by piece, and each line of theirs is held against the mark.
fn documents(text: &str) -> usize {
    if !text.contains("<<") {
        return 0;
    }
    let longest = text.lines().filter(|line| line.contains("<<")).map(str::len).max().unwrap_or(0);
    let moved: usize = text.lines().filter(|line| line.contains("<<")).map(|line| line.len() * line.len() / 8).sum();
    moved.saturating_add(longest.saturating_mul(text.lines().count()))
}

/// Says whether a here-document ends at no mark at all, or at one that holds a substitution: where that does not close, the
/// tokenizer never comes to its end.
fn has_commanded_tag(text: &str) -> bool {
    if !text.contains("<<") {
        return false;
    }
    let quoted = quoted(text);
    text.match_indices("<<").any(|(at, _)| {
        let next = quoted.partition_point(|range| range.end <= at);
        if quoted.get(next).is_some_and(|range| range.contains(&at)) {
            return false;
        }
        let after = text.get(at + 2..).unwrap_or_default();
        if after.starts_with('<') || text.get(..at).is_some_and(|before| before.ends_with('<')) {
            return false;
        }
        let tag = after.trim_start_matches('-').trim_start_matches([' ', '\t']);
        let tag: String = tag.chars().take(MAX_TAG).take_while(|letter| !" \t\n;|&>".contains(*letter)).collect();
        tag.is_empty() || tag.len() >= MAX_TAG || tag.contains("$(") || tag.contains('`') || tag.contains("<(")
    })
}

/// Finds what is surely quoted, in order: not behind the first mark, substitution or comment, where quotes may be none.
fn quoted(text: &str) -> Vec<core::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        match byte {
            b'\\' => at += 1,
            b'\'' | b'"' => {
                let inside = text.get(at + 1..).unwrap_or_default();
                let Some(length) = inside.find(char::from(byte)) else { break };
                if byte == b'"' && inside.get(..length).is_none_or(|inside| inside.contains(['\\', '$', '`'])) {
                    break;
                }
                out.push(at..at + 1 + length);
                at += 1 + length;
            }
            b'$' | b'`' | b'#' | b'(' => break,
            b'<' if bytes.get(at + 1) == Some(&b'<') => break,
            _ => {}
        }
        at += 1;
    }
    out
}

/// Estimates how long the parser may be about a line: it tries each subshell and each `case` twice where it does not parse, and
/// all that is inside again each time.
fn steps(tokens: usize, nested: u32) -> usize {
    tokens.saturating_mul(1_usize.checked_shl(nested.saturating_sub(2)).unwrap_or(usize::MAX))
}

/// How often the parser looks at a byte behind a bracket that does not close.
const LOOKS: usize = 4;

/// Estimates how many bytes the parser looks at to see that words are no assignments to elements of arrays: at each bracket that
/// does not close, all that stands behind it, and that again in each bracket around the word.
fn subscripts(tokens: &[Token], nested: u32) -> usize {
    let each = tokens.iter().map(|token| {
        let Token::Word(text, _) = token else { return 0 };
        let behind = text.trim_start_matches(|letter: char| letter == '_' || letter.is_ascii_alphanumeric());
        if !behind.starts_with('[') {
            return 0;
        }
        // With something quoted among them, each bracket doubles what the parser tries.
        if behind.contains(['"', '\'', '\\', '`', '$']) && behind.matches('[').count() > MAX_QUOTED {
            return usize::MAX;
        }
        let (mut depth, mut deepest) = (0_usize, 0);
        for byte in behind.bytes() {
            match byte {
                b'[' => depth += 1,
                b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            deepest = deepest.max(depth);
        }
        deepest.saturating_sub(1).saturating_mul(text.len()).saturating_mul(LOOKS)
    });
    let tries = 1 + 4 * usize::try_from(nested).unwrap_or(usize::MAX / 8);
    each.fold(0_usize, usize::saturating_add).saturating_mul(tries)
}

/// Says whether a number before a redirection is too large for a descriptor: the parser does not survive it.
fn is_no_descriptor(pair: &[Token]) -> bool {
    let [Token::Word(number, _), Token::Operator(operator, _)] = pair else { return false };
    operator.starts_with(['<', '>'])
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && number.parse::<i32>().is_err()
}

/// Puts a `:` between two opening brackets that do not touch, or whose closing ones do not: the parser would take them for
/// arithmetic, where the shell sees a subshell in a subshell.
fn apart(tokens: Vec<Token>) -> Vec<Token> {
    let computes = broken::arithmetic(&tokens);
    let mut inside = 0;
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.into_iter().enumerate() {
        if let (Some(Token::Operator(before, first)), Token::Operator(now, second)) = (out.last(), &token)
            && before == "("
            && now == "("
            && at >= inside
        {
            if first.end.index == second.start.index
                && let Some(&end) = computes.get(&at)
            {
                inside = end;
                out.push(token);
                continue;
            }
            let span = first.clone();
            out.push(Token::Word(String::from(":"), span.clone()));
            out.push(Token::Operator(String::from(";"), span));
        }
        out.push(token);
    }
    out
}

/// Shorter texts are parsed whole.
const MIN_SEPARABLE: usize = 1_024;

/// Words that begin or end a construct of several commands.
pub(super) const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select", "function",
    "in", "{", "}",
];

/// Cuts a long flat text at the ends of its commands, so that the same command many times over is parsed once.
///
/// None for a text with constructs that reach over several commands, comments, escapes or here-documents, and for one
/// that a shell would not take: those are parsed whole.
pub(crate) fn separated(text: &str) -> Option<Vec<&str>> {
    if text.len() < MIN_SEPARABLE {
        return None;
    }
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut from = 0;
    let mut quote = None;
    for (at, byte) in bytes.iter().copied().enumerate() {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at)).copied().unwrap_or(b'\n');
        match (quote, byte) {
            (_, b'\\' | b'(' | b')') => return None,
            (Some(open), _) if byte == open => quote = None,
            (Some(b'"'), b'`') => return None,
            (_, b'{' | b'[') if before == b'$' => return None,
            (Some(_), _) => {}
            (None, b'\'' | b'"' | b'`') => quote = Some(byte),
            (None, b'<') if before == b'<' => return None,
            (None, b'#') if matches!(before, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|') => return None,
            (None, b';' | b'\n') => {
                let part = text.get(from..at)?.trim_matches([' ', '\t']);
                match part {
                    "" if byte == b';' => return None,
                    "" => {}
                    _ => out.push(part),
                }
                from = at + 1;
            }
            (None, _) => {}
        }
    }
    let last = text.get(from..)?.trim_matches([' ', '\t']);
    if !last.is_empty() {
        out.push(last);
    }
    let whole = |part: &&str| {
        let first = part.split([' ', '\t']).next().unwrap_or_default();
        !RESERVED.contains(&first) && !part.ends_with(['|', '&'])
    };
    (quote.is_none() && out.len() > 1 && out.iter().all(whole)).then_some(out)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns the commands of two of the labelled families.
    pub(in super::super) fn lines() -> impl Iterator<Item = String> {
        let families =
            [include_str!("../../tests/it/lines/code.jsonl"), include_str!("../../tests/it/lines/destroying.jsonl")];
        families.into_iter().flat_map(str::lines).map(|line| {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            case["command"].as_str().unwrap().into()
        })
    }

    /// Parses without any of the short ways.
    pub(in super::super) fn parsed(text: &str) -> Option<ast::Program> {
        let options = ParserOptions::default();
        let tokens = brush_parser::uncached_tokenize_str(text, &options.tokenizer_options()).ok()?;
        brush_parser::parse_tokens(&tokens, &options).ok()
    }

    #[test]
    fn the_number_of_a_process_begins_nothing() {
        for (text, expected) in [
            ("echo $${a; rm x; echo }", "echo ${$}{a; rm x; echo }"),
            ("echo \"$$(x\"; rm f; echo \")\"", "echo \"${$}(x\"; rm f; echo \")\""),
            ("x=$$'\\'' y", "x=${$}'\\'' y"),
            ("é $$$(ls) $$$$(a", "é ${$}$(ls) ${$}${$}(a"),
            (r"\$$(ls) \\$$(a '\'$$(b", r"\$$(ls) \\${$}(a '\'${$}(b"),
            ("kill $$; echo x.$$ $$x $(ls) $", "kill $$; echo x.$$ $$x $(ls) $"),
        ] {
            assert_eq!(with_numbers_apart(text), expected);
        }
    }

    #[test]
    fn marks_of_documents_are_not_looked_for_in_quotes() {
        for text in ["echo ';<<`/*&'", "echo 'a' \"<< <\" '<<`'", "echo \\' '<<`x' \\'"] {
            assert!(!has_commanded_tag(text), "{text}");
        }
        for text in [
            "cat <<`x`",
            "echo 'a' <<$(b)",
            "echo \"$(cat <<`x`)\"",
            "# '\ncat <<`x` '",
            "cat <<E\n'\nE\ncat <<`x` '",
            "echo $'\\'' <<`x` '",
        ] {
            assert!(has_commanded_tag(text), "{text}");
        }
    }

    #[test]
    fn flat_texts_are_cut_and_others_are_not() {
        let check = |part: &str, parts: Option<usize>| {
            let count = 2_000 / part.len() + 1;
            let found = separated(&part.repeat(count)).map(|found| found.len());
            assert_eq!(found, parts.map(|parts| parts * count), "{part}");
        };
        check("ls -la;", Some(1));
        check("ls; echo 'a;b' \"c;d\"\n", Some(2));
        check("a && b | c; `ls; pwd`\n\n", Some(2));
        for part in ["if a; then b; fi;", "{ a; b; }\n", "(a; b)\n", "a \\;b;", "a # b;c\n", "a;;", "cat <<X\na\nX\n"] {
            check(part, None);
        }
        for part in ["a &&\nb\n", "echo ${a:-b;c};", "echo $(a; b);", "a 'b;"] {
            check(part, None);
        }
        assert_eq!(separated("ls; ls"), None);
    }
}
