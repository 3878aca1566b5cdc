//! `:export md|html|json [FILE]`.

use std::path::PathBuf;

use crate::command::sessions::{exported, save};
use crate::export::Format;
use crate::repl::Repl;

pub(super) fn run(repl: &mut Repl, rest: &str) {
    let (format, file) =
        rest.split_once(char::is_whitespace).map_or((rest, ""), |(format, file)| (format, file.trim()));
    let format = match format {
        "" => Format::Md,
        name => match Format::named(name) {
            Some(format) => format,
            None => return repl.complain(&format!(":export takes md, html or json, not {name:?}")),
        },
    };
    let id = repl.conversation.driver.caller.session.clone();
    let name = if file.is_empty() { format!("{id}.{}", format.name()) } else { file.to_owned() };
    let home = repl.base.paths.home.clone();
    let path = match (name.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(repl.folder()).join(name),
    };
    let written = repl.base.sessions().and_then(|sessions| exported(&sessions, &id, format));
    match written.and_then(|text| save(&path, &text)) {
        Ok(path) => repl.say(&format!("written: {path}")),
        Err(why) => repl.fail(&why),
    }
}
