//! A conversation goes on with a kept session.

use aish_safety::Taint;

use super::Conversation;
use crate::session::ResumedSession;

impl Conversation {
    /// Goes on with a session: its messages, its id, its log.
    pub fn go_on(&mut self, resumed: ResumedSession) {
        // What it read is not written down.
        self.driver.read = Taint::Foreign;
        self.driver.session = resumed.id.clone();
        self.driver.log = Box::new(resumed.install(&mut self.turn, &self.driver.asker.model));
    }
}
