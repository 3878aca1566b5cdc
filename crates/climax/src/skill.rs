//! The skill: what a model must know to write a config.

/// Its text, in Markdown with a head that names it.
pub const TEXT: &str = include_str!("../skill/SKILL.md");
