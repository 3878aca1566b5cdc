//! MCP servers may use the models of a conversation.

use std::sync::Arc;

use super::{Conversation, gate};
use crate::base::Base;
use crate::driver::Caller;
use crate::servers::writer::{Sampler, Sampling};

impl Conversation {
    /// Lets servers use this conversation's models, behind the gate of now and with the same person to be asked.
    pub fn open_sampling(&mut self, base: &Base, sampling: Arc<Sampling>) {
        let driver = &self.driver;
        let (gate, approver) = (gate(base), Arc::clone(&driver.approver));
        let (broker, Caller { session, user }) = (driver.asker.broker.clone(), driver.caller.clone());
        sampling.open(Sampler { broker, gate, approver, session, user }, &driver.asker.model);
        self.sampling = Some(sampling);
    }
}
