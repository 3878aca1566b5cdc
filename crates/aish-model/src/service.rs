//! The loop: one request after the other, with one model at a time.

use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use aish_confine::Held;
use aish_types::embedded::{Chat, ErrorKind, Event, PROTOCOL, Request};
use llama_cpp_2::LogOptions;
use llama_cpp_2::llama_backend::LlamaBackend;
use tracing_subscriber::filter::LevelFilter;

use crate::engine::{self, Engine};
use crate::generate::{self, ChatError};
use crate::inbox::{self, Interrupts, Letter};
use crate::outbox::Outbox;
use crate::{cpu, prompt, threads};

/// Serves standard input until it ends.
pub(crate) fn main() -> ExitCode {
    let asked = std::env::var("AISH_MODEL_LOG").ok().and_then(|level| level.parse().ok());
    let level: LevelFilter = asked.unwrap_or(LevelFilter::ERROR);
    tracing_subscriber::fmt().with_max_level(level).with_writer(io::stderr).without_time().init();
    llama_cpp_2::send_logs_to_tracing(LogOptions::default());
    let mut outbox = Outbox::new(io::stdout().lock());
    match serve(&mut outbox) {
        Ok(code) => code,
        // Nobody listens any more: an end like any other.
        Err(_) => ExitCode::SUCCESS,
    }
}

fn serve(outbox: &mut Outbox<impl Write>) -> io::Result<ExitCode> {
    let missing = cpu::missing_features();
    if !missing.is_empty() {
        let message = format!("this processor lacks {}, which the embedded model is compiled for", missing.join(", "));
        outbox.fail(None, ErrorKind::Processor, message)?;
        return Ok(ExitCode::FAILURE);
    }
    // What is asked of the machine once, before nothing can be.
    let cores = threads::physical_cores();
    prompt::learn_time_zone();
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    match aish_confine::compute_only(&files) {
        Ok(Held::ToItsFiles) => {}
        Ok(Held::ToReading) => tracing::warn!("this kernel has no Landlock: other files could be read"),
        Err(why) => {
            outbox.fail(None, ErrorKind::Confinement, format!("this process cannot be confined: {why}"))?;
            return Ok(ExitCode::FAILURE);
        }
    }
    let backend = match LlamaBackend::init() {
        Ok(backend) => backend,
        Err(error) => {
            outbox.fail(None, ErrorKind::LoadFailed, format!("llama.cpp does not start: {error}"))?;
            return Ok(ExitCode::FAILURE);
        }
    };
    outbox.send(&Event::Hello { protocol: PROTOCOL })?;
    let (letters, interrupts) = inbox::open(BufReader::new(io::stdin()));
    let mut service = Service { backend, cores, letters, interrupts };
    let mut load = service.without_model(outbox)?;
    while let Some(next) = load {
        load = service.with_model(&next, outbox)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What a `load` asks for.
struct Load {
    id: u64,
    path: String,
    context: Option<u32>,
    threads: Option<u32>,
}

struct Service {
    backend: LlamaBackend,
    /// Threads that compute when nobody says another number.
    cores: u32,
    letters: Receiver<Letter>,
    interrupts: Arc<Interrupts>,
}

impl Service {
    /// Waits for a `load`; everything else fails. None when the input has ended.
    fn without_model(&mut self, outbox: &mut Outbox<impl Write>) -> io::Result<Option<Load>> {
        while let Ok(letter) = self.letters.recv() {
            let id = match letter {
                Letter::Request(Request::Load { id, path, context, threads }) => {
                    return Ok(Some(Load { id, path, context, threads }));
                }
                Letter::Unreadable(reason) => {
                    outbox.fail(None, ErrorKind::BadRequest, reason)?;
                    continue;
                }
                Letter::Request(Request::Count { id, .. } | Request::Tokenize { id, .. }) => id,
                Letter::Request(Request::Chat(chat)) => chat.id,
                Letter::Request(Request::Cancel { .. }) => continue,
            };
            outbox.fail(Some(id), ErrorKind::NotLoaded, "no model is loaded")?;
        }
        Ok(None)
    }

    /// Loads a model and serves it until the next `load` or the end of the input.
    fn with_model(&mut self, load: &Load, outbox: &mut Outbox<impl Write>) -> io::Result<Option<Load>> {
        let file = Path::new(&load.path);
        let model = match engine::open(&self.backend, file) {
            Ok(model) => model,
            Err(error) => {
                outbox.fail(Some(load.id), error.kind(), error.to_string())?;
                return self.without_model(outbox);
            }
        };
        let mut engine =
            match Engine::new(&self.backend, &model, file, load.context, load.threads.unwrap_or(self.cores)) {
                Ok(engine) => engine,
                Err(error) => {
                    outbox.fail(Some(load.id), error.kind(), error.to_string())?;
                    return self.without_model(outbox);
                }
            };
        outbox.send(&Event::Loaded { id: load.id, info: engine.info.clone() })?;
        while let Ok(letter) = self.letters.recv() {
            match letter {
                Letter::Request(Request::Load { id, path, context, threads }) => {
                    return Ok(Some(Load { id, path, context, threads }));
                }
                Letter::Request(Request::Count { id, text }) => {
                    outbox.send(&Event::Count { id, tokens: engine.tokens_of_text(&text).len() as u64 })?;
                }
                Letter::Request(Request::Tokenize { id, text }) => {
                    let tokens = engine.tokens_of_text(&text).into_iter().map(|token| token.0).collect();
                    outbox.send(&Event::Tokens { id, tokens })?;
                }
                Letter::Request(Request::Chat(chat)) => self.chat(&mut engine, &chat, outbox)?,
                Letter::Request(Request::Cancel { .. }) => {}
                Letter::Unreadable(reason) => outbox.fail(None, ErrorKind::BadRequest, reason)?,
            }
        }
        Ok(None)
    }

    fn chat(&self, engine: &mut Engine<'_>, chat: &Chat, outbox: &mut Outbox<impl Write>) -> io::Result<()> {
        let answered = generate::answer(engine, chat, &self.interrupts, &mut |event| outbox.send(event));
        self.interrupts.forget_until(chat.id);
        match answered {
            Ok(()) => Ok(()),
            Err(ChatError::Gone(error)) => Err(error),
            Err(error) => outbox.fail(Some(chat.id), error.kind(), error.to_string()),
        }
    }
}
