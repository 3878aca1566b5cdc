//! `:reset`.

use aish_route::PriorTurn;

use crate::driver::Evictions;
use crate::repl::Repl;

pub(super) fn run(repl: &mut Repl) {
    let forgotten = repl.conversation.turn.transcript().entries().len();
    repl.conversation.turn.transcript_mut().reset();
    repl.conversation.driver.seen.evictions = Evictions::default();
    repl.live.take_pending();
    repl.set_prior_turn(PriorTurn::Other);
    repl.conversation.driver.note_context(&repl.conversation.turn, &mut repl.screen.surface);
    repl.say(&format!("{forgotten} messages forgotten; the log of the session keeps them"));
}
