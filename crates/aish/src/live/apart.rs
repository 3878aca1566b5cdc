//! Commands of the model apart from the live shell, and what of them comes back to it: the folder, where it lies in the
//! tree, and variables that nobody obeys. All else that such a line sets would act later in the person's own commands.

use std::path::Path;
use std::time::Duration;

use aish_safety::{Placement, is_harmless_name, is_harmless_value};
use aish_shell::{ShellState, Surroundings};
use aish_tools::RunContext;
use aish_types::CallId;

use super::{BY_INTERRUPT, Live, UNASKED_ROWS};
use crate::failure::Failure;
use crate::shell_tool::{CommandRunner as _, Order, Ran, Way};
use crate::transactions::{Beside, is_plain_folder};

/// The longest value of a variable that comes back, in bytes.
const LONGEST_VALUE: usize = 16 * 1024;

/// The shell before a command, and the command's own after it.
pub(super) struct Between {
    before: ShellState,
    after: ShellState,
}

/// Runs a command apart.
pub(super) async fn run(live: &Live, command: &str, order: &Order, bounds: RunContext) -> Result<Ran, Failure> {
    let Some(transactions) = &live.transactions else {
        return match order.placement {
            Placement::Layer(_) => Err(Failure::user("commands cannot run in layers here, and this one was not run")),
            Placement::Clean | Placement::Reading | Placement::Open => live.run(command, Way::Asked, bounds).await,
        };
    };
    let shell = live.start().await;
    let state = shell.state().await.ok();
    let variables = state.iter().flat_map(|state| &state.variables);
    let values = variables.filter(|variable| live.secrets.are_named(&variable.name));
    live.secrets.learn(values.filter_map(|variable| variable.value.as_deref()));
    let folder = state.as_ref().map(|state| state.cwd.clone()).or_else(|| live.remembered().folder);
    let program = live.options.program.first().map(|word| word.to_string_lossy().into_owned());
    let beside = Beside {
        program: program.as_deref().unwrap_or("bash"),
        folder: folder.as_deref().unwrap_or(Path::new("/")),
        state: state.as_ref(),
    };
    let timeout_ms = bounds.timeout_ms;
    let surroundings = live.watched(bounds, (!order.asked).then_some(UNASKED_ROWS));
    let _showing = if order.asked { None } else { Some(live.show_unasked(command).await) };
    let done = transactions.run(command, order, beside, &surroundings).await?;
    let result = done.result;
    {
        let mut remembered = live.lock();
        remembered.took = result.duration;
        remembered.typed_ahead.push_str(&String::from_utf8_lossy(&result.type_ahead));
    }
    live.end_line(&result.output, result.full_screen || result.folded > 0);
    live.tell_folded(command, result.folded, result.status, &result.output);
    live.tell_failure(result.status, result.ending, result.duration);
    if let (Placement::Layer(_), Some(before), Some(after)) = (order.placement, state, result.state) {
        let mut apart = live.apart.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        apart.insert(order.call.clone(), Between { before, after });
    }
    let by_person = live.terminal.is_some() && result.status == BY_INTERRUPT;
    let ending = super::ending_words(result.ending, timeout_ms).or_else(|| by_person.then(super::interrupted));
    let stopped = done.stopped.filter(|_| !by_person);
    Ok(Ran { stopped, by_person, ..Ran::of(result.status, &result.output, ending) })
}

/// Takes over what comes back.
pub(super) async fn come_back(live: &Live, call: &CallId) -> Option<String> {
    let between = live.apart.lock().unwrap_or_else(std::sync::PoisonError::into_inner).remove(call);
    let Between { before, after } = between?;
    let mut lines = Vec::new();
    let mut lost = Vec::new();
    if after.cwd != before.cwd {
        let tree = live.transactions.as_ref().and_then(|all| all.ground().tree(&before.cwd));
        let there = std::fs::canonicalize(&after.cwd).ok().filter(|path| path.is_dir());
        let is_in_tree = there.zip(tree).is_some_and(|(there, tree)| is_plain_folder(&there, &tree));
        match (is_in_tree, after.cwd.to_str()) {
            (true, Some(folder)) => lines.push(format!("\\builtin cd -- {}", quoted(folder))),
            _ => lost.push(format!("the folder {}", after.cwd.display())),
        }
    }
    for variable in &after.variables {
        let old = before.variable(&variable.name);
        if old == Some(variable) {
            continue;
        }
        let is_plain = variable.attributes.is_empty() && old.is_none_or(|old| old.attributes.is_empty());
        match &variable.value {
            Some(value)
                if is_plain
                    && is_harmless_name(&variable.name)
                    && is_harmless_value(value)
                    // What the person's shell runs by itself takes no orders from the model.
                    && !before.takes(&variable.name, value)
                    && value.len() <= LONGEST_VALUE =>
            {
                lines.push(format!("{}={}", variable.name, quoted(value)));
            }
            // What it had in the environment alone is no variable that it set.
            _ if variable.name == "OLDPWD" || variable.name == "GIT_OPTIONAL_LOCKS" => {}
            _ => lost.push(variable.name.clone()),
        }
    }
    let has = |name: &str| before.functions.iter().any(|known| known.name == name);
    lost.extend(after.functions.iter().filter(|new| !has(&new.name)).map(|new| format!("{}()", new.name)));
    if !lines.is_empty() {
        // A blank keeps it out of the history; nobody watches.
        let line = format!(" {}", lines.join("; "));
        let shell = live.start().await;
        let surroundings = Surroundings { timeout: Some(Duration::from_secs(5)), ..Surroundings::unwatched() };
        if let Ok(result) = shell.run(&line, surroundings).await {
            live.lock().folder = Some(result.cwd);
        }
    }
    let more = lost.len().saturating_sub(8);
    lost.truncate(8);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!lost.is_empty()).then(|| format!("not set in the shell, which is another one: {}{more}", lost.join(", ")))
}

/// Quotes a text for bash so that nothing in it has a meaning.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
