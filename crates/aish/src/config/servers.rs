//! The user's configuration file as it is edited: servers come in, comments and order stay.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use aish_journal::{Held, ReplaceError};
use toml_edit::{Array, DocumentMut, Item, Table, TomlError, value};

/// A server to be written under `[mcp.servers.NAME]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewServer {
    /// Its URL; else it has a command.
    pub url: Option<String>,
    /// Its headers.
    pub headers: BTreeMap<String, String>,
    /// The variable with its bearer token.
    pub auth_env: Option<String>,
    /// Its program.
    pub command: Option<String>,
    /// The program's arguments.
    pub args: Vec<String>,
    /// The program's further environment.
    pub env: BTreeMap<String, String>,
    /// The program's folder.
    pub cwd: Option<String>,
    /// True leaves it alone until it is switched on.
    pub off: bool,
}

/// Why the file cannot be edited; it is then as it was.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// It cannot be read.
    #[error("{path} cannot be read, so nothing was written")]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// It is no TOML.
    #[error("{path} is no TOML, so nothing was written")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: TomlError,
    },
    /// `mcp` or `mcp.servers` is no table.
    #[error("`{0}` is not a section, so nothing was written")]
    NoSection(&'static str),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] ReplaceError),
}

/// The file; nobody else of ours edits it meanwhile.
pub struct ServerFile {
    path: PathBuf,
    document: DocumentMut,
    _held: Option<Held>,
}

impl ServerFile {
    /// Reads the file; one that is not there is empty.
    ///
    /// # Errors
    /// When it cannot be read or is no TOML, or nothing can be written beside it.
    pub fn open(path: &Path) -> Result<Self, EditError> {
        let held = aish_journal::hold(path).map_err(|source| ReplaceError { path: path.to_owned(), source })?;
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(EditError::Read { path: path.to_owned(), source }),
        };
        let document = text.parse().map_err(|source| EditError::Syntax { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), document, _held: Some(held) })
    }

    /// Returns the file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Says whether there is a server of this name.
    pub fn has(&self, name: &str) -> bool {
        let servers = self.document.get("mcp").and_then(|mcp| mcp.get("servers"));
        servers.and_then(|servers| servers.get(name)).is_some()
    }

    /// Puts a server in, behind the others.
    ///
    /// # Errors
    /// When `mcp` or `mcp.servers` is no section.
    pub fn add(&mut self, name: &str, server: &NewServer) -> Result<(), EditError> {
        let mcp = section(self.document.as_item_mut(), "mcp").ok_or(EditError::NoSection("mcp"))?;
        let servers = section(mcp, "servers").ok_or(EditError::NoSection("mcp.servers"))?;
        let table = server.table();
        match servers {
            // In a section that is written on one line, a server is one, too.
            Item::Value(toml_edit::Value::InlineTable(inline)) => {
                inline.insert(name, table.into_inline_table().into());
            }
            other => {
                let Some(servers) = other.as_table_mut() else { return Err(EditError::NoSection("mcp.servers")) };
                servers.insert(name, Item::Table(table));
            }
        }
        Ok(())
    }

    /// Replaces the file as a whole.
    ///
    /// # Errors
    /// When it cannot be written; it is then as it was.
    pub fn save(&self) -> Result<(), EditError> {
        Ok(aish_journal::replace(&self.path, self.document.to_string().as_bytes())?)
    }
}

/// Returns a section, made when it is not there; none when the key holds something else.
fn section<'i>(parent: &'i mut Item, name: &str) -> Option<&'i mut Item> {
    let parent = parent.as_table_like_mut()?;
    if !parent.contains_key(name) {
        // No header of its own: the servers below have theirs.
        let mut made = Table::new();
        made.set_implicit(true);
        parent.insert(name, Item::Table(made));
    }
    parent.get_mut(name).filter(|item| item.is_table_like())
}

/// Writes a command line as it is shown: a word that its name or its look tells to be a secret is not part of it.
fn command_line<'w>(words: impl IntoIterator<Item = &'w String>) -> String {
    aish_types::mask_named(&aish_types::mask(&shell_words::join(words)))
}

impl NewServer {
    /// Returns the URL or the command line; never a value of a header or a variable.
    pub fn shown(&self) -> String {
        match &self.url {
            Some(url) => aish_types::mask(url).into_owned(),
            None => command_line(self.command.iter().chain(&self.args)),
        }
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        let mut put = |key: &str, text: &Option<String>| {
            if let Some(text) = text {
                table.insert(key, value(text.as_str()));
            }
        };
        put("url", &self.url);
        put("auth_env", &self.auth_env);
        put("command", &self.command);
        put("cwd", &self.cwd);
        if !self.args.is_empty() {
            table.insert("args", value(self.args.iter().collect::<Array>()));
        }
        for (key, pairs) in [("headers", &self.headers), ("env", &self.env)] {
            if !pairs.is_empty() {
                let inline: toml_edit::InlineTable = pairs.iter().collect();
                table.insert(key, value(inline));
            }
        }
        if self.off {
            table.insert("enabled", value(false));
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str, server: &NewServer) -> Result<String, String> {
        let mut file = ServerFile { path: PathBuf::from("x"), document: text.parse().unwrap(), _held: None };
        file.add("files", server).map_err(|error| error.to_string())?;
        assert!(file.has("files"));
        Ok(file.document.to_string())
    }

    #[test]
    fn comments_and_order_stay() {
        let server = NewServer { url: Some("https://h/mcp".into()), ..NewServer::default() };
        let text = "# mine\n[mcp] # all\nmax_tool_depth = 3\n\n[mcp.servers.a]\nurl = \"http://a\" # first\n\n[ui]\ntheme = \"dark\"\n";
        let after = edited(text, &server).unwrap();
        let expected = text.replace("# first\n", "# first\n\n[mcp.servers.files]\nurl = \"https://h/mcp\"\n");
        assert_eq!(after, expected);
    }

    #[test]
    fn what_is_not_there_is_made() {
        let server = NewServer {
            command: Some("npx".into()),
            args: vec!["-y".into(), "a \"b\"".into()],
            env: BTreeMap::from([("KEY".into(), "${env:KEY}".into())]),
            off: true,
            ..NewServer::default()
        };
        assert_eq!(
            edited("", &server).unwrap(),
            "[mcp.servers.files]\ncommand = \"npx\"\nargs = [\"-y\", 'a \"b\"']\nenv = { KEY = \"${env:KEY}\" }\nenabled = false\n"
        );
        assert_eq!(server.shown(), "npx -y 'a \"b\"'");
        let words = ["x", "--token", "a1", "--api-key=b2", "-H", "Authorization: Bearer c3", "https://me:d4@h"];
        assert_eq!(
            command_line(&words.map(str::to_owned)),
            "x --token [redacted] '--api-key=[redacted]' -H 'Authorization: Bearer [redacted]' https://[redacted]@h"
        );
    }

    #[test]
    fn a_section_on_one_line_stays_on_it_and_something_else_is_an_error() {
        let server = NewServer { url: Some("http://h".into()), ..NewServer::default() };
        let after = edited("mcp = { servers = { a = { url = \"x\" } } }\n", &server).unwrap();
        assert!(after.contains("files = { url = \"http://h\" }"), "{after}");
        assert_eq!(after.lines().count(), 1);
        assert!(edited("mcp = 3\n", &server).unwrap_err().contains("`mcp`"));
        assert!(edited("[mcp]\nservers = []\n", &server).unwrap_err().contains("`mcp.servers`"));
    }
}
