//! Secrets that this run knows: taken out of whatever goes to a model, a log or the memory.
//!
//! They are the values of variables with a secret's name and the tokens and headers of the configuration, as they are and
//! encoded: hex, base64 at any offset, percent-encoded, as a JSON string. What is not known but has the look of a
//! secret is [`look`]'s part.

mod encoded;
pub mod look;

use std::borrow::Cow;

use aish_types::Secret;

use crate::config::section::Config;

/// What stands in a secret's place.
pub const REDACTED: &str = "[redacted]";

/// Shorter values are no secrets: taking them out would tear ordinary text apart.
const SHORTEST: usize = 8;

/// The known secrets in all their forms.
#[derive(Default)]
pub struct Secrets {
    /// Longest first, so that a form that holds another goes as a whole.
    forms: Vec<Secret>,
}

impl Secrets {
    /// Collects the secrets of an environment and a configuration.
    pub fn collect(variables: &[(String, String)], config: &Config) -> Self {
        let servers = config.mcp.servers.values();
        let named: Vec<&String> = config
            .models
            .values()
            .filter_map(|model| model.key_env.as_ref())
            .chain(servers.clone().filter_map(|server| server.auth_env.as_ref()))
            .collect();
        let from_variables = variables
            .iter()
            .filter(|(name, _)| named.contains(&name) || is_secret_name(name))
            .map(|(_, value)| value.as_str());
        let tokens = servers.clone().filter_map(|server| server.auth_token.as_deref());
        let headers = servers.clone().flat_map(|server| server.headers.values().map(String::as_str));
        let environments = servers.flat_map(|server| &server.env).filter(|(name, _)| is_secret_name(name));
        let values = from_variables.chain(tokens).chain(headers).chain(environments.map(|(_, value)| value.as_str()));
        Self::of(values)
    }

    /// Takes these values for secrets, but for those that are too short or paths.
    pub fn of<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let mut forms: Vec<String> = values
            .into_iter()
            // A header's value may begin with a scheme: the secret is what follows.
            .map(|value| value.strip_prefix("Bearer ").unwrap_or(value).trim())
            .filter(|value| value.len() >= SHORTEST && !value.starts_with('/') && !value.starts_with("${"))
            .flat_map(encoded::forms)
            .collect();
        forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        forms.dedup();
        Self { forms: forms.into_iter().map(Secret::new).collect() }
    }

    /// Says whether a text holds a known secret.
    pub fn are_in(&self, text: &str) -> bool {
        self.forms.iter().any(|form| text.contains(form.expose()))
    }

    /// Takes known secrets out of a text.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for form in &self.forms {
            if text.contains(form.expose()) {
                text = Cow::Owned(text.replace(form.expose(), REDACTED));
            }
        }
        text
    }
}

/// Says whether a variable of this name holds a secret.
fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let ends = ["_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_PASSWD", "_PASSPHRASE", "_CREDENTIALS", "_PAT"];
    let whole = ["PASSWORD", "TOKEN", "SECRET", "APIKEY", "API_KEY", "PGPASSWORD", "MYSQL_PWD"];
    let public = ["PUBLIC_KEY", "_PUB_KEY", "SSH_KEY"];
    !public.iter().any(|end| name.ends_with(end))
        && (ends.iter().any(|end| name.ends_with(end))
            || whole.contains(&name.as_str())
            || ["APIKEY", "API_KEY", "ACCESS_KEY", "SECRET_"].iter().any(|part| name.contains(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_secrets() {
        for name in ["OPENAI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "db_password"] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["PATH", "HOME", "KEYBOARD", "TOKENIZERS_PARALLELISM", "SSH_AUTH_SOCK", "DEPLOY_PUBLIC_KEY"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

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
