//! Undo on a call's way: put aside right before the command runs.

use std::collections::VecDeque;
use std::sync::Arc;

use aish_safety::{Act, By, Mode, PreparedCall, Subject};
use aish_tools::Ready;
use aish_turn::Event;
use aish_types::ToolOutcome;

use super::{Driver, Stage};
use crate::base::Base;
use crate::surface::Shown;
use crate::undo::UndoKeeper;

/// What becomes of what commands change.
#[derive(Clone)]
pub struct Undo {
    /// Copies what commands change before they run; `None` where undo is off.
    pub keeper: Option<Arc<UndoKeeper>>,
    /// Whether what is kept can be taken back.
    pub enabled: bool,
    /// Bytes that are kept in all.
    pub max_bytes: u64,
}

impl Undo {
    /// Undo as it is configured.
    pub fn of(base: &Base) -> Self {
        let keeper = UndoKeeper::open(base).map(Arc::new);
        Self { keeper, enabled: base.config.undo.enabled, max_bytes: base.config.undo.max_bytes }
    }
}

impl Driver {
    /// Puts aside what approved calls change. One whose files cannot be put aside as was said does not run.
    pub(super) async fn put_aside(
        &self,
        calls: Vec<Ready>,
        events: &mut VecDeque<Event>,
        stage: &mut Stage<'_>,
    ) -> Vec<Ready> {
        let Some(undo) = &self.undo.keeper else { return calls };
        let mut out = Vec::with_capacity(calls.len());
        for approved in calls {
            let id = approved.call().context.call.clone();
            let Some(planned) = undo.take(&id) else {
                out.push(approved);
                continue;
            };
            // A person who was asked has read it already.
            let told =
                self.approver.mode() == Mode::Interactive && matches!(approved.approved_by(), By::Person | By::Kept);
            if !told {
                if let Some(line) = edits(approved.call()) {
                    stage.show(Shown::Notice(&line));
                }
                for note in &planned.notes {
                    stage.show(Shown::Notice(note));
                }
            }
            match undo.save(&planned, &self.caller.session).await {
                Ok(_) => out.push(approved),
                Err(why) => {
                    let text = format!("not run: what it changes could not be put aside for undo: {why}");
                    events.push_back(Event::Ran { id, outcome: ToolOutcome::failure(text) });
                }
            }
        }
        out
    }
}

/// Tells in one line what a tool of ours changes in files; none where it changes nothing.
fn edits(call: &PreparedCall) -> Option<String> {
    let Subject::Files { accesses, difference, .. } = &call.subject else { return None };
    let paths: Vec<&str> =
        accesses.iter().filter(|access| access.act != Act::Read).map(|access| access.path.as_str()).collect();
    let count = |mark: &str, head: &str| {
        difference.lines().filter(|line| line.starts_with(mark) && !line.starts_with(head)).count()
    };
    let (added, removed) = (count("+", "+++ "), count("-", "--- "));
    let name = call.definition.name.as_str();
    (!paths.is_empty()).then(|| {
        aish_types::visible(&format!("{name} changes {} +{added} \u{2212}{removed}", paths.join(", "))).into_owned()
    })
}
