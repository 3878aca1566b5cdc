//! The gate: who is asked, what is written, what is kept.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use aish_safety::{
    After, Analysis, Answer, Approval, Approver, AuditEntry, AuditError, AuditLog, Brief, By, Gate, Given, Hold,
    Judgement, KeptApprovals, Level, Mode, NamedRisk, Passage, Pin, PinError, PinStore, Placement, Policy,
    PreparedCall, Question, Subject, Surroundings, definition_hash,
};
use aish_types::{BoxFuture, CallContext, Risk, SourceId, ToolDefinition, ToolName};
use serde_json::json;

#[derive(Default)]
pub(crate) struct World {
    pub(crate) answers: Mutex<Vec<Answer>>,
    pub(crate) asked: Mutex<Vec<Question>>,
    pub(crate) audit: Mutex<Vec<AuditEntry>>,
    pub(crate) audit_fails: bool,
    pub(crate) pins: Mutex<Vec<(String, Pin)>>,
    pub(crate) pins_fail: bool,
    pub(crate) kept: Mutex<Vec<String>>,
}

impl Approver for World {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.asked.lock().unwrap().push(question.clone());
        let answer = self.answers.lock().unwrap().pop().unwrap_or(Answer::Nobody);
        Box::pin(std::future::ready(answer))
    }
}

impl AuditLog for World {
    fn append(&self, entry: &AuditEntry) -> Result<(), AuditError> {
        if self.audit_fails {
            return Err(AuditError("disk full".into()));
        }
        self.audit.lock().unwrap().push(entry.clone());
        Ok(())
    }
}

impl PinStore for World {
    fn get(&self, source: &SourceId, tool: &ToolName) -> Result<Option<Pin>, PinError> {
        if self.pins_fail {
            return Err(PinError("corrupt".into()));
        }
        let key = format!("{source} {tool}");
        Ok(self.pins.lock().unwrap().iter().rev().find(|(known, _)| *known == key).map(|(_, pin)| pin.clone()))
    }

    fn put(&self, source: &SourceId, tool: &ToolName, pin: &Pin) -> Result<(), PinError> {
        self.pins.lock().unwrap().push((format!("{source} {tool}"), pin.clone()));
        Ok(())
    }
}

impl KeptApprovals for World {
    fn any(&self, condition: &dyn Fn(&str) -> bool) -> bool {
        self.kept.lock().unwrap().iter().any(|text| condition(text))
    }

    fn keep(&self, text: &str) -> Result<(), String> {
        self.kept.lock().unwrap().push(text.to_owned());
        Ok(())
    }
}

pub(crate) fn definition(name: &str) -> ToolDefinition {
    ToolDefinition::new(name, "does", json!({"type": "object"}), SourceId::new("mcp:files"))
}

pub(crate) fn prepared(definition: ToolDefinition, subject: Subject) -> PreparedCall {
    let context = CallContext { call: "1".into(), session: "s".into(), user: "u".into(), channel: None, folder: None };
    PreparedCall {
        definition_hash: definition_hash(&definition),
        definition: Arc::new(definition),
        arguments: json!({}),
        ignored: vec![],
        subject,
        given: Given::default(),
        context,
    }
}

pub(crate) fn command(text: &str) -> PreparedCall {
    let mut shell = definition("shell");
    shell.trusted = true;
    shell.risk = Risk::Write;
    prepared(shell, Subject::Command { text: text.into() })
}

/// Who is asked in a mode, with a judgement of the run that the call belongs to.
pub(crate) struct Asked<'w> {
    pub(crate) world: &'w World,
    pub(crate) mode: Mode,
    pub(crate) raised: Option<Judgement>,
}

impl Approver for Asked<'_> {
    fn mode(&self) -> Mode {
        self.mode
    }

    fn brief<'a>(
        &'a self,
        _call: &'a PreparedCall,
        _analysis: &'a Analysis,
        _surroundings: &'a Surroundings,
    ) -> BoxFuture<'a, Brief> {
        Box::pin(std::future::ready(Brief { raised: self.raised.clone(), ..Brief::default() }))
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.world.ask(question)
    }
}

/// Passes a gate that waits for nobody.
pub(crate) fn passed(gate: &Gate, call: PreparedCall, surroundings: &Surroundings, asked: &Asked<'_>) -> Passage {
    let sentence = Box::pin(std::future::ready(Some("Really?".to_owned())));
    let mut future = pin!(gate.pass(call, surroundings, sentence, asked));
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(passage) => passage,
        Poll::Pending => panic!("the gate waits for nobody here"),
    }
}

fn pass(world: &Arc<World>, policy: Policy, mode: Mode, call: PreparedCall) -> Passage {
    let gate = Gate::new(world.clone(), world.clone(), policy).with_kept(world.clone());
    passed(&gate, call, &Surroundings::default(), &Asked { world, mode, raised: None })
}

pub(crate) fn world(answers: &[Answer]) -> Arc<World> {
    let answers: Vec<Answer> = answers.iter().rev().cloned().collect();
    Arc::new(World { answers: Mutex::new(answers), ..World::default() })
}

#[test]
fn a_person_says_yes_no_or_changes_it() {
    for (answer, approved) in [(Answer::Yes, true), (Answer::No, false), (Answer::Nobody, false)] {
        let world = world(&[answer]);
        let passage = pass(&world, Policy::default(), Mode::Interactive, command("touch x"));
        assert_eq!(matches!(passage, Passage::Approved(_)), approved);
        let audit = world.audit.lock().unwrap();
        assert_eq!((audit.len(), audit[0].approved), (1, approved));
        assert_eq!(audit[0].command.as_deref(), Some("touch x"));
    }
    let edited = world(&[Answer::Edit("touch y".into())]);
    let passage = pass(&edited, Policy::default(), Mode::Interactive, command("touch x"));
    assert!(matches!(passage, Passage::Edited { text, .. } if text == "touch y"));
    assert!(edited.audit.lock().unwrap().is_empty(), "what was changed is judged and written when it comes back");
}

#[test]
fn without_a_person_policy_alone_decides() {
    let free = Policy { confirm_cmd: false, ..Policy::default() };
    for (mode, text, expected) in [
        (Mode::Headless, "ls", "approved"),
        (Mode::Headless, "touch x", "declined"),
        (Mode::Headless, "rm -rf /", "halted"),
        (Mode::HeadlessYes, "touch x", "approved"),
        (Mode::HeadlessYes, "rm -rf /", "halted"),
        (Mode::Autonomous, "touch x", "approved"),
        (Mode::Autonomous, "rm -rf /", "halted"),
    ] {
        let world = world(&[]);
        let came = match pass(&world, free.clone(), mode, command(text)) {
            Passage::Approved(_) => "approved",
            Passage::Declined { .. } => "declined",
            Passage::Halted { .. } => "halted",
            Passage::Edited { .. } => "edited",
        };
        assert_eq!(came, expected, "{mode:?} {text}");
        // An autonomous run looks for a person where it would halt; nobody is there.
        let asked = !world.asked.lock().unwrap().is_empty();
        assert_eq!(asked, mode == Mode::Autonomous && expected == "halted");
        assert_eq!(world.audit.lock().unwrap().len(), 1, "every decision is written");
    }
}

#[test]
fn what_cannot_be_written_does_not_run_unasked() {
    let broken = Arc::new(World { audit_fails: true, ..World::default() });
    assert!(matches!(pass(&broken, Policy::default(), Mode::Autonomous, command("touch x")), Passage::Halted { .. }));
    let asked = Arc::new(World { audit_fails: true, answers: Mutex::new(vec![Answer::Yes]), ..World::default() });
    assert!(matches!(pass(&asked, Policy::default(), Mode::Interactive, command("touch x")), Passage::Approved(_)));
}

#[test]
fn a_tool_from_outside_is_asked_then_pinned_and_asked_again_when_it_changes() {
    let world = world(&[Answer::Yes, Answer::No]);
    let first = prepared(definition("files.read"), Subject::Tool);
    assert!(matches!(pass(&world, Policy::default(), Mode::Interactive, first), Passage::Approved(_)));
    let mut changed = definition("files.read");
    changed.description = "does something else".into();
    let mut policy = Policy::default();
    policy.auto_approve.insert("files.*".into(), true);
    let second = prepared(changed, Subject::Tool);
    assert!(matches!(pass(&world, policy.clone(), Mode::Interactive, second.clone()), Passage::Declined { .. }));
    let asked = world.asked.lock().unwrap();
    assert!(asked[1].drift.as_deref().is_some_and(|drift| drift.contains("- \"does\"\n+ \"does something else\"")));
    drop(asked);
    let Passage::Declined { reason, .. } = pass(&world, policy, Mode::HeadlessYes, second) else {
        panic!("nobody saw the change");
    };
    assert!(reason.contains("has changed since it was approved"), "{reason}");
    assert!(reason.contains("- \"does\"\n+ \"does something else\""), "the change is named: {reason}");
}

#[test]
fn a_pin_store_that_cannot_be_read_fails_closed() {
    let world = Arc::new(World { pins_fail: true, ..World::default() });
    let mut policy = Policy::default();
    policy.auto_approve.insert("files.read".into(), true);
    let call = prepared(definition("files.read"), Subject::Tool);
    assert!(matches!(pass(&world, policy, Mode::Headless, call), Passage::Declined { .. }));
}

#[test]
fn an_approved_tool_runs_at_once_and_is_pinned_then() {
    let world = world(&[]);
    let mut policy = Policy::default();
    policy.auto_approve.insert("files.*".into(), true);
    policy.auto_approve.insert("files.delete".into(), false);
    let read = prepared(definition("files.read"), Subject::Tool);
    assert!(matches!(pass(&world, policy.clone(), Mode::Headless, read), Passage::Approved(_)));
    assert_eq!(world.pins.lock().unwrap().len(), 1);
    let delete = prepared(definition("files.delete"), Subject::Tool);
    assert!(matches!(pass(&world, policy, Mode::Headless, delete), Passage::Declined { .. }));
}

#[test]
fn always_keeps_a_plain_command_and_never_a_destructive_one() {
    let world = world(&[Answer::Always("touch x".into()), Answer::Always("touch".into())]);
    let ask = |text: &str| pass(&world, Policy::default(), Mode::Interactive, command(text));
    assert!(matches!(ask("touch x"), Passage::Approved(_)));
    assert!(matches!(ask("touch x"), Passage::Approved(_)), "kept");
    assert_eq!(world.asked.lock().unwrap().len(), 1);
    assert!(matches!(ask("touch y"), Passage::Approved(_)), "a shortened prefix is kept");
    assert!(matches!(ask("touch z"), Passage::Approved(_)));
    assert_eq!(world.asked.lock().unwrap().len(), 2);
    assert_eq!(world.audit.lock().unwrap().last().unwrap().by, By::Kept);
    for text in ["touch z; touch q", "touchy", "touch $(id)", "sudo touch z"] {
        assert!(matches!(ask(text), Passage::Declined { .. }), "{text}");
    }
    for text in ["rm -rf /", "sh -c ls", "git push", "python3 x.py", "sudo touch x", "touch x && ls"] {
        ask(text);
        assert_eq!(world.asked.lock().unwrap().last().unwrap().always, None, "{text}");
    }
}

#[test]
fn a_broken_policy_asks_everything() {
    let broken = Policy { broken: Some("rule 3 has no verdict".into()), ..Policy::default() };
    let world = world(&[]);
    assert!(matches!(pass(&world, broken.clone(), Mode::Headless, command("ls")), Passage::Declined { .. }));
    for (text, rule) in [("rm notes.txt", "policy.broken"), ("rm -rf /srv/data", "files.delete-recursive")] {
        pass(&world, broken.clone(), Mode::Interactive, command(text));
        let judgement = world.asked.lock().unwrap().pop().unwrap().judgement;
        assert_eq!(judgement.rule.as_str(), rule);
        assert!(judgement.reason.starts_with("deletes "), "{}", judgement.reason);
    }
}

#[test]
fn a_broken_policy_starts_no_run_without_a_person() {
    for mode in [Mode::Headless, Mode::HeadlessYes, Mode::Autonomous] {
        let broken = Policy { broken: Some("config.toml:1:1".into()), confirm_cmd: false, ..Policy::default() };
        let passage = pass(&world(&[]), broken, mode, command("ls"));
        let refused = match mode {
            Mode::Autonomous => matches!(passage, Passage::Halted { .. }),
            Mode::Interactive | Mode::Headless | Mode::HeadlessYes => matches!(passage, Passage::Declined { .. }),
        };
        assert!(refused, "{mode:?}");
    }
}

fn ruled(pattern: &str, verdict: &str) -> Policy {
    let rule = aish_safety::WrittenRule { pattern: pattern.into(), verdict: verdict.into(), ..Default::default() };
    let rules = aish_safety::PolicyRules::compile(&[rule]).unwrap();
    Policy { rules, confirm_cmd: false, ..Policy::default() }
}

#[test]
fn rules_decide_over_tools_and_commands() {
    let tool = || prepared(definition("files.read"), Subject::Tool);
    assert!(matches!(pass(&world(&[]), ruled("tool:files.*", "allow"), Mode::Headless, tool()), Passage::Approved(_)));
    let mut halted = ruled("tool:files.read", "halt");
    halted.auto_approve.insert("files.*".into(), true);
    assert!(matches!(pass(&world(&[]), halted, Mode::HeadlessYes, tool()), Passage::Halted { .. }));
    assert!(matches!(
        pass(&world(&[]), ruled("ls", "halt"), Mode::Autonomous, command("cd x && ls")),
        Passage::Halted { .. }
    ));
    assert!(matches!(
        pass(&world(&[]), ruled("touch", "allow"), Mode::Headless, command("touch x")),
        Passage::Approved(_)
    ));
}

#[test]
fn rules_hold_for_argument_vectors_whatever_their_level() {
    let argv = || {
        let mut definition = definition("images.convert");
        definition.trusted = true;
        definition.risk = Risk::Read;
        prepared(definition, Subject::Argv { words: vec!["convert".into(), "a".into(), "b".into()] })
    };
    let free = Policy { confirm_cmd: false, ..Policy::default() };
    assert!(matches!(pass(&world(&[]), free, Mode::Headless, argv()), Passage::Approved(_)));
    for pattern in ["convert", "tool:images.*"] {
        assert!(
            matches!(pass(&world(&[]), ruled(pattern, "ask"), Mode::Headless, argv()), Passage::Declined { .. }),
            "{pattern}"
        );
    }
}

#[test]
fn a_named_risk_counts_for_the_tool_that_has_it_by_the_level() {
    let tool = |risk: Risk, trusted: bool| {
        let mut definition = definition("notes.move");
        (definition.trusted, definition.risk) = (trusted, risk);
        prepared(definition, Subject::Tool)
    };
    for (level, risk, trusted, runs) in [
        (Level::Write, Risk::Read, true, true),
        (Level::Write, Risk::Write, true, false),
        (Level::Destructive, Risk::Write, true, true),
        (Level::Destructive, Risk::Destructive, true, false),
        (Level::All, Risk::Read, true, false),
        (Level::None, Risk::Destructive, true, true),
        (Level::Write, Risk::Read, false, false),
        (Level::None, Risk::Read, false, false),
    ] {
        let policy = Policy { level, named_risk: NamedRisk::Level, ..Policy::default() };
        let passed = matches!(pass(&world(&[]), policy, Mode::Headless, tool(risk, trusted)), Passage::Approved(_));
        assert_eq!(passed, runs, "{level:?} {risk:?} {trusted}");
    }
    let mut asked = Policy { level: Level::None, named_risk: NamedRisk::Level, ..Policy::default() };
    asked.auto_approve.insert("notes.move".into(), false);
    assert!(matches!(pass(&world(&[]), asked, Mode::Headless, tool(Risk::Read, true)), Passage::Declined { .. }));
}

#[test]
fn what_a_program_is_given_is_judged_and_shown() {
    let fed = |words: &[&str], input: &str, folder: Option<&str>| {
        let mut definition = definition("script");
        (definition.trusted, definition.risk, definition.judged) = (true, Risk::Write, true);
        let subject = Subject::Argv { words: words.iter().map(|word| (*word).into()).collect() };
        let given = Given { folder: folder.map(Into::into), input: Some(input.into()) };
        PreparedCall { given, ..prepared(definition, subject) }
    };
    let long = "x".repeat(100_000);
    for (words, input, folder, expected) in [
        (&["sh"][..], "rm -rf /\n", None, "halt"),
        (&["bash", "-s"], "echo a\nrm -rf ~\n", None, "halt"),
        (&["env", "A=1", "sh"], "rm -rf /", None, "halt"),
        (&["python3", "-"], "import os\nos.system('rm -rf /')", None, "halt"),
        (&["sh"], "rm -rf .", Some("/"), "halt"),
        (&["sh"], long.as_str(), None, "halt"),
        (&["sh"], "rm\0-rf /", None, "halt"),
        (&["sh"], "ls\n", None, "yes"),
        (&["cat"], "rm -rf /\n", None, "yes"),
        (&["cat"], long.as_str(), None, "yes"),
        (&["tee", "notes.txt"], long.as_str(), None, "yes"),
        (&["git", "commit", "-F", "-"], long.as_str(), None, "yes"),
        (&["kubectl", "apply", "-f", "-"], long.as_str(), None, "yes"),
        (&["nobody-knows"], long.as_str(), None, "yes"),
    ] {
        let passage = pass(&world(&[]), Policy::default(), Mode::HeadlessYes, fed(words, input, folder));
        let got = match passage {
            Passage::Approved(_) => "yes",
            Passage::Halted { .. } => "halt",
            Passage::Declined { .. } | Passage::Edited { .. } => "no",
        };
        assert_eq!(got, expected, "{words:?} {folder:?} {}", input.get(..20).unwrap_or(input));
    }
    let asked = world(&[Answer::No]);
    pass(&asked, Policy::default(), Mode::Interactive, fed(&["sh"], "touch a\n", Some("/srv")));
    assert_eq!(asked.asked.lock().unwrap()[0].notes, ["In the folder /srv", "It reads this:\ntouch a\n"]);
    let asked = world(&[Answer::No]);
    pass(&asked, Policy::default(), Mode::Interactive, fed(&["tee", "a"], &long, None));
    assert!(asked.asked.lock().unwrap()[0].notes[0].len() < 2_200);
}

#[test]
fn a_judged_argument_vector_runs_unasked_where_it_is_known_to_read() {
    let argv = |words: &[&str]| {
        let mut definition = definition("repository.branch");
        (definition.trusted, definition.risk, definition.judged) = (true, Risk::Write, true);
        prepared(definition, Subject::Argv { words: words.iter().map(|word| (*word).into()).collect() })
    };
    let free = || Policy { confirm_cmd: false, ..Policy::default() };
    let passes =
        |words: &[&str]| matches!(pass(&world(&[]), free(), Mode::Headless, argv(words)), Passage::Approved(_));
    assert!(passes(&["git", "branch", "--list"]));
    assert!(!passes(&["git", "branch", "x"]), "what writes by a known rule asks");
    assert!(!passes(&["nobody-knows", "list"]), "so does what nothing is known of");
}

#[test]
fn an_approved_tool_is_asked_all_the_same_when_its_arguments_halt() {
    let mut policy = Policy { confirm_cmd: false, ..Policy::default() };
    policy.auto_approve.insert("host.*".into(), true);
    for (name, arguments, approved) in [
        ("host.run", json!({"command": "ls"}), true),
        ("host.run", json!({"command": "rm -rf /srv"}), false),
        ("host.run", json!({"options": {"argv": ["rm", "-rf", "/srv"]}}), false),
        ("host.query", json!({"sql": "DROP TABLE users"}), false),
        ("host.query", json!({"sql": "SELECT 1"}), true),
        ("host.note", json!({"text": "rm -rf /srv"}), true),
        ("host.drop_table", json!({}), true),
        ("other.drop_table", json!({}), false),
        ("other.delete_repository", json!({}), false),
        ("other.delete_line", json!({}), true),
        ("other.list_drops", json!({}), true),
    ] {
        let mut call = prepared(definition(name), Subject::Tool);
        call.arguments = arguments.clone();
        let passage = pass(&world(&[]), policy.clone(), Mode::Autonomous, call);
        assert_eq!(matches!(passage, Passage::Approved(_)), approved, "{name} {arguments}");
    }
}

/// Nobody, where a layer holds each command and whoever would be asked sets a level.
struct Held {
    mode: Mode,
    level: Option<Approval>,
}

impl Approver for Held {
    fn mode(&self) -> Mode {
        self.mode
    }

    fn level(&self) -> Option<Approval> {
        self.level
    }

    fn brief<'a>(
        &'a self,
        _call: &'a PreparedCall,
        _analysis: &'a Analysis,
        _surroundings: &'a Surroundings,
    ) -> BoxFuture<'a, Brief> {
        Box::pin(std::future::ready(Brief { hold: Hold::Layer, ..Brief::default() }))
    }

    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(std::future::ready(Answer::Nobody))
    }
}

#[test]
fn what_a_rule_of_ones_own_lets_run_keeps_ordinary_files_and_a_level_of_whoever_is_asked_holds() {
    let placed = |mode, level, command_line: &str| {
        let world = world(&[]);
        let gate = Gate::new(world.clone(), world.clone(), ruled("make *", "allow"));
        let held = Held { mode, level };
        let sentence = Box::pin(std::future::ready(None));
        let around = Surroundings::default();
        let mut future = pin!(gate.pass(command(command_line), &around, sentence, &held));
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Passage::Approved(approved)) => Some(approved.placement()),
            Poll::Ready(_) => None,
            Poll::Pending => panic!("the gate waits for nobody here"),
        }
    };
    for (mode, level, command_line, expected) in [
        (Mode::Headless, None, "make all", Some(After::Ordinary)),
        (Mode::Interactive, None, "make all", Some(After::Ordinary)),
        (Mode::Interactive, Some(Approval::Strict), "make all", Some(After::Ask)),
        (Mode::Headless, None, "ls", Some(After::Ask)),
        (Mode::Headless, None, "cp a b", None),
        (Mode::Interactive, None, "cp a b", None),
        (Mode::Interactive, Some(Approval::Auto), "cp a b", Some(After::Ordinary)),
        (Mode::Interactive, Some(Approval::Auto), "ls", Some(After::Ordinary)),
    ] {
        assert_eq!(
            placed(mode, level, command_line),
            expected.map(Placement::Layer),
            "{mode:?} {level:?} {command_line}"
        );
    }
}
