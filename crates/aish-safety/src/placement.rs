//! Where an approved command runs, and what becomes of what it changes: the levels of approval.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use aish_types::CallId;

use crate::analysis::Analysis;
use crate::gate::Mode;
use crate::verdict::{Judgement, Verdict};

/// The rule under which a command is asked about that no layer can hold.
pub const OPEN: &str = "confine.open";

/// The rule under which a command is asked about that may open a file which nothing hides from it.
pub const READS: &str = "confine.reads";

/// Why, where its text does not tell.
const UNTOLD: &str = "nothing keeps it from hidden files here, and which files it reads is not known from its text";

/// When a person is asked about a command of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Approval {
    /// Before what is not harmless; and after, where something harmless changed files all the same.
    #[default]
    Ask,
    /// Only where what it changed is not ordinary, and before what no layer can hold.
    Auto,
    /// As `ask`, and approvals for good do not count.
    Strict,
}

impl Approval {
    /// Returns the level that holds where nobody can be asked, or a run goes on by itself.
    const fn of(self, mode: Mode) -> Self {
        match (mode, self) {
            (Mode::Interactive, level) => level,
            (Mode::Headless, Self::Strict) => Self::Strict,
            (Mode::Headless, Self::Ask | Self::Auto) => Self::Ask,
            (Mode::HeadlessYes | Mode::Autonomous, _) => Self::Auto,
        }
    }
}

/// What can hold a command here, as far as is known before it runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Hold {
    /// Nothing works here: a person decides as the verdict says.
    #[default]
    Nothing,
    /// A layer over the tree.
    Layer,
    /// A layer over the tree, from which other hosts can be reached; why it needs them, in words that go on after the
    /// judgement's reason.
    Network(String),
    /// It only looks at the machine around the tree: an environment without secrets.
    Clean,
    /// No layer works here, but the kernel keeps it to reading the tree and the system's files, without what is hidden.
    Reading,
    /// Nothing works here, and it may read what is hidden; why, in words that go on after the judgement's reason.
    Exposed(String),
    /// It changes the live shell alone, and harmlessly.
    Shell,
    /// A tool of ours changes ordinary files of the tree, each of which is put aside first, so that undo brings all back.
    Edits,
    /// It needs more than a layer gives; why, in words that go on after the judgement's reason.
    Open(String),
}

/// What becomes of what a command changed in its layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// It is asked about, whatever it is.
    Ask,
    /// Ordinary files of the tree are kept; the rest is asked about.
    Ordinary,
    /// It was said yes to: all is kept, but for guarded places that the command does not name.
    Keep,
}

/// Where an approved command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// As if the person had typed it.
    Open,
    /// In a shell of its own without secrets in its environment.
    Clean,
    /// In a shell of its own without secrets, kept by the kernel to reading.
    Reading,
    /// In a layer.
    Layer(After),
}

/// What the level makes of a call that was judged.
pub(crate) struct Placed {
    pub(crate) hold: Hold,
    level: Approval,
}

impl Placed {
    pub(crate) const fn new(hold: Hold, level: Approval, mode: Mode) -> Self {
        Self { hold, level: level.of(mode) }
    }

    /// Returns the judgement under which a command is asked about that was harmless by itself and that nothing holds.
    pub(crate) fn concern(&self, analysis: &Analysis, mode: Mode) -> Option<Judgement> {
        let judgement = &analysis.judgement;
        if judgement.verdict != Verdict::Allow || mode == Mode::Autonomous {
            return None;
        }
        let (rule, why) = match &self.hold {
            Hold::Open(why) | Hold::Network(why) => (OPEN, why.as_str()),
            Hold::Exposed(why) => (READS, why.as_str()),
            Hold::Nothing if !analysis.reads.known => (READS, UNTOLD),
            Hold::Nothing | Hold::Layer | Hold::Clean | Hold::Reading | Hold::Shell | Hold::Edits => return None,
        };
        Some(Judgement::new(Verdict::Ask, rule, format!("{}; {why}", judgement.reason)))
    }

    /// Says whether what would be asked about runs unasked because a layer holds it, or undo brings it back.
    pub(crate) fn is_held(&self, verdict: Verdict) -> bool {
        self.level == Approval::Auto && matches!(self.hold, Hold::Layer | Hold::Edits) && verdict == Verdict::Ask
    }

    /// Says whether approvals for good count.
    pub(crate) fn honours_kept(&self) -> bool {
        self.level != Approval::Strict
    }

    /// Says whether it may be tried: it was not halted, and a layer holds it.
    pub(crate) fn can_try(&self, verdict: Verdict) -> bool {
        matches!(self.hold, Hold::Layer | Hold::Network(_)) && verdict < Verdict::Halt
    }

    /// Returns where it runs once it was approved: by somebody's yes or not, tried or not.
    pub(crate) fn placement(&self, consented: bool, tried: bool, verdict: Verdict) -> Placement {
        match (&self.hold, tried, consented) {
            (Hold::Layer | Hold::Network(_), true, _) => Placement::Layer(After::Ask),
            (Hold::Layer | Hold::Network(_), false, true) => Placement::Layer(After::Keep),
            (Hold::Layer | Hold::Network(_), false, false) if self.level == Approval::Auto => {
                Placement::Layer(After::Ordinary)
            }
            (Hold::Layer | Hold::Network(_), false, false) => Placement::Layer(After::Ask),
            (Hold::Clean, _, false) => Placement::Clean,
            (Hold::Reading, _, false) if verdict == Verdict::Allow => Placement::Reading,
            // Where no layer works, what nobody was asked about is at least without secrets in its environment.
            (Hold::Nothing, _, false) if verdict == Verdict::Allow => Placement::Clean,
            (Hold::Clean, _, true)
            | (Hold::Nothing | Hold::Reading | Hold::Exposed(_) | Hold::Shell | Hold::Edits | Hold::Open(_), _, _) => {
                Placement::Open
            }
        }
    }
}

/// Says whether a command runs unasked in `auto`, as far as its judgement and what holds it decide.
pub fn is_unasked_in_auto(hold: Hold, analysis: &Analysis) -> bool {
    let mode = Mode::Interactive;
    let placed = Placed::new(hold, Approval::Auto, mode);
    let concern = placed.concern(analysis, mode);
    let verdict = concern.map_or(analysis.judgement.verdict, |concern| concern.verdict);
    verdict == Verdict::Allow || placed.is_held(verdict) && !analysis.judgement.rule.is_of_policy()
}

/// One thing that a command changed, as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeLine {
    /// The line.
    pub text: String,
    /// Why a person decides about it; none for an ordinary file.
    pub guarded: Option<&'static str>,
}

/// A text file that a command changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedText {
    /// The file, absolute.
    pub path: String,
    /// Its text before; none where it is new.
    pub before: Option<String>,
    /// Its text after; none where it is gone.
    pub after: Option<String>,
}

/// Reads the texts of the files that a command changed, for whoever shows them whole. Bounded in number and bytes; what
/// is left out stands in the lines of the facts all the same.
#[derive(Clone)]
pub struct Texts(Arc<dyn Fn() -> Vec<ChangedText> + Send + Sync>);

impl Texts {
    /// Makes it of what reads them; that can be called more than once.
    pub fn new(read: impl Fn() -> Vec<ChangedText> + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// Reads them.
    pub fn read(&self) -> Vec<ChangedText> {
        (self.0)()
    }
}

impl Default for Texts {
    fn default() -> Self {
        Self::new(Vec::new)
    }
}

impl core::fmt::Debug for Texts {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Texts")
    }
}

/// What a person is asked about a layer.
#[derive(Clone)]
pub struct ChangesQuestion {
    /// The call that ran it.
    pub call: CallId,
    /// The command.
    pub command: String,
    /// What it changed, a line each.
    pub lines: Vec<ChangeLine>,
    /// What else there is to know, a line each: conflicts, what was left out.
    pub remarks: Vec<String>,
    /// Makes the difference, when it is asked for.
    pub diff: Arc<dyn Fn() -> String + Send + Sync>,
    /// The same as texts before and after.
    pub texts: Texts,
}

impl core::fmt::Debug for ChangesQuestion {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ChangesQuestion")
            .field("command", &self.command)
            .field("lines", &self.lines)
            .finish_non_exhaustive()
    }
}

/// What a person says about a layer. Everything but a plain keep drops it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangesAnswer {
    /// Move it into the tree.
    Keep,
    /// Throw it away.
    Drop,
    /// Throw it away, and end the turn that wanted it.
    Stop,
    /// Nobody is there to be asked.
    Nobody,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::autonomy::Taint;

    #[test]
    fn the_table_of_levels_and_modes() {
        use After::{Ask, Keep, Ordinary};
        use Mode::{Autonomous, Headless, HeadlessYes, Interactive};
        let layer = |level, mode| Placed::new(Hold::Layer, level, mode);
        for (level, mode, unasked, asks) in [
            (Approval::Ask, Interactive, Ask, true),
            (Approval::Strict, Interactive, Ask, true),
            (Approval::Auto, Interactive, Ordinary, false),
            (Approval::Ask, Headless, Ask, true),
            (Approval::Auto, Headless, Ask, true),
            (Approval::Ask, HeadlessYes, Ordinary, false),
            (Approval::Strict, Autonomous, Ordinary, false),
        ] {
            let placed = layer(level, mode);
            assert_eq!(placed.placement(false, false, Verdict::Allow), Placement::Layer(unasked), "{level:?} {mode:?}");
            assert_eq!(placed.is_held(Verdict::Ask), !asks, "{level:?} {mode:?}");
            assert!(!placed.is_held(Verdict::Halt));
            assert_eq!(placed.placement(true, false, Verdict::Ask), Placement::Layer(Keep));
            assert_eq!(placed.placement(true, true, Verdict::Ask), Placement::Layer(Ask));
        }
        let open = Placed::new(Hold::Open("it needs the network".into()), Approval::Auto, Interactive);
        let harmless = Judgement::new(Verdict::Allow, "x", "reads");
        let mut analysis = Analysis::of_tool(harmless, Taint::Local);
        let concern = open.concern(&analysis, Interactive).unwrap();
        assert_eq!((concern.verdict, concern.reason.as_str()), (Verdict::Ask, "reads; it needs the network"));
        assert_eq!(open.placement(true, false, Verdict::Ask), Placement::Open);
        assert!(!open.is_held(Verdict::Ask) && !open.can_try(Verdict::Ask));
        assert!(!layer(Approval::Ask, Interactive).can_try(Verdict::Halt));
        let network = Placed::new(Hold::Network("it needs the network".into()), Approval::Auto, Interactive);
        assert_eq!(network.concern(&analysis, Interactive).unwrap().reason, "reads; it needs the network");
        assert!(!network.is_held(Verdict::Ask) && network.can_try(Verdict::Ask) && !network.can_try(Verdict::Halt));
        assert_eq!(
            [true, false].map(|tried| network.placement(true, tried, Verdict::Ask)),
            [Placement::Layer(Ask), Placement::Layer(Keep)]
        );
        let nothing = Placed::new(Hold::Nothing, Approval::Auto, Interactive);
        assert_eq!(nothing.placement(false, false, Verdict::Allow), Placement::Clean);
        assert_eq!(nothing.placement(false, false, Verdict::Ask), Placement::Open);
        assert_eq!(nothing.concern(&analysis, Interactive).unwrap().rule, READS);
        assert_eq!(nothing.concern(&analysis, Mode::Headless).unwrap().verdict, Verdict::Ask);
        analysis.reads.known = true;
        assert_eq!(nothing.concern(&analysis, Interactive), None);
        let exposed = Placed::new(Hold::Exposed("it is hidden".into()), Approval::Auto, Interactive);
        assert_eq!(exposed.concern(&analysis, Interactive).unwrap().reason, "reads; it is hidden");
        let edits = |level| Placed::new(Hold::Edits, level, Interactive);
        assert!(edits(Approval::Auto).is_held(Verdict::Ask) && !edits(Approval::Ask).is_held(Verdict::Ask));
        assert!(!edits(Approval::Auto).is_held(Verdict::Halt) && !edits(Approval::Auto).can_try(Verdict::Ask));
        assert_eq!(edits(Approval::Auto).placement(false, false, Verdict::Ask), Placement::Open);
        let reading = Placed::new(Hold::Reading, Approval::Auto, Interactive);
        analysis.reads.known = false;
        assert_eq!(reading.concern(&analysis, Interactive), None);
        assert!(!reading.is_held(Verdict::Ask) && !reading.can_try(Verdict::Ask));
        assert_eq!(
            (reading.placement(false, false, Verdict::Allow), reading.placement(true, false, Verdict::Ask)),
            (Placement::Reading, Placement::Open)
        );
        let clean = Placed::new(Hold::Clean, Approval::Ask, Interactive);
        assert_eq!(
            (clean.placement(false, false, Verdict::Allow), clean.placement(true, false, Verdict::Allow)),
            (Placement::Clean, Placement::Open)
        );
    }
}
