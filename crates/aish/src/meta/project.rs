//! `:project`: what the project's files say, and whether they are used.

use std::path::PathBuf;

use aish_tools::ToolSource as _;

use crate::failure::chain;
use crate::project::{Kind, Project, ProjectFile, Standing};
use crate::repl::Repl;

/// Lines of a file that are shown before it is trusted.
const SHOWN: usize = 200;

pub(super) async fn run(repl: &mut Repl, rest: &str) {
    let project = repl.base.project_at(std::path::Path::new(&repl.folder()));
    match rest {
        "" => {
            for line in lines(&project) {
                repl.print_words(&line);
            }
            project.waiting().for_each(|file| show(repl, file));
        }
        "trust" => trust(repl, &project).await,
        "distrust" => distrust(repl, &project).await,
        other => repl.complain(&format!(":project takes `trust` or `distrust`, not {other:?}")),
    }
}

/// Describes a project's files, a line each.
pub fn lines(project: &Project) -> Vec<String> {
    let mut lines = vec![format!("project {}", project.root.display())];
    if project.files.is_empty() {
        lines.push(
            "  no AGENTS.md, .aish/instructions.md or .aish.toml (`project.instructions` names others)".to_owned(),
        );
    }
    let width = project.files.iter().map(|file| file.name.chars().count()).max().unwrap_or(0);
    for file in &project.files {
        let standing = match &file.standing {
            Standing::Trusted => "used".to_owned(),
            Standing::New => "not used: not trusted yet".to_owned(),
            Standing::Changed => "not used: it changed since you trusted it".to_owned(),
            Standing::Refused(why) => format!("not used: {why}"),
        };
        let kind = match file.kind {
            Kind::Settings => "settings",
            Kind::Instructions => "instructions",
            Kind::Prompt => "prompt",
            Kind::Skill => "skill",
        };
        lines.push(format!("  {:width$}  {kind}, {} bytes, {standing}", file.name, file.text.len()));
    }
    lines
}

/// Shows what would be trusted, to the letter: what hides in a text is shown as an escape.
fn show(repl: &Repl, file: &ProjectFile) {
    repl.print(&format!("--- {}", file.name));
    let all = file.text.lines().count();
    for line in file.text.lines().take(SHOWN) {
        repl.print(&aish_types::visible(line));
    }
    if all > SHOWN {
        repl.print_words(&format!("... {} more lines: see {}", all - SHOWN, file.path.display()));
    }
}

async fn trust(repl: &mut Repl, project: &Project) {
    let names: Vec<String> = project.waiting().map(|file| file.name.clone()).collect();
    if names.is_empty() {
        return repl.say("nothing is waiting to be trusted");
    }
    project.waiting().for_each(|file| show(repl, file));
    if let Err(error) = project.trust(&repl.base.paths.trust()) {
        return repl.complain(&chain(&error));
    }
    repl.say(&format!("trusted as they are now: {}", names.join(", ")));
    if project.waiting().any(|file| file.kind == Kind::Settings) {
        hold(repl, project).await;
    }
    repl.follow_project();
}

async fn distrust(repl: &mut Repl, project: &Project) {
    let had_settings = project.settings().next().is_some();
    let paths = project.files.iter().map(|file| file.path.as_path());
    if let Err(error) = repl.base.paths.trust().distrust(paths) {
        return repl.complain(&chain(&error));
    }
    repl.say("nothing of this project is trusted");
    if had_settings {
        hold(repl, project).await;
    }
    repl.follow_project();
}

/// Lets the settings hold that are trusted by now, and no others.
async fn hold(repl: &mut Repl, project: &Project) {
    if project.root != repl.base.project.root {
        return repl.say("its settings hold where aish is started in it");
    }
    let folder = PathBuf::from(repl.folder());
    let reloaded = repl.base.reload(&folder);
    reloaded.faults.iter().for_each(|fault| repl.say(fault));
    let found = repl.conversation.found_under(&repl.base, &reloaded.before).await;
    repl.go_on_with(found, &reloaded.before);
    for (alias, server) in &reloaded.before.mcp.servers {
        let is_off = repl.base.config.mcp.servers.get(alias).is_none_or(|now| !now.enabled);
        if let Some(client) = repl.servers.get(alias).filter(|_| server.enabled && is_off) {
            repl.conversation.driver.asker.registry.remove(client.id());
            repl.servers.remove(alias).await;
        }
    }
    if !reloaded.now.is_empty() {
        repl.say(&format!("holds from now on: {}", reloaded.now.join(", ")));
    }
    if !reloaded.late.is_empty() {
        repl.say(&format!("holds from the next start of aish on: {}", reloaded.late.join(", ")));
    }
}
