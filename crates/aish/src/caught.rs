//! Panics that are waited for: what reads a stranger's text may fail on it, and the caller has an answer for that.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static IS_WAITED_FOR: Cell<bool> = const { Cell::new(false) };
}

/// Runs something; none when it panicked, of which nothing is printed.
pub fn unless_it_panics<T>(run: impl FnOnce() -> T) -> Option<T> {
    let before = IS_WAITED_FOR.replace(true);
    let ran = catch_unwind(AssertUnwindSafe(run));
    IS_WAITED_FOR.set(before);
    ran.ok()
}

/// Says whether a panic of this thread would be caught by [`unless_it_panics`].
pub fn is_waited_for() -> bool {
    IS_WAITED_FOR.get()
}
