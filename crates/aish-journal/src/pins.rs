//! The pins as one JSON file. A file that is corrupt is an error for every look-up: what was approved is not known then.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use aish_safety::{Pin, PinError, PinStore};
use aish_types::{SourceId, ToolName};
use serde::{Deserialize, Serialize};

use crate::parsed::Parsed;
use crate::replace::update;

const VERSION: u32 = 1;

/// The file as it is written.
#[derive(Debug, Serialize, Deserialize)]
struct Content {
    version: u32,
    pins: BTreeMap<String, BTreeMap<String, Pin>>,
}

impl Default for Content {
    fn default() -> Self {
        Self { version: VERSION, pins: BTreeMap::new() }
    }
}

#[derive(Debug, thiserror::Error)]
enum PinFileError {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("it is corrupt ({0}); look at it and remove it to approve every tool anew")]
    Corrupt(String),
}

/// The pins in a file.
#[derive(Debug)]
pub struct PinFile {
    path: PathBuf,
    parsed: Parsed<Content>,
}

impl PinFile {
    /// Names the file; it is made at the first pin.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), parsed: Parsed::default() }
    }

    /// Returns all pins, by source and tool.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn all(&self) -> Result<BTreeMap<String, BTreeMap<String, Pin>>, PinError> {
        Ok(self.content()?.pins.clone())
    }

    fn content(&self) -> Result<Arc<Content>, PinError> {
        self.parsed.of(&self.path, parse).map_err(|error| self.fail(&error))
    }

    fn change(&self, change: impl FnOnce(&mut Content)) -> Result<(), PinError> {
        let result = update(&self.path, |old| {
            let mut content = parse(old)?;
            change(&mut content);
            serde_json::to_vec_pretty(&content).map_err(|error| PinFileError::Corrupt(error.to_string()))
        });
        result.map_err(|error: PinFileError| self.fail(&error))
    }

    fn fail(&self, error: &PinFileError) -> PinError {
        PinError(format!("{}: {error}", self.path.display()))
    }
}

/// A missing file holds no pins; an empty one is corrupt, for ours is never empty.
fn parse(bytes: Option<&[u8]>) -> Result<Content, PinFileError> {
    let Some(bytes) = bytes else { return Ok(Content::default()) };
    let content: Content = serde_json::from_slice(bytes).map_err(|error| PinFileError::Corrupt(error.to_string()))?;
    if content.version == VERSION {
        Ok(content)
    } else {
        Err(PinFileError::Corrupt(format!("version {} is not known", content.version)))
    }
}

impl PinStore for PinFile {
    fn get(&self, source: &SourceId, tool: &ToolName) -> Result<Option<Pin>, PinError> {
        let content = self.content()?;
        Ok(content.pins.get(source.as_str()).and_then(|tools| tools.get(tool.as_str())).cloned())
    }

    fn put(&self, source: &SourceId, tool: &ToolName, pin: &Pin) -> Result<(), PinError> {
        if self.get(source, tool)?.as_ref() == Some(pin) {
            return Ok(());
        }
        self.change(|content| {
            let tools = content.pins.entry(source.as_str().into()).or_default();
            tools.insert(tool.as_str().into(), pin.clone());
        })
    }
}
