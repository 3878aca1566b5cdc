//! Secrets that this run knows: taken out of whatever goes to a model, a log or the memory.
//!
//! They are the values of variables with a secret's name and the tokens and headers of the configuration; those of the live
//! shell's variables and of lines that set one are learnt as soon as they are known. They are taken out as they are and encoded: hex,
//! base64 at any offset, percent-encoded, as a JSON string. What is not known but has the look of a
//! secret is [`look`]'s part.

mod assigned;
mod encoded;
pub mod look;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use aish_types::{NameContext, Secret, is_secret_name};

use crate::config::section::Config;

/// What stands in a secret's place.
pub const REDACTED: &str = "[redacted]";

/// Shorter values are no secrets: taking them out would tear ordinary text apart.
const SHORTEST: usize = 8;

/// The known secrets in all their forms.
#[derive(Default)]
pub struct Secrets {
    /// Variables that the configuration says hold one, whatever they are called.
    named: Vec<String>,
    /// Longest first, so that a form that holds another goes as a whole. What was learnt is never forgotten: it may have been
    /// shown while it held.
    forms: Mutex<Arc<Vec<Secret>>>,
}

impl Secrets {
    /// Collects the secrets of an environment and a configuration.
    pub fn collect(variables: &[(String, String)], config: &Config) -> Self {
        let servers = config.mcp.servers.values();
        let named: Vec<String> = config
            .models
            .values()
            .filter_map(|model| model.key_env.as_ref())
            .chain(servers.clone().filter_map(|server| server.auth_env.as_ref()))
            .cloned()
            .collect();
        let secrets = Self { named, ..Self::default() };
        let from_variables =
            variables.iter().filter(|(name, _)| secrets.are_named(name)).map(|(_, value)| value.as_str());
        let tokens = servers.clone().filter_map(|server| server.auth_token.as_deref());
        let headers = servers.clone().flat_map(|server| server.headers.values().map(String::as_str));
        let environments = servers.flat_map(|server| &server.env).filter(|(name, _)| is_secret(name));
        let values = from_variables.chain(tokens).chain(headers).chain(environments.map(|(_, value)| value.as_str()));
        secrets.learn(values);
        secrets
    }

    /// Takes these values for secrets, but for those that are too short or paths.
    #[cfg(test)]
    pub fn of<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let secrets = Self::default();
        secrets.learn(values);
        secrets
    }

    /// Says whether a variable of this name holds one.
    pub fn are_named(&self, name: &str) -> bool {
        is_secret(name) || self.named.iter().any(|named| named == name)
    }

    /// Takes these values for secrets from now on, but for those that are too short or paths.
    pub fn learn<'a>(&self, values: impl IntoIterator<Item = &'a str>) {
        let known = self.known();
        let mut forms: Vec<String> = values
            .into_iter()
            // A header's value may begin with a scheme: the secret is what follows.
            .map(|value| value.strip_prefix("Bearer ").unwrap_or(value).trim())
            .filter(|value| value.len() >= SHORTEST && !value.starts_with('/') && !value.starts_with("${"))
            .filter(|value| !known.iter().any(|form| form.expose() == *value))
            .flat_map(encoded::forms)
            .collect();
        if forms.is_empty() {
            return;
        }
        let mut held = self.forms.lock().unwrap_or_else(PoisonError::into_inner);
        forms.extend(held.iter().map(|form| form.expose().to_owned()));
        forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        forms.dedup();
        *held = Arc::new(forms.into_iter().map(Secret::new).collect());
    }

    /// Learns what a line gives to variables with a secret's name, and says whether it gives any such thing: also a value
    /// that is too short to be taken out wherever it stands.
    pub fn learn_assigned(&self, line: &str) -> bool {
        let values = assigned::values(line, |name| self.are_named(name));
        self.learn(values.iter().map(String::as_str));
        !values.is_empty()
    }

    fn known(&self) -> Arc<Vec<Secret>> {
        Arc::clone(&self.forms.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Says whether a text holds a known secret.
    pub fn are_in(&self, text: &str) -> bool {
        self.known().iter().any(|form| text.contains(form.expose()))
    }

    /// Takes known secrets out of a text.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for form in self.known().iter() {
            if text.contains(form.expose()) {
                text = Cow::Owned(text.replace(form.expose(), REDACTED));
            }
        }
        text
    }
}

/// Says that a secret was to come from a variable that is not set: `key` of `section` names it. What is there may be the secret itself,
/// which is not repeated then.
pub fn unset(section: &str, key: &str, variable: &str, then: &str) -> String {
    let is_name = variable.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_name && aish_types::mask(variable) == variable {
        format!("{section}: ${variable} is not set; {then}")
    } else {
        format!("{section}: {key} takes the name of a variable, and what is there is none; {then}")
    }
}

fn is_secret(name: &str) -> bool {
    is_secret_name(name.as_bytes(), NameContext::Variable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canary_goes_in_every_form() {
        let canary = "c4nary+/T0ken\"x";
        let secrets = Secrets::of([canary, "short", "/a/path/to/a/key"]);
        let hex: String = canary.bytes().map(|byte| format!("{byte:02x}")).collect();
        for text in [
            canary.to_owned(),
            hex.to_uppercase(),
            hex,
            // base64 of the canary behind no, one and two other bytes.
            "YzRuYXJ5Ky9UMGtlbiJ4".to_owned(),
            "YWM0bmFyeSsvVDBrZW4ieA==".to_owned(),
            "YWFjNG5hcnkrL1Qwa2VuIng=".to_owned(),
            "c4nary%2B%2FT0ken%22x".to_owned(),
            "{\"t\":\"c4nary+/T0ken\\\"x\"}".to_owned(),
        ] {
            assert!(secrets.are_in(&text), "{text}");
            let left = secrets.redact(&text);
            assert!(left.contains(REDACTED) && !secrets.are_in(&left), "{text} -> {left}");
        }
        for text in ["short", "/a/path/to/a/key", "canary", ""] {
            assert_eq!(secrets.redact(text), text);
        }
    }

    #[test]
    fn a_key_in_the_place_of_its_variable_is_not_repeated() {
        let said = |variable: &str| unset("models.a", "key_env", variable, "no key is sent");
        assert_eq!(said("MY_KEY"), "models.a: $MY_KEY is not set; no key is sent");
        for key in ["sk-proj-abcDEF0123456789abcd", "hf_abcDEF0123456789abcd", "hunter.2", "$MY_KEY"] {
            let expected = "models.a: key_env takes the name of a variable, and what is there is none; no key is sent";
            assert_eq!(said(key), expected);
        }
    }

    #[test]
    fn secrets_are_learnt() {
        let secrets = Secrets::of(["first-secret"]);
        let said = "first-secret later-secret more-secret in-a-line";
        assert_eq!(secrets.redact(said), "[redacted] later-secret more-secret in-a-line");
        secrets.learn(["later-secret", "first-secret", "short"]);
        assert!(secrets.learn_assigned("export MY_TOKEN=in-a-line") && secrets.learn_assigned("PASSWORD=four"));
        assert!(!secrets.learn_assigned("EDITOR=emacs-nox make") && !secrets.learn_assigned("TOKEN=$OTHER x"));
        assert_eq!(secrets.redact(said), "[redacted] [redacted] more-secret [redacted]");
        assert!(!secrets.are_in("four short"));
    }

    #[test]
    fn secrets_come_from_variables_and_the_configuration() {
        let mut config = Config::default();
        let mut server = crate::config::section::McpServer::default();
        server.headers.insert("Authorization".into(), "Bearer header-secret".into());
        server.auth_token = Some("token-secret".into());
        config.mcp.servers.insert("a".into(), server);
        let model = crate::config::model::Model { key_env: Some("ODD".into()), ..Default::default() };
        config.models.insert("m".into(), model);
        let variables = [("ODD", "odd-secret"), ("MY_TOKEN", "my-secret"), ("EDITOR", "emacs-nox")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let secrets = Secrets::collect(&variables, &config);
        let said = "odd-secret my-secret header-secret token-secret emacs-nox";
        assert_eq!(secrets.redact(said), "[redacted] [redacted] [redacted] [redacted] emacs-nox");
    }
}
