//! The help texts of a program and its sub-commands: several at once, within a bound of time.
//!
//! A sub-command that shows its parent's text, or the usage of another command, has no help of its own: what the parent's
//! list says of it counts then.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use aish_process::Exit;
use climax::import::{Draft, Help, Subcommand};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How long all help texts may take, where one of them may take ten seconds.
const PATIENCE_FOR_ALL: Duration = Duration::from_secs(120);
/// How many times as long as one help text all of them may take.
const TIMES: u32 = 12;
/// Characters of an error that are shown.
const MAX_ERROR: usize = 200;
/// Help texts that are read.
const MAX_TEXTS: usize = 400;
/// Levels of sub-commands.
const MAX_DEPTH: usize = 3;

/// Makes the draft of a program, each of whose help texts may take `patience`.
pub(super) async fn draft(program: &str, patience: Duration) -> Result<Draft, String> {
    let for_all = PATIENCE_FOR_ALL.max(patience.saturating_mul(TIMES));
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let walk = Arc::new(Walk {
        program: program.to_owned(),
        base: program.rsplit('/').next().unwrap_or(program).to_owned(),
        patience,
        for_all,
        deadline: Instant::now() + for_all,
        at_once: Semaphore::new(cores.saturating_mul(2).clamp(2, 16)),
        texts: AtomicUsize::new(0),
        short: AtomicBool::new(false),
    });
    let mut text = walk.help_text(&[]).await?;
    // curl shows the whole only when it is asked for it.
    if text.contains("--help all")
        && let Ok(all) = walk.text(&[], &["--help", "all"]).await
        && all.len() > text.len()
    {
        text = all;
    }
    let top = Help::read(&text, &[&walk.base]);
    let doubt = top.is_prose().then(|| {
        format!("its --help shows no usage, option or sub-command, and may be no help: {}", first_line(&text))
    });
    let mut draft = Draft::new(program, &top);
    draft.remarks.extend(doubt);
    for found in walk.below(Vec::new(), top.commands, Arc::from(text)).await {
        if let Some(remark) = found.remark {
            draft.remarks.push(format!("{}: {remark}", found.words.join(" ")));
        }
        if let Some(help) = found.help {
            draft.add(&found.words, &help);
        }
    }
    if draft.is_empty() {
        return Err(format!("the help of {program} shows no sub-command that could be read"));
    }
    Ok(draft)
}

/// A sub-command with its help; without it, only the remark counts.
struct Found {
    words: Vec<String>,
    help: Option<Help>,
    remark: Option<String>,
}

struct Walk {
    program: String,
    base: String,
    patience: Duration,
    for_all: Duration,
    deadline: Instant,
    at_once: Semaphore,
    texts: AtomicUsize,
    /// True once `--help` showed a page of a manual: `-h` shows what can be read then.
    short: AtomicBool,
}

impl Walk {
    /// Reads the sub-commands of a command, in the order of its list.
    fn below(
        self: &Arc<Self>,
        words: Vec<String>,
        commands: Vec<Subcommand>,
        parent: Arc<str>,
    ) -> Pin<Box<dyn Future<Output = Vec<Found>> + Send>> {
        let walk = Arc::clone(self);
        Box::pin(async move {
            let mut running = JoinSet::new();
            for (at, command) in commands.into_iter().enumerate() {
                let (walk, parent) = (Arc::clone(&walk), Arc::clone(&parent));
                // A usage may show several words for one (`ship new`).
                let more = command.name.split(' ').map(str::to_owned);
                let words: Vec<String> = words.iter().cloned().chain(more).collect();
                running.spawn(async move { (at, walk.command(words, command, &parent).await) });
            }
            let mut found = running.join_all().await;
            found.sort_by_key(|(at, _)| *at);
            found.into_iter().flat_map(|(_, found)| found).collect()
        })
    }

    async fn command(self: Arc<Self>, words: Vec<String>, command: Subcommand, parent: &str) -> Vec<Found> {
        let shown = command.shown;
        if !command.listed {
            return vec![Found { words, help: Some(shown), remark: None }];
        }
        let (text, remark) = match self.help_text(&words).await {
            Ok(text) => (text, None),
            Err(message) => (String::new(), Some(message)),
        };
        let mut names = vec![self.base.as_str()];
        names.extend(words.iter().map(String::as_str));
        let own = Help::read(&text, &names);
        let says_nothing = own.options.is_empty() && own.positionals.is_empty() && own.commands.is_empty();
        if text.trim() == parent.trim() || own.of_another || (own.about.is_empty() && says_nothing) {
            return vec![Found { words, help: Some(shown), remark }];
        }
        let help = Help {
            about: if shown.about.is_empty() { own.about.clone() } else { shown.about.clone() },
            positionals: if own.positionals.is_empty() && own.options.is_empty() {
                shown.positionals
            } else {
                own.positionals
            },
            ..own
        };
        if help.commands.is_empty() || words.len() >= MAX_DEPTH {
            return vec![Found { words, help: Some(help), remark }];
        }
        let mut found = Vec::new();
        let commands = help.commands.clone();
        if help.alone {
            let alone = Help { commands: Vec::new(), ..help };
            found.push(Found { words: words.clone(), help: Some(alone), remark: None });
        }
        found.extend(self.below(words, commands, Arc::from(text)).await);
        found
    }

    /// Returns what `--help` says of a command.
    async fn help_text(&self, words: &[String]) -> Result<String, String> {
        // Only below the program itself: `-h` may be anything there.
        let short = !words.is_empty() && self.short.load(Ordering::Relaxed);
        if !short {
            let text = self.text(words, &["--help"]).await?;
            if words.is_empty() || !Help::is_manual(&text) {
                return Ok(text);
            }
            self.short.store(true, Ordering::Relaxed);
        }
        self.text(words, &["-h"]).await
    }

    async fn text(&self, words: &[String], flags: &[&str]) -> Result<String, String> {
        let Ok(_turn) = self.at_once.acquire().await else { return Err("it was given up".into()) };
        if self.texts.fetch_add(1, Ordering::Relaxed) >= MAX_TEXTS {
            return Err(format!("its help was not read: there are more than {MAX_TEXTS} texts"));
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(format!(
                "its help was not read: all together took more than {} s; --timeout gives them more",
                self.for_all.as_secs()
            ));
        }
        let patience = self.patience.min(left);
        let command = aish_process::Command::new(&self.program).args(words).args(flags).timeout(patience);
        let command = command.env("PAGER", "cat").env("MANPAGER", "cat").env("GIT_PAGER", "cat");
        let command = command.env("NO_COLOR", "1").env("TERM", "dumb").env("COLUMNS", "200");
        let outcome =
            aish_process::run(&command, &CancellationToken::new()).await.map_err(|error| error.to_string())?;
        let (out, err) = (outcome.stdout.clean_text(), outcome.stderr.clean_text());
        let text = if out.trim().is_empty() { err } else { out };
        let asked = flags.join(" ");
        let names: Vec<&str> = std::iter::once(self.base.as_str()).chain(words.iter().map(String::as_str)).collect();
        match outcome.exit {
            Exit::TimedOut => Err(format!(
                "{asked} took more than {} s; --timeout SECONDS gives it more",
                patience.as_secs_f64().ceil()
            )),
            _ if text.trim().is_empty() => Err(format!("{asked} says nothing")),
            // Some programs show their help and fail.
            Exit::Code(0) => Ok(text),
            exit if Help::read(&text, &names).is_prose() => {
                let how = match exit {
                    Exit::Code(code) => format!("exit code {code}"),
                    Exit::Signal(signal) => format!("signal {signal}"),
                    Exit::TimedOut | Exit::Cancelled => "its end".to_owned(),
                };
                Err(format!("{asked} failed with {how}: {}", first_line(&text)))
            }
            Exit::Code(_) | Exit::Signal(_) | Exit::Cancelled => Ok(text),
        }
    }
}

/// Returns what of a text can be shown in a line.
fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    aish_types::sanitize(&line.chars().take(MAX_ERROR).collect::<String>()).into()
}
