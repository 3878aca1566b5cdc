//! What aish keeps on disk beside its journal: one SQLite database with history, memory, ledger and the index of
//! sessions.
//!
//! Reading order: [`store`] (the database, opened at first use), then [`history`], [`memory`], [`ledger`],
//! [`sessions`]. A database that cannot be opened, read or written is never replaced: the store warns and goes on in
//! memory. Nothing here asks a model, prints, or knows a clock but the one that is passed in.

pub mod history;
pub mod history_import;
pub mod ledger;
pub mod memory;
mod schema;
pub mod sessions;
pub mod store;

pub use history::{HistoryEntry, HistoryQuery, NewHistoryEntry};
pub use ledger::{LedgerEntry, LedgerGroup, LedgerRow};
pub use memory::{Scope, StoredMemory};
pub use sessions::{SessionSummary, Sessions, SessionsError, as_name};
pub use store::{Store, StoreError};
