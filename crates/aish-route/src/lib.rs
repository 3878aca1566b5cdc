//! Decides whether a line is a shell command or a question.
