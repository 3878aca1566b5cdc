//! `aish mcp add` and `aish mcp import`: servers into the user's configuration.

use std::fs::File;
use std::path::Path;

use aish_journal::read_whole;
use aish_mcp::client::{ImportedServer, WrittenEndpoint, import};

use crate::arguments::McpAddFlags;
use crate::base::Base;
use crate::config::servers::{NewServer, ServerFile};
use crate::exit::ExitCode;
use crate::failure::{Failure, ResultExt as _};
use crate::run::complain;
use crate::servers::is_another_in_each_folder;

/// Bytes of the longest list that is read: some programs keep much else in the same file.
const LONGEST_LIST: u64 = 64 << 20;

/// Adds one server; the others and all comments stay as they are.
///
/// # Errors
/// When the configuration cannot be read, is no TOML, or cannot be written; it is then as it was.
pub(super) fn add(base: &Base, flags: &McpAddFlags, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    let server = match described(flags) {
        Ok(server) => anchored(server, &base.folder),
        Err(why) => {
            complain(&why.to_string());
            return Ok(ExitCode::Usage);
        }
    };
    let Some(mut file) = open(base)? else { return Ok(ExitCode::Error) };
    if file.has(&flags.name) {
        complain(&format!("there is a server {:?} already; `aish config edit` changes it", flags.name));
        return Ok(ExitCode::Error);
    }
    file.add(&flags.name, &server)?;
    file.save()?;
    print(&aish_types::sanitize(&format!("{}  {} (in {})", flags.name, server.shown(), file.path().display())));
    Ok(ExitCode::Ok)
}

/// Adds the servers of another program's list, those of its names that are free.
///
/// # Errors
/// When the list or the configuration cannot be read, or the configuration cannot be written; it is then as it was.
pub(super) fn import_file(base: &Base, list: &Path, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    // A person names it: a pipe is waited for.
    let text = File::open(list).and_then(|file| read_whole(file, LONGEST_LIST)).at(|| list.display())?;
    let (servers, faults) = import(&text)?;
    let clean = |text: &str| complain(&aish_types::sanitize(text));
    faults.iter().for_each(|fault| clean(fault));
    let Some(mut file) = open(base)? else { return Ok(ExitCode::Error) };
    let mut added = 0_usize;
    for server in servers {
        if file.has(&server.alias) {
            clean(&format!("{}: there is a server of that name already; it stays as it is", server.alias));
            continue;
        }
        server.notes.iter().for_each(|note| clean(&format!("{}: {note}", server.alias)));
        let new = anchored(converted(&server), &base.folder);
        file.add(&server.alias, &new)?;
        let off = if server.disabled { "  (off)" } else { "" };
        print(&aish_types::sanitize(&format!("{}  {}{off}", server.alias, new.shown())));
        added += 1;
    }
    if added == 0 {
        print("nothing was added");
        return Ok(if faults.is_empty() { ExitCode::Ok } else { ExitCode::Error });
    }
    file.save()?;
    let servers = if added == 1 { "1 server".to_owned() } else { format!("{added} servers") };
    print(&aish_types::sanitize(&format!("{servers} added to {}", file.path().display())));
    Ok(if faults.is_empty() { ExitCode::Ok } else { ExitCode::Error })
}

fn open(base: &Base) -> Result<Option<ServerFile>, Failure> {
    match &base.config_path {
        Some(path) => Ok(Some(ServerFile::open(path)?)),
        None => {
            complain("there is no place for a configuration: HOME is not set; use --config FILE");
            Ok(None)
        }
    }
}

fn described(flags: &McpAddFlags) -> Result<NewServer, Failure> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if flags.name.is_empty() || flags.name.len() > 64 || !flags.name.chars().all(is_plain) {
        let name = &flags.name;
        return Err(Failure::user(format!(
            "a server's name has 1 to 64 letters, digits, `-` and `_`, unlike {name:?}"
        )));
    }
    let pairs = |texts: &[String], what: &str| {
        let pair = |text: &String| match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
            Some(_) | None => Err(Failure::user(format!("{what} takes NAME=VALUE, not {text:?}"))),
        };
        texts.iter().map(pair).collect::<Result<_, _>>()
    };
    // One argument with spaces is a command line; several are its words.
    let words = match flags.target.as_slice() {
        [only] => shell_words::split(only).at(|| format!("{only:?}"))?,
        several => several.to_vec(),
    };
    let Some((first, rest)) = words.split_first() else { return Err(Failure::user("the command line is empty")) };
    if first.starts_with("http://") || first.starts_with("https://") {
        if !rest.is_empty() || !flags.env.is_empty() {
            return Err(Failure::user("a URL takes no arguments and no --env"));
        }
        let headers = pairs(&flags.header, "--header")?;
        return Ok(NewServer {
            url: Some(first.clone()),
            headers,
            auth_env: flags.auth_env.clone(),
            ..NewServer::default()
        });
    }
    if !flags.header.is_empty() || flags.auth_env.is_some() {
        return Err(Failure::user("--header and --auth-env are for a URL"));
    }
    let env = pairs(&flags.env, "--env")?;
    Ok(NewServer { command: Some(first.clone()), args: rest.to_vec(), env, ..NewServer::default() })
}

/// Gives a program that is found from this folder that folder: in another one it would be another program.
fn anchored(server: NewServer, folder: &Path) -> NewServer {
    match &server.command {
        Some(command) if server.cwd.is_none() && is_another_in_each_folder(command) => {
            NewServer { cwd: Some(folder.display().to_string()), ..server }
        }
        _ => server,
    }
}

fn converted(server: &ImportedServer) -> NewServer {
    let off = server.disabled;
    match server.endpoint.clone() {
        WrittenEndpoint::Stdio { command, args, env, cwd } => {
            NewServer { command: Some(command), args, env, cwd, off, ..NewServer::default() }
        }
        WrittenEndpoint::Http { url, headers, auth_env } => {
            NewServer { url: Some(url), headers, auth_env, off, ..NewServer::default() }
        }
    }
}
