//! What a command does, and the one gate that lets it.
//!
//! Reading order: [`verdict`], [`call`] (what is judged), [`command`] (the judgement of a command line by what
//! `aish-programs` knows), [`brought`] (settings of the folder), [`change`] and [`reads`] (what it changes and opens),
//! [`policy`], [`pin`], [`audit`], [`approver`], [`kept`],
//! [`placement`] and [`hold`] (where it runs: the levels of approval),
//! [`autonomy`] (what a run by itself leaves to a person), and last [`gate`], the only maker of [`ApprovedCall`].
//! This crate never does I/O: the audit, the pins and the person are ports that are passed in.
#![no_std]

extern crate alloc;

pub mod analysis;
pub mod approver;
pub mod audit;
pub mod autonomy;
pub mod brought;
pub mod call;
pub mod change;
pub mod command;
pub mod file_access;
pub mod gate;
pub mod hold;
pub mod kept;
pub mod pin;
pub mod placement;
pub mod policy;
pub mod reads;
mod rule_id;
mod rules;
mod secret_file;
mod tool_call;
pub mod verdict;

pub use analysis::Analysis;
pub use approver::{Answer, Approver, Brief, Nobody, Question, WayBack};
pub use audit::{AuditEntry, AuditError, AuditLog, By};
pub use autonomy::{Autonomy, Consent, Sends, Taint};
pub use brought::{Brought, is_brought};
pub use call::{Given, PreparedCall, Subject};
pub use change::Changes;
pub use command::{Part, Surroundings, analyse, analyse_argv, analyse_fed, settings_files};
pub use file_access::{Act, FileAccess};
pub use gate::{ApprovedCall, DECLINED, Gate, Mode, Passage, UNRECORDED};
pub use hold::{Shell, hold, is_harmless_name, is_harmless_value, touches_the_shell};
pub use kept::{KeptApprovals, NothingKept};
pub use pin::{Pin, PinError, PinStore, definition_hash};
pub use placement::{
    After, Approval, ChangeLine, ChangedText, ChangesAnswer, ChangesQuestion, Hold, Placement, Texts,
    is_unasked_in_auto,
};
pub use policy::{
    Level, NamedRisk, Policy, PolicyRule, PolicyRules, ProgramText, RuleError, Tried, Unrecorded, WrittenRule,
};
pub use reads::Reads;
pub use rule_id::RuleId;
pub use rules::Effect;
pub use rules::programs::file_of_rule;
pub use secret_file::is_asked_about;
pub use verdict::{Judgement, Verdict};
