//! `:diff` and `:diff ID`.

use aish_term::diff_lines;
use aish_term::styled::Ink;

use crate::display::theme;
use crate::repl::Repl;
use crate::transactions::shown;

pub(super) fn run(repl: &mut Repl, rest: &str) {
    let found = shown::of(&repl.base, rest.trim(), &mut |line| repl.print(&aish_types::visible(line)));
    match found {
        Err(why) => repl.fail(&why),
        Ok((command, text)) => {
            repl.print(&format!("$ {}", aish_types::visible(&command)));
            let ink = Ink { color: repl.screen.err.color, links: false };
            for line in diff_lines(&text, &theme(&repl.base), &repl.screen.err) {
                repl.print(&line.to_text(ink));
            }
        }
    }
}
