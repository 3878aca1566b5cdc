//! The facts of a channel, ranked by the index that ranks tools.

use std::sync::Arc;

use aish_tools::index::{Index, Query};
use aish_tools::{Clock, Memory, MemoryError, MemoryFuture, MemoryStore, NewMemory, Owner};
use aish_types::ToolDefinition;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::service::keyed::{change, encode, key, read};
use crate::service::reply::Failure;
use crate::state::{Bucket, StateStore};

/// Facts of a channel at most: the least important, then the oldest, go first.
const MAX_FACTS: usize = 1_000;
/// Characters of a category.
const MAX_CATEGORY: usize = 64;
/// Characters of a fact.
const MAX_CHARS: usize = 4_000;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Fact {
    id: u64,
    user: Option<String>,
    content: String,
    category: String,
    importance: u8,
    source: String,
    created_ms: i64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Facts {
    next: u64,
    facts: Vec<Fact>,
}

/// The memory of the channels.
#[derive(Clone)]
pub(crate) struct ChannelMemory {
    pub(crate) state: Arc<dyn StateStore>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl ChannelMemory {
    /// Keeps a fact; one without a user is everybody's in the channel.
    pub(crate) async fn add_fact(&self, channel: &str, user: Option<&str>, new: &NewMemory) -> Result<String, Failure> {
        let content = new.content.trim();
        if content.is_empty() {
            return Err(Failure::bad_request("content is empty"));
        }
        if content.chars().count() > MAX_CHARS {
            return Err(Failure::TooLarge(format!("a memory has at most {MAX_CHARS} characters")));
        }
        if new.category.chars().count() > MAX_CATEGORY {
            return Err(Failure::TooLarge(format!("a category has at most {MAX_CATEGORY} characters")));
        }
        if !(1..=5).contains(&new.importance) {
            return Err(Failure::bad_request("importance is a number from 1 to 5"));
        }
        let created_ms = i64::try_from(self.clock.since_epoch().as_millis()).unwrap_or(i64::MAX);
        change(&*self.state, Bucket::Memory, &key(&[channel]), |facts: &mut Facts| {
            let known = |fact: &&mut Fact| fact.user.as_deref() == user && fact.content.eq_ignore_ascii_case(content);
            if let Some(fact) = facts.facts.iter_mut().find(known) {
                fact.importance = fact.importance.max(new.importance);
                fact.created_ms = created_ms;
                return Ok(fact.id.to_string());
            }
            facts.next += 1;
            facts.facts.push(Fact {
                id: facts.next,
                user: user.map(String::from),
                content: content.into(),
                category: new.category.clone(),
                importance: new.importance,
                source: new.source.clone(),
                created_ms,
            });
            make_room(facts, self.state.max_value())?;
            Ok(facts.next.to_string())
        })
        .await
    }

    /// Finds facts of a channel: everybody's, and those of the user if one is given.
    pub(crate) async fn recall(
        &self,
        channel: &str,
        user: Option<&str>,
        query: &str,
        limit: usize,
    ) -> Result<Vec<Memory>, Failure> {
        let (facts, _) = read::<Facts>(&*self.state, Bucket::Memory, &key(&[channel])).await?;
        let mine = facts.facts.into_iter().filter(|fact| fact.user.is_none() || fact.user.as_deref() == user);
        let mut mine: Vec<Fact> = mine.collect();
        // Ties keep the index's load order: the important ones first, then the newest.
        mine.sort_by_key(|fact| (std::cmp::Reverse(fact.importance), std::cmp::Reverse(fact.created_ms)));
        let index = Index::of(mine.iter().map(|fact| {
            let mut entry = ToolDefinition::new(unsaid(fact.id), fact.content.clone(), Value::Null, "memory".into());
            entry.category = (&fact.category).into();
            Arc::new(entry)
        }));
        let page = index.search(&Query { text: Some(query.into()), limit, ..Query::default() });
        let find = |name: &str| mine.iter().find(|fact| unsaid(fact.id) == name);
        let found = page.hits.iter().filter_map(|hit| find(hit.definition.name.as_str()));
        Ok(found
            .map(|fact| Memory {
                id: fact.id.to_string(),
                content: fact.content.clone(),
                category: fact.category.clone(),
                importance: fact.importance,
                source: fact.source.clone(),
                created_ms: fact.created_ms,
            })
            .collect())
    }
}

/// Writes an id as a name that no query finds, in characters of private use: a fact is not found by its number.
fn unsaid(id: u64) -> String {
    let private = |digit: char| digit.to_digit(10).and_then(|digit| char::from_u32(0xe000 + digit));
    id.to_string().chars().filter_map(private).collect()
}

/// Forgets the least important facts, of those the oldest, until all fit.
fn make_room(facts: &mut Facts, most: usize) -> Result<(), Failure> {
    let mut bytes = encode(facts)?.len();
    while facts.facts.len() > MAX_FACTS || bytes > most {
        let Some((least, _)) = (0..).zip(&facts.facts).min_by_key(|(_, fact)| (fact.importance, fact.created_ms))
        else {
            break;
        };
        bytes = bytes.saturating_sub(encode(&facts.facts.remove(least))?.len());
    }
    Ok(())
}

/// Writes a fact as a reply has it.
pub(crate) fn fields(memory: &Memory) -> Value {
    json!({"id": memory.id, "content": memory.content, "category": memory.category,
           "importance": memory.importance, "created_ms": memory.created_ms})
}

impl MemoryStore for ChannelMemory {
    fn add<'a>(&'a self, owner: &'a Owner, memory: NewMemory) -> MemoryFuture<'a, String> {
        Box::pin(async move {
            let channel = owner.channel.as_deref().unwrap_or_default();
            let result = self.add_fact(channel, Some(&owner.user), &memory).await;
            result.map_err(|failure| MemoryError(failure.to_string()))
        })
    }

    fn search<'a>(&'a self, owner: &'a Owner, query: &'a str, limit: usize) -> MemoryFuture<'a, Vec<Memory>> {
        Box::pin(async move {
            let channel = owner.channel.as_deref().unwrap_or_default();
            let result = self.recall(channel, Some(&owner.user), query, limit).await;
            result.map_err(|failure| MemoryError(failure.to_string()))
        })
    }
}
