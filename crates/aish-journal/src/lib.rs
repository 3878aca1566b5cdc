//! Files that survive a crash.
