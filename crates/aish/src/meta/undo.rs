//! `:undo`.

use crate::repl::Repl;
use crate::undo::answer;

pub(super) fn run(repl: &mut Repl, rest: &str) {
    match answer(&repl.base, rest.trim()) {
        Ok((lines, _)) => {
            for line in lines {
                repl.print(&aish_types::visible(&line));
            }
        }
        Err(why) => repl.complain(&why),
    }
}
