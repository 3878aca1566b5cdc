//! The gate's question at an editor.

use std::sync::{Mutex, MutexGuard, PoisonError};

use aish_acp::{Choice, Client, Content, Diff, Kind, Mode as Described, Permission, PermissionOption, Reply};
use aish_safety::{
    Answer, Approval, Approver, ChangesAnswer, ChangesQuestion, Mode, Question, Subject, Texts, Verdict,
};
use aish_types::{BoxFuture, CallId};
use tokio_util::sync::CancellationToken;

/// What becomes of what would be asked: a level of `approval.mode`, or a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum SessionMode {
    /// The editor's person is asked before it runs.
    #[default]
    Ask,
    /// It runs where a layer holds it; the editor's person is asked about what is not ordinary.
    Auto,
    /// It does not run, and nothing is changed.
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
            Self::Auto => ("Auto", "Runs commands apart without asking, keeps ordinary files, and asks about the rest"),
            Self::Plan => ("Plan", "Runs only what is known to be harmless, and keeps nothing that it changed"),
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
    /// The level of the configuration.
    level: Approval,
    now: Mutex<Now>,
}

impl EditorApprover {
    /// Begins in the mode of the configuration's level.
    pub(super) fn new(client: Client, level: Approval) -> Self {
        let mode = match level {
            Approval::Ask | Approval::Strict => SessionMode::Ask,
            Approval::Auto => SessionMode::Auto,
        };
        Self { client, level, now: Mutex::new(Now { mode, ..Now::default() }) }
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
        let mut options = vec![option(Reply::Once, "Run once")];
        options.extend(question.can_try.then(|| option(Reply::Try, "Try: run it apart, then keep or drop")));
        let always = question.always.as_ref();
        options.extend(always.map(|kept| option(Reply::Always, &format!("Always run: {}", aish_types::visible(kept)))));
        options.push(option(Reply::No, "Do not run"));
        Permission {
            call,
            title: title(&question.subject, question.tool.as_str()),
            kind: kind(question.tool.as_str(), &question.subject),
            content: vec![Content::Text(aish_types::visible(&lines.join("\n")).into_owned())],
            input: question.arguments.clone(),
            options,
        }
    }

    /// Asks, and hears a cancelled turn too.
    async fn choose(&self, permission: Permission) -> Choice {
        let interrupt = self.interrupt();
        let choice = tokio::select! {
            choice = self.client.ask(permission) => choice,
            () = interrupt.cancelled() => Choice::Cancelled,
        };
        if choice == Choice::Cancelled {
            interrupt.cancel();
        }
        choice
    }
}

pub(super) fn option(reply: Reply, name: &str) -> PermissionOption {
    PermissionOption { reply, name: name.to_owned() }
}

/// Words what a command changed: a line a change, and each text before and after.
fn about_changes(question: &ChangesQuestion) -> Permission {
    let line = |line: &aish_safety::ChangeLine| match line.guarded {
        Some(why) => format!("{}  ! {why}", line.text),
        None => line.text.clone(),
    };
    let mut lines = vec!["It ran apart, and nothing of it is in the tree yet:".to_owned()];
    lines.extend(question.lines.iter().map(line));
    lines.extend(question.remarks.iter().cloned());
    let text = aish_types::visible(&lines.join("\n")).into_owned();
    let mut content = vec![Content::Text(super::surface::fenced(&text))];
    content.extend(diffs(&question.texts).into_iter().map(Content::Diff));
    Permission {
        call: question.call.to_string(),
        title: aish_types::visible(&question.command).into_owned(),
        kind: Kind::Execute,
        content,
        input: serde_json::json!({ "command": question.command }),
        options: vec![option(Reply::Keep, "Keep what it changed"), option(Reply::Drop, "Drop what it changed")],
    }
}

/// Returns texts as an editor shows them; what is gone is empty.
pub(super) fn diffs(texts: &Texts) -> Vec<Diff> {
    let diff = |text: aish_safety::ChangedText| Diff {
        path: text.path.into(),
        before: text.before,
        after: text.after.unwrap_or_default(),
    };
    texts.read().into_iter().map(diff).collect()
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
            SessionMode::Ask | SessionMode::Auto => Mode::Interactive,
            SessionMode::Plan => Mode::Headless,
        }
    }

    fn level(&self) -> Option<Approval> {
        Some(match (self.session_mode(), self.level) {
            (SessionMode::Auto, _) => Approval::Auto,
            (SessionMode::Ask | SessionMode::Plan, Approval::Strict) => Approval::Strict,
            (SessionMode::Ask | SessionMode::Plan, Approval::Ask | Approval::Auto) => Approval::Ask,
        })
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            // That wants a word, and an editor has buttons.
            if question.judgement.verdict == Verdict::Halt {
                return Answer::Nobody;
            }
            match self.choose(self.permission(question)).await {
                Choice::Reply(Reply::Once) => Answer::Yes,
                Choice::Reply(Reply::Try) => Answer::Try,
                Choice::Reply(Reply::Always) => match &question.always {
                    Some(kept) => Answer::Always(kept.clone()),
                    None => Answer::No,
                },
                Choice::Reply(Reply::No | Reply::Keep | Reply::Drop) => Answer::No,
                Choice::Cancelled => Answer::Stop,
                Choice::Nobody => Answer::Nobody,
            }
        })
    }

    fn changes<'a>(&'a self, question: &'a ChangesQuestion) -> BoxFuture<'a, ChangesAnswer> {
        Box::pin(async move {
            if self.session_mode() == SessionMode::Plan {
                return ChangesAnswer::Nobody;
            }
            match self.choose(about_changes(question)).await {
                Choice::Reply(Reply::Keep) => ChangesAnswer::Keep,
                Choice::Reply(Reply::Drop | Reply::Once | Reply::Try | Reply::Always | Reply::No) => {
                    ChangesAnswer::Drop
                }
                Choice::Cancelled => ChangesAnswer::Stop,
                Choice::Nobody => ChangesAnswer::Nobody,
            }
        })
    }
}
