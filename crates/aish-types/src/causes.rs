//! The causes of an error, in words.

use alloc::string::{String, ToString as _};
use core::error::Error;

/// Joins an error and its causes with colons; what a message ends with already is not said again.
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let line = cause.to_string();
        let is_said = text.strip_suffix(&line).is_some_and(|before| before.is_empty() || before.ends_with(": "));
        if !is_said {
            text.push_str(": ");
            text.push_str(&line);
        }
        source = cause.source();
    }
    text
}

/// Returns the innermost cause of an error in words.
pub fn root_cause(error: &(dyn Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::boxed::Box;
    use core::fmt;

    #[derive(Debug)]
    struct Said(&'static str, Option<Box<Said>>);

    impl fmt::Display for Said {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Said {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_deref().map(|cause| cause as _)
        }
    }

    #[test]
    fn a_cause_is_said_once_and_a_part_of_a_word_is_no_cause() {
        for (texts, joined) in [
            (["it failed", "no file"], "it failed: no file"),
            (["it failed: no file", "no file"], "it failed: no file"),
            (["no file", "no file"], "no file"),
            (["code 12", "2"], "code 12: 2"),
        ] {
            let error = Said(texts[0], Some(Box::new(Said(texts[1], None))));
            assert_eq!(chain(&error), joined);
            assert_eq!(root_cause(&error), texts[1]);
        }
    }
}
