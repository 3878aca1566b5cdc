//! `aish memory`: what is remembered.

use std::path::Path;

use aish_store::{Scope, StoredMemory};
use aish_tools::NewMemory;
use serde_json::{Value, json};

use crate::arguments::MemoryCommand;
use crate::base::Base;
use crate::exit::ExitCode;
use crate::failure::{Failure, chain};
use crate::memory::{line, project_scope};

/// Facts that are shown.
const SHOWN: usize = 50;

/// What is to be done with the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verb {
    /// Show the newest facts.
    List,
    /// Show the facts that have these words.
    Search(String),
    /// Keep a fact.
    Add {
        /// The fact.
        text: String,
        /// Whether it holds in this project alone.
        in_project: bool,
    },
    /// Forget facts by their numbers.
    Forget(Vec<String>),
}

/// Runs a sub-command; `print` writes a line to standard output.
///
/// # Errors
/// When nothing is remembered under a number, or the store cannot be read or written.
pub fn run(base: &Base, command: &MemoryCommand, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    let json_wanted = match command {
        MemoryCommand::List { json } | MemoryCommand::Search { json, .. } => *json,
        MemoryCommand::Add { .. } | MemoryCommand::Forget { .. } => false,
    };
    let verb = match command {
        MemoryCommand::List { .. } => Verb::List,
        MemoryCommand::Search { words, .. } => Verb::Search(words.join(" ")),
        MemoryCommand::Add { text, project } => Verb::Add { text: text.join(" "), in_project: *project },
        MemoryCommand::Forget { ids } => Verb::Forget(ids.clone()),
    };
    let lines: Vec<String> = if json_wanted {
        found(base, &base.folder, &verb)?.iter().map(|stored| object(stored).to_string()).collect()
    } else {
        act(base, &base.folder, &verb)?
    };
    lines.iter().for_each(|line| print(line));
    Ok(ExitCode::Ok)
}

/// Does it and returns the lines to show.
///
/// # Errors
/// When nothing is remembered under a number, or the store cannot be read or written.
pub fn act(base: &Base, folder: &Path, verb: &Verb) -> Result<Vec<String>, Failure> {
    if let Some(warning) = base.store.open().err().map(|error| chain(&error)).or_else(|| base.store.take_warning()) {
        return Err(Failure::user(warning));
    }
    match verb {
        Verb::List | Verb::Search(_) => {
            let found = found(base, folder, verb)?;
            if found.is_empty() {
                return Ok(vec!["nothing is remembered here".to_owned()]);
            }
            Ok(found.iter().map(line).collect())
        }
        Verb::Add { text, in_project } => {
            let scope = match in_project.then(|| project_scope(folder)) {
                None => Scope::User,
                Some(Some(scope)) => scope,
                Some(None) => return Err(Failure::user("this folder is in no git repository, so it is no project")),
            };
            let new = NewMemory {
                content: text.clone(),
                category: if *in_project { "project" } else { "fact" }.to_owned(),
                importance: 4,
                source: "person".to_owned(),
            };
            let id = base.memory().keep(&base.owner(folder), &new, &scope)?;
            Ok(vec![format!("remembered ({id})")])
        }
        Verb::Forget(ids) => {
            let owner = base.owner(folder);
            let mut lines = Vec::new();
            for id in ids {
                match base.store.forget(&owner, id)? {
                    true => lines.push(format!("forgotten ({id})")),
                    false => {
                        return Err(Failure::user(format!("nothing is remembered under {id:?}"))
                            .hint("`:memory list` shows the numbers"));
                    }
                }
            }
            Ok(lines)
        }
    }
}

fn found(base: &Base, folder: &Path, verb: &Verb) -> Result<Vec<StoredMemory>, Failure> {
    let owner = base.owner(folder);
    Ok(match verb {
        Verb::Search(words) => base.store.recall(&owner, words, SHOWN)?,
        Verb::List | Verb::Add { .. } | Verb::Forget(_) => base.store.memories(&owner, SHOWN)?,
    })
}

fn object(stored: &StoredMemory) -> Value {
    let memory = &stored.memory;
    let project = match &stored.scope {
        Scope::User => Value::Null,
        Scope::Project(path) => path.as_str().into(),
    };
    json!({
        "id": memory.id, "content": memory.content, "category": memory.category, "importance": memory.importance,
        "source": memory.source, "created_ms": memory.created_ms, "project": project,
    })
}
