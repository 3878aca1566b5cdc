//! Vectors of tools for searches by meaning: made once for each text, in the background, and kept.
//!
//! Only where the user has fetched the sentence model, and never at a start: the first search is answered by words, and begins the
//! work. From when every tool has its vector, searches go by both.

mod kept;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use aish_embedding::Model;
use aish_tools::Index;
use aish_tools::index::Embedder;
use kept::Kept;

/// How many new vectors are made before they are written down.
const WRITTEN_AFTER: usize = 500;
/// The largest file that is taken for a model, in bytes.
const LARGEST_MODEL: u64 = 500_000_000;
/// How much the background yields to everything else, as `nice` has it.
const NICE: i32 = 10;

/// Makes and keeps the vectors.
pub(crate) struct Meanings {
    model: Option<PathBuf>,
    folder: Option<PathBuf>,
    known: Mutex<Option<Arc<Known>>>,
    /// True while a thread makes vectors, and for good when the model cannot be read.
    busy: AtomicBool,
    stop: AtomicBool,
}

/// The model, and the vectors that there are.
struct Known {
    model: Arc<Sentences>,
    kept: Mutex<Kept>,
}

/// The sentence model as the index wants it.
struct Sentences(Model);

impl Embedder for Sentences {
    fn embed(&self, text: &str) -> Vec<i8> {
        self.0.embed(text).numbers().to_vec()
    }
}

impl Meanings {
    /// Stands on the model's file, which need not be there, and the folder in which vectors are kept.
    pub(crate) fn new(model: Option<PathBuf>, folder: Option<PathBuf>) -> Self {
        Self { model, folder, known: Mutex::new(None), busy: AtomicBool::new(false), stop: AtomicBool::new(false) }
    }

    /// Sees to it that searches in an index will go by meaning: begins the work in the background, unless it is done, or under way,
    /// or there is no model.
    pub(crate) fn see_to<V: Send + Sync + 'static>(self: &Arc<Self>, view: &Arc<V>, index: fn(&V) -> &Index) {
        if index(view).has_meaning() || !self.has_model() || self.busy.swap(true, Ordering::AcqRel) {
            return;
        }
        let (this, view) = (Arc::clone(self), Arc::clone(view));
        let work = move || {
            // Yields to calls and searches; where that is refused, it does not.
            let _ = rustix::process::nice(NICE);
            if this.give(index(&view), None) {
                this.busy.store(false, Ordering::Release);
            }
        };
        if let Err(error) = std::thread::Builder::new().name("meaning".into()).spawn(work) {
            tracing::warn!(%error, "no thread for the vectors of tools; words answer");
            self.busy.store(false, Ordering::Release);
        }
    }

    /// The same for a process that answers one search: works here, for about this long at most. What is not done then is left to
    /// the next one.
    pub(crate) fn see_to_now(&self, index: &Index, patience: Duration) {
        if self.has_model() && !self.busy.swap(true, Ordering::AcqRel) && self.give(index, Some(patience)) {
            self.busy.store(false, Ordering::Release);
        }
    }

    /// Ends the work where it stands.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    fn has_model(&self) -> bool {
        self.model.as_ref().is_some_and(|file| file.is_file())
    }

    /// Makes what is missing and gives all to the index; false when the model cannot be used.
    fn give(&self, index: &Index, patience: Option<Duration>) -> bool {
        let began = Instant::now();
        let known = match self.known() {
            Ok(known) => known,
            Err(why) => {
                tracing::warn!("searches go by words alone: {why}");
                return false;
            }
        };
        let wanted: Vec<(u128, String)> =
            index.meaning_texts().map(|text| (kept::key(text.as_bytes()), text)).collect();
        let mut new = 0_usize;
        let mut whole = true;
        for (key, text) in &wanted {
            if lock(&known.kept).has(*key) {
                continue;
            }
            if self.stop.load(Ordering::Acquire) || patience.is_some_and(|patience| began.elapsed() > patience) {
                whole = false;
                break;
            }
            let vector = known.model.embed(text);
            lock(&known.kept).put(*key, vector);
            new += 1;
            if new.is_multiple_of(WRITTEN_AFTER) {
                lock(&known.kept).write();
            }
        }
        if !new.is_multiple_of(WRITTEN_AFTER) {
            lock(&known.kept).write();
        }
        if whole {
            let embedder: Arc<dyn Embedder> = Arc::<Sentences>::clone(&known.model);
            let kept = lock(&known.kept);
            index.give_meaning(embedder, known.model.0.width(), |text| kept.get(kept::key(text.as_bytes())));
        }
        true
    }

    /// Reads the model and the kept vectors, once.
    fn known(&self) -> Result<Arc<Known>, String> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known {
            return Ok(Arc::clone(known));
        }
        let file = self.model.as_ref().ok_or("there is no sentence model")?;
        let told = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        if std::fs::metadata(file).map_err(|error| told(&error))?.len() > LARGEST_MODEL {
            return Err(told(&"it is too large for a sentence model"));
        }
        let bytes = std::fs::read(file).map_err(|error| told(&error))?;
        let model = Model::read(&bytes).map_err(|error| told(&error))?;
        let kept = Kept::read(self.folder.as_deref(), &bytes, model.width());
        let read = Arc::new(Known { model: Arc::new(Sentences(model)), kept: Mutex::new(kept) });
        *known = Some(Arc::clone(&read));
        Ok(read)
    }
}

fn lock(kept: &Mutex<Kept>) -> std::sync::MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
