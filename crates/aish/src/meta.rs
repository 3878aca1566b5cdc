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

use aish_types::BoxFuture;
use aish_types::near::slip;

use crate::exit::ExitCode;
use crate::repl::{Flow, Repl};

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
    pub run: for<'a> fn(&'a mut Repl, &'a str) -> BoxFuture<'a, Flow>,
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
}

use Completes::{Commands, Keys, Models, Servers, Tools, Usage};

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

/// A row whose command has no other name and completes the words of its usage.
const ROW: MetaCommand =
    MetaCommand { name: "", aliases: &[], usage: "", summary: "", completes: &[("", Usage)], run: |_, _| done(()) };

/// All meta commands.
#[expect(clippy::unit_arg, reason = "a command that has nothing to say about going on is done when it returns")]
pub const COMMANDS: &[MetaCommand] = &[
    MetaCommand {
        name: "help",
        usage: "[NAME]",
        summary: "show this list, or what one command does",
        completes: &[("", Commands)],
        run: |repl, rest| done(help::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "quit",
        aliases: &["q", "exit"],
        summary: "end aish",
        run: |_, _| Box::pin(std::future::ready(Flow::End(ExitCode::Ok))),
        ..ROW
    },
    MetaCommand {
        name: "model",
        usage: "[NAME]",
        summary: "show or switch the model",
        completes: &[("", Models)],
        run: |repl, rest| after(model::run(repl, rest)),
        ..ROW
    },
    MetaCommand { name: "models", summary: "list the models", run: |repl, _| after(model::list(repl)), ..ROW },
    MetaCommand { name: "reset", summary: "forget the conversation", run: |repl, _| done(reset::run(repl)), ..ROW },
    MetaCommand {
        name: "think",
        summary: "show what the model reasoned before its last answer",
        run: |repl, _| done(think::run(repl)),
        ..ROW
    },
    MetaCommand {
        name: "continue",
        summary: "let the model go on with an answer that was cut",
        run: |repl, _| after(repl.ask(":continue", think::GO_ON)),
        ..ROW
    },
    MetaCommand {
        name: "history",
        usage: "[COUNT]",
        summary: "show the last lines",
        run: |repl, rest| done(history::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "last",
        usage: "[copy|page|save FILE|ask QUESTION]",
        summary: "what the last command showed",
        run: |repl, rest| Box::pin(last::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "again",
        summary: "run the last command again",
        run: |repl, _| Box::pin(last::again(repl)),
        ..ROW
    },
    MetaCommand {
        name: "fix",
        usage: "[WORDS]",
        summary: "say what the last command failed at, and put one that may do it into the line (Alt-X)",
        run: |repl, rest| after(fix::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "plan",
        usage: "TASK",
        summary: "let the model read and make a plan, and carry it out after a yes",
        run: |repl, rest| after(plan::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "prompts",
        summary: "list prompts and skills of one's own; `:NAME` asks what one says",
        run: |repl, _| done(prompts::run(repl)),
        ..ROW
    },
    MetaCommand {
        name: "image",
        usage: "FILE",
        summary: "attach an image to the next question",
        run: |repl, rest| done(image::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "sessions",
        usage: "[list|search|rename|fork|delete]",
        summary: "kept sessions",
        run: |repl, rest| after(sessions::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "resume",
        usage: "[ID]",
        summary: "go on with another session",
        run: |repl, rest| done(sessions::resume(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "export",
        usage: "[md|html|json] [FILE]",
        summary: "write this session to a file",
        run: |repl, rest| done(export::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "memory",
        usage: "add|search|list|forget",
        summary: "what is remembered of you",
        run: |repl, rest| done(memory::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "project",
        usage: "[trust|distrust]",
        summary: "show what this project brings along, and trust it",
        run: |repl, rest| after(project::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "norris",
        usage: "GOAL|log",
        summary: "let the model work on a goal by itself; what it did",
        run: |repl, rest| after(norris::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "cost",
        usage: "[detail]",
        summary: "show what this session has used",
        run: |repl, rest| done(cost::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "tokenize",
        usage: "TEXT",
        summary: "count the tokens of a text",
        run: |repl, rest| after(tokenize::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "mcp",
        usage: "connect|disconnect|list|login|prompt|prompts|resource|resources|tool|tools",
        summary: "MCP servers",
        completes: &[
            ("", Usage),
            ("tool", Tools),
            ("disconnect", Servers),
            ("prompts", Servers),
            ("resources", Servers),
            ("resource", Servers),
            ("login", Servers),
        ],
        run: |repl, rest| after(mcp::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "diff",
        usage: "[ID]",
        summary: "show what the model's last command changed, or an older one",
        run: |repl, rest| done(diff::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "undo",
        usage: "[list|ID]",
        summary: "bring back what the model's last command changed",
        run: |repl, rest| done(undo::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "sent",
        usage: "[page|save FILE]",
        summary: "show the last request to the model whole",
        run: |repl, rest| done(sent::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "unfold",
        summary: "show the outputs whole that were folded in the last turn (Alt-O)",
        run: |repl, _| done(unfold::run(repl)),
        ..ROW
    },
    MetaCommand {
        name: "tool",
        usage: "last",
        summary: "show the last result whole",
        run: |repl, rest| done(tools::last(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "tools",
        summary: "list the tools that the model can call",
        run: |repl, _| done(tools::run(repl)),
        ..ROW
    },
    MetaCommand {
        name: "policy",
        usage: "[COMMAND|TOOL]",
        summary: "show the rules, or what decides about a command or a tool",
        completes: &[("", Tools)],
        run: |repl, rest| done(policy::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "route",
        usage: "LINE",
        summary: "say where a line would go, and why",
        run: |repl, rest| done(route::run(repl, rest)),
        ..ROW
    },
    MetaCommand {
        name: "config",
        usage: "[KEY]",
        summary: "show the configuration that holds, and where each value comes from",
        completes: &[("", Keys)],
        run: |repl, rest| done(config::run(repl, rest)),
        ..ROW
    },
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
