//! `aish model`: the models that can answer.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};

use aish_local::pull::KNOWN;
use aish_local::{Models, Progress, Sources, pull};

use crate::arguments::ModelCommand;
use crate::base::Base;
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::run::complain;
use crate::search::{executable, find_models};

/// Runs a sub-command.
///
/// # Errors
/// When the models' folder cannot be read.
pub async fn run(base: &Base, command: &ModelCommand, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    let Some(data) = &base.paths.data else {
        complain("there is no place for models: HOME and XDG_DATA_HOME are not set");
        return Ok(ExitCode::Error);
    };
    let models = Models::new(data);
    match command {
        ModelCommand::List => list(base, &models, print).await,
        ModelCommand::Use { name } => {
            let file = models.select(name)?;
            print(&format!("{} answers when nothing else is configured", file.name));
            Ok(ExitCode::Ok)
        }
        ModelCommand::Remove { name } => {
            let file = models.remove(name)?;
            print(&format!("{} is deleted ({} MB)", file.name, file.bytes / 1_000_000));
            Ok(ExitCode::Ok)
        }
        ModelCommand::Pull { name, from: Some(file) } => {
            let name = (name != "smollm2").then_some(name.as_str());
            let added = models.add(file, name)?;
            models.select(&added.name)?;
            print(&format!(
                "{} is here ({} MB) and answers when nothing else is configured",
                added.name,
                added.bytes / 1_000_000
            ));
            without_program(base);
            Ok(ExitCode::Ok)
        }
        ModelCommand::Pull { name, from: None } => {
            let sources = Sources::from_environment(&|name: &str| -> Option<OsString> { std::env::var_os(name) })?;
            let mut shown = Shown::default();
            let fetched = pull(&models, name, &sources, &mut |progress| shown.show(progress)).await;
            shown.end();
            let file = fetched?;
            if !file.answers() {
                print(&format!(
                    "{} is here ({} MB): from the second search on, climax finds tools by meaning with it",
                    file.name,
                    file.bytes / 1_000_000
                ));
                return Ok(ExitCode::Ok);
            }
            models.select(&file.name)?;
            print(&format!("{} is here: {}", file.name, file.path.display()));
            without_program(base);
            Ok(ExitCode::Ok)
        }
    }
}

/// Says that the program which runs a model is missing: its file alone answers nothing.
fn without_program(base: &Base) {
    if let Err(error) = executable(base).find() {
        complain(&crate::failure::chain(&error));
    }
}

async fn list(base: &Base, models: &Models, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    let found = find_models(base, None).await;
    found.notices.iter().for_each(|notice| complain(notice));
    for (name, place) in &found.places {
        let mark = if found.default.as_deref() == Some(name) { "*" } else { " " };
        print(&aish_types::sanitize(&format!(
            "{mark} {name}  {} at {} ({})",
            place.model, place.endpoint, place.origin
        )));
    }
    let here = models.list()?;
    let current = models.current()?.map(|file| file.name);
    for file in &here {
        let mark = if current.as_deref() == Some(&file.name) { " (in use)" } else { "" };
        print(&format!("  embedded: {}, {} MB{mark}", file.name, file.bytes / 1_000_000));
    }
    let ranking = models.sentences()?;
    for file in &ranking {
        print(&format!("  for searches by meaning: {}, {} MB", file.name, file.bytes / 1_000_000));
    }
    let here: Vec<_> = here.into_iter().chain(ranking).collect();
    for known in KNOWN.iter().filter(|known| !here.iter().any(|file| file.name == known.name)) {
        print(&format!(
            "  can be fetched with `aish model pull {}`: {} ({}), {} MB",
            known.name, known.about, known.licence, known.megabytes
        ));
    }
    Ok(ExitCode::Ok)
}

/// Shows how far a download is, on one line of standard error that vanishes.
#[derive(Default)]
struct Shown {
    percent: Option<u64>,
    open: bool,
}

impl Shown {
    fn show(&mut self, progress: Progress) {
        let text = match progress {
            Progress::Index => "asking where it is".to_owned(),
            Progress::Download { done, total } => {
                let percent = total.and_then(|total| (done * 100).checked_div(total));
                if percent.is_some() && percent == self.percent {
                    return;
                }
                self.percent = percent;
                match (percent, total) {
                    (Some(percent), Some(total)) => format!("downloading {} MB: {percent} %", total / 1_000_000),
                    _ => format!("downloading: {} MB", done / 1_000_000),
                }
            }
            Progress::Resume { done } => format!("the download broke off; going on after {} MB", done / 1_000_000),
            Progress::Check => "checking the SHA-256".to_owned(),
            Progress::Extract => "taking the model out of the package".to_owned(),
            Progress::ShortOfMemory { needed, free } => {
                format!(
                    "it takes {} MB of memory to answer, and {} MB are free now",
                    needed / 1_000_000,
                    free / 1_000_000
                )
            }
        };
        let mut err = io::stderr().lock();
        if matches!(progress, Progress::ShortOfMemory { .. }) {
            // Worth more than a glance.
            let before = if self.open { "\r\u{1b}[K" } else { "" };
            let _ = writeln!(err, "{before}{text}");
        } else if io::stderr().is_terminal() {
            let _ = write!(err, "\r\u{1b}[K{text}");
            let _ = err.flush();
            self.open = true;
        } else if !matches!(progress, Progress::Download { .. }) || self.percent.is_none_or(|percent| percent % 20 == 0)
        {
            let _ = writeln!(err, "{text}");
        }
    }

    fn end(&mut self) {
        if self.open {
            let mut err = io::stderr().lock();
            let _ = write!(err, "\r\u{1b}[K");
            let _ = err.flush();
        }
    }
}
