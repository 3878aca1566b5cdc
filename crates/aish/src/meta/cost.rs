//! `:cost` and `:cost detail`.

use crate::command::cost::reasoned;
use crate::ledger::Row;
use crate::repl::Repl;

pub(super) fn run(repl: &mut Repl, rest: &str) {
    let rows = repl.conversation.driver.asker.ledger.rows();
    match rest {
        "" => {
            let usage = rows.iter().fold(aish_types::Usage::default(), |sum, (_, _, row)| sum + row.usage);
            let calls: u64 = rows.iter().map(|(_, _, row)| row.calls).sum();
            let unpriced: u64 = rows.iter().map(|(_, _, row)| row.unpriced).sum();
            let spent = repl.conversation.driver.asker.ledger.spent();
            let note = if unpriced > 0 { format!(" ({unpriced} calls without a known price)") } else { String::new() };
            let mark = if usage.estimated { "~" } else { "" };
            let (sent, received, reasoned) = (usage.prompt, usage.completion, reasoned(&usage));
            repl.print_words(&format!(
                "{calls} calls, {mark}{sent} tokens sent, {received} received{reasoned}, {spent}{note}"
            ));
        }
        "detail" => {
            for (model, category, row) in &rows {
                repl.print_words(&line(model, category, row));
                if row.usage.cached > 0 {
                    repl.print_words(&format!("  {} of the prompt tokens from the server's cache", row.usage.cached));
                }
            }
            let tokens = repl.context_tokens();
            let budget = repl.conversation.turn.budget().token_budget;
            let percent = (tokens * 100).checked_div(budget).unwrap_or(0);
            repl.print_words(&format!(
                "[estimated session ctx: {tokens} tokens; token_budget={budget} ({percent}% used)]"
            ));
            match repl.conversation.driver.seen.evictions.exchanges {
                0 => {}
                1 => repl.print_words("[set aside: the oldest exchange]"),
                exchanges => repl.print_words(&format!("[set aside: the {exchanges} oldest exchanges]")),
            }
        }
        other => repl.complain(&format!(":cost takes nothing or `detail`, not {other:?}")),
    }
}

/// `anthropic/claude-haiku-4.5 main 1 calls, 179 / 8 tokens, $0.000219`
fn line(model: &str, category: &str, row: &Row) -> String {
    let mark = if row.usage.estimated { "~" } else { "" };
    let cost =
        if row.unpriced == row.calls && row.calls > 0 { "price unknown".to_owned() } else { row.cost.to_string() };
    format!(
        "{model} {category} {} calls, {mark}{} / {} tokens{}, {cost}",
        row.calls,
        row.usage.prompt,
        row.usage.completion,
        reasoned(&row.usage)
    )
}

#[cfg(test)]
mod tests {
    use aish_types::{Money, Usage};

    use super::*;

    #[test]
    fn rows_are_as_in_the_manifest() {
        let usage = Usage { prompt: 179, completion: 8, ..Usage::default() };
        let row = Row { calls: 1, usage, cost: Money::from_nanos(219_000), unpriced: 0 };
        assert_eq!(
            line("anthropic/claude-haiku-4.5", "main", &row),
            "anthropic/claude-haiku-4.5 main 1 calls, 179 / 8 tokens, $0.000219"
        );
        let thinking = Row { usage: Usage { reasoning: 5, ..usage }, ..row };
        assert!(line("m", "main", &thinking).contains("/ 8 tokens (5 of them reasoning), "));
    }
}
