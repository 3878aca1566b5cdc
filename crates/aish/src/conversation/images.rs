//! What is said of images that the model does not see.

use aish_types::Block;

use super::Conversation;
use crate::base::Base;
use crate::models::Origin;

impl Conversation {
    /// Says of images that go along with a question that the model takes none, as far as that is known before it is asked.
    pub fn sees_no_images(&self, base: &Base, blocks: &[Block]) -> Option<String> {
        if !blocks.iter().any(|block| matches!(block, Block::Image { .. })) {
            return None;
        }
        let name = &self.driver.asker.model;
        let configured = base.config.models.get(name).and_then(|model| model.images);
        let is_embedded = self.found_places.get(name).is_some_and(|place| place.origin == Origin::Embedded);
        if configured == Some(false) || is_embedded {
            return Some(format!("{name} takes no images; the question goes without (`:model` switches)"));
        }
        let abilities = self.driver.asker.broker.model(name)?.provider.known_abilities()?;
        let is_blind = configured.is_none() && abilities.images == Some(false);
        is_blind.then(|| {
            format!("{name} sees no images, as far as is known (`models.{name}.images = true` says that it does)")
        })
    }
}
