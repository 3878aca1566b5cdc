//! An index as bytes, for a file: what took time to read out of the words of very many tools.

use std::sync::Arc;

use aish_types::ToolDefinition;
use aish_types::record::{RecordReader, RecordWriter};

use super::document::Document;
use super::lexicon::Actions;
use super::postings::Postings;
use super::{Group, Index};

impl Index {
    /// Writes, behind a head of the caller's, what [`Index::restore`] makes the same index of, from the same groups and
    /// definitions and in the same build; nothing of an index out of which tools were taken.
    pub fn store(&self, head: Vec<u8>) -> Option<Vec<u8>> {
        if self.dead > 0 {
            return None;
        }
        let mut out = RecordWriter::behind(head);
        out.number(self.documents.len() as u64);
        for document in &self.documents {
            out.number(u64::from(document.name_length));
            out.number(document.actions.bits());
        }
        self.postings.write(&mut out);
        Some(out.into_bytes())
    }

    /// Makes the index of groups and definitions with the help of what was stored; nothing where that is not whole or not of as
    /// many tools. Whether it is of these very tools is for the caller to know.
    pub fn restore(
        groups: impl Iterator<Item = Group>,
        definitions: &[Arc<ToolDefinition>],
        stored: &[u8],
    ) -> Option<Self> {
        let mut index = Self::default();
        groups.for_each(|group| index.put_group(group));
        let mut from = RecordReader::new(stored);
        if from.count(2)? != definitions.len() {
            return None;
        }
        index.documents.reserve_exact(definitions.len());
        index.names.reserve(definitions.len());
        for (definition, id) in definitions.iter().zip(0_u32..) {
            let name_length = u16::try_from(from.number()?).ok()?;
            let actions = Actions::from_bits(from.number()?);
            let place = index.place(definition, u64::from(id));
            if index.names.insert(definition.name.clone(), id).is_some() {
                return None;
            }
            index.literals.push(definition);
            index.documents.push(Document {
                definition: Arc::clone(definition),
                alive: true,
                name_length,
                place,
                actions,
            });
        }
        index.next_order = definitions.len() as u64;
        index.postings = Postings::read(&mut from, u32::try_from(definitions.len()).ok()?)?;
        index.literals.shrink();
        from.is_at_end().then_some(index)
    }
}

#[cfg(test)]
mod tests {
    use aish_types::SourceId;
    use serde_json::json;

    use super::super::Query;
    use super::*;

    fn definitions() -> Vec<Arc<ToolDefinition>> {
        let tool = |at: usize| {
            let (verb, noun) = (["list", "remove", "create"][at % 3], ["Größe", "pods", "bucket"][at / 3 % 3]);
            let schema =
                json!({"type": "object", "properties": {"all": {"type": "boolean", "description": "Every one"}}});
            let mut tool = ToolDefinition::new(
                format!("cli{}_{verb}_{at}", at % 7),
                format!("{verb} one {noun}"),
                schema,
                SourceId::new("cli:x"),
            );
            tool.group = format!("cli{}", at % 7).into();
            Arc::new(tool)
        };
        (0..300).map(tool).collect()
    }

    fn answers(index: &Index) -> String {
        let found = |text: &str| format!("{:?}", index.search(&Query { limit: 30, ..Query::text(text) }));
        let texts = ["remove a pod", "Größe", "cli3_create_17", "every one", "lsit buckets", "delete"];
        texts.map(found).join("\n") + &format!("{:?}", index.summary())
    }

    #[test]
    fn a_stored_index_comes_back_as_it_was() {
        let definitions = definitions();
        let group = Group { name: "cli2".into(), description: "Two".into(), keep_empty: true, ..Group::default() };
        let mut index = Index::default();
        index.put_group(group.clone());
        index.put_all(&definitions);
        let stored = index.store(Vec::new()).unwrap();
        let groups = || std::iter::once(group.clone());
        let mut restored = Index::restore(groups(), &definitions, &stored).unwrap();
        assert_eq!(answers(&restored), answers(&index));
        // What is taken out and put in later has the same effect.
        for index in [&mut index, &mut restored] {
            assert!(index.remove(&definitions[5].name));
            index.put(Arc::clone(&definitions[5]));
        }
        assert_eq!(answers(&restored), answers(&index));
        assert_eq!(index.store(Vec::new()), None);
    }

    #[test]
    fn what_is_broken_gives_an_index_of_these_tools_or_nothing() {
        let definitions = definitions();
        let stored = Index::of(definitions.clone()).store(Vec::new()).unwrap();
        let restore = |definitions: &[_], bytes: &[u8]| Index::restore(std::iter::empty(), definitions, bytes);
        assert!(restore(&definitions[1..], &stored).is_none());
        for end in (0..stored.len()).step_by(31) {
            assert!(restore(&definitions, &stored[..end]).is_none(), "cut at {end}");
        }
        for at in (0..stored.len()).step_by(61) {
            let mut broken = stored.clone();
            broken[at] ^= 0x55;
            if let Some(index) = restore(&definitions, &broken) {
                // Wrong it may be, which a checksum of the file tells; every search still answers.
                assert!(answers(&index).len() > 10);
            }
        }
    }
}
