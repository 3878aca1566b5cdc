//! Files of settings that a folder brings and that make programs run or fetch what they say.

use alloc::sync::Arc;
use core::fmt;
use core::panic::RefUnwindSafe;

/// Says whether a folder, or one above it, brings a file of settings, by the name that a program's data have for it. It is
/// asked where such a program is judged, and never for other programs. By default nothing is brought.
#[derive(Clone, Default)]
pub struct Brought(Option<Arc<Brings>>);

/// What looks for a name; a judgement that panics is caught, and leaves it as it was.
type Brings = dyn Fn(&str) -> bool + Send + Sync + RefUnwindSafe;

impl Brought {
    /// Makes it of what looks for a name.
    pub fn new(brings: impl Fn(&str) -> bool + Send + Sync + RefUnwindSafe + 'static) -> Self {
        Self(Some(Arc::new(brings)))
    }

    pub(crate) fn brings(&self, name: &str) -> bool {
        self.0.as_ref().is_some_and(|brings| brings(name))
    }
}

impl fmt::Debug for Brought {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Brought(_)" } else { "Brought" })
    }
}

impl PartialEq for Brought {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Eq for Brought {}

/// Says whether what a name of settings stands for is in a folder or above it.
///
/// `holds` says whether there is something at an absolute path, and whether a text stands in it (the empty text: whatever
/// stands there). A name with `+` in it stands for several files that must be in one folder; behind `~` stand texts, by `|`,
/// of which one must be in the file: `compose.yaml~include|extends`.
pub fn is_brought(name: &str, folder: &str, holds: &dyn Fn(&str, &str) -> bool) -> bool {
    let above = folder.match_indices('/').filter_map(|(at, _)| folder.get(..at));
    above.chain([folder.trim_end_matches('/')]).any(|folder| {
        name.split('+').all(|file| {
            let (file, texts) = file.split_once('~').unwrap_or((file, ""));
            let path = alloc::format!("{folder}/{file}");
            texts.split('|').any(|text| holds(&path, text))
        })
    })
}
