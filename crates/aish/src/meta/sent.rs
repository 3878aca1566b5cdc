//! `:sent`: the last request to the model.

use super::whole;
use crate::repl::Repl;

pub(super) fn run(repl: &mut Repl, rest: &str) {
    let Some(sent) = repl.conversation.driver.asker.sent.clone() else {
        return repl.say("nothing has been sent to a model in this session");
    };
    whole::show(repl, &sent.text(), ":sent", rest);
}
