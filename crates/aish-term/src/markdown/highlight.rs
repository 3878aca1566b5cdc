//! Colours for code, in the terminal's own sixteen: by words for the common languages, by a grammar for the others, which
//! are loaded when the first such code comes.

use std::sync::OnceLock;

use anstyle::Style;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use super::language;
use super::lexer::Lexer;
use crate::styled::Styled;
use crate::theme::Theme;

/// Lines longer than this stay plain: nobody reads them, and they take long.
const LONGEST: usize = 2_000;

fn syntaxes() -> &'static SyntaxSet {
    static SYNTAXES: OnceLock<SyntaxSet> = OnceLock::new();
    SYNTAXES.get_or_init(two_face::syntax::extra_newlines)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Plain,
    Keyword,
    Name,
    String,
    Constant,
    Comment,
    Variable,
    Added,
    Removed,
}

/// Scopes and what they are; the first that is a prefix decides, so the narrower ones stand first.
fn roles() -> &'static [(Scope, Role)] {
    static ROLES: OnceLock<Vec<(Scope, Role)>> = OnceLock::new();
    ROLES.get_or_init(|| {
        [
            ("comment", Role::Comment),
            ("string", Role::String),
            ("keyword.operator", Role::Plain),
            ("keyword", Role::Keyword),
            ("storage", Role::Keyword),
            ("variable.language", Role::Keyword),
            ("variable.function", Role::Name),
            ("variable.parameter", Role::Plain),
            ("variable.other.readwrite", Role::Variable),
            ("constant", Role::Constant),
            ("entity.name", Role::Name),
            ("entity.other.attribute-name", Role::Constant),
            ("support", Role::Name),
            ("markup.inserted", Role::Added),
            ("markup.deleted", Role::Removed),
            ("markup.heading", Role::Keyword),
        ]
        .into_iter()
        .filter_map(|(name, role)| Scope::new(name).ok().map(|scope| (scope, role)))
        .collect()
    })
}

/// How far the highlighting of one block of code has come.
#[derive(Debug, Clone)]
pub(super) struct Code {
    way: Way,
}

#[derive(Debug, Clone)]
enum Way {
    /// Unknown languages stay plain.
    Plain,
    Words(Lexer),
    Grammar(Box<(ParseState, ScopeStack)>),
}

impl Code {
    /// Starts a block of code in a language, named as after a fence.
    pub(super) fn new(language: &str) -> Self {
        let name = language.trim().to_ascii_lowercase();
        let way = if let Some(known) = language::named(&name) {
            Way::Words(Lexer::new(known))
        } else {
            syntax_state(&name).map_or(Way::Plain, |state| Way::Grammar(Box::new((state, ScopeStack::new()))))
        };
        Self { way }
    }

    /// Colours the next line, given without its newline.
    pub(super) fn line(&mut self, text: &str, theme: &Theme) -> Styled {
        if text.len() > LONGEST {
            return Styled::plain(text);
        }
        let (state, stack) = match &mut self.way {
            Way::Plain => return Styled::plain(text),
            Way::Words(lexer) => return lexer.line(text, theme),
            Way::Grammar(state) => {
                let (state, stack) = state.as_mut();
                (state, stack)
            }
        };
        let line = format!("{text}\n");
        let Ok(operations) = state.parse_line(&line, syntaxes()) else {
            self.way = Way::Plain;
            return Styled::plain(text);
        };
        let mut out = Styled::default();
        let mut from = 0;
        for (at, operation) in operations {
            out.push(style(stack, theme), line.get(from..at).unwrap_or_default().trim_end_matches('\n'));
            from = at;
            if stack.apply(&operation).is_err() {
                break;
            }
        }
        out.push(style(stack, theme), line.get(from..).unwrap_or_default().trim_end_matches('\n'));
        out
    }
}

fn syntax_state(language: &str) -> Option<ParseState> {
    if matches!(
        language,
        "" | "text" | "txt" | "plain" | "plaintext" | "output" | "console" | "log" | "markdown" | "md"
    ) {
        return None;
    }
    let syntax = syntaxes().find_syntax_by_token(language)?;
    (syntax.name != "Plain Text").then(|| ParseState::new(syntax))
}

fn style(stack: &ScopeStack, theme: &Theme) -> Style {
    for scope in stack.as_slice().iter().rev() {
        if let Some((_, role)) = roles().iter().find(|(prefix, _)| prefix.is_prefix_of(*scope)) {
            return match role {
                Role::Plain => Style::new(),
                Role::Keyword => theme.keyword,
                Role::Name => theme.name,
                Role::String => theme.string,
                Role::Constant => theme.constant,
                Role::Comment => theme.comment,
                Role::Variable => theme.variable,
                Role::Added => theme.good,
                Role::Removed => theme.bad,
            };
        }
    }
    Style::new()
}

/// Remembers the lines of the code that was coloured last: code within an open list item is drawn again and again.
#[derive(Debug, Default)]
pub(super) struct CodeCache {
    language: String,
    lines: Vec<(String, Styled)>,
    code: Option<Code>,
}

impl CodeCache {
    /// Colours a whole block of code.
    pub(super) fn block(&mut self, language: &str, text: &str, theme: &Theme) -> Vec<Styled> {
        let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(text).split('\n').collect();
        let known = self.lines.len();
        let goes_on = self.language == language
            && known <= lines.len()
            && self.lines.iter().zip(&lines).all(|((old, _), new)| old == new);
        if !goes_on || self.code.is_none() {
            self.lines.clear();
            language.clone_into(&mut self.language);
            self.code = Some(Code::new(language));
        }
        let code = self.code.get_or_insert_with(|| Code::new(language));
        let mut out: Vec<Styled> = self.lines.iter().map(|(_, styled)| styled.clone()).collect();
        let last = lines.len().saturating_sub(1);
        for (at, line) in lines.iter().enumerate().skip(self.lines.len()) {
            // The last line may still grow: its state is not kept.
            if at == last {
                out.push(code.clone().line(line, theme));
            } else {
                let styled = code.line(line, theme);
                out.push(styled.clone());
                self.lines.push(((*line).to_owned(), styled));
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: &str) {
        let theme = Theme::dark();
        let mut code = Code::new(language);
        let line = code.line("let x = \"s\"", &theme);
        let styles: Vec<(&str, Style)> = line.spans.iter().map(|span| (span.text.as_str(), span.style)).collect();
        assert!(styles.contains(&("let", theme.keyword)), "{language}: {styles:?}");
        assert!(styles.contains(&("\"s\"", theme.string)), "{language}: {styles:?}");
    }

    #[test]
    fn colours_by_words_and_by_scope() {
        assert!(matches!(Code::new("rust").way, Way::Words(_)));
        check("rust");
        assert!(matches!(Code::new("OCaml").way, Way::Grammar(_)));
        check("ocaml");
    }

    #[test]
    fn unknown_languages_stay_plain() {
        for language in ["", "text", "nonsense-language"] {
            let line = Code::new(language).line("let x", &Theme::dark());
            assert_eq!(line, Styled::plain("let x"));
        }
    }

    #[test]
    fn the_cache_gives_what_a_fresh_start_gives() {
        let theme = Theme::dark();
        let text = "fn a() {\n    /* x\n y */ 1\n}\n";
        let mut cache = CodeCache::default();
        for (at, _) in text.char_indices() {
            let part = &text[..at];
            assert_eq!(cache.block("rust", part, &theme), CodeCache::default().block("rust", part, &theme), "{part:?}");
        }
    }
}
