//! `:config [KEY]`.

use crate::command::config::unknown;
use crate::config::show::show;
use crate::repl::Repl;

pub(super) fn run(repl: &mut Repl, rest: &str) {
    let wanted = Some(rest.trim()).filter(|name| !name.is_empty());
    let shown = show(&repl.base.loaded, wanted);
    match wanted.filter(|_| shown.is_empty()) {
        Some(name) => repl.complain(&unknown(name)),
        None => repl.print_words(&shown),
    }
}
