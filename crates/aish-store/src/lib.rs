//! History, memory, ledger, sessions and undo on disk.
