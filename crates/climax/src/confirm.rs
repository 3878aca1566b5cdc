//! The sentence that is asked at the gate, with its look-ups.

use std::sync::Arc;

use aish_process::Exit;
use aish_safety::Subject;
use aish_tools::{Confirm, LookUp, Plan};
use aish_types::ToolOutcome;
use serde_json::{Map, Value};

use crate::argv::{Invocation, plain};
use crate::catalogue::{Catalogue, ENDING_MS, Entry};
use crate::config::{Resolve, Tool};
use crate::expand::{self, Variables};
use crate::policy::Executor;
use crate::run::{self, Limits};
use crate::{docker, template};

/// Characters of a look-up's output that the sentence takes.
const MAX_CHARS: usize = 500;

/// Plans the sentence of a call; a place without a value gives the `general` one, and so does a tool without a sentence.
pub(crate) fn plan(
    catalogue: &Arc<Catalogue>,
    entry: &Entry,
    arguments: &Map<String, Value>,
    general: String,
    world: &dyn Variables,
) -> Confirm {
    let tool = &entry.tool;
    let Some(sentence) = tool.confirm_message.clone() else {
        return Confirm { look_ups: Vec::new(), word: Box::new(|_| general) };
    };
    let wanted = |resolve: &&Resolve| {
        template::places(&sentence).any(|place| place == resolve.variable) && !takes_several(tool, arguments, resolve)
    };
    let resolves: Vec<&Resolve> = tool.resolve.iter().filter(wanted).collect();
    let look_ups = resolves.iter().map(|resolve| look_up(catalogue, entry, resolve, arguments, world)).collect();
    let given: Vec<(String, String)> = template::places(&sentence)
        .filter_map(|place| Some((place.to_owned(), argument(tool, arguments, place)?)))
        .collect();
    let variables: Vec<String> = resolves.iter().map(|resolve| resolve.variable.clone()).collect();
    let word = move |found: Vec<Option<String>>| {
        let found = variables.into_iter().zip(found).filter_map(|(variable, text)| Some((variable, text?)));
        let values: Vec<(String, String)> = found.chain(given).collect();
        let value = |place: &str| values.iter().find(|(name, _)| name == place).map(|(_, text)| text.clone());
        template::fill(&sentence, value).unwrap_or(general)
    };
    Confirm { look_ups, word: Box::new(word) }
}

/// Writes the value of an argument; several as the words of a command line.
fn argument(tool: &Tool, arguments: &Map<String, Value>, name: &str) -> Option<String> {
    let arg = tool.arg(name)?;
    Some(match arg.items(arg.used(arguments)?) {
        [one] => plain(one),
        several => shell_words::join(several.iter().map(plain)),
    })
}

/// Says whether a look-up would be given several items where it takes one value.
fn takes_several(tool: &Tool, arguments: &Map<String, Value>, resolve: &Resolve) -> bool {
    let is_several = |place: &str| {
        let arg = tool.arg(place);
        arg.is_some_and(|arg| arg.used(arguments).is_some_and(|value| arg.items(value).len() > 1))
    };
    resolve.args.iter().flat_map(|(_, text)| template::places(text)).any(is_several)
}

/// Plans one look-up; it finds nothing when it fails or says nothing.
fn look_up(
    catalogue: &Arc<Catalogue>,
    entry: &Entry,
    resolve: &Resolve,
    arguments: &Map<String, Value>,
    world: &dyn Variables,
) -> LookUp {
    let config = &entry.config;
    let mut words = expand::command(&config.command, world);
    let base = words.len();
    words.extend(resolve.command.iter().cloned());
    for (flag, text) in &resolve.args {
        // A template whose argument is absent is left out whole.
        let Ok(value) = template::fill(text, |name| argument(&entry.tool, arguments, name)) else { continue };
        words.push(if flag.starts_with('-') { flag.clone() } else { format!("--{}", flag.replace('_', "-")) });
        words.push(value);
    }
    let folder = config.working_dir.as_deref().map(|folder| expand::path(folder, world));
    let mut invocation = Invocation { words, base, stdin: None, folder, env: config.env.clone() };
    if let Executor::Docker(container) = &catalogue.policy().executor {
        docker::wrap(&mut invocation, container, world);
    }
    let (catalogue, timeout_s) = (Arc::clone(catalogue), resolve.timeout_s);
    let given = invocation.given();
    let plan = Plan::of(Subject::Argv { words: invocation.words.clone() }, move |_call, context| async move {
        let limits = Limits { timeout_s, cancel: context.cancel };
        match run::start(invocation, &limits, &catalogue.policy().executor).await {
            Ok(run) if run.exit == Exit::Code(0) => {
                ToolOutcome::success(run.stdout.clean_text().trim().chars().take(MAX_CHARS).collect::<String>())
            }
            Ok(run) => ToolOutcome::failure(format!("the look-up ended with {:?}", run.exit)),
            Err(error) => ToolOutcome::failure(error.to_string()),
        }
    });
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float to integer cast saturates")]
    let timeout_ms = (timeout_s * 1000.0) as u64;
    let plan = Plan { given, ..plan };
    LookUp { name: resolve.variable.clone(), plan, timeout_ms: timeout_ms.saturating_add(ENDING_MS) }
}
