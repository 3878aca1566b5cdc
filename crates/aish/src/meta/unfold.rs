//! `:unfold`: what commands of the model showed and the terminal did not.

use crate::repl::Repl;

pub(super) fn run(repl: &mut Repl) {
    let folded = repl.live.take_folded();
    if folded.is_empty() {
        repl.say("nothing is folded");
    }
    for executed in folded {
        repl.print(&format!("$ {}  [{}]", executed.command.trim(), executed.status));
        repl.print(executed.output.trim_end_matches('\n'));
    }
}
