//! Which facts fit a question: those that share words that mean something with it, the rarer the better.

use std::collections::HashMap;

use aish_tools::Owner;
use rusqlite::{Connection, OptionalExtension, params};
use rust_stemmers::{Algorithm, Stemmer};

use crate::memory::{COLUMNS, MINE, StoredMemory, beginnings, stored};
use crate::store::{Store, StoreError};

/// Words of a question that are looked for.
const MOST_WORDS: usize = 24;

/// Questions of more words than this need two of them in a fact, or a long one.
const FEW_WORDS: usize = 4;
/// Letters of a long word.
const LONG_WORD: usize = 6;

/// The most facts that are looked at for one word, the newest: what more have tells little.
const MOST_FACTS: usize = 1_000;

/// A fact must have so much of the best one's weight.
const SHARE_OF_BEST: f64 = 0.34;

/// Words that say nothing about a subject: English, and the commonest of German, French and Spanish.
const STOP_WORDS: &str = "a about again all also am an and any are as at be because been being but by call called can \
    could did do does doing done down each explain find for from get give had has have having he help her here him \
    his how i if in into is it its just know let like list look make many may me mean might mine more most much must \
    my name named need no nor not now of off on one only or other our ours out over own please put run say see she \
    should show so some such tell than that the their them then there these they thing things think this those to too \
    try under until up us use used using very want was way we were what when where which while who whom whose why \
    will with would write you your yours \
    aber als am auch auf aus bei bin bitte das dass dein dem den der des die du ein eine einen einer er es für hat \
    habe ich im ist kann man mein meine mir mit nach nicht noch nur oder sich sie sind so über um und uns unser von \
    war warum was welche wenn wer wie wir wird wo zu zum zur \
    au aux avec ce ces cette comment dans de des du elle en est et il ils je la le les leur ma mes moi mon ne nos \
    notre nous ou où par pas plus pour pourquoi quand que quel quelle qui quoi sa se ses son sont sur ta te tes ton tu \
    un une vos votre vous \
    al como con cual cuando cómo cuál de del donde dónde el ella en es esta este esto la las lo los me mi mis muy no \
    nuestra nuestro o para pero por porque qué que quien quién se ser si sin son su sus te tu un una unos y yo";

/// One word of a question as it is looked for.
enum Term {
    /// The beginnings of its forms; true for a long one.
    Word(Vec<String>, bool),
    /// Two characters of a script without blanks between words.
    Pair(String),
}

impl Store {
    /// Finds the owner's facts that fit a question, best first; none when it shares only small words with them.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn fitting(&self, owner: &Owner, question: &str, limit: usize) -> Result<Vec<StoredMemory>, StoreError> {
        let terms = terms(question);
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let mut known = Known { connection, owner, facts: HashMap::new() };
            let mut weights: HashMap<i64, (f64, usize, bool)> = HashMap::new();
            let total = known.count()?;
            let mut pairs = known.having_pairs(&terms)?.into_iter();
            for term in &terms {
                let (ids, all) = match term {
                    Term::Word(forms, _) => known.having(forms)?,
                    Term::Pair(_) => {
                        let ids = pairs.next().unwrap_or_default();
                        let all = ids.len();
                        (ids, all)
                    }
                };
                // How much a word tells: ln(1 + N / n), as in inverse document frequency.
                let weight = (1.0 + total as f64 / all.max(1) as f64).ln();
                for id in ids {
                    let (sum, matched, long) = weights.entry(id).or_default();
                    let is_long = matches!(term, Term::Word(_, true));
                    (*sum, *matched, *long) = (*sum + weight, *matched + 1, *long || is_long);
                }
            }
            let pairs = terms.iter().any(|term| matches!(term, Term::Pair(_)));
            weights.retain(|_, (_, matched, long)| *matched >= 2 || *long || (!pairs && terms.len() <= FEW_WORDS));
            let mut found = Vec::with_capacity(weights.len());
            for (id, (weight, _, _)) in weights {
                let Some(fact) = known.fact(id)? else { continue };
                // Importance, 1 to 5, counts for up to a third.
                found.push((weight * (1.0 + f64::from(fact.importance) / 15.0), fact.created_ms, id));
            }
            let best = found.iter().map(|(weight, ..)| *weight).fold(0.0, f64::max);
            found.retain(|(weight, ..)| *weight >= best * SHARE_OF_BEST);
            found.sort_by(|(a, older, one), (b, newer, other)| {
                b.total_cmp(a).then(newer.cmp(older)).then_with(|| one.cmp(other))
            });
            found.into_iter().take(limit).map(|(.., id)| by_id(connection, id)).collect()
        })
    }
}

fn terms(question: &str) -> Vec<Term> {
    let stemmer = Stemmer::create(Algorithm::English);
    let stop: Vec<&str> = STOP_WORDS.split_whitespace().collect();
    let mut seen = Vec::new();
    let mut terms = Vec::new();
    for word in question.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        if stop.contains(&word.as_str()) || seen.contains(&word) || terms.len() >= MOST_WORDS {
            continue;
        }
        if word.chars().any(is_unspaced) {
            let chars: Vec<char> = word.chars().collect();
            terms.extend(chars.windows(2).map(|pair| Term::Pair(pair.iter().collect())));
        } else if word.chars().count() >= 2 {
            let mut forms = beginnings(&stemmer.stem(&word));
            if forms.is_empty() {
                forms.push(word.clone());
            }
            terms.push(Term::Word(forms, word.chars().count() >= LONG_WORD));
        }
        seen.push(word);
    }
    terms.truncate(MOST_WORDS * 2);
    terms
}

/// Han, Hiragana, Katakana, Thai, Lao, Khmer, Burmese: no blanks between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// What is looked up of facts for one question.
struct Known<'a> {
    connection: &'a Connection,
    owner: &'a Owner,
    /// Facts by their ids; none for those of others.
    facts: HashMap<i64, Option<Fact>>,
}

/// What a fact's place among others depends on.
#[derive(Clone, Copy)]
struct Fact {
    importance: u8,
    created_ms: i64,
}

impl Known<'_> {
    /// Counts the user's facts, those of other projects too: the index alone tells.
    fn count(&self) -> rusqlite::Result<i64> {
        self.connection
            .prepare_cached("SELECT count(*) FROM memory WHERE user = ?1")?
            .query_row([&self.owner.user], |row| row.get(0))
    }

    /// Looks up one of the owner's facts.
    fn fact(&mut self, id: i64) -> rusqlite::Result<Option<Fact>> {
        if let Some(known) = self.facts.get(&id) {
            return Ok(*known);
        }
        let Owner { user, channel, folder } = self.owner;
        let fact = self
            .connection
            .prepare_cached(&format!("SELECT importance, created_ms FROM memory WHERE id = ?4 AND {MINE}"))?
            .query_row(params![user, channel, folder, id], |row| {
                Ok(Fact { importance: row.get(0)?, created_ms: row.get(1)? })
            })
            .optional()?;
        self.facts.insert(id, fact);
        Ok(fact)
    }

    /// Returns the facts that have a word, and how many there are. Of a word that very many have, these are the newest.
    fn having(&mut self, forms: &[String]) -> rusqlite::Result<(Vec<i64>, usize)> {
        let any: Vec<String> = forms
            .iter()
            .map(|form| if form.chars().count() <= 2 { format!("\"{form}\"") } else { format!("\"{form}\"*") })
            .collect();
        // The index alone, oldest first: joined with the facts themselves, each of very many would be read.
        let all: Vec<i64> = self
            .connection
            .prepare_cached("SELECT rowid FROM memory_words WHERE memory_words MATCH ?1 ORDER BY rowid")?
            .query_map([any.join(" OR ")], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let mut mine = Vec::new();
        for id in all.iter().rev() {
            if mine.len() >= MOST_FACTS {
                return Ok((mine, all.len()));
            }
            if self.fact(*id)?.is_some() {
                mine.push(*id);
            }
        }
        let count = mine.len();
        Ok((mine, count))
    }

    /// Returns the facts that have each of the pairs: all of the owner's are gone through once.
    fn having_pairs(&self, terms: &[Term]) -> rusqlite::Result<Vec<Vec<i64>>> {
        let pair = |term: &'_ Term| match term {
            Term::Pair(pair) => Some(pair.clone()),
            Term::Word(..) => None,
        };
        let mut having: Vec<(String, Vec<i64>)> =
            terms.iter().filter_map(pair).map(|pair| (pair, Vec::new())).collect();
        if !having.is_empty() {
            let sql = format!("SELECT id, lower(content) FROM memory WHERE {MINE}");
            let mut statement = self.connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![self.owner.user, self.owner.channel, self.owner.folder])?;
            while let Some(row) = rows.next()? {
                let (id, content) = (row.get(0)?, row.get_ref(1)?.as_str().unwrap_or_default());
                if content.is_ascii() {
                    continue;
                }
                for (pair, ids) in &mut having {
                    if content.contains(pair.as_str()) {
                        ids.push(id);
                    }
                }
            }
        }
        Ok(having.into_iter().map(|(_, ids)| ids).collect())
    }
}

fn by_id(connection: &Connection, id: i64) -> rusqlite::Result<StoredMemory> {
    connection.prepare_cached(&format!("SELECT {COLUMNS} FROM memory WHERE id = ?1"))?.query_row([id], stored)
}

#[cfg(test)]
mod tests {
    use aish_journal::WallClock;

    use super::*;

    /// Adds a fact for each number.
    fn add(store: &Store, user: &str, count: usize, content: impl Fn(usize) -> String) {
        let added = store.with(|connection| {
            let transaction = connection.transaction()?;
            for number in 0..count {
                transaction.execute(
                    "INSERT INTO memory (user, content, category, importance, source, created_ms)
                     VALUES (?1, ?2, 'fact', 3, 'person', 1)",
                    params![user, content(number)],
                )?;
            }
            transaction.commit()
        });
        added.unwrap();
    }

    #[test]
    fn a_word_that_very_many_facts_have_hides_no_rare_one_and_nobody_elses() {
        let store = Store::in_memory(WallClock::default());
        let owner = |user: &str| Owner { user: user.into(), channel: None, folder: None };
        add(&store, "me", 1, |_| "The heron server stands in Bergen".into());
        add(&store, "you", MOST_FACTS + 100, |number| format!("The server number{number} is one of yours"));
        let found = |user: &str, question: &str| -> Vec<String> {
            let found = store.fitting(&owner(user), question, 2).unwrap();
            found.into_iter().map(|found| found.memory.content).collect()
        };
        assert_eq!(found("me", "which server?"), ["The heron server stands in Bergen"]);
        let oldest = "The server number0 is one of yours";
        assert_eq!(found("you", "what is server number0?").first().map(String::as_str), Some(oldest));
        assert_eq!(found("you", "server").len(), 2);
        // What is looked up is bounded by the newest.
        let known = store.with(|connection| {
            let owner = owner("you");
            let mut known = Known { connection, owner: &owner, facts: HashMap::new() };
            let having = known.having(&["server".to_owned()])?;
            Ok((having.0.len(), having.1, known.facts.len()))
        });
        assert_eq!(known.unwrap(), (MOST_FACTS, MOST_FACTS + 101, MOST_FACTS));
    }
}
