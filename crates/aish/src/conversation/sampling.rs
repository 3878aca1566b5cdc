//! MCP servers may use the models of a conversation.

use std::sync::Arc;

use aish_safety::Gate;

use super::Conversation;
use crate::servers::writer::{Sampler, Sampling};

impl Conversation {
    /// Lets servers use this conversation's models, behind a gate.
    pub fn open_sampling(&mut self, sampling: Arc<Sampling>, gate: Gate) {
        let driver = &self.driver;
        let (broker, session, user) = (driver.asker.broker.clone(), driver.session.clone(), driver.user.clone());
        sampling.open(Sampler { broker, gate, session, user }, &driver.asker.model);
        self.sampling = Some(sampling);
    }
}
