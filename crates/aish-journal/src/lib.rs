//! Files that survive a crash, and what is made of them.
//!
//! Reading order: [`lines`] (locked append of JSON lines), [`replace`] (atomic replacement of a whole file), [`own`] (what can be made anew),
//! [`text`] (what others wrote), then the
//! audit log, the pins, the session logs, the undo journal, and
//! [`backups`] of other programs' files. Every file has mode 0600 and every folder made here 0700. A torn last line is
//! set aside and reported; a file that cannot be read is an error and is never replaced by defaults.
//! This crate decides nothing and knows no clock but the one that is passed in.

pub mod audit;
pub mod backups;
pub mod clock;
pub mod lines;
pub mod own;
pub mod parsed;
mod pins;
pub mod replace;
pub mod session;
pub mod text;
pub mod trust;
pub mod undo;

pub use audit::{AuditFile, AuditRecord};
pub use backups::{Backup, Backups, Readers};
pub use clock::WallClock;
pub use lines::{AppendError, Durability, LineFile, Loaded};
pub use own::{read_own, replace_own};
pub use pins::PinFile;
pub use replace::{Held, ReplaceError, hold, led_to, remove_others, replace, replace_others};
pub use session::{SessionError, SessionHead, SessionLog, StoredTurn};
pub use text::{read_text, read_whole};
pub use trust::{TrustError, TrustFile};
pub use undo::{UndoJournal, UndoOptions, Wanted};
