//! The configuration's template: every section with every key, its sentence, its values and its default, all of it behind
//! `#`. `aish config init` and `aish config edit` begin a file with it.

use super::default::{default_of, toml};
use super::key::Key;
use super::section::SECTIONS;

const HEAD: &str = "\
# The configuration of aish. A line behind `#` shows what holds without it; take the `#` away to set it.
# `aish config check` says what is wrong with this file, `aish config show` what holds.
";

/// Writes the template.
pub fn template() -> String {
    let mut text = HEAD.to_owned();
    for section in SECTIONS {
        let Some(first) = section.first() else { continue };
        let (name, _) = first.parts();
        // A section that takes names of yours is there for each of them, and so for none yet.
        match name.strip_suffix(".*") {
            Some(above) => text.push_str(&format!("\n# [{above}.NAME]\n")),
            None => text.push_str(&format!("\n[{name}]\n")),
        }
        for key in *section {
            text.push_str(&entry(key));
        }
    }
    text
}

fn entry(key: &Key) -> String {
    let default = default_of(key);
    let unset = if default.is_some() { "" } else { " Not set." };
    let value = toml(&default.unwrap_or_else(|| key.kind.example()));
    let expected = key.kind.expected();
    format!("# {} Takes {expected}.{unset}\n# {} = {value}\n", key.about.trim(), key.parts().1)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::keys::keys;
    use crate::config::load;
    use crate::config::section::Config;

    #[test]
    fn the_template_sets_nothing_and_each_of_its_lines_can() {
        let as_written = load(Some((Path::new("config.toml"), &template())), &[], &[]);
        assert!(as_written.diagnostics.is_empty() && as_written.merged.settings.is_empty());
        assert_eq!(as_written.config, Config::default());
        // With the `#` away from keys and sections everything is set, and nothing is wrong.
        let is_setting =
            |line: &str| line.starts_with('[') || line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
        let whole: Vec<String> = template()
            .lines()
            .map(|line| line.strip_prefix("# ").filter(|line| is_setting(line)).unwrap_or(line).to_owned())
            .collect();
        let loaded = load(Some((Path::new("config.toml"), &whole.join("\n"))), &[], &[]);
        let faults: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(faults, [""; 0]);
        assert_eq!(loaded.merged.settings.len(), keys().count());
    }
}
