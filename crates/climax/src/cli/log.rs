//! Logs: to standard error, or to the file that `CLIMAX_LOG_FILE` names; never to standard output.

use std::fs::OpenOptions;
use std::sync::Mutex;

use clap::ValueEnum;
use tracing::level_filters::LevelFilter;

use super::output;

/// The lowest level that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Level {
    /// Everything.
    #[value(alias = "DEBUG")]
    Debug,
    /// What happens.
    #[value(alias = "INFO")]
    Info,
    /// What looks wrong.
    #[value(alias = "WARNING", alias = "warn")]
    Warning,
    /// What failed.
    #[value(alias = "ERROR")]
    Error,
}

/// Starts the log.
pub(super) fn start(level: Level) {
    let filter = match level {
        Level::Debug => LevelFilter::DEBUG,
        Level::Info => LevelFilter::INFO,
        Level::Warning => LevelFilter::WARN,
        Level::Error => LevelFilter::ERROR,
    };
    let path = std::env::var_os("CLIMAX_LOG_FILE").filter(|path| !path.is_empty());
    let file = path.and_then(|path| match OpenOptions::new().create(true).append(true).open(&path) {
        Ok(file) => Some(file),
        Err(error) => {
            output::tell(&format!("The log file {} cannot be written: {error}", path.to_string_lossy()));
            None
        }
    });
    let builder = tracing_subscriber::fmt().with_max_level(filter).with_ansi(false).with_target(false);
    // A closed standard error must not end a call: the default would print about it, and panic.
    let builder = builder.log_internal_errors(false);
    match file {
        Some(file) => builder.with_writer(Mutex::new(file)).init(),
        None => builder.without_time().with_writer(std::io::stderr).init(),
    }
}
