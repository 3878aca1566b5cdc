//! The one type that holds a secret.

use alloc::string::String;
use core::fmt;

use secrecy::{ExposeSecret, SecretString};

/// A secret: it cannot be printed, compared or serialised, and is wiped from memory when dropped.
#[derive(Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// Takes a secret over.
    pub fn new(text: String) -> Self {
        Self(SecretString::from(text))
    }

    /// Gives the secret to the one place that needs it (a header, an environment of a child).
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn debug_shows_nothing() {
        assert!(!format!("{:?}", Secret::new("hunter2".into())).contains("hunter2"));
    }
}
