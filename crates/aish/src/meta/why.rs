//! `:why [COMMAND]`.

use crate::command::policy::decided;
use crate::explained::explanation;
use crate::kept::KeptFile;
use crate::repl::Repl;

/// Explains the judgement of a command, which is not run; without one that of the last call of the model.
pub(super) fn run(repl: &Repl, rest: &str) {
    let (driver, policy) = (&repl.conversation.driver, repl.base.policy());
    let text = match (rest.trim(), &driver.seen.last_call) {
        ("", None) => {
            "the model has wanted nothing since aish started; `:why COMMAND` explains any command, and runs none"
                .to_owned()
        }
        ("", Some(last)) => {
            let explained = last.analysis.as_ref().map(|analysis| explanation(analysis, &policy.rules));
            format!("{}\n{}\n{}", last.call, last.decision, explained.unwrap_or_default())
        }
        (command, _) => {
            let kept = KeptFile::of(&repl.base).texts().unwrap_or_default();
            decided(&policy, command, &(driver.environment.surroundings)(), &kept)
        }
    };
    repl.print_words(&aish_types::visible(repl.base.secrets.redact(text.trim_end()).as_ref()));
}
