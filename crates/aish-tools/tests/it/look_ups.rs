//! Look-ups that fill in a question: calls through the door like any other, and only for a question that is asked.

use std::sync::{Arc, Mutex};

use aish_safety::{
    Answer, Approver, AuditEntry, AuditError, AuditLog, By, Gate, Mode, Nobody, Policy, Question, Subject, Surroundings,
};
use aish_tools::schema::Faults;
use aish_tools::{CheckedCall, Confirm, Door, Executor, LookUp, Plan, Registry, ToolSource, input_schema};
use aish_types::{BoxFuture, Risk, SourceId, ToolDefinition, ToolOutcome};
use tokio_util::sync::CancellationToken;

use crate::door::{Open, call, definition};

/// What happened, in order.
type Steps = Arc<Mutex<Vec<String>>>;

/// A tool that sends a letter, whose sentence names whoever gets it.
struct Letters {
    id: SourceId,
    definition: Arc<ToolDefinition>,
    /// The words of the look-up.
    words: Vec<String>,
    steps: Steps,
}

impl ToolSource for Letters {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn definitions(&self) -> Vec<Arc<ToolDefinition>> {
        vec![Arc::clone(&self.definition)]
    }

    fn plan(self: Arc<Self>, _call: &CheckedCall) -> Result<Plan, Faults> {
        let subject = |words: &[String]| Subject::Argv { words: words.to_vec() };
        let (looking, sending) = (Arc::clone(&self.steps), Arc::clone(&self.steps));
        let look_up = Plan::of(subject(&self.words), move |_call, _context| async move {
            looking.lock().unwrap().push("looked up".to_owned());
            ToolOutcome::success("Ann")
        });
        let look_up = LookUp { name: "owner".to_owned(), plan: look_up, timeout_ms: 1_000 };
        let mut plan = Plan::of(subject(&["touch".into(), "x".into()]), move |_call, _context| async move {
            sending.lock().unwrap().push("sent".to_owned());
            ToolOutcome::success("sent")
        });
        plan.confirm = Some(Confirm {
            look_ups: vec![look_up],
            word: Box::new(|found| match &found[..] {
                [Some(owner)] => format!("Send it to {owner}?"),
                _ => "Send it?".to_owned(),
            }),
        });
        Ok(plan)
    }
}

/// Writes decisions into the steps.
struct Noted(Steps);

impl AuditLog for Noted {
    fn append(&self, entry: &AuditEntry) -> Result<(), AuditError> {
        let AuditEntry { tool, command, approved, by, .. } = entry;
        let decided = if *approved { "yes" } else { "no" };
        self.0.lock().unwrap().push(format!("{tool}: {}: {decided} by {by:?}", command.as_deref().unwrap_or_default()));
        Ok(())
    }
}

/// Says no, and notes what was asked.
struct No(Steps);

impl Approver for No {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.0.lock().unwrap().push(question.confirm_message.clone().unwrap_or_default());
        Box::pin(std::future::ready(Answer::No))
    }
}

async fn steps(look_up: &str, policy: Policy, approver: impl FnOnce(Steps) -> Box<dyn Approver>) -> Vec<String> {
    let steps = Steps::default();
    let mut letter = definition("letter", input_schema(&[]), "cli");
    letter.risk = Risk::Write;
    let registry = Arc::new(Registry::default());
    registry.add(Arc::new(Letters {
        id: "cli".into(),
        definition: Arc::new(letter),
        words: look_up.split(' ').map(str::to_owned).collect(),
        steps: Arc::clone(&steps),
    }));
    let gate = Gate::new(Arc::new(Noted(Arc::clone(&steps))), Arc::new(Open), policy);
    let door = Door::new(Arc::new(Executor::new(registry)), gate);
    let approver = approver(Arc::clone(&steps));
    let call = call("letter", "{}", "me").unwrap();
    door.call(call, &Surroundings::default(), approver.as_ref(), CancellationToken::new()).await;
    std::mem::take(&mut *steps.lock().unwrap())
}

#[tokio::test]
async fn a_look_up_is_judged_and_written_down_before_it_runs() {
    let asked = steps("echo Ann", Policy::default(), |steps| Box::new(No(steps))).await;
    assert_eq!(
        asked,
        ["letter:owner: echo Ann: yes by Policy", "looked up", "Send it to Ann?", "letter: touch x: no by Person"]
    );
}

#[tokio::test]
async fn nothing_is_looked_up_where_nobody_is_asked() {
    for (mode, expected) in [
        (Mode::Headless, &["letter: touch x: no by Nobody"][..]),
        (Mode::HeadlessYes, &["letter: touch x: yes by Policy", "sent"][..]),
    ] {
        assert_eq!(steps("echo Ann", Policy::default(), |_| Box::new(Nobody(mode))).await, expected);
    }
}

#[tokio::test]
async fn a_look_up_that_would_have_to_be_asked_does_not_run() {
    let by = By::Nobody;
    for (words, policy) in [
        ("rm -rf /srv", Policy::default()),
        ("echo Ann", Policy { level: aish_safety::Level::All, ..Policy::default() }),
        ("echo Ann", Policy { broken: Some("p.yaml:1:1".to_owned()), ..Policy::default() }),
    ] {
        let asked = steps(words, policy, |steps| Box::new(No(steps))).await;
        let expected = [
            format!("letter:owner: {words}: no by {by:?}"),
            "Send it?".to_owned(),
            "letter: touch x: no by Person".to_owned(),
        ];
        assert_eq!(asked, expected);
    }
}
