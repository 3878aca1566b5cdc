//! One layer of the configuration: paths to values, each with its origin.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The user's file.
    User(PathBuf),
    /// The project's file.
    Project(PathBuf),
    /// A variable of the environment.
    Variable(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(path) | Self::Project(path) => path.display().fmt(f),
            Self::Variable(name) => write!(f, "${name}"),
        }
    }
}

/// One value with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The value; its kind has been checked.
    pub value: Value,
    /// Where it comes from.
    pub origin: Origin,
    /// Line and column, both from 1, in a file.
    pub position: Option<(usize, usize)>,
}

/// Paths to values.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    /// The settings, by path.
    pub settings: BTreeMap<Vec<String>, Setting>,
}

impl Layer {
    /// Puts another layer over this one: its values win; tables of a key are merged entry by entry.
    pub fn put_over(&mut self, over: Self) {
        for (path, setting) in over.settings {
            match self.settings.get_mut(&path) {
                Some(Setting { value: Value::Object(below), origin, .. }) if setting.value.is_object() => {
                    if let Value::Object(entries) = setting.value {
                        below.extend(entries);
                        *origin = setting.origin;
                    }
                }
                _ => {
                    self.settings.insert(path, setting);
                }
            }
        }
    }

    /// Returns all settings as one tree.
    pub fn tree(&self) -> Value {
        let mut root = serde_json::Map::new();
        for (path, setting) in &self.settings {
            insert(&mut root, path, &setting.value);
        }
        Value::Object(root)
    }
}

fn insert(table: &mut serde_json::Map<String, Value>, path: &[String], value: &Value) {
    match path {
        [] => {}
        [last] => {
            table.insert(last.clone(), value.clone());
        }
        [section, rest @ ..] => {
            let next = table.entry(section.clone()).or_insert_with(|| Value::Object(serde_json::Map::new()));
            if let Value::Object(next) = next {
                insert(next, rest, value);
            }
        }
    }
}
