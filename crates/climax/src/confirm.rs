//! The sentence that is asked at the gate, with its look-ups.

use aish_process::Exit;
use aish_safety::command::judge_argv;
use aish_safety::{Surroundings, Verdict};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::argv::{Invocation, plain};
use crate::config::Resolve;
use crate::expand::{self, Variables};
use crate::source::Prepared;
use crate::{run, template};

/// Characters of a look-up's output that the sentence takes.
const MAX_CHARS: usize = 500;

/// Fills the tool's sentence in; a place without a value gives the general one.
pub(crate) async fn message(prepared: &Prepared<'_>, arguments: &Value, world: &dyn Variables) -> String {
    let name = &prepared.tool.name;
    let general = || format!("Approve execution of {name}?");
    let Some(sentence) = &prepared.tool.confirm_message else { return general() };
    let mut found: Vec<(&str, String)> = Vec::new();
    for resolve in &prepared.tool.resolve {
        if template::places(sentence).any(|place| place == resolve.variable)
            && let Some(text) = look_up(prepared, resolve, arguments, world).await
        {
            found.push((&resolve.variable, text));
        }
    }
    let value = |place: &str| {
        let looked_up = found.iter().find(|(variable, _)| *variable == place).map(|(_, text)| text.clone());
        looked_up.or_else(|| argument(prepared, arguments, place))
    };
    template::fill(sentence, value).unwrap_or_else(|_| general())
}

fn argument(prepared: &Prepared<'_>, arguments: &Value, name: &str) -> Option<String> {
    let given = arguments.get(name).filter(|value| !value.is_null());
    given.or_else(|| prepared.tool.arg(name)?.default.as_ref()).map(plain)
}

/// Runs one look-up; none when it fails, says nothing, or would do harm.
async fn look_up(
    prepared: &Prepared<'_>,
    resolve: &Resolve,
    arguments: &Value,
    world: &dyn Variables,
) -> Option<String> {
    let config = &prepared.entry.config;
    let mut words = expand::command(&config.command, world);
    let base = words.len();
    words.extend(resolve.command.iter().cloned());
    for (flag, text) in &resolve.args {
        // A template whose argument is absent is left out whole.
        let Ok(value) = template::fill(text, |name| argument(prepared, arguments, name)) else { continue };
        words.push(if flag.starts_with('-') { flag.clone() } else { format!("--{}", flag.replace('_', "-")) });
        words.push(value);
    }
    if judge_argv(&words, &Surroundings::default()).verdict == Verdict::Halt {
        tracing::warn!(tool = %prepared.tool.name, variable = %resolve.variable, "a look-up that would destroy is not run");
        return None;
    }
    let folder = config.working_dir.as_deref().map(|folder| expand::path(folder, world));
    let invocation = Invocation { words, base, stdin: None, folder, env: config.env.clone() };
    let command = run::command(invocation, resolve.timeout_s);
    let outcome = aish_process::run(&command, &CancellationToken::new()).await.ok()?;
    let text = outcome.stdout.clean_text();
    let text = text.trim();
    (outcome.exit == Exit::Code(0) && !text.is_empty()).then(|| text.chars().take(MAX_CHARS).collect())
}
