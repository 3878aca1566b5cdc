//! What a person reads about a run: how it begins, how it ended, and the exit code.

use aish_safety::Consent;
use aish_turn::{Checked, End, Spent};

use super::Finished;
use super::order::Order;
use crate::exit::ExitCode;

/// Says what a run may use.
pub fn beginning(order: &Order) -> String {
    let limits = &order.limits;
    let reads = match order.consent {
        Consent::Acts => "",
        Consent::Reads => "; what does more than read is asked",
    };
    format!(
        "norris: at most {} steps, {} calls, {} tokens, {}, {}{reads}; Ctrl-C ends it",
        limits.steps,
        limits.tool_calls,
        limits.tokens,
        limits.money,
        time(limits.millis)
    )
}

/// Says how a run ended.
pub fn ending(end: &End, order: &Order) -> String {
    let limits = &order.limits;
    match end {
        End::Done(Checked::Yes) => "done".to_owned(),
        End::Done(Checked::No) => "done, as the model says; it could not be checked any more".to_owned(),
        End::GaveUp => "not done: the model gave up".to_owned(),
        End::Stuck => "stopped: the model said nothing more that could be run".to_owned(),
        End::Limit(limit) => {
            let most = match limit {
                aish_turn::Limit::Steps => limits.steps.to_string(),
                aish_turn::Limit::ToolCalls => limits.tool_calls.to_string(),
                aish_turn::Limit::Tokens => limits.tokens.to_string(),
                aish_turn::Limit::Money => limits.money.to_string(),
                aish_turn::Limit::Time => time(limits.millis),
            };
            match limit {
                // It may be a cap of another kind that refused the next request: that was said when it did.
                aish_turn::Limit::Money => format!("stopped: a limit of dollars is reached (this run's own is {most})"),
                _ => format!("stopped: the limit of {} is reached ({most})", limit.as_str()),
            }
        }
        End::Halted(judgement) => format!("halted: {} ({})", judgement.reason, judgement.rule),
        End::Failed => "stopped: the model could not be asked".to_owned(),
        End::Interrupted => "interrupted".to_owned(),
    }
}

/// Says what a run used.
pub fn used(spent: &Spent) -> String {
    format!(
        "{} steps, {} calls, {} tokens, {}, {}",
        spent.steps,
        spent.tool_calls,
        spent.tokens,
        spent.money,
        time(spent.millis)
    )
}

/// Returns the exit code of a run.
pub const fn exit_code(finished: &Finished) -> ExitCode {
    match finished.end {
        End::Done(_) => ExitCode::Ok,
        End::GaveUp | End::Stuck | End::Failed => ExitCode::Error,
        End::Halted(_) => ExitCode::Halted,
        End::Limit(_) => ExitCode::Budget,
        End::Interrupted => ExitCode::Interrupted,
    }
}

/// Writes a time: `12 s` below two minutes, else `30 min`.
fn time(millis: u64) -> String {
    match millis {
        0..=999 => format!("{millis} ms"),
        1_000..=119_999 => format!("{} s", millis / 1000),
        _ => format!("{} min", millis / 60_000),
    }
}

#[cfg(test)]
mod tests {
    use aish_turn::Limit;

    use super::*;
    use crate::arguments::NorrisFlags;
    use crate::config::section::Norris;

    #[test]
    fn each_end_has_its_words_and_its_code() {
        let order = Order::new("x", &Norris::default(), &NorrisFlags::default());
        assert_eq!(
            beginning(&order),
            "norris: at most 25 steps, 50 calls, 200000 tokens, $1.00, 30 min; Ctrl-C ends it"
        );
        let halted = aish_safety::Judgement::new(aish_safety::Verdict::Halt, "files.delete", "deletes x");
        for (end, words, code) in [
            (End::Done(Checked::Yes), "done", 0),
            (End::Done(Checked::No), "could not be checked", 0),
            (End::GaveUp, "gave up", 1),
            (End::Stuck, "nothing more", 1),
            (End::Failed, "could not be asked", 1),
            (End::Halted(halted), "halted: deletes x (files.delete)", 3),
            (End::Limit(Limit::Steps), "the limit of steps is reached (25)", 4),
            (End::Limit(Limit::Money), "a limit of dollars is reached (this run's own is $1.00)", 4),
            (End::Limit(Limit::Time), "the limit of minutes is reached (30 min)", 4),
            (End::Interrupted, "interrupted", 130),
        ] {
            assert!(ending(&end, &order).contains(words), "{end:?}");
            let finished = Finished { end, spent: Spent::default(), report: String::new() };
            assert_eq!(exit_code(&finished).code(), code);
        }
    }
}
