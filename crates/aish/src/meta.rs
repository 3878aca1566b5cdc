//! The meta commands: `:name rest`, one a file.

mod cost;
mod export;
mod help;
mod history;
mod image;
mod mcp;
mod memory;
mod model;
mod norris;
mod policy;
pub mod project;
mod reset;
mod route;
mod sessions;
mod tokenize;
mod tools;
mod undo;

use crate::exit::ExitCode;
use crate::repl::{Flow, Repl};

/// One meta command as `:help` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetaCommand {
    /// The name, without the colon.
    pub name: &'static str,
    /// What may follow it.
    pub usage: &'static str,
    /// What it does.
    pub summary: &'static str,
}

const fn command(name: &'static str, usage: &'static str, summary: &'static str) -> MetaCommand {
    MetaCommand { name, usage, summary }
}

/// All meta commands.
pub const COMMANDS: &[MetaCommand] = &[
    command("help", "", "show this list"),
    command("quit", "", "end aish"),
    command("model", "[NAME]", "show or switch the model"),
    command("models", "", "list the models"),
    command("reset", "", "forget the conversation"),
    command("history", "[COUNT]", "show the last lines"),
    command("image", "FILE", "attach an image to the next question"),
    command("sessions", "[list|rename|fork|delete]", "kept sessions"),
    command("resume", "[ID]", "go on with another session"),
    command("export", "[md|html|json] [FILE]", "write this session to a file"),
    command("memory", "add|search|list|forget", "what is remembered of you"),
    command("project", "[trust|distrust]", "show what this project brings along, and trust it"),
    command("norris", "GOAL|log", "let the model work on a goal by itself; what it did"),
    command("cost", "[detail]", "show what this session has used"),
    command("tokenize", "TEXT", "count the tokens of a text"),
    command("mcp", "connect|disconnect|list|login|prompt|prompts|resource|resources|tool|tools", "MCP servers"),
    command("undo", "[list|ID]", "bring back what the model's last command changed"),
    command("tool", "last", "show the last result whole"),
    command("tools", "", "list the tools that the model can call"),
    command("policy", "[COMMAND|TOOL]", "show the rules, or what decides about a command or a tool"),
    command("route", "LINE", "say where a line would go, and why"),
    command("config", "", "show the configuration that holds"),
];

/// Runs a meta command.
pub async fn run(repl: &mut Repl, name: &str, rest: &str) -> Flow {
    match name {
        "help" => help::run(repl),
        "quit" | "q" | "exit" => return Flow::End(ExitCode::Ok),
        "mcp" => mcp::run(repl, rest).await,
        "model" => model::run(repl, rest),
        "models" => model::list(repl),
        "reset" => reset::run(repl),
        "history" => history::run(repl, rest),
        "image" => image::run(repl, rest),
        "sessions" => sessions::run(repl, rest).await,
        "resume" => sessions::resume(repl, rest),
        "export" => export::run(repl, rest),
        "memory" => memory::run(repl, rest),
        "project" => project::run(repl, rest).await,
        "norris" => norris::run(repl, rest).await,
        "cost" => cost::run(repl, rest),
        "tokenize" => tokenize::run(repl, rest).await,
        "tool" => tools::last(repl, rest),
        "tools" => tools::run(repl),
        "policy" => policy::run(repl, rest),
        "undo" => undo::run(repl, rest),
        "route" => route::run(repl, rest),
        "config" => {
            let shown = crate::config::show::show(&repl.base.loaded);
            repl.print(shown.trim_end());
        }
        unknown => {
            let near = near(unknown);
            repl.complain(&format!("there is no :{unknown}{near}; :help lists what there is"));
        }
    }
    Flow::Go
}

fn near(unknown: &str) -> String {
    let mut near: Vec<(usize, &str)> = COMMANDS
        .iter()
        .map(|command| (strsim::damerau_levenshtein(command.name, unknown), command.name))
        .filter(|(distance, name)| *distance <= 2 || name.starts_with(unknown))
        .collect();
    near.sort_unstable();
    match near.first() {
        Some((_, name)) => format!("; did you mean :{name}?"),
        None => String::new(),
    }
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
}
