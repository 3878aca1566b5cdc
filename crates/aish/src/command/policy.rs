//! `aish policy`: the rules that hold, and whether a file's rules match their examples.

use std::path::Path;

use aish_safety::{Policy, PolicyRules, Surroundings};

use crate::arguments::PolicyCommand;
use crate::base::Base;
use crate::config;
use crate::exit::ExitCode;
use crate::explained::{analysed, explanation};
use crate::failure::Failure;
use crate::kept::KeptFile;
use crate::run::complain;

/// Runs a sub-command; `print` writes a line to standard output.
///
/// # Errors
/// When the file cannot be read.
pub fn run(base: &Base, command: &PolicyCommand, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    match command {
        PolicyCommand::Show { command: words } => {
            let policy = base.policy();
            let line = words.join(" ");
            let kept = KeptFile::of(base).texts().unwrap_or_default();
            let text = match line.is_empty() {
                true => shown(&policy) + &approved(&kept),
                false => decided(&policy, &line, &base.surroundings(), &kept),
            };
            print(aish_types::visible(text.trim_end()).as_ref());
            if policy.broken.is_some() {
                return Ok(ExitCode::Error);
            }
            Ok(ExitCode::Ok)
        }
        PolicyCommand::Forget { text } => {
            print(&aish_types::visible(&forget(base, &text.join(" "))?));
            Ok(ExitCode::Ok)
        }
        PolicyCommand::Test { file } => {
            let own = file.is_none().then(|| base.paths.config.as_deref().and_then(config::programs::folder)).flatten();
            match file.as_deref().or(base.config_path.as_deref()) {
                Some(path) => test(path, own.as_deref(), print),
                None => {
                    complain("there is no configuration to test: HOME is not set; name a file");
                    Ok(ExitCode::Error)
                }
            }
        }
    }
}

/// Tries the examples of a file's rules, and those of the files about programs in a folder; exit code 1 when something
/// is wrong. A file that names programs is one about programs.
fn test(path: &Path, programs: Option<&Path>, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        // Without a configuration there may be files about programs.
        Err(error) if programs.is_some_and(Path::is_dir) && error.kind() == std::io::ErrorKind::NotFound => {
            String::new()
        }
        Err(error) => {
            complain(&format!("{}: cannot be read: {error}", path.display()));
            return Ok(ExitCode::Error);
        }
    };
    let mut faults = Vec::new();
    let about_programs = programs.is_none() && text.lines().any(|line| line.trim_start().starts_with("names"));
    let read = match programs {
        Some(folder) => config::programs::read(folder),
        None if about_programs => config::programs::read_one(path).map(|file| vec![file]),
        None => Ok(Vec::new()),
    };
    let files = read.unwrap_or_else(|fault| {
        faults.push(fault);
        Vec::new()
    });
    let written = if about_programs { Ok(Vec::new()) } else { config::policy::written(path, &text) };
    let written = written.unwrap_or_else(|more| {
        faults.extend(more);
        Vec::new()
    });
    let (rules, mut errors) = PolicyRules::parse(&written);
    let (rules, more) = rules.adding_programs(&files);
    errors.extend(more);
    for line in faults.iter().map(ToString::to_string).chain(errors.iter().map(ToString::to_string)) {
        complain(&aish_types::visible(&line));
    }
    let tried = rules.try_examples();
    for one in &tried {
        let word = if one.passed { "ok" } else { "FAIL" };
        print(&aish_types::visible(&format!("{word}\t{}\t{}\t{}", one.place, one.rule, one.example)));
    }
    let failed = tried.iter().filter(|one| !one.passed).count();
    let without = rules.iter().filter(|rule| rule.examples.is_empty()).count();
    let mut summary = format!("{} rules, {} examples, {failed} failed", rules.iter().count(), tried.len());
    if without > 0 {
        summary.push_str(&format!("; {without} rules without an example"));
    }
    complain(&summary);
    let wrong = failed > 0 || !faults.is_empty() || !errors.is_empty();
    Ok(if wrong { ExitCode::Error } else { ExitCode::Ok })
}

/// Lists what the policy says.
pub fn shown(policy: &Policy) -> String {
    let mut out = String::new();
    if let Some(why) = &policy.broken {
        out.push_str(&format!("the policy cannot be used, so everything is asked: {why}\n"));
    }
    for rule in policy.rules.iter() {
        out.push_str(&format!("{}\t{}\t{}\t{}\t{}\n", rule.id, rule.verdict, rule.pattern, rule.reason, rule.place));
    }
    if policy.rules.is_empty() {
        out.push_str("no rules of your own\n");
    }
    for (tool, approved) in &policy.auto_approve {
        out.push_str(&format!("mcp.auto_approve\t{}\t{tool}\n", if *approved { "allow" } else { "ask" }));
    }
    if policy.confirm_cmd {
        out.push_str("shell.confirm_cmd\task\tevery command that a model proposes in the shell\n");
    }
    out
}

/// Lists what `always` approved for good in this project.
pub fn approved(kept: &[String]) -> String {
    kept.iter().map(|text| format!("always\tallow\t{text}\tapproved in this project\n")).collect()
}

/// Says which approval for good covers a command that would be asked about.
fn approved_too(kept: &[String], line: &str) -> String {
    let covering = kept.iter().find(|text| aish_safety::kept::covers(text, line.trim()));
    covering
        .map(|text| format!("always: where it is asked about it runs unasked in this project, by `{text}`\n"))
        .unwrap_or_default()
}

/// Takes an approval for good back.
///
/// # Errors
/// When there is none of this text, or the file cannot be read or written.
pub fn forget(base: &Base, text: &str) -> Result<String, Failure> {
    let kept = KeptFile::of(base);
    if kept.remove(text.trim())? {
        return Ok(format!("forgotten: {}; it is asked about again", text.trim()));
    }
    let texts = kept.texts()?;
    let there = if texts.is_empty() { "nothing is approved for good here".to_owned() } else { texts.join("\n  ") };
    Err(Failure::user(format!("{:?} is not among what was approved for good in this project", text.trim()))
        .hint(format!("there is:\n  {there}")))
}

/// Says what decides about a command, part by part, and which approval for good covers it.
pub fn decided(policy: &Policy, line: &str, surroundings: &Surroundings, kept: &[String]) -> String {
    explanation(&analysed(line, surroundings, policy), &policy.rules) + &approved_too(kept, line)
}
