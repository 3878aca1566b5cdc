//! Which token comes next.

use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;

use crate::grammar::GrammarError;

/// Tokens that are looked back at for repetitions.
const PENALTY_WINDOW: i32 = 64;
/// By how much a repeated token is made less likely, for models that would otherwise say the same for ever.
const PENALTY: f32 = 1.1;

/// Picks tokens, freely or under a grammar.
#[derive(Debug)]
pub(crate) struct Sampler {
    chain: LlamaSampler,
    grammar: Option<LlamaSampler>,
}

impl Sampler {
    /// Makes a sampler; temperature 0 takes the likeliest token always.
    pub(crate) fn new(model: &LlamaModel, temperature: f32, seed: u32) -> Self {
        let penalty = if crate::grammar::bounds::is_small(model.n_params()) { PENALTY } else { 1.0 };
        let penalties = LlamaSampler::penalties(model.n_vocab(), PENALTY_WINDOW, penalty, 0.0, 0.0);
        let chain = if temperature <= 0.0 {
            vec![penalties, LlamaSampler::greedy()]
        } else {
            vec![
                penalties,
                LlamaSampler::top_k(40),
                LlamaSampler::top_p(0.95, 1),
                LlamaSampler::min_p(0.05, 1),
                LlamaSampler::temp(temperature),
                LlamaSampler::dist(seed),
            ]
        };
        Self { chain: LlamaSampler::chain(chain, true), grammar: None }
    }

    /// Puts what follows under a grammar. Repetitions are no fault in JSON, so they are no longer punished.
    pub(crate) fn constrain(
        &mut self,
        model: &LlamaModel,
        grammar: &str,
        temperature: f32,
        seed: u32,
    ) -> Result<(), GrammarError> {
        let grammar =
            LlamaSampler::grammar(model, grammar, "root").map_err(|error| GrammarError::Refused(error.to_string()))?;
        self.grammar = Some(grammar);
        let chain = if temperature <= 0.0 {
            vec![LlamaSampler::greedy()]
        } else {
            vec![
                LlamaSampler::top_k(40),
                LlamaSampler::min_p(0.05, 1),
                LlamaSampler::temp(temperature),
                LlamaSampler::dist(seed),
            ]
        };
        self.chain = LlamaSampler::chain(chain, true);
        Ok(())
    }

    /// Picks the next token after the last one that was computed; none when the grammar allows nothing.
    pub(crate) fn next(&mut self, context: &LlamaContext<'_>) -> Option<LlamaToken> {
        let Some(grammar) = &mut self.grammar else { return Some(self.chain.sample(context, -1)) };
        // A grammar is slow over all tokens and quick over one: the free choice is tried first.
        let mut candidates = context.token_data_array_ith(-1);
        self.chain.apply(&mut candidates);
        let free = candidates.selected_token()?;
        let token = if allows(grammar, free) {
            free
        } else {
            let mut candidates = context.token_data_array_ith(-1);
            grammar.apply(&mut candidates);
            candidates.data.retain(|candidate| candidate.logit().is_finite());
            if candidates.data.is_empty() {
                return None;
            }
            self.chain.apply(&mut candidates);
            candidates.selected_token()?
        };
        grammar.try_accept(token).ok()?;
        self.chain.accept(token);
        Some(token)
    }

    /// Moves the grammar over tokens that are already there; false, and the grammar unusable, when it does not allow them.
    pub(crate) fn advance(&mut self, tokens: &[LlamaToken]) -> bool {
        let Some(grammar) = &mut self.grammar else { return true };
        tokens.iter().all(|token| allows(grammar, *token) && grammar.try_accept(*token).is_ok())
    }
}

fn allows(grammar: &mut LlamaSampler, token: LlamaToken) -> bool {
    let mut one = LlamaTokenDataArray::new(vec![LlamaTokenData::new(token, 1.0, 0.0)], false);
    grammar.apply(&mut one);
    one.data.first().is_some_and(|candidate| candidate.logit().is_finite())
}
