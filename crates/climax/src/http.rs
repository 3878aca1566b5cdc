//! Tools that are operations of an HTTP API (`http:` in a config): what is in the file, as a request, and its answer.
//!
//! Reading order: the types here, `request` (from arguments to a request, without the token), [`hosts`] (which token may go
//! where), `send` (the call). A request goes to the origin in the config alone: no argument, redirect or other server of the
//! document leads it elsewhere, and the token goes along only where somebody confirmed that origin.

pub mod hosts;
pub(crate) mod request;
pub(crate) mod send;

pub use hosts::Hosts;
use reqwest::Url;
use serde::{Deserialize, Serialize};

/// An API: where it is, and what it is told who calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Api {
    /// The base URL; `http` or `https`, without user, query and fragment.
    pub url: Url,
    /// The token, where it wants one.
    pub auth: Option<Auth>,
}

/// A token and how it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Auth {
    /// The environment's variable that holds it.
    pub env: String,
    /// How it is sent.
    pub scheme: Scheme,
}

/// How a token is sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Scheme {
    /// `Authorization: Bearer TOKEN`.
    #[default]
    Bearer,
    /// `Authorization: Basic`, of a variable that holds `user:password`.
    Basic,
    /// A header of this name.
    Header(String),
    /// A parameter of the query of this name.
    Query(String),
}

/// A method of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// Reads.
    Get,
    /// Reads the head alone.
    Head,
    /// Does something, mostly makes.
    Post,
    /// Puts something in the place of what is there.
    Put,
    /// Changes a part.
    Patch,
    /// Removes.
    Delete,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Get, Self::Head, Self::Post, Self::Put, Self::Patch, Self::Delete];

    /// Returns the word of the protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Says whether it changes nothing, by RFC 9110, section 9.2.1.
    pub const fn is_safe(self) -> bool {
        matches!(self, Self::Get | Self::Head)
    }
}

/// The operation behind a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// The method.
    pub method: Method,
    /// The path below the base URL, with `{name}` places; begins with `/`.
    pub path: String,
    /// What the body is.
    pub media: Media,
}

/// The media type of JSON.
pub const JSON: &str = "application/json";

/// What the body of a request is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Media {
    /// JSON, of this media type.
    Json(String),
    /// The fields of a form, `application/x-www-form-urlencoded`.
    Form,
    /// A text of this media type, as it is.
    Text(String),
}

impl Default for Media {
    fn default() -> Self {
        Self::Json(JSON.into())
    }
}

/// Where in a request a value goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// Into the place of its name in the path.
    Path,
    /// Into the query.
    Query,
    /// Into a header.
    Header,
    /// A field of the JSON object or form that is the body.
    Field,
    /// It is the body.
    Body,
}

/// How a list or an object is written into a query or a form; after OpenAPI's `style` and `explode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Style {
    /// `a=1&a=2`.
    #[default]
    Repeat,
    /// `a=1,2`.
    Comma,
    /// `a=1 2`.
    Space,
    /// `a=1|2`.
    Pipe,
    /// `a[x]=1&a[y]=2`; a list is numbered.
    Deep,
}

/// The place of an argument in a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// Where it goes.
    pub part: Part,
    /// Its name there.
    pub name: String,
    /// How a list or an object is written.
    pub style: Style,
}

impl Api {
    /// Reads a base URL.
    ///
    /// # Errors
    /// In words, when it is none that requests can go to.
    pub fn base(text: &str) -> Result<Url, String> {
        let url = Url::parse(text).map_err(|error| format!("'{text}' is no URL: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(format!("'{text}' must begin with http:// or https:// and a host"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("a URL must not hold a user or password; `auth_env` names the variable that does".into());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(format!("'{text}' must end with its path, without ? and #"));
        }
        Ok(url)
    }

    /// Returns scheme, host and port: what a token is confirmed for.
    pub fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }
}

impl Auth {
    /// Says whether a text can name a variable of the environment, and is no token.
    pub fn is_variable(text: &str) -> bool {
        let begins = text.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        begins && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    }
}

impl Scheme {
    /// Reads what `auth` says: `bearer`, `basic`, `header NAME` or `query NAME`.
    pub fn read(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let scheme = match (words.next()?, words.next()) {
            ("bearer", None) => Self::Bearer,
            ("basic", None) => Self::Basic,
            ("header", Some(name)) if is_header(name) => Self::Header(name.to_owned()),
            ("query", Some(name)) => Self::Query(name.to_owned()),
            _ => return None,
        };
        words.next().is_none().then_some(scheme)
    }

    /// Writes what [`Scheme::read`] reads.
    pub fn word(&self) -> String {
        match self {
            Self::Bearer => "bearer".into(),
            Self::Basic => "basic".into(),
            Self::Header(name) => format!("header {name}"),
            Self::Query(name) => format!("query {name}"),
        }
    }
}

/// Says whether a header of that name may be set by an argument: none that says where a request goes, who sends it, how long it
/// is, or that it is another one than its method and path say (`X-HTTP-Method-Override: DELETE` in what only reads).
pub fn is_free_header(name: &str) -> bool {
    #[rustfmt::skip]
    const TAKEN: &[&str] = &[
        "accept", "accept-encoding", "authorization", "connection", "content-encoding", "content-length",
        "content-type", "cookie", "expect", "forwarded", "host", "keep-alive", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "x-http-method", "x-http-method-override",
        "x-method-override", "x-original-url", "x-rewrite-url",
    ];
    is_header(name) && !TAKEN.contains(&name.to_ascii_lowercase().as_str())
}

fn is_header(name: &str) -> bool {
    reqwest::header::HeaderName::from_bytes(name.as_bytes()).is_ok()
}
