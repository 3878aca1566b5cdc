//! The terminal: line editor, markdown, frames and the gate's question.
