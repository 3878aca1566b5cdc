//! `:route LINE`.

use crate::command::route::routed;
use crate::repl::Repl;

pub(super) fn run(repl: &mut Repl, rest: &str) {
    if rest.is_empty() {
        return repl.complain(":route takes a line");
    }
    let (route, reason) = routed(rest, &repl.names(), repl.prior_turn());
    repl.print_words(&format!("{}: {reason}", route.as_str()));
}
