//! `aish ask`: one question, one answer.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::time::Duration;

use aish_llm::ChatError;
use aish_safety::{Mode, Nobody};
use aish_store::SessionSummary;
use aish_term::{EditorOptions, Input, LineEditor, MemoryHistory, PromptView};
use aish_turn::{Event, Outcome};
use aish_types::{Block, SessionId};
use tokio_util::sync::CancellationToken;

use super::piped::Piped;
use super::sources::Sources;
use crate::arguments::{AskFlags, SharedFlags};
use crate::base::Base;
use crate::conversation::{Conversation, Setup};
use crate::display::{capabilities, theme};
use crate::driver::CommandEnvironment;
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::file_places::ProjectFiles;
use crate::live::Live;
use crate::mentions;
use crate::output::Output;
use crate::question::Question;
use crate::search::find_models;
use crate::session::{KeptLog, ResumedSession};
use crate::structured::{self, AnswerError, AnswerSchema, Fitting};
use crate::surface::held::WithoutText;
use crate::surface::json::JsonSurface;
use crate::surface::text::{TextSurface, Verbosity};
use crate::surface::{Shown, Surface};

/// Asks once and returns how it ended.
///
/// # Errors
/// When standard input cannot be read.
pub async fn run(base: &Base, shared: &SharedFlags, flags: &AskFlags) -> Result<ExitCode, Failure> {
    let mut surface = surface(base, shared, flags);
    let now = base.started.elapsed();
    base.faults().iter().for_each(|fault| surface.show(Shown::Notice(fault), now));
    let asked = match question(flags, Piped::told(surface.as_mut(), now)?) {
        None if !flags.json => typed(base, shared).await?.map(Question::new),
        asked => asked,
    };
    let Some(mut question) = asked else {
        surface.show(Shown::Error("nothing was asked; try: aish ask \"what is a pipe?\""), now);
        return Ok(ExitCode::Usage);
    };
    // The ledger and the memories are in it: it is opened while the rest is put together.
    let store = Arc::clone(&base.store);
    drop(tokio::task::spawn_blocking(move || drop(store.open())));
    let wanted = match AskInputs::of(base, flags) {
        Ok(wanted) => wanted,
        Err((failure, code)) => {
            fail(surface.as_mut(), &failure, now);
            return Ok(code);
        }
    };
    let interrupt = interrupt();
    let found = find_models(base, shared.model.as_deref()).await;
    if let Some(failure) = found.lacks(shared.model.as_deref()) {
        found.notices.iter().for_each(|notice| surface.show(Shown::Notice(notice), now));
        fail(surface.as_mut(), &failure, now);
        return Ok(ExitCode::Error);
    }
    let session = crate::session::new_id(&base.clock);
    let (live, apart) = Live::headless(&base.config.shell.program, &base.secrets).with_layers(base);
    let timeout_ms = base.config.tools.timeout_s.saturating_mul(1000);
    let (sources, mut notices) = Sources::start(base, Arc::clone(&live) as Arc<_>, timeout_ms).await;
    let mode = if flags.yes { Mode::HeadlessYes } else { Mode::Headless };
    let log = Box::new(KeptLog::of(base, &session).once_answered());
    let environment = CommandEnvironment::beside(live.surroundings(base), apart);
    let setup = sources.setup(base, session, Arc::new(Nobody(mode)), environment);
    // A proposal is no answer that fits.
    let setup = Setup { log, offer_tools: !flags.no_tools, commands: wanted.schema.is_none(), ..setup };
    let mut conversation = Conversation::new(base, found, setup);
    if let Some((resumed, said)) = wanted.resumed {
        conversation.go_on(resumed);
        notices.extend(said);
    }
    notices.append(&mut conversation.notices);
    notices.iter().for_each(|notice| surface.show(Shown::Notice(notice), now));
    question.blocks = wanted.images;
    let question = asked_with(base, &conversation, question, surface.as_mut());
    let asked = question.asked(&mut conversation.driver.seen.read);
    let schema = wanted.schema.as_ref();
    let code = answered(&mut conversation, schema, asked, surface.as_mut(), &interrupt, now).await;
    if let Some(name) = &wanted.new_name {
        name_session(base, &conversation.driver.caller.session, name, surface.as_mut());
    }
    if let Some(warning) = base.store.take_warning() {
        surface.show(Shown::Notice(&warning), base.started.elapsed());
    }
    sources.close().await;
    live.close().await;
    Ok(ended(code))
}

/// Returns what ends the question: Ctrl-C, or that nobody reads the answer any more, so that nothing more is paid for.
fn interrupt() -> CancellationToken {
    let interrupt = Output::reader_gone().child_token();
    spawn_interrupt(interrupt.clone());
    interrupt
}

/// Returns the exit code of a command: whoever read enough is no fault.
fn ended(code: ExitCode) -> ExitCode {
    match code {
        ExitCode::Interrupted if Output::reader_gone().is_cancelled() => ExitCode::Ok,
        code => code,
    }
}

/// Gives the session its name, and says where that did not work.
fn name_session(base: &Base, session: &SessionId, name: &str, surface: &mut dyn Surface) {
    if !base.sessions().is_ok_and(|sessions| sessions.rename(session, name).is_ok()) {
        surface.show(Shown::Notice(&format!("the session could not be called {name}")), base.started.elapsed());
    }
}

/// What the flags ask for beside the question, read before anything is started.
struct AskInputs {
    schema: Option<AnswerSchema>,
    images: Vec<Block>,
    /// The session that goes on, with what to tell of it.
    resumed: Option<(ResumedSession, Vec<String>)>,
    /// What a new session is to be called.
    new_name: Option<String>,
}

impl AskInputs {
    /// Reads it; a failure comes with the exit code.
    fn of(base: &Base, flags: &AskFlags) -> Result<Self, (Failure, ExitCode)> {
        let usage = |failure: Failure| (failure, ExitCode::Usage);
        let schema = flags.schema.as_deref().map(AnswerSchema::read).transpose().map_err(usage)?;
        let images = flags.image.iter().map(|path| crate::image::read(path)).collect::<Result<Vec<_>, _>>();
        let images = images.map_err(|error| usage(error.into()))?;
        if flags.session.as_deref().is_some_and(|name| aish_store::as_name(name).is_empty()) {
            return Err(usage(Failure::user("--session needs the name of a session").hint("a variable may be empty")));
        }
        let session = match (&flags.session, flags.go_on) {
            (Some(name), _) => kept(base, name),
            (None, true) => Some(String::new()),
            (None, false) => flags.resume.clone(),
        };
        let new_name = session.is_none().then(|| flags.session.clone()).flatten();
        let resumed = session.map(|session| crate::session::found::open(base, &session)).transpose();
        let resumed = resumed.map_err(|failure| (failure, ExitCode::Error))?;
        Ok(Self { schema, images, resumed, new_name })
    }
}

/// Puts the question together with what it names, what is remembered, and images.
fn asked_with(base: &Base, conversation: &Conversation, mut question: Question, surface: &mut dyn Surface) -> Question {
    let typed = &question.typed;
    let mentioned = mentions::read(typed, &[], &base.folder, base.paths.home.as_deref(), &ProjectFiles::of(base), &[]);
    for said in &mentioned.said {
        surface.show(Shown::Notice(said), base.started.elapsed());
    }
    question.mentions(mentioned);
    if let Some(unseen) = conversation.sees_no_images(base, &question.blocks) {
        surface.show(Shown::Notice(&unseen), base.started.elapsed());
    }
    question.memories = base.memories_for(&question.typed, &base.folder, conversation.turn.transcript());
    question
}

/// Has the question answered. An answer that is to fit a schema is asked for once more, without tools and with the fault
/// told, where the first one does not.
async fn answered(
    conversation: &mut Conversation,
    schema: Option<&AnswerSchema>,
    asked: Event,
    surface: &mut dyn Surface,
    interrupt: &CancellationToken,
    now: Duration,
) -> ExitCode {
    let Some(schema) = schema else {
        let outcome = conversation.driver.play(&mut conversation.turn, asked, surface, interrupt).await;
        return exit_code(&outcome, conversation.driver.asker.last_error.as_ref());
    };
    conversation.wants(schema);
    let why = match attempt(conversation, schema, asked, surface, interrupt).await {
        Ok(answer) => {
            surface.show(Shown::Fitting(&answer), now);
            return ExitCode::Ok;
        }
        Err(AttemptError::Ended(code)) => return code,
        Err(AttemptError::Unfit(why)) => why,
    };
    surface.show(Shown::Notice(&format!("the answer does not fit the schema ({why}); asked again")), now);
    // Without tools a server can hold the model to the schema.
    conversation.driver.asker.offering.tools = false;
    let again = Question::new(structured::again(&why)).asked(&mut conversation.driver.seen.read);
    match attempt(conversation, schema, again, surface, interrupt).await {
        Ok(answer) => {
            surface.show(Shown::Fitting(&answer), now);
            ExitCode::Ok
        }
        Err(AttemptError::Ended(code)) => code,
        Err(AttemptError::Unfit(why)) => {
            let text = format!("the answer does not fit the schema, nor did the one before: {why}");
            surface.show(Shown::Error(&text), now);
            ExitCode::Error
        }
    }
}

/// Why there is no answer that fits.
enum AttemptError {
    /// There is one that does not.
    Unfit(AnswerError),
    /// The turn ended otherwise.
    Ended(ExitCode),
}

async fn attempt(
    conversation: &mut Conversation,
    schema: &AnswerSchema,
    asked: Event,
    surface: &mut dyn Surface,
    interrupt: &CancellationToken,
) -> Result<Fitting, AttemptError> {
    let driver = &mut conversation.driver;
    let outcome = driver.play(&mut conversation.turn, asked, &mut WithoutText(surface), interrupt).await;
    if outcome != Outcome::Answered {
        return Err(AttemptError::Ended(exit_code(&outcome, driver.asker.last_error.as_ref())));
    }
    let last = conversation.turn.transcript().entries().last();
    schema.check(last.map(|entry| entry.message.content()).unwrap_or_default()).map_err(AttemptError::Unfit)
}

/// Returns the id of the session of this name; of several, as scripts that run at once make them, that of the newest.
fn kept(base: &Base, name: &str) -> Option<String> {
    let all = base.sessions().ok().and_then(|sessions| sessions.list().ok()).unwrap_or_default();
    let (id, name) = (name, aish_store::as_name(name));
    let fits = |summary: &&SessionSummary| summary.title.as_ref() == Some(&name) || summary.id.as_str() == id;
    all.iter().find(fits).map(|summary| summary.id.to_string())
}

/// Returns the exit code of a turn.
pub fn exit_code(outcome: &Outcome, error: Option<&ChatError>) -> ExitCode {
    match (outcome, error) {
        (Outcome::Answered, _) => ExitCode::Ok,
        (Outcome::Declined | Outcome::Halted, _) => ExitCode::Halted,
        (Outcome::Interrupted, _) => ExitCode::Interrupted,
        (Outcome::Stopped, _) | (Outcome::Failed, Some(ChatError::SpendRefused(_))) => ExitCode::Budget,
        (
            Outcome::Failed
            | Outcome::NothingLeft
            | Outcome::DepthLimit
            | Outcome::Looping
            | Outcome::Cut
            | Outcome::Withheld
            | Outcome::Empty,
            _,
        ) => ExitCode::Error,
    }
}

fn question(flags: &AskFlags, piped: Option<String>) -> Option<Question> {
    let asked = flags.question.join(" ");
    match (asked.trim().is_empty(), piped) {
        (false, piped) => Some(Question { piped, ..Question::new(asked) }),
        (true, Some(piped)) => Some(Question::new(piped)),
        (true, None) => None,
    }
}

/// Reads a line at the terminal as it is typed: nothing in it is special, nothing has to be quoted. None where there is no
/// terminal, or nothing was typed.
async fn typed(base: &Base, shared: &SharedFlags) -> Result<Option<String>, Failure> {
    let Some(mut options) = editor_options(base, shared) else { return Ok(None) };
    crate::repl::take_keys(&mut options, base);
    let editor = LineEditor::start(options)?;
    Ok(match editor.read(PromptView::plain("ask: ")).await? {
        Input::Line(line) => Some(line.text).filter(|text| !text.trim().is_empty()),
        Input::Interrupted | Input::EndOfInput | Input::HostCommand(_) => None,
    })
}

fn surface(base: &Base, shared: &SharedFlags, flags: &AskFlags) -> Box<dyn Surface> {
    if flags.json {
        return Box::new(JsonSurface::new(Output));
    }
    Box::new(text_surface(base, shared, flags.quiet).with_thoughts(base.config.ui.reasoning))
}

/// Shows a failure and what to do next.
pub(super) fn fail(surface: &mut dyn Surface, failure: &Failure, now: Duration) {
    failure.lines().for_each(|line| surface.show(Shown::Error(&line), now));
}

/// Makes the surface of a command whose output is text.
pub(super) fn text_surface(base: &Base, shared: &SharedFlags, quiet: bool) -> TextSurface {
    let (out, err) = capabilities(base, shared);
    let verbosity = if quiet { Verbosity::Quiet } else { Verbosity::Normal };
    TextSurface::new(theme(base), out, err, verbosity, base.config.ui.markdown)
}

/// Returns how a person is asked on standard error; none where nobody is there.
pub(super) fn editor_options(base: &Base, shared: &SharedFlags) -> Option<EditorOptions> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return None;
    }
    let (_, err) = capabilities(base, shared);
    let term = base.variable("TERM");
    let options = EditorOptions::new(err, true, term.as_deref(), Arc::new(MemoryHistory::new()));
    Some(EditorOptions { theme: theme(base), ..options })
}

/// Cancels the token at Ctrl-C; a second one ends the program.
pub fn spawn_interrupt(token: CancellationToken) {
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            token.cancel();
        }
        if tokio::signal::ctrl_c().await.is_ok() {
            std::process::exit(130);
        }
    });
}
