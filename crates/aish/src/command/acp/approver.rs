//! The gate's question at an editor.

use std::sync::{Mutex, MutexGuard, PoisonError};

use aish_acp::{Choice, Client, Content, Kind, Mode as Described, Permission, PermissionOption};
use aish_safety::{Answer, Approver, Mode, Question, Subject};
use aish_types::{BoxFuture, CallId};
use tokio_util::sync::CancellationToken;

/// What becomes of what would be asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum SessionMode {
    /// The editor's person is asked.
    #[default]
    Ask,
    /// It runs, unless it destroys.
    Auto,
    /// It does not run.
    Plan,
}

impl SessionMode {
    pub(super) const ALL: [Self; 3] = [Self::Ask, Self::Auto, Self::Plan];

    pub(super) fn of(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.id() == id)
    }

    pub(super) const fn id(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Auto => "auto",
            Self::Plan => "plan",
        }
    }

    pub(super) fn described(self) -> Described {
        let (name, about) = match self {
            Self::Ask => ("Ask", "Asks before each command and call that is not known to be harmless"),
            Self::Auto => ("Auto", "Runs what is not destructive without asking"),
            Self::Plan => ("Plan", "Runs only what is known to be harmless"),
        };
        Described { id: self.id().to_owned(), name: name.to_owned(), about: about.to_owned() }
    }
}

/// What a session's questions need to know of its turn.
#[derive(Debug, Default)]
struct Now {
    mode: SessionMode,
    /// The call that is judged.
    call: Option<CallId>,
    /// Stops the turn.
    interrupt: CancellationToken,
}

/// Asks the person at the editor.
pub(super) struct EditorApprover {
    client: Client,
    now: Mutex<Now>,
}

impl EditorApprover {
    pub(super) fn new(client: Client) -> Self {
        Self { client, now: Mutex::default() }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn session_mode(&self) -> SessionMode {
        self.now().mode
    }

    pub(super) fn set_mode(&self, mode: SessionMode) {
        self.now().mode = mode;
    }

    /// Begins a turn.
    pub(super) fn begin(&self) {
        self.now().interrupt = CancellationToken::new();
    }

    /// Returns what stops the turn.
    pub(super) fn interrupt(&self) -> CancellationToken {
        self.now().interrupt.clone()
    }

    /// Stops the turn.
    pub(super) fn cancel(&self) {
        self.now().interrupt.cancel();
    }

    /// Notes which call is judged next.
    pub(super) fn judging(&self, call: &CallId) {
        self.now().call = Some(call.clone());
    }

    fn permission(&self, question: &Question) -> Permission {
        let call = self.now().call.clone().map_or_else(|| question.tool.to_string(), |call| call.to_string());
        let mut lines = vec![question.reason().to_owned()];
        lines.extend(question.confirm_message.clone());
        lines.extend(question.drift.clone());
        lines.extend(question.notes.iter().cloned());
        if let Subject::Files { difference, .. } = &question.subject {
            lines.push(difference.clone());
        }
        let mut options =
            vec![PermissionOption { id: "once", name: "Run once".to_owned(), allows: true, lasting: false }];
        options.extend(question.always.as_ref().map(|kept| PermissionOption {
            id: "always",
            name: format!("Always run: {}", aish_types::visible(kept)),
            allows: true,
            lasting: true,
        }));
        options.push(PermissionOption { id: "no", name: "Do not run".to_owned(), allows: false, lasting: false });
        Permission {
            call,
            title: title(&question.subject, question.tool.as_str()),
            kind: kind(question.tool.as_str(), &question.subject),
            content: vec![Content::Text(aish_types::visible(&lines.join("\n")).into_owned())],
            input: question.arguments.clone(),
            options,
        }
    }
}

/// Says what is done: the command line itself, whole, with what is not shown written out.
fn title(subject: &Subject, tool: &str) -> String {
    match subject {
        Subject::Command { text } => aish_types::visible(text).into_owned(),
        Subject::Argv { words } => aish_types::visible(&shell_words::join(words)).into_owned(),
        Subject::Files { accesses, .. } => {
            let paths: Vec<_> = accesses.iter().map(|access| aish_types::visible(&access.path)).collect();
            format!("{tool} {}", paths.join(", "))
        }
        Subject::Page { address } => format!("{tool} {}", aish_types::visible(address)),
        Subject::Tool => tool.to_owned(),
    }
}

fn kind(tool: &str, subject: &Subject) -> Kind {
    match subject {
        Subject::Command { .. } | Subject::Argv { .. } => Kind::Execute,
        Subject::Files { .. } | Subject::Page { .. } | Subject::Tool => super::surface::kind(tool),
    }
}

impl Approver for EditorApprover {
    fn mode(&self) -> Mode {
        match self.session_mode() {
            SessionMode::Ask => Mode::Interactive,
            SessionMode::Auto => Mode::HeadlessYes,
            SessionMode::Plan => Mode::Headless,
        }
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let permission = self.permission(question);
            let interrupt = self.interrupt();
            let choice = tokio::select! {
                choice = self.client.ask(permission) => choice,
                () = interrupt.cancelled() => Choice::Cancelled,
            };
            // By the id that was sent, never by what an option is called.
            match choice {
                Choice::Option(id) if id == "once" => Answer::Yes,
                Choice::Option(id) if id == "always" => match &question.always {
                    Some(kept) => Answer::Always(kept.clone()),
                    None => Answer::No,
                },
                Choice::Option(_) => Answer::No,
                Choice::Cancelled => {
                    interrupt.cancel();
                    Answer::Stop
                }
                Choice::Nobody => Answer::Nobody,
            }
        })
    }
}
