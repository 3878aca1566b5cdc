//! Steps of other agents' commands: one for a call, found again when the command has run.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use aish_journal::WallClock;
use aish_journal::undo::{AgentCall, Became, CallState, Claim, KeyKind, Step, UndoJournal, UndoOptions, Wanted};
use aish_safety::change::{How, Reach};

struct Place {
    folder: tempfile::TempDir,
    journal: UndoJournal,
    seconds: Arc<AtomicU64>,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let seconds = Arc::new(AtomicU64::new(1_000_000));
        let now = Arc::clone(&seconds);
        let clock = WallClock::new(move || SystemTime::UNIX_EPOCH + Duration::from_secs(now.load(Ordering::SeqCst)));
        let journal = UndoJournal::new(folder.path().join("undo"), UndoOptions::default(), clock);
        Self { folder, journal, seconds }
    }

    fn file(&self, text: &str) -> PathBuf {
        let path = self.folder.path().join("notes");
        fs::write(&path, text).unwrap();
        path
    }

    fn step(&self, key: &str) -> Step {
        let wanted = [Wanted::new(self.folder.path().join("notes"), How::Remove, Reach::Tree)];
        let step = self.journal.save_of("claude:s", "rm notes", &wanted, &[]).unwrap();
        let call = AgentCall {
            agent: "claude".into(),
            key: key.into(),
            state: CallState::Open,
            finished_ms: None,
            status: None,
        };
        self.journal.note_call(&step, &call).unwrap();
        step
    }
}

#[test]
fn one_of_two_entries_puts_aside() {
    let place = Place::new();
    place.file("kept");
    assert_eq!(place.journal.claim_call("a", KeyKind::Call).unwrap(), Claim::Ours);
    // The other entry comes while the first is at it, and after it is done.
    assert_eq!(place.journal.claim_call("a", KeyKind::Call).unwrap(), Claim::Taken);
    let step = place.step("a");
    assert_eq!(place.journal.claim_call("a", KeyKind::Call).unwrap(), Claim::Taken);
    assert_eq!(place.journal.claim_call("b", KeyKind::Call).unwrap(), Claim::Ours);
    place.journal.end_call(&step, CallState::Finished, Some(0)).unwrap();
    assert_eq!(place.journal.claim_call("a", KeyKind::Call).unwrap(), Claim::Ours);
    place.journal.unclaim("a");
    assert_eq!(place.journal.claim_call("a", KeyKind::Call).unwrap(), Claim::Ours);
}

#[test]
fn many_at_once_agree_on_one() {
    let place = Place::new();
    let claims: Vec<Claim> = std::thread::scope(|scope| {
        let started: Vec<_> =
            (0..16).map(|_| scope.spawn(|| place.journal.claim_call("same", KeyKind::Call).unwrap())).collect();
        started.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(claims.iter().filter(|claim| **claim == Claim::Ours).count(), 1);
}

#[test]
fn the_same_command_again_is_put_aside_again_once_something_is_other() {
    let place = Place::new();
    let path = place.file("one");
    assert_eq!(place.journal.claim_call("by command", KeyKind::Command).unwrap(), Claim::Ours);
    place.step("by command");
    assert_eq!(place.journal.claim_call("by command", KeyKind::Command).unwrap(), Claim::Taken);
    fs::write(&path, "two").unwrap();
    assert_eq!(place.journal.claim_call("by command", KeyKind::Command).unwrap(), Claim::Ours);
}

#[test]
fn what_a_command_changed_is_told_and_looking_changes_nothing() {
    let place = Place::new();
    let path = place.file("kept");
    place.journal.claim_call("a", KeyKind::Call).unwrap();
    let step = place.step("a");
    assert_eq!(place.journal.changes_since(&step).unwrap(), []);
    fs::write(&path, "other").unwrap();
    assert_eq!(place.journal.changes_since(&step).unwrap(), [(path.clone(), Became::Changed)]);
    fs::remove_file(&path).unwrap();
    assert_eq!(place.journal.changes_since(&step).unwrap(), [(path.clone(), Became::Deleted)]);
    let new = [Wanted::new(&path, How::Write, Reach::Itself)];
    let step = place.journal.save_of("claude:s", "touch notes", &new, &[]).unwrap();
    fs::write(&path, "new").unwrap();
    assert_eq!(place.journal.changes_since(&step).unwrap(), [(path, Became::Created)]);
}

#[test]
fn a_call_is_found_again_and_its_end_is_kept() {
    let place = Place::new();
    place.file("kept");
    place.journal.claim_call("a", KeyKind::Call).unwrap();
    let step = place.step("a");
    let (found, call) = place.journal.open_call("a").unwrap();
    assert_eq!((found.id.as_str(), call.state), (step.id.as_str(), CallState::Open));
    place.journal.end_call(&step, CallState::Finished, Some(3)).unwrap();
    assert!(place.journal.open_call("a").is_none());
    let call = place.journal.call_of(&step).unwrap();
    assert_eq!((call.state, call.status, call.finished_ms), (CallState::Finished, Some(3), Some(1_000_000_000)));
}

#[test]
fn what_nobody_told_the_end_of_has_ended_somehow() {
    let place = Place::new();
    place.file("kept");
    let (first, second) = (place.step("a"), place.step("b"));
    place.seconds.fetch_add(25 * 60 * 60, Ordering::SeqCst);
    assert_eq!(place.journal.call_of(&first).unwrap().state, CallState::Unknown);
    let third = place.step("c");
    place.journal.end_session("claude:other").unwrap();
    assert_eq!(place.journal.call_of(&third).unwrap().state, CallState::Open);
    place.journal.end_session("claude:s").unwrap();
    assert_eq!(place.journal.call_of(&third).unwrap().state, CallState::Unknown);
    assert!(place.journal.open_call("b").is_none());
    drop(second);
}
