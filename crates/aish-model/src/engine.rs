//! A loaded model: its context, what is in its cache, and its prompt's form.

use std::num::NonZeroU32;
use std::path::Path;

use aish_types::embedded::{ErrorKind, Info};
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::model::{LlamaModel, RopeType};
use llama_cpp_2::token::LlamaToken;

use crate::gguf::{self, CheckError};
use crate::prompt::{Template, TemplateError};

/// Tokens of context when the request names none and the model allows them: 94 MB for SmolLM2-135M.
const CONTEXT: u32 = 4096;
/// Tokens computed between two looks at the cancellations.
const CHUNK: usize = 256;

/// Why a model could not be loaded or computed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EngineError {
    /// The file is not taken.
    #[error(transparent)]
    File(#[from] CheckError),
    /// llama.cpp refuses the file.
    #[error("llama.cpp cannot load {0}: it is incomplete, or of an architecture that is not known here")]
    Load(String),
    /// There is no room for the context.
    #[error("a context of {0} tokens cannot be made; is there memory enough?")]
    Context(u32),
    /// The chat template cannot be used.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A batch could not be computed.
    #[error("the model cannot go on: {0}")]
    Compute(String),
}

impl EngineError {
    /// Returns the word of the protocol.
    pub(crate) fn kind(&self) -> ErrorKind {
        match self {
            Self::File(error) => error.kind(),
            Self::Load(_) | Self::Context(_) => ErrorKind::LoadFailed,
            Self::Template(TemplateError::Refused(_)) => ErrorKind::TemplateRefused,
            Self::Template(TemplateError::Broken(_)) => ErrorKind::Template,
            Self::Compute(_) => ErrorKind::Compute,
        }
    }
}

/// Opens a model's file.
pub(crate) fn open(backend: &LlamaBackend, file: &Path) -> Result<LlamaModel, EngineError> {
    gguf::check(file)?;
    // No GPU: this build has the CPU's code alone.
    let params = LlamaModelParams::default().with_n_gpu_layers(0);
    LlamaModel::load_from_file(backend, file, &params).map_err(|_| EngineError::Load(file.display().to_string()))
}

/// What came of reading a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefill {
    /// It is read; so many of its tokens were still in the cache.
    Done { cached: usize },
    /// It was stopped on the way; what was read stays in the cache.
    Stopped { cached: usize },
}

/// A model that is ready.
#[derive(Debug)]
pub(crate) struct Engine<'m> {
    pub(crate) model: &'m LlamaModel,
    pub(crate) template: Template,
    /// Texts of the tokens of control.
    pub(crate) control: Vec<String>,
    pub(crate) info: Info,
    pub(crate) context: LlamaContext<'m>,
    batch: LlamaBatch<'static>,
    cached: Vec<LlamaToken>,
    shifts: bool,
}

impl<'m> Engine<'m> {
    /// Makes a model ready.
    pub(crate) fn new(
        backend: &LlamaBackend,
        model: &'m LlamaModel,
        file: &Path,
        context: Option<u32>,
        threads: u32,
    ) -> Result<Self, EngineError> {
        let trained = model.n_ctx_train().max(1);
        let size = context.unwrap_or(CONTEXT).clamp(16, trained.max(16));
        let threads = threads.clamp(1, 256);
        let thread_count = i32::try_from(threads).unwrap_or(1);
        let chunk = u32::try_from(CHUNK).unwrap_or(u32::MAX);
        let params = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(size))
            .with_n_batch(chunk)
            .with_n_ubatch(chunk)
            .with_n_threads(thread_count)
            .with_n_threads_batch(thread_count)
            .with_no_perf(true);
        let context = model.new_context(backend, params).map_err(|_| EngineError::Context(size))?;
        let vocab = model.vocab();
        let piece = |token: LlamaToken| {
            if token.0 < 0 {
                String::new()
            } else {
                String::from_utf8_lossy(&vocab.token_to_piece(token, true, None)).into_owned()
            }
        };
        let source = model.chat_template(None).ok().and_then(|template| template.to_string().ok());
        let template = Template::new(source, piece(vocab.bos()), piece(vocab.eos()))?;
        let control = vocab
            .tokens()
            .filter(|token| vocab.is_control(*token))
            .map(piece)
            .filter(|text| text.chars().count() > 2)
            .collect();
        let meta = |key: &str| model.meta_val_str(key).ok().filter(|value| !value.is_empty());
        let info = Info {
            name: meta("general.name")
                .or_else(|| Some(file.file_stem()?.to_string_lossy().into_owned()))
                .unwrap_or_default(),
            architecture: meta("general.architecture").unwrap_or_default(),
            context: context.n_ctx().min(trained.max(size)),
            trained_context: trained,
            parameters: model.n_params(),
            bytes: model.size(),
            vocabulary: model.n_vocab(),
            template: template.is_own(),
            native_tools: template.knows_tools(),
            threads,
        };
        let one_position = matches!(model.rope_type(), Some(RopeType::Norm | RopeType::NeoX));
        let shifts = one_position && !model.is_recurrent() && !model.is_hybrid();
        let batch = LlamaBatch::new(CHUNK, 1);
        Ok(Self { model, template, control, info, context, batch, cached: Vec::new(), shifts })
    }

    /// Lists the tokens of a prompt; the token that begins a sequence is added where the template wrote none.
    pub(crate) fn tokens_of_prompt(&self, prompt: &str) -> Vec<LlamaToken> {
        let vocab = self.model.vocab();
        let begin = vocab.token_to_piece(vocab.bos(), true, None);
        let written = !begin.is_empty() && prompt.as_bytes().starts_with(&begin);
        vocab.tokenize(prompt.as_bytes(), vocab.should_add_bos() && !written, true)
    }

    /// Lists the tokens of a text that stands by itself.
    pub(crate) fn tokens_of_text(&self, text: &str) -> Vec<LlamaToken> {
        self.model.vocab().tokenize(text.as_bytes(), false, true)
    }

    /// Returns how many tokens are in the cache.
    pub(crate) fn len(&self) -> usize {
        self.cached.len()
    }

    /// Returns how many tokens fit.
    pub(crate) fn size(&self) -> usize {
        self.info.context as usize
    }

    /// Returns what is in the cache.
    pub(crate) fn tokens(&self) -> &[LlamaToken] {
        &self.cached
    }

    /// Reads a prompt up to its last token; what the cache still holds of its beginning is not read again.
    pub(crate) fn prefill(&mut self, prompt: &[LlamaToken], stops: &dyn Fn() -> bool) -> Result<Prefill, EngineError> {
        // The last token is always read, for the next one is picked from what it gives.
        let most = prompt.len().saturating_sub(1);
        let same = self.cached.iter().zip(prompt).take(most).take_while(|(old, new)| old == new).count();
        self.keep(same);
        let cached = self.cached.len();
        for chunk in prompt.get(cached..).unwrap_or_default().chunks(CHUNK) {
            if stops() {
                return Ok(Prefill::Stopped { cached });
            }
            self.compute(chunk)?;
        }
        Ok(Prefill::Done { cached })
    }

    /// Reads one token.
    pub(crate) fn push(&mut self, token: LlamaToken) -> Result<(), EngineError> {
        self.compute(&[token])
    }

    /// Makes room by dropping the older half of what stands behind the beginning; false when this model cannot.
    pub(crate) fn shift(&mut self) -> Result<bool, EngineError> {
        let keep = self.size() / 8;
        let drop = self.cached.len().saturating_sub(keep) / 2;
        if !self.shifts || drop == 0 {
            return Ok(false);
        }
        let failed = |error: &dyn std::fmt::Display| EngineError::Compute(error.to_string());
        let (from, to) = (position(keep), position(keep + drop));
        self.context.kv_cache_seq_rm(0, Some(from), Some(to)).map_err(|error| failed(&error))?;
        let delta = i32::try_from(drop).unwrap_or(i32::MAX).saturating_neg();
        self.context.kv_cache_seq_add(0, Some(to), None, delta).map_err(|error| failed(&error))?;
        self.cached.drain(keep..keep + drop);
        Ok(true)
    }

    /// Keeps the first tokens of the cache; a model that cannot forget a part forgets all.
    fn keep(&mut self, count: usize) {
        if count == self.cached.len() {
            return;
        }
        if count > 0 && self.context.kv_cache_seq_rm(0, Some(position(count)), None).is_ok() {
            self.cached.truncate(count);
        } else {
            self.context.clear_kv_cache();
            self.cached.clear();
        }
    }

    fn compute(&mut self, tokens: &[LlamaToken]) -> Result<(), EngineError> {
        self.batch.clear();
        let start = self.cached.len();
        for (offset, token) in tokens.iter().enumerate() {
            let place = i32::try_from(start + offset).unwrap_or(i32::MAX);
            let last = offset + 1 == tokens.len();
            self.batch.add(*token, place, &[0], last).map_err(|error| EngineError::Compute(error.to_string()))?;
        }
        self.context.decode(&mut self.batch).map_err(|error| EngineError::Compute(error.to_string()))?;
        self.cached.extend_from_slice(tokens);
        Ok(())
    }
}

fn position(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
