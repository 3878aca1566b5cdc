//! Many definitions at once: read on as many threads as there are cores, and put together in load order.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::Arc;

use aish_types::ToolDefinition;

use super::Index;
use super::document::{Document, Place};
use super::lexicon::Lexicon;
use super::postings::Postings;

/// Definitions for which a thread is worth its start.
const WORTH_A_THREAD: usize = 500;

/// A run of documents, read by itself: its terms have numbers of its own.
struct Part {
    documents: Vec<Document>,
    postings: Postings,
}

impl Part {
    fn read(definitions: &[(Arc<ToolDefinition>, Place)], first_id: usize, lexicon: &Lexicon) -> Self {
        let mut postings = Postings::default();
        let documents = definitions.iter().zip(first_id..).map(|((definition, place), id)| {
            let id = u32::try_from(id).unwrap_or(u32::MAX);
            Document::index(Arc::clone(definition), id, *place, lexicon, &mut postings)
        });
        Self { documents: documents.collect(), postings }
    }
}

impl Index {
    /// Adds tools in load order: the same index as that of [`Index::put`] for each, sooner where there are many.
    pub fn put_all(&mut self, definitions: &[Arc<ToolDefinition>]) {
        let worth = definitions.len() / WORTH_A_THREAD;
        let cores = if worth > 1 { std::thread::available_parallelism().map_or(1, NonZeroUsize::get) } else { 1 };
        self.put_all_on(definitions, cores.min(worth));
    }

    fn put_all_on(&mut self, definitions: &[Arc<ToolDefinition>], threads: usize) {
        if threads <= 1 || !self.are_new(definitions) {
            for definition in definitions {
                self.put(Arc::clone(definition));
            }
            return;
        }
        self.meaning.take();
        let mut placed = Vec::with_capacity(definitions.len());
        for definition in definitions {
            let place = self.place(definition, self.next_order);
            self.next_order = self.next_order.saturating_add(1);
            placed.push((Arc::clone(definition), place));
        }
        let (first_id, lexicon) = (self.documents.len(), self.lexicon);
        let size = placed.len().div_ceil(threads);
        let parts: Vec<Part> = std::thread::scope(|scope| {
            let mut runs = placed.chunks(size).zip((first_id..).step_by(size));
            let own = runs.next();
            let others: Vec<_> = runs.map(|(run, id)| scope.spawn(move || Part::read(run, id, lexicon))).collect();
            let own = own.map(|(run, id)| Part::read(run, id, lexicon));
            let others = others.into_iter().map(|other| match other.join() {
                Ok(part) => part,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            own.into_iter().chain(others).collect()
        });
        for (definition, id) in definitions.iter().zip(first_id..) {
            self.names.insert(definition.name.clone(), u32::try_from(id).unwrap_or(u32::MAX));
            self.literals.push(definition);
        }
        for part in parts {
            self.postings.absorb(part.postings);
            self.documents.extend(part.documents);
        }
        // Seldom is anything added after many at once.
        self.documents.shrink_to_fit();
        self.postings.shrink();
        self.literals.shrink();
    }

    fn are_new(&self, definitions: &[Arc<ToolDefinition>]) -> bool {
        let mut seen = HashSet::with_capacity(definitions.len());
        definitions.iter().all(|definition| !self.names.contains_key(&definition.name) && seen.insert(&definition.name))
    }
}

#[cfg(test)]
mod tests {
    use aish_types::SourceId;
    use serde_json::json;

    use super::super::Query;
    use super::*;

    fn definitions() -> Vec<Arc<ToolDefinition>> {
        let verbs = ["list", "create", "delete", "describe"];
        let nouns = ["bucket", "instance", "queue", "Übergröße", "log groups"];
        let tool = |at: usize| {
            let (group, verb, noun) = (at / 20, verbs[at / 5 % 4], nouns[at % 5]);
            let property = json!({"type": "string", "description": format!("The {noun}'s name")});
            let schema = json!({"type": "object", "properties": {"name": property}});
            let name = format!("cli{group}_{verb}_{}", noun.replace(' ', "_"));
            let description = format!("{verb} a {noun} of program {group}");
            let mut tool = ToolDefinition::new(name.as_str(), description, schema, SourceId::new("cli:x"));
            tool.group = format!("cli{}", group % 7).into();
            Arc::new(tool)
        };
        (0..1_200).map(tool).collect()
    }

    #[test]
    fn many_at_once_make_the_index_that_one_by_one_makes() {
        let definitions = definitions();
        let (mut single, mut bulk) = (Index::default(), Index::default());
        for definition in &definitions {
            single.put(Arc::clone(definition));
        }
        let (some, rest) = definitions.split_at(100);
        bulk.put_all_on(some, 1);
        bulk.put_all_on(rest, 3);
        assert_eq!(bulk.len(), definitions.len());
        for text in
            ["create a bucket", "remove the queues of program 12", "Übergröße", "cli3_list_instance", "lgo group"]
        {
            let query = Query { limit: 40, ..Query::text(text) };
            assert_eq!(format!("{:?}", bulk.search(&query)), format!("{:?}", single.search(&query)), "{text}");
        }
        assert_eq!(format!("{:?}", bulk.summary()), format!("{:?}", single.summary()));
        // What is there already, or comes twice, takes the place of what it was.
        bulk.put_all_on(&definitions, 3);
        assert_eq!(bulk.len(), definitions.len());
    }
}
