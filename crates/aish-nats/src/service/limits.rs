//! How often a user may ask: counted in sliding windows, shared by all workers.

use serde::{Deserialize, Serialize};

use crate::service::keyed::{change, key};
use crate::service::options::Limits;
use crate::service::reply::Failure;
use crate::state::{Bucket, StateStore};

const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// When a user asked, in milliseconds since 1970, oldest first.
#[derive(Debug, Default, Serialize, Deserialize)]
struct RequestTimes(Vec<u64>);

/// Counts one request of a user, or says how long to wait.
pub(crate) async fn count(state: &dyn StateStore, limits: Limits, user: &str, now_ms: u64) -> Result<(), Failure> {
    let windows = [(limits.per_minute, MINUTE), (limits.per_hour, HOUR), (limits.per_day, DAY)];
    let Some(longest) = windows.iter().filter(|(most, _)| *most > 0).map(|(_, window)| *window).max() else {
        return Ok(());
    };
    change(state, Bucket::Limits, &key(&[user]), |asked: &mut RequestTimes| {
        asked.0.retain(|at| at.saturating_add(longest) > now_ms);
        let wait = windows.iter().filter_map(|&(most, window)| wait(&asked.0, most, window, now_ms)).max();
        if let Some(wait) = wait {
            return Err(Failure::RateLimited { retry_after: (wait as f64 / 100.0).ceil() / 10.0 });
        }
        asked.0.push(now_ms);
        Ok(())
    })
    .await
}

/// Returns the milliseconds until one more fits into a window, if it does not now.
fn wait(asked: &[u64], most: u32, window: u64, now_ms: u64) -> Option<u64> {
    let most = usize::try_from(most).ok().filter(|most| *most > 0)?;
    let inside = asked.iter().filter(|at| at.saturating_add(window) > now_ms).count();
    let blocking = asked.get(asked.len().checked_sub(inside)? + inside.checked_sub(most)?)?;
    Some(blocking.saturating_add(window).saturating_sub(now_ms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::LocalState;

    #[tokio::test]
    async fn windows_slide() {
        let state = LocalState::default();
        let limits = Limits { per_minute: 2, per_hour: 3, per_day: 0 };
        let wait = |retry_after| Err(Failure::RateLimited { retry_after });
        let ask = async |at| count(&state, limits, "me", at).await;
        assert_eq!(ask(0).await, Ok(()));
        assert_eq!(ask(10_000).await, Ok(()));
        assert_eq!(ask(20_000).await, wait(40.0));
        assert_eq!(ask(60_000).await, Ok(()));
        assert_eq!(ask(60_001).await, wait(3_540.0), "the longest wait counts");
        assert_eq!(ask(3_600_000).await, Ok(()));
        assert_eq!(count(&state, limits, "you", 20_000).await, Ok(()));
        let free = Limits { per_minute: 0, per_hour: 0, per_day: 0 };
        assert_eq!(count(&state, free, "me", 3_600_001).await, Ok(()));
    }
}
