//! The meta commands: `:name rest`, one a file, one row of [`COMMANDS`] each.

mod config;
mod cost;
mod diff;
mod export;
mod fix;
mod help;
mod history;
mod image;
mod last;
mod mcp;
mod memory;
mod model;
mod norris;
mod plan;
mod policy;
pub mod project;
mod prompts;
mod reset;
mod route;
mod sent;
mod sessions;
mod think;
mod tokenize;
mod tools;
mod undo;
mod unfold;
mod whole;
mod why;

use std::path::Path;

use aish_types::BoxFuture;
use aish_types::near::slip;

use crate::exit::ExitCode;
use crate::repl::{Flow, Repl};

/// Runs a command with what stands behind its name.
type Run = for<'a> fn(&'a mut Repl, &'a str) -> BoxFuture<'a, Flow>;

/// One meta command: what `:help` and completion say of it, and what it does.
pub struct MetaCommand {
    /// The name, without the colon.
    pub name: &'static str,
    /// Other names, which are not listed.
    pub aliases: &'static [&'static str],
    /// What may follow it.
    pub usage: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// What completes the words behind it, by the words that are there already.
    pub completes: &'static [(&'static str, Completes)],
    /// Runs it with what was typed behind it.
    pub run: Run,
}

impl MetaCommand {
    const fn completing(self, completes: &'static [(&'static str, Completes)]) -> Self {
        Self { completes, ..self }
    }
}

/// What completes a word behind a meta command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completes {
    /// The words in small letters of its usage.
    Usage,
    /// The names of the meta commands.
    Commands,
    /// The configured and found models.
    Models,
    /// The tools that can be called.
    Tools,
    /// The MCP servers that are connected.
    Servers,
    /// The keys of the configuration and their sections.
    Keys,
    /// What can be done with the history.
    History,
    /// The word for the last line.
    Last,
}

use Completes::{Commands, History, Keys, Last, Models, Servers, Tools, Usage};

/// Goes on after a command that does not wait.
fn done((): ()) -> BoxFuture<'static, Flow> {
    Box::pin(std::future::ready(Flow::Go))
}

/// Runs a command that waits, and goes on after it.
fn after<'a>(command: impl Future<Output = ()> + Send + 'a) -> BoxFuture<'a, Flow> {
    Box::pin(async move {
        command.await;
        Flow::Go
    })
}

/// Makes a row whose command has no other name and completes the words of its usage.
const fn row(name: &'static str, usage: &'static str, summary: &'static str, run: Run) -> MetaCommand {
    MetaCommand { name, aliases: &[], usage, summary, completes: &[("", Usage)], run }
}

/// All meta commands.
#[expect(clippy::unit_arg, reason = "a command that has nothing to say about going on is done when it returns")]
pub const COMMANDS: &[MetaCommand] = &[
    row("help", "[NAME]", "show this list, or what one command does", |repl, rest| done(help::run(repl, rest)))
        .completing(&[("", Commands)]),
    MetaCommand {
        aliases: &["q", "exit"],
        ..row("quit", "", "end aish", |_, _| Box::pin(std::future::ready(Flow::End(ExitCode::Ok))))
    },
    row("model", "[NAME]", "show or switch the model", |repl, rest| after(model::run(repl, rest)))
        .completing(&[("", Models)]),
    row("models", "", "list the models", |repl, _| after(model::list(repl))),
    MetaCommand {
        aliases: &["clear"],
        ..row("reset", "", "forget the conversation", |repl, _| done(reset::run(repl)))
    },
    row("think", "", "show what the model reasoned before its last answer", |repl, _| done(think::run(repl))),
    row("continue", "", "let the model go on with an answer that did not come to its end", |repl, _| {
        after(think::go_on(repl))
    }),
    row("history", "[COUNT|delete TEXT|delete last|clear]", "show the last lines, or delete lines", |repl, rest| {
        after(history::run(repl, rest))
    })
    .completing(&[("", History), ("delete", Last)]),
    row("last", "[copy|page|save FILE|ask QUESTION]", "what the last command showed", |repl, rest| {
        Box::pin(last::run(repl, rest))
    }),
    row("again", "", "run the last command again", |repl, _| Box::pin(last::again(repl))),
    row(
        "fix",
        "[WORDS]",
        "say what the last command failed at, and put one that may do it into the line (Alt-X)",
        |repl, rest| after(fix::run(repl, rest)),
    ),
    row("plan", "TASK", "let the model read and make a plan, and carry it out after a yes", |repl, rest| {
        after(plan::run(repl, rest))
    }),
    MetaCommand {
        aliases: &["skills"],
        ..row("prompts", "", "list prompts and skills of one's own; `:NAME` asks what one says", |repl, _| {
            done(prompts::run(repl))
        })
    },
    row("image", "FILE", "attach an image to the next question", |repl, rest| done(image::run(repl, rest))),
    row("sessions", "[list|search|rename|fork|delete]", "kept sessions", |repl, rest| after(sessions::run(repl, rest))),
    row("resume", "[ID]", "go on with another session", |repl, rest| done(sessions::resume(repl, rest))),
    row("export", "[md|html|json] [FILE]", "write this session to a file", |repl, rest| done(export::run(repl, rest))),
    row("memory", "add|search|list|forget", "what is remembered of you", |repl, rest| done(memory::run(repl, rest))),
    row("project", "[trust|distrust]", "show what this project brings along, and trust it", |repl, rest| {
        after(project::run(repl, rest))
    }),
    row("norris", "GOAL|log", "let the model work on a goal by itself; what it did", |repl, rest| {
        after(norris::run(repl, rest))
    }),
    row("cost", "[detail]", "show what this session has used", |repl, rest| done(cost::run(repl, rest))),
    row("tokenize", "TEXT", "count the tokens of a text", |repl, rest| after(tokenize::run(repl, rest))),
    row(
        "mcp",
        "connect|disconnect|list|login|prompt|prompts|resource|resources|tool|tools",
        "MCP servers",
        |repl, rest| after(mcp::run(repl, rest)),
    )
    .completing(&[
        ("", Usage),
        ("tool", Tools),
        ("disconnect", Servers),
        ("prompts", Servers),
        ("resources", Servers),
        ("resource", Servers),
        ("login", Servers),
    ]),
    row("diff", "[ID]", "show what the model's last command changed, or an older one", |repl, rest| {
        done(diff::run(repl, rest))
    }),
    row("undo", "[list|ID]", "bring back what the model's last command changed", |repl, rest| {
        done(undo::run(repl, rest))
    }),
    row("sent", "[page|save FILE]", "show the last request to the model whole", |repl, rest| {
        done(sent::run(repl, rest))
    }),
    row("unfold", "", "show the outputs whole that were folded in the last turn (Alt-O)", |repl, _| {
        done(unfold::run(repl))
    }),
    row("tool", "last", "show the last result whole", |repl, rest| done(tools::last(repl, rest))),
    row("tools", "", "list the tools that the model can call", |repl, _| done(tools::run(repl))),
    row(
        "policy",
        "[COMMAND|TOOL|forget TEXT]",
        "show the rules and approvals, or what decides about a command",
        |repl, rest| done(policy::run(repl, rest)),
    )
    .completing(&[("", Tools)]),
    row(
        "why",
        "[COMMAND]",
        "explain what was decided about the last call, or what a command would do",
        |repl, rest| done(why::run(repl, rest)),
    ),
    row("route", "LINE", "say where a line would go, and why", |repl, rest| done(route::run(repl, rest))),
    row("config", "[KEY]", "show the configuration that holds, and where each value comes from", |repl, rest| {
        done(config::run(repl, rest))
    })
    .completing(&[("", Keys)]),
];

/// Runs a meta command.
pub async fn run(repl: &mut Repl, name: &str, rest: &str) -> Flow {
    let Some(command) = find(name) else {
        if !prompts::ask(repl, name, rest).await {
            repl.complain(&unknown(name));
        }
        return Flow::Go;
    };
    // What was meant by words that a command does not know is not guessed.
    if command.usage.is_empty() && !rest.trim().is_empty() {
        repl.complain(&format!(":{name} takes nothing behind it; `:help {name}` says what it does"));
        return Flow::Go;
    }
    (command.run)(repl, rest).await
}

/// Returns the command that a name is meant for.
fn find(name: &str) -> Option<&'static MetaCommand> {
    COMMANDS.iter().find(|command| command.name == name || command.aliases.contains(&name))
}

/// Returns what a line in the form of other agents is here: `/model x` is `:model x`. `None` where there is neither a command
/// nor a prompt of that name.
pub fn in_our_form(repl: &Repl, line: &str) -> Option<String> {
    translated(line, |name| {
        let project = repl.base.project_at(Path::new(&repl.folder()));
        crate::prompts::all(&repl.base, &project).iter().any(|prompt| prompt.name == name)
    })
}

fn translated(line: &str, is_prompt: impl Fn(&str) -> bool) -> Option<String> {
    let words = line.trim().strip_prefix('/')?;
    let (name, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let (name, rest) = match find(name) {
        Some(command) if command.usage.is_empty() => (command.name, ""),
        Some(command) => (command.name, rest),
        None if !name.contains('/') && is_prompt(name) => (name, rest),
        None => return None,
    };
    Some(format!(":{name} {}", rest.trim()).trim_end().to_owned())
}

/// Says that there is no such command.
fn unknown(name: &str) -> String {
    format!("there is no :{name}{}; :help lists what there is", near(name))
}

/// Returns what may be meant by a name that is none: a slip of the keys, or the beginning of one.
fn near(unknown: &str) -> String {
    let names = || COMMANDS.iter().map(|command| command.name);
    let meant = slip(unknown, names()).or_else(|| names().find(|name| name.starts_with(unknown)));
    meant.map(|name| format!("; did you mean :{name}?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_offered() {
        assert_eq!(near("hepl"), "; did you mean :help?");
        assert_eq!(near("token"), "; did you mean :tokenize?");
        assert_eq!(near("zzzzzz"), "");
    }

    #[test]
    fn commands_of_other_agents_are_told_in_our_form() {
        for (line, expected) in [
            ("/help", Some(":help")),
            ("/model  claude ", Some(":model claude")),
            ("/exit", Some(":quit")),
            ("/quit now", Some(":quit")),
            ("/clear", Some(":reset")),
            ("/review main.rs", Some(":review main.rs")),
            ("/tmpp", None),
            ("/usr/bin/helpp", None),
            ("/", None),
            ("help", None),
        ] {
            assert_eq!(translated(line, |name| name == "review").as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn every_name_is_one_commands_and_every_row_says_what_it_does() {
        let mut names: Vec<&str> =
            COMMANDS.iter().flat_map(|row| row.aliases.iter().copied().chain([row.name])).collect();
        assert!(COMMANDS.iter().all(|row| !row.name.is_empty() && !row.summary.is_empty()));
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
