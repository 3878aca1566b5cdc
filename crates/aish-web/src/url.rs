//! Addresses of pages that may be asked for.

use reqwest::Url;

/// The longest address, in bytes.
const LONGEST: usize = 2_048;

/// Why an address is not opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AddressError {
    #[error("the address is longer than {LONGEST} bytes")]
    TooLong,
    #[error("there is a blank or a control character in the address")]
    Blank,
    #[error("this is no address of a page: {0}")]
    Invalid(String),
    #[error("{0}: addresses are not opened, only http and https")]
    Scheme(String),
    #[error("there is a user's name or a password in the address")]
    Login,
    #[error("there is no host in the address")]
    NoHost,
    #[error("port {0} is that of another service")]
    Port(u16),
    #[error("there is no port for it")]
    NoPort,
}

/// Reads an address.
///
/// # Errors
/// For all but plain `http` and `https` addresses: with a user's name, with the port of another service.
pub(crate) fn read(text: &str) -> Result<Url, AddressError> {
    if text.len() > LONGEST {
        return Err(AddressError::TooLong);
    }
    if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(AddressError::Blank);
    }
    let url = Url::parse(text).map_err(|error| AddressError::Invalid(error.to_string()))?;
    check(&url)?;
    Ok(url)
}

/// Checks an address, also one that a server sent on to.
///
/// # Errors
/// As [`read`].
pub(crate) fn check(url: &Url) -> Result<(), AddressError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(AddressError::Scheme(url.scheme().to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(AddressError::Login);
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(AddressError::NoHost);
    }
    match url.port_or_known_default() {
        Some(80 | 443 | 1024..) => Ok(()),
        Some(port) => Err(AddressError::Port(port)),
        None => Err(AddressError::NoPort),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_addresses_are_read_and_all_others_are_refused() {
        for text in ["https://example.org", "http://example.org:8080/a?b=c#d", "https://[2606:4700::1111]/x"] {
            assert!(read(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "example.org",
            "/etc/passwd",
            "file:///etc/passwd",
            "ftp://example.org",
            "gopher://h:70/_x",
            "data:text/html,x",
            "javascript:x",
            "https://me@example.org",
            "https://me:pw@example.org",
            "https://trusted.example@127.0.0.1/",
            "http://example.org:22",
            "http://example.org:25/",
            "http://example.org:6000000/",
            "http://",
            "https:///x y",
            "https://example.org/a b",
            "https://example.org/\n",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read(&format!("https://example.org/{}", "a".repeat(LONGEST))).is_err());
        // Numbers in any notation are the address that they are.
        for text in
            ["http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/", "http://127.1/", "http://１２７.0.0.1/"]
        {
            assert_eq!(read(text).unwrap().host_str(), Some("127.0.0.1"), "{text}");
        }
    }
}
