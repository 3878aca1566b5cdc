//! `docs/configuration.md`, and the keys in the manual: written from the tables of the sections.

use super::default::{default_of, toml};
use super::keys::keys;

/// Writes the keys as a section of a manual page.
pub fn manual() -> String {
    let mut text = ".SH CONFIGURATION\nKeys of the file that \\fBaish config path\\fR names.\n".to_owned();
    for key in keys() {
        let default = default_of(key).map(|value| format!(" Without it: {}.", toml(&value))).unwrap_or_default();
        let words = roff(&format!("{} Takes {}.{default}", key.about.trim(), key.kind.expected()));
        text.push_str(&format!(".TP\n\\fB{}\\fR\n{words}\n", roff(key.name)));
    }
    text
}

/// Makes a text safe for roff: no escapes, no requests, and hyphens that can be searched for.
fn roff(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::key::{Key, Overlay};
    use crate::config::section::SECTIONS;

    const HEAD: &str = "\
# Configuration

`$XDG_CONFIG_HOME/aish/config.toml` (`aish config path` prints its name), TOML. `aish config init` writes one with every key
behind `#`; `aish config edit` opens it, `aish config show` prints what holds and where each value comes from, and
`aish config check` what is wrong. A fault costs its own key alone: its default holds. A fault in `policy`, `approval`, `confine`, `sandbox`,
`hooks`, `mcp.auto_approve`, `norris.read_only` or `shell.confirm_cmd` has everything asked until it is mended; one that may
have taken `cost.cap_at_dollars` or `norris.max_dollars` away lets
no request go that costs.

Layers, the later one wins: defaults, this file, a trusted project's `.aish.toml` (see the last column), the environment
(`AISH_SECTION_KEY`, as `AISH_CONTEXT_MAX_TURNS=20`; lists with commas), flags.

*A project may* says what `.aish.toml` may do with a key: set it, lower it, set it to one value, add what tightens, or
nothing.

This page is written from the tables in `crates/aish/src/config/section/`; a test compares.
";

    /// Writes the page.
    fn page() -> String {
        let mut text = HEAD.to_owned();
        for section in SECTIONS {
            let Some(first) = section.first() else { continue };
            let name = first.parts().0.replace(".*", ".NAME");
            text.push_str(&format!(
                "\n## `[{name}]`\n\n| key | | values | default | a project may |\n|---|---|---|---|---|\n"
            ));
            for key in *section {
                let default = default_of(key).map(|value| format!("`{}`", toml(&value))).unwrap_or_default();
                let row = [key.about.trim(), &key.kind.expected(), &default, may(key)].join(" | ");
                text.push_str(&format!("| `{}` | {row} |\n", key.parts().1));
            }
        }
        text
    }

    const fn may(key: &Key) -> &'static str {
        match key.overlay {
            Overlay::Free => "set it",
            Overlay::Only(true) => "set `true`",
            Overlay::Only(false) => "set `false`",
            Overlay::Deny => "set `\"deny\"`",
            Overlay::Lower => "lower it",
            Overlay::Tighten => "tighten",
            Overlay::Never => "",
        }
    }

    #[test]
    fn the_page_of_the_keys_is_what_the_tables_say() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
        if std::env::var_os("AISH_TEST_UPDATE").is_some() {
            std::fs::write(path, page()).unwrap();
        }
        let written = std::fs::read_to_string(path).unwrap();
        assert_eq!(written, page(), "run this test with AISH_TEST_UPDATE=1 to write docs/configuration.md anew");
    }

    #[test]
    fn the_manual_has_every_key() {
        let manual = manual();
        for key in keys() {
            assert!(manual.contains(&format!("\\fB{}\\fR\n", key.name)), "{}", key.name);
        }
    }

    #[test]
    fn every_sentence_is_one() {
        for key in keys() {
            let about = key.about.trim();
            assert!(
                about.ends_with('.') && about.starts_with(char::is_uppercase) && about.len() <= 130,
                "{}: {about}",
                key.name
            );
        }
    }
}
