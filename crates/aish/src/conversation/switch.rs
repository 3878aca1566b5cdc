//! Another model for a conversation that goes on: tokenizer, budget, tools and system prompt go with it.

use super::Conversation;
use crate::base::Base;
use crate::system_prompt::system_prompt;

impl Conversation {
    /// Lets another model answer from now on; says whether there is one of this name.
    pub fn switch(&mut self, base: &Base, name: &str) -> bool {
        let asker = &mut self.driver.asker;
        if !asker.broker.set_default(name) {
            return false;
        }
        asker.model = name.to_owned();
        if let Some(sampling) = &self.sampling {
            sampling.switch(name);
        }
        let place = self.found_places.get(name);
        let choice = place.map(|place| place.tokenizer.clone()).unwrap_or_default();
        asker.counting.set_model(asker.broker.model(name).cloned(), choice);
        asker.offering.tools = self.offer_tools && place.is_none_or(|place| place.tools);
        self.facts.small = place.is_some_and(|place| place.small);
        self.facts.tools = !asker.offered().is_empty();
        self.turn.transcript_mut().set_system(system_prompt(&self.facts));
        let budget = self.turn.budget_mut();
        // What the other model's tokenizer and template made of them is counted again before the next request.
        (budget.system_tokens, budget.schema_tokens, budget.tokens_per_message) = (0, 0, 0);
        budget.token_budget = asker.sizes.budget(name);
        self.turn.set_tool_results(base.config.context.tool_results());
        true
    }
}
