//! A conversation whose answers have to fit a schema.

use super::Conversation;
use crate::structured::AnswerSchema;
use crate::system_prompt::system_prompt;

impl Conversation {
    /// Has the answers from now on fit a schema: by the wire's own means where it has them, and told in words.
    pub fn wants(&mut self, schema: &AnswerSchema) {
        self.driver.asker.schema = Some(schema.value.clone());
        self.facts.answer = Some(schema.instruction());
        self.turn.transcript_mut().set_system(system_prompt(&self.facts));
    }
}
