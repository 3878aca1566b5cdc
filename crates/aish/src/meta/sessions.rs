//! `:sessions`.

use crate::repl::Repl;

/// Sessions that are shown.
const SHOWN: usize = 20;

pub(super) fn run(repl: &Repl) {
    let Some(state) = &repl.base.paths.state else {
        return repl.print("there is no home folder, so no session is kept");
    };
    let sessions = crate::session::list(&state.join("sessions"));
    if sessions.is_empty() {
        return repl.print("no session was kept yet");
    }
    for (id, _) in sessions.iter().take(SHOWN) {
        let mark = if *id == repl.conversation.driver.session { "*" } else { " " };
        repl.print(&format!("{mark} {id}"));
    }
    repl.print("`aish --resume ID` goes on with one");
}
