//! Errors in words: each layer says its own, from the outermost to the cause.

use std::error::Error;

/// Joins an error and its causes with colons.
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
