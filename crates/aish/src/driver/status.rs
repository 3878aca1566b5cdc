//! The texts of status lines.

use aish_turn::Status;
use aish_types::{Block, ToolName, ToolOutcome};

use super::Stage;
use crate::surface::Shown;

/// What follows where a context is full, which is told once.
const FULL: &str = ", as others will be from now on; `:cost detail` counts them, `:reset` begins anew";

/// Shows a status as a line.
pub(super) fn show(status: &Status, stage: &mut Stage<'_>) {
    match status {
        Status::Failed { message } => stage.show(Shown::Error(message)),
        Status::Halted(judgement) => {
            stage.show(Shown::Error(&format!("halted: {} ({})", judgement.reason, judgement.rule)));
        }
        other => stage.show(Shown::Notice(&text(other))),
    }
}

/// Says what of an outcome a terminal does not show; the model may see it.
pub(super) fn unseen(tool: &ToolName, outcome: &ToolOutcome) -> Option<String> {
    let kinds: Vec<String> = outcome
        .blocks
        .iter()
        .map(|block| match block {
            Block::Image { media_type, .. } => format!("an image ({media_type})"),
            Block::Audio { media_type, .. } => format!("audio ({media_type})"),
            Block::Resource { uri, .. } => format!("a resource ({uri})"),
        })
        .collect();
    (!kinds.is_empty()).then(|| format!("{tool}: not shown: {}", kinds.join(", ")))
}

fn text(status: &Status) -> String {
    match status {
        Status::Evicted { exchanges: 1 } => format!("context full: the oldest exchange was set aside{FULL}"),
        Status::Evicted { exchanges } => format!("context full: the {exchanges} oldest exchanges were set aside{FULL}"),
        Status::OverBudget { tokens, budget } => format!(
            "about {tokens} tokens with only the system prompt and this question, over the budget of {budget}; sent all the same \
             (context.token_budget, models.NAME.context)"
        ),
        Status::Malformed { tool, reason } => format!("{tool}: the call was not run: {reason}"),
        Status::Transport { tool, message } if tool.split().0.is_some() => format!("mcp: {tool}: {message}"),
        Status::Transport { tool, message } => format!("{tool}: {message}"),
        Status::DepthLimit => {
            "tool-call depth limit reached (mcp.max_tool_depth); :continue goes on from there, `aish ask --continue` in scripts"
                .to_owned()
        }
        Status::Cut { only_reasoned: true, .. } => {
            "the whole length limit went into reasoning; raise models.NAME.max_tokens, or lower models.NAME.effort"
                .to_owned()
        }
        Status::Cut { calls, .. } => format!(
            "the answer was cut by its length limit (models.NAME.max_tokens){}; :continue goes on with it, `aish ask --continue` in scripts",
            not_run(*calls)
        ),
        Status::Withheld { calls } => {
            format!("the provider withheld the rest of the answer (its content filter){}", not_run(*calls))
        }
        Status::Empty { reasoned: true } => "the model reasoned and answered nothing; ask again".to_owned(),
        Status::Empty { reasoned: false } => "the model answered nothing; ask again".to_owned(),
        Status::Looping { tool } => format!("{tool} failed the same way again and again; stopped"),
        Status::ToolRoleOff => "the model's template takes no tool results; they go as text from now on".to_owned(),
        Status::Failed { message } => message.clone(),
        Status::Halted(judgement) => judgement.reason.clone(),
    }
}

fn not_run(calls: bool) -> &'static str {
    if calls { "; its calls were not run" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seed of the MCP client, risk: content blocks beyond text are told in a status line.
    #[test]
    fn risk_content_blocks_beyond_text_are_told() {
        let mut outcome = ToolOutcome::success("a");
        let tool = ToolName::new("fake.draw");
        assert_eq!(unseen(&tool, &outcome), None);
        outcome.blocks = vec![
            Block::Image { media_type: "image/png".into(), data: "aGk=".into() },
            Block::Resource { uri: "x:y".into(), media_type: None, data: None },
        ];
        let told = unseen(&tool, &outcome);
        assert_eq!(told.as_deref(), Some("fake.draw: not shown: an image (image/png), a resource (x:y)"));
    }
}
