//! MCP servers as files name them: how each is reached, its bounds, and what the user says of its tools.
//!
//! Reading order: [`ServerEntry`] (one server), `place` (where its program runs), `overrides` (what is said of its tools), `arguments` (of their arguments),
//! `read` (`servers:` of a YAML file), [`read_list`] (lists of other programs). Nothing is started here.

mod arguments;
mod entry;
mod file;
mod overrides;
mod place;
mod read;

pub(crate) use arguments::folded;
pub(crate) use entry::file_options;
pub use entry::{Limits, ServerEntry, ServerFile, joined};
pub use file::{ServerList, read_list};
pub use overrides::{ArgumentOverride, ToolOverride};
pub(crate) use overrides::{Offered, Said, offered, strays};
pub(crate) use place::{is_relative, program_file};
pub(crate) use read::servers;
