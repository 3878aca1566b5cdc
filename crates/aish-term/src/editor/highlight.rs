//! Colours the line while it is typed: the route first, then the words of a shell line.

use std::sync::Arc;

use anstyle::Style;
use reedline::{AbbrExpandContext, Highlighter, StyledText};

use super::port::Route;
use super::session::Shared;
use super::shell_words::{Kind, tokens};
use super::style::converted;
use crate::theme::Theme;

pub(super) struct RouteHighlighter {
    shared: Arc<Shared>,
    theme: Theme,
}

impl RouteHighlighter {
    pub(super) fn new(shared: Arc<Shared>, theme: Theme) -> Self {
        Self { shared, theme }
    }

    fn shell(&self, line: &str) -> StyledText {
        let mut out = StyledText::new();
        for (kind, range) in tokens(line) {
            let style = match kind {
                Kind::Command => self.theme.shell,
                Kind::Quoted => self.theme.quoted,
                Kind::Variable => self.theme.variable,
                Kind::Operator => self.theme.operator,
                Kind::Flag => self.theme.flag,
                Kind::Comment => self.theme.dim,
                Kind::Word => Style::new(),
            };
            out.push((converted(style), line.get(range).unwrap_or_default().to_owned()));
        }
        out
    }
}

impl Highlighter for RouteHighlighter {
    fn highlight(&self, line: &str, cursor: usize) -> StyledText {
        self.shared.paint(line, cursor);
        let whole = |style: Style| StyledText { buffer: vec![(converted(style), line.to_owned())] };
        match self.shared.route(line) {
            Some(Route::Shell) => self.shell(line),
            Some(Route::Model) => whole(self.theme.model),
            Some(Route::Ask) => whole(self.theme.unsure),
            Some(Route::Meta) => whole(self.theme.meta),
            None => whole(Style::new()),
        }
    }

    /// The binary expands them, as bash does, when the line is entered.
    fn should_expand_abbr(&self, _line: &str, _cursor: usize, _context: AbbrExpandContext) -> bool {
        false
    }
}
