//! Which files a program opens for their content, as it is written.

use alloc::string::String;
use alloc::vec::Vec;

/// Sub-commands by what they open: words with alternatives (`remote|tag`), the empty text where there is none, `*` for all.
/// What is in neither list may open anything.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Opens {
    /// Those that open no file that holds what a person wrote: they look at names, or print what they are given.
    pub nothing: Vec<String>,
    /// Those that open what their words name and nothing else: no file below a folder, none that another file names.
    pub named: Vec<String>,
    /// Options with which they open more than that.
    pub more: Vec<String>,
}
