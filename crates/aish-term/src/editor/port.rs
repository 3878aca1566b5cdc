//! What the editor asks while a line is typed.

use std::ops::Range;

/// Where a line would go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// To the shell.
    Shell,
    /// To the model.
    Model,
    /// Nowhere before it is asked about.
    Ask,
    /// To aish itself.
    Meta,
}

impl Route {
    /// Returns where a line would go as it stands, its prefix considered.
    pub fn of(line: &str, environment: &dyn aish_route::Environment) -> Self {
        match aish_route::parse_line(line) {
            aish_route::Line::Empty | aish_route::Line::Shell(_) => Self::Shell,
            aish_route::Line::Question(_) => Self::Model,
            aish_route::Line::Meta(..) => Self::Meta,
            aish_route::Line::Plain(plain) => match aish_route::decide(plain, environment).route {
                aish_route::Route::Shell => Self::Shell,
                aish_route::Route::Ai => Self::Model,
                aish_route::Route::Ask => Self::Ask,
            },
        }
    }

    /// Returns the route after Shift-Tab: shell and model change places, an unsure one becomes the model's.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Shell | Self::Ask => Self::Model,
            Self::Model => Self::Shell,
            Self::Meta => Self::Meta,
        }
    }
}

/// Classifies the line while it is typed. Called for each key, on the editor's thread: due within microseconds.
pub trait RouteHint: Send {
    /// Says where the line would go now.
    fn classify(&self, line: &str) -> Route;
}

impl<F: Fn(&str) -> Route + Send> RouteHint for F {
    fn classify(&self, line: &str) -> Route {
        self(line)
    }
}

/// Whether a line can be taken as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wholeness {
    /// Enter ends it.
    Whole,
    /// Enter continues it on the next line.
    Unfinished,
}

/// One way to complete what is before the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What is put into the line.
    pub value: String,
    /// What is shown in the menu, where it differs.
    pub display: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// The bytes of the line that it takes the place of.
    pub span: Range<usize>,
    /// A space follows it: it is complete, unlike a folder.
    pub space_after: bool,
}

/// Completes a line. Called on the editor's thread when Tab is pressed; a slow source should bound its own time.
pub trait LineCompleter: Send {
    /// Returns the candidates for a line and a cursor in bytes, best first.
    fn complete(&mut self, line: &str, cursor: usize) -> Vec<Candidate>;

    /// Returns how many candidates the last completion left out, as there were too many.
    fn left_out(&self) -> usize {
        0
    }
}

impl<F: FnMut(&str, usize) -> Vec<Candidate> + Send> LineCompleter for F {
    fn complete(&mut self, line: &str, cursor: usize) -> Vec<Candidate> {
        self(line, cursor)
    }
}
