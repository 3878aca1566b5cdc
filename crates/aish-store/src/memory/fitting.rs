//! Which facts fit a question: those that share words that mean something with it, the rarer the better.

use std::collections::HashMap;

use aish_tools::Owner;
use rusqlite::{Connection, params};
use rust_stemmers::{Algorithm, Stemmer};

use crate::memory::{COLUMNS, MINE, StoredMemory, beginnings, stored};
use crate::store::{Store, StoreError};

/// Words of a question that are looked for.
const MOST_WORDS: usize = 24;

/// Questions of more words than this need two of them in a fact, or a long one.
const FEW_WORDS: usize = 4;
/// Letters of a long word.
const LONG_WORD: usize = 6;

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
        self.with(|connection| {
            let mut weights: HashMap<i64, (f64, usize, bool)> = HashMap::new();
            let total = if terms.is_empty() { 0 } else { count(connection, owner)? };
            for term in &terms {
                let ids = having(connection, owner, term)?;
                // How much a word tells: ln(1 + N / n), as in inverse document frequency.
                let weight = (1.0 + total as f64 / ids.len().max(1) as f64).ln();
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
                let memory = by_id(connection, id)?;
                // Importance, 1 to 5, counts for up to a third.
                found.push((weight * (1.0 + f64::from(memory.memory.importance) / 15.0), memory));
            }
            let best = found.iter().map(|(weight, _)| *weight).fold(0.0, f64::max);
            found.retain(|(weight, _)| *weight >= best * SHARE_OF_BEST);
            found.sort_by(|(a, one), (b, other)| {
                let newer = other.memory.created_ms.cmp(&one.memory.created_ms);
                b.total_cmp(a).then(newer).then_with(|| one.memory.id.cmp(&other.memory.id))
            });
            Ok(found.into_iter().take(limit).map(|(_, memory)| memory).collect())
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

fn count(connection: &Connection, owner: &Owner) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(&format!("SELECT count(*) FROM memory WHERE {MINE}"))?
        .query_row(params![owner.user, owner.channel, owner.folder], |row| row.get(0))
}

/// Returns the facts that have a term.
fn having(connection: &Connection, owner: &Owner, term: &Term) -> rusqlite::Result<Vec<i64>> {
    let (sql, text) = match term {
        Term::Word(forms, _) => {
            let any: Vec<String> = forms
                .iter()
                .map(|form| if form.chars().count() <= 2 { format!("\"{form}\"") } else { format!("\"{form}\"*") })
                .collect();
            let sql = format!(
                "SELECT memory.id FROM memory_words JOIN memory ON memory.id = memory_words.rowid
                 WHERE memory_words MATCH ?4 AND {MINE}"
            );
            (sql, any.join(" OR "))
        }
        Term::Pair(pair) => {
            (format!("SELECT id FROM memory WHERE {MINE} AND instr(lower(content), ?4) > 0"), pair.clone())
        }
    };
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![owner.user, owner.channel, owner.folder, text], |row| row.get(0))?;
    rows.collect()
}

fn by_id(connection: &Connection, id: i64) -> rusqlite::Result<StoredMemory> {
    connection.prepare_cached(&format!("SELECT {COLUMNS} FROM memory WHERE id = ?1"))?.query_row([id], stored)
}
