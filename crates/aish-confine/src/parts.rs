//! Work on many items, in parts at the same time.

use std::num::NonZero;
use std::thread;

/// Items of a part; for fewer a thread costs more than it saves.
const LEAST: usize = 64;

/// Most parts at the same time.
const MOST: usize = 8;

/// Does something with all items, part by part, and returns what came of each part, in order.
pub(crate) fn of<T: Sync, R: Send>(items: &[T], work: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    let most = thread::available_parallelism().map_or(1, NonZero::get).min(MOST);
    let length = items.len().div_ceil(most).max(LEAST);
    if items.len() <= length {
        return vec![work(items)];
    }
    let work = &work;
    thread::scope(|scope| {
        let begin = |part| {
            let begun = thread::Builder::new().name("part".to_owned()).spawn_scoped(scope, move || work(part));
            // Without a thread it is done when the others are.
            (part, begun.ok())
        };
        let mut parts = items.chunks(length);
        let first = parts.next().unwrap_or_default();
        let begun: Vec<_> = parts.map(begin).collect();
        let mut done = vec![work(first)];
        for (part, thread) in begun {
            done.push(match thread.map(thread::ScopedJoinHandle::join) {
                Some(Ok(result)) => result,
                // One that crashed crashes here as it would have without threads.
                Some(Err(_)) | None => work(part),
            });
        }
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_whole_and_in_order() {
        for count in [0, 1, LEAST, LEAST + 1, 10 * LEAST + 3] {
            let items: Vec<usize> = (0..count).collect();
            let parts = of(&items, <[usize]>::to_vec);
            assert_eq!(parts.concat(), items);
            assert!(parts.len() <= MOST);
        }
    }
}
