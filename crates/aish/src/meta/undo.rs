//! `:undo`.

use crate::repl::Repl;
use crate::undo::answer::answer;

pub(super) fn run(repl: &mut Repl, rest: &str) {
    let session = repl.conversation.driver.caller.session.clone();
    let answered = answer(&repl.base, Some(&session), (":undo", rest.trim()), &mut |line| {
        repl.print_words(&aish_types::visible(line));
    });
    if let Err(why) = answered {
        repl.fail(&why);
    }
}
