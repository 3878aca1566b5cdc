//! A conversation goes on with a kept session.

use aish_safety::Taint;

use super::Conversation;
use crate::driver::Evictions;
use crate::session::ResumedSession;

impl Conversation {
    /// Goes on with a session: its messages, its id, its log.
    pub fn go_on(&mut self, resumed: ResumedSession) {
        // What it read is not written down.
        self.driver.seen.read = Taint::Foreign;
        self.driver.seen.evictions = Evictions::default();
        self.driver.caller.session = resumed.id.clone();
        self.driver.records.log = Box::new(resumed.install(&mut self.turn, &self.driver.asker.model));
    }
}
