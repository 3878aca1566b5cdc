//! From text to tree: the parser, and what it does not take written so that it does.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use brush_parser::{ParserOptions, Token, ast};

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

/// Parses a text; none where the parser does not take it.
pub(crate) fn parse(text: &str) -> Option<ast::Program> {
    let options = ParserOptions::default();
    let mut tokens = brush_parser::uncached_tokenize_str(text, &options.tokenizer_options()).ok()?;
    if text.contains("( ") || text.contains("(\t") || text.contains("(\n") {
        tokens = apart(tokens);
    }
    brush_parser::parse_tokens(&tokens, &options).ok()
}

/// Puts a `:` between two opening brackets that do not touch: the parser would take them for arithmetic, where the
/// shell sees a subshell in a subshell.
fn apart(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        if let (Some(Token::Operator(before, first)), Token::Operator(now, second)) = (out.last(), &token)
            && before == "("
            && now == "("
            && first.end.index != second.start.index
        {
            let span = first.clone();
            out.push(Token::Word(String::from(":"), span.clone()));
            out.push(Token::Operator(String::from(";"), span));
        }
        out.push(token);
    }
    out
}
