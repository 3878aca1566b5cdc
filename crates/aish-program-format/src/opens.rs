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
    /// Options with which it opens all that lies below the folders that it is given, and below the one that it is in where
    /// it is given none; `*` where it does so without any.
    pub below: Vec<String>,
    /// Options with which hidden files are among that; `*` where they are without any.
    pub hidden: Vec<String>,
}
