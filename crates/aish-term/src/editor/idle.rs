//! What the editor's thread costs while nothing is typed.

/// Has this thread woken up to 3 ms late from a wait that has a bound.
///
/// The library that reads keys waits in whole milliseconds and asks again and again for the rest of one: at an idle prompt that took
/// more than 1 % of a processor. Who wakes a little late has no rest left. Keys are not waited for so: they wake it at once.
#[cfg(target_os = "linux")]
pub(super) fn sleep_soundly() {
    // Without it the prompt only costs more.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(3_000_000));
}

/// Elsewhere there is nothing like it.
#[cfg(not(target_os = "linux"))]
pub(super) fn sleep_soundly() {}
