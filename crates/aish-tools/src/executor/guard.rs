//! A panic in a source is caught here and becomes a failure of that call alone.

use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::FutureExt;

/// Calls into a source; none when it panicked.
pub(crate) fn call<T>(run: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(run)).ok()
}

/// Waits for a source; none when it panicked.
pub(crate) async fn wait<T>(future: impl Future<Output = T>) -> Option<T> {
    AssertUnwindSafe(future).catch_unwind().await.ok()
}
