//! What the form of a value says that its letters do not: `#recipe` is a tag, `10.0.0.1` an address, `GET /path` a request.

/// Methods of HTTP, which a path follows.
const METHODS: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];

/// How the names of variables end that hold what is secret.
const SECRET: [&str; 6] = ["TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "CREDENTIALS"];

/// Returns the words that the forms of a request's values stand for.
pub(super) fn words(text: &str) -> Vec<&'static str> {
    let tokens: Vec<&str> =
        text.split_whitespace().map(|token| token.trim_matches(['"', '\'', ',', '?', '!'])).collect();
    let mut out = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).copied().unwrap_or_default();
        if METHODS.contains(token) && (next.starts_with('/') || next.starts_with("http")) {
            out.extend(["api", "request", "endpoint"]);
        } else if is_variable(token) {
            out.push(if SECRET.iter().any(|ending| token.ends_with(ending)) { "secret" } else { "variable" });
        } else if token.strip_prefix('#').is_some_and(|rest| rest.starts_with(char::is_alphabetic)) {
            out.push("tag");
        } else if is_address(token) {
            out.extend(["ip", "address"]);
        } else if token.starts_with("http://") || token.starts_with("https://") {
            out.push("url");
        }
    }
    out
}

/// Says whether a token is the name of a variable of an environment.
fn is_variable(token: &str) -> bool {
    let inside = token.trim_matches('_');
    inside.contains('_') && token.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Says whether a token is an address of the internet protocol, with or without the length of its network.
fn is_address(token: &str) -> bool {
    token.split('/').next().is_some_and(|address| address.parse::<std::net::IpAddr>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_stand_for_words() {
        for (request, expected) in [
            ("how often is #recipe used", vec!["tag"]),
            ("close #17", vec![]),
            ("GET /repos/o/r", vec!["api", "request", "endpoint"]),
            ("get the repos", vec![]),
            ("what is DEPLOY_REGION set to", vec!["variable"]),
            ("store NPM_TOKEN", vec!["secret"]),
            ("THE READ_me", vec![]),
            ("who is 10.0.0.1?", vec!["ip", "address"]),
            ("routes to 10.0.0.0/8", vec!["ip", "address"]),
            ("fetch https://example.com", vec!["url"]),
        ] {
            assert_eq!(words(request), expected, "{request}");
        }
    }
}
