//! Time, dice and memory, through the executor.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use aish_tools::builtin::{self, Builtins, Ports};
use aish_tools::{Door, Executor, Memory, MemoryError, MemoryStore, NewMemory, Owner, Random, Registry, SystemRandom};
use aish_types::{BoxFuture, Risk, ToolOutcome};
use serde_json::json;

use crate::door::{Still, door, through};

/// Dice that fall as they are told, again and again.
struct Loaded(Vec<u32>, AtomicUsize);

impl Random for Loaded {
    fn below(&self, bound: u32) -> u32 {
        (self.0[self.1.fetch_add(1, Ordering::SeqCst) % self.0.len()] - 1) % bound
    }
}

#[derive(Default)]
struct Notebook(Mutex<Vec<(Owner, NewMemory)>>);

impl MemoryStore for Notebook {
    fn add<'a>(&'a self, owner: &'a Owner, memory: NewMemory) -> BoxFuture<'a, Result<String, MemoryError>> {
        let mut all = self.0.lock().unwrap();
        all.push((owner.clone(), memory));
        let id = all.len().to_string();
        Box::pin(std::future::ready(Ok(id)))
    }

    fn search<'a>(
        &'a self,
        owner: &'a Owner,
        query: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Memory>, MemoryError>> {
        let all = self.0.lock().unwrap();
        let found = all.iter().filter(|(who, memory)| who.user == owner.user && memory.content.contains(query));
        let found = found.take(limit).map(|(_, memory)| Memory {
            id: "1".into(),
            content: memory.content.clone(),
            category: memory.category.clone(),
            importance: memory.importance,
            source: memory.source.clone(),
            created_ms: 1_736_951_400_000,
        });
        Box::pin(std::future::ready(Ok(found.collect())))
    }
}

fn executor(rolls: &[u32]) -> (Door, Arc<Notebook>) {
    let memory = Arc::new(Notebook::default());
    let random = Loaded(rolls.to_vec(), AtomicUsize::new(0));
    let ports = Ports {
        clock: Arc::new(Still::default()),
        random: Arc::new(random),
        memory: Some(memory.clone()),
        files: None,
        pages: None,
    };
    let registry = Arc::new(Registry::default());
    assert!(registry.add(Arc::new(Builtins::all(&ports))).is_empty());
    (door(Executor::new(registry)), memory)
}

async fn roll(rolls: &[u32], notation: &str) -> ToolOutcome {
    through(&executor(rolls).0, "roll_dice", &json!({ "notation": notation }).to_string(), "me").await
}

async fn time(arguments: serde_json::Value) -> String {
    through(&executor(&[1]).0, "get_time", &arguments.to_string(), "me").await.text
}

#[tokio::test]
async fn dice_say_what_fell() {
    for (rolls, notation, expected) in [
        (&[4][..], "1d6", "Rolled 1d6: **4**"),
        (&[4], "d6", "Rolled d6: **4**"),
        (&[4], " D6 ", "Rolled d6: **4**"),
        (&[77], "d%", "Rolled d%: **77**"),
        (&[17], "1d20+5", "Rolled 1d20+5: **22**"),
        (&[3, 5], "2d6", "Rolled 2d6: [3, 5] = **8**"),
        (&[3, 5], "2d6-2", "Rolled 2d6-2: [3, 5] -2 = **6**"),
        (&[3, 5], "\t2D6  -  1\n", "Rolled 2d6-1: [3, 5] -1 = **7**"),
        (&[3, 5], "2d6 + 10", "Rolled 2d6+10: [3, 5] +10 = **18**"),
        (&[3, 6, 2, 4], "4d6kh3", "Rolled 4d6kh3: [3, 6, 2, 4] → kept [6, 4, 3] = **13**"),
        (&[3, 6, 2, 4], "4d6kl1+1", "Rolled 4d6kl1+1: [3, 6, 2, 4] → kept [2] +1 = **3**"),
    ] {
        let outcome = roll(rolls, notation).await;
        assert_eq!((outcome.is_success(), outcome.text.as_str()), (true, expected), "{notation}");
    }
    let outcome = roll(&[3, 6], "2d6kh1+1").await;
    assert_eq!(outcome.structured, Some(json!({"rolls": [3, 6], "kept": [6], "modifier": 1, "total": 7})));
}

#[tokio::test]
async fn dice_have_bounds() {
    let long = format!("1d6+{}", "1".repeat(1_000));
    for (notation, begins) in [
        ("", "No dice notation provided"),
        ("six", "Invalid dice notation: six"),
        ("2d", "Invalid dice notation: 2d"),
        ("2d6kh", "Invalid dice notation: 2d6kh"),
        ("2d6!", "Invalid dice notation: 2d6!"),
        ("2d6 5", "Invalid dice notation: 2d6 5"),
        ("1 0d6", "Invalid dice notation: 1 0d6"),
        ("2d6+", "Invalid dice notation: 2d6+"),
        ("2d6+-1", "Invalid dice notation: 2d6+-1"),
        ("2d6+1d4", "Invalid dice notation: 2d6+1d4"),
        ("-2d6", "Invalid dice notation: -2d6"),
        ("2.5d6", "Invalid dice notation: 2.5d6"),
        ("٣d6", "Invalid dice notation: ٣d6"),
        (&long, "Invalid dice notation: 1d6+1111"),
        ("101d6", "Too many dice (max 100)"),
        ("99999999999999999999999d6", "Too many dice (max 100)"),
        ("1d1001", "Too many sides (max 1000)"),
        ("0d6", "Invalid dice notation: 0d6"),
        ("1d1", "Invalid dice notation: 1d1"),
        ("4d6kh0", "Invalid dice notation: 4d6kh0"),
        ("4d6kh5", "Invalid dice notation: 4d6kh5"),
        ("1d6+99999999999", "Invalid dice notation: 1d6+99999999999"),
    ] {
        let outcome = roll(&[1], notation).await;
        assert!(!outcome.is_success() && outcome.text.starts_with(begins), "{notation}: {}", outcome.text);
        assert!(outcome.text.len() < 200, "{}", outcome.text);
    }
    assert!(roll(&[1], "100d1000kl100").await.is_success());
}

/// Chi-square of 60,000 throws of a d20: 43.8 is exceeded once in a thousand runs by fair dice, 70 about never.
#[test]
fn dice_are_fair() {
    let mut seen = [0u32; 20];
    for _ in 0..60_000 {
        seen[SystemRandom.below(20) as usize] += 1;
    }
    let chi: f64 = seen.iter().map(|&n| (f64::from(n) - 3_000.0).powi(2) / 3_000.0).sum();
    assert!(chi < 70.0, "{chi}");
}

#[tokio::test]
async fn time_is_told_in_any_zone() {
    for (arguments, expected) in [
        (json!({}), "Wednesday, January 15, 2025 at 02:30 PM UTC"),
        (json!({"timezone": "Asia/Tokyo"}), "Wednesday, January 15, 2025 at 11:30 PM JST"),
        (json!({"timezone": "America/New_York", "format": "time"}), "09:30:00 EST"),
        (json!({"format": "date"}), "2025-01-15"),
        (json!({"format": "iso"}), "2025-01-15T14:30:00.500000+00:00"),
        (json!({"timezone": "Asia/Kathmandu", "format": "iso"}), "2025-01-15T20:15:00.500000+05:45"),
        (json!({"timezone": "asia/tokyo", "format": "time"}), "23:30:00 JST"),
        (json!({"timezone": " UTC "}), "Wednesday, January 15, 2025 at 02:30 PM UTC"),
        (json!({"timezone": "UTC+2", "format": "iso"}), "2025-01-15T16:30:00.500000+02:00"),
        (json!({"timezone": "GMT-03:30", "format": "iso"}), "2025-01-15T11:00:00.500000-03:30"),
        (json!({"timezone": "+0530", "format": "time"}), "20:00:00 +05:30"),
        (json!({"timezone": "-08:00", "format": "full"}), "Wednesday, January 15, 2025 at 06:30 AM -08"),
        (json!({"timezone": "Etc/GMT+2", "format": "iso"}), "2025-01-15T12:30:00.500000-02:00"),
        (json!({"format": "short"}), "Argument 'format' must be one of: full, date, time, iso"),
    ] {
        assert_eq!(time(arguments.clone()).await, expected, "{arguments}");
    }
}

#[tokio::test]
async fn an_unknown_zone_gets_near_names() {
    for (zone, near) in [
        ("Tokyo", "Asia/Tokyo"),
        ("Europe/Berlim", "Europe/Berlin"),
        ("New York", "America/New_York"),
        ("Amerika/New_York", "America/New_York"),
        ("PST", "America/Los_Angeles"),
        ("EDT", "America/New_York"),
        ("BST", "Europe/London"),
        ("IST", "Asia/Kolkata"),
    ] {
        let text = time(json!({ "timezone": zone })).await;
        assert!(text.starts_with(&format!("Unknown timezone: {zone}. Did you mean: ")), "{text}");
        assert!(text.contains(near), "{zone}: {text}");
    }
    for zone in
        ["../../etc/passwd", "/etc/localtime", "", "a\u{1b}[2J", "UTC+25", "UTC+1:5", "+", "+5:60", "+-5", "UTC+é"]
    {
        assert!(time(json!({ "timezone": zone })).await.starts_with("Unknown timezone: "), "{zone:?}");
    }
}

#[tokio::test]
async fn memory_belongs_to_who_calls() {
    let (executor, notebook) = executor(&[1]);
    let outcome = through(&executor, "remember", r#"{"content": " I like tabs ", "user": "you"}"#, "me").await;
    assert_eq!((outcome.is_success(), outcome.text.as_str()), (true, "Remembered (id 1)"));
    let kept = notebook.0.lock().unwrap()[0].clone();
    assert_eq!((kept.0.user.as_str(), kept.1.content.as_str()), ("me", "I like tabs"));
    assert_eq!((kept.1.category.as_str(), kept.1.importance), ("fact", 3));
    let found = through(&executor, "search_memory", r#"{"query": "tabs", "user": "you"}"#, "me").await;
    assert_eq!(found.text, "1. [fact, 2025-01-15] I like tabs");
    let none = through(&executor, "search_memory", r#"{"query": "tabs", "user_id": "me"}"#, "you").await;
    assert_eq!(none.text, "No memories found");
    assert!(!through(&executor, "search_memory", r#"{"query": ""}"#, "me").await.is_success());
    assert!(!through(&executor, "search_memory", r#"{"query": "x", "limit": 0}"#, "me").await.is_success());
    assert!(!through(&executor, "remember", r#"{"content": "x", "importance": 6}"#, "me").await.is_success());
}

#[tokio::test]
async fn what_is_remembered_has_bounds() {
    let (executor, notebook) = executor(&[1]);
    for (arguments, text) in [
        (json!({"content": "  "}), "No content provided"),
        (json!({}), "Missing required argument 'content'"),
        (json!({"content": "x".repeat(4_001)}), "A memory has at most 4000 characters"),
        (json!({"content": "x", "category": "c".repeat(65)}), "A category has at most 64 characters"),
        (json!({"content": "x", "importance": 0}), "Argument 'importance' must be one of: 1, 2, 3, 4, 5"),
        (json!({"content": "x", "importance": "high"}), "Argument 'importance': cannot convert 'high' to integer"),
    ] {
        let outcome = through(&executor, "remember", &arguments.to_string(), "me").await;
        assert!(!outcome.is_success() && outcome.text.starts_with(text), "{}", outcome.text);
    }
    assert!(notebook.0.lock().unwrap().is_empty());
    let whole = json!({"content": "é".repeat(4_000), "category": " ", "importance": "5"}).to_string();
    assert!(through(&executor, "remember", &whole, "me").await.is_success());
    let kept = notebook.0.lock().unwrap()[0].1.clone();
    assert_eq!((kept.category.as_str(), kept.importance), ("fact", 5));
    for (arguments, text) in [
        (json!({"query": "é", "limit": -1}), "Argument 'limit' must be at least 1"),
        (json!({"query": "é", "limit": 2.5}), "Argument 'limit': cannot convert '2.5' to integer"),
        (json!({"query": "é", "limit": 1_000_000}), "1. [fact, 2025-01-15] é"),
    ] {
        let outcome = through(&executor, "search_memory", &arguments.to_string(), "me").await;
        assert!(outcome.text.starts_with(text), "{arguments}: {}", outcome.text);
    }
}

/// A memory that cannot be reached.
struct Lost;

impl MemoryStore for Lost {
    fn add<'a>(&'a self, _owner: &'a Owner, _memory: NewMemory) -> BoxFuture<'a, Result<String, MemoryError>> {
        Box::pin(std::future::ready(Err(MemoryError("the disk is full".into()))))
    }

    fn search<'a>(
        &'a self,
        _owner: &'a Owner,
        _query: &'a str,
        _limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Memory>, MemoryError>> {
        Box::pin(std::future::ready(Err(MemoryError("the disk is gone".into()))))
    }
}

#[tokio::test]
async fn a_memory_that_fails_is_a_failure_of_the_call() {
    let registry = Arc::new(Registry::default());
    registry.add(Arc::new(Builtins::all(&Ports { memory: Some(Arc::new(Lost)), ..Ports::default() })));
    let executor = door(Executor::new(registry));
    let kept = through(&executor, "remember", r#"{"content": "x"}"#, "me").await;
    assert_eq!((kept.is_success(), kept.text.contains("the disk is full")), (false, true), "{}", kept.text);
    let found = through(&executor, "search_memory", r#"{"query": "x"}"#, "me").await;
    assert_eq!((found.is_success(), found.text.contains("the disk is gone")), (false, true), "{}", found.text);
}

#[test]
fn the_list_chooses() {
    let names = |ports: &Ports, list: &[&str]| -> Vec<String> {
        let source = Builtins::named(list, ports).unwrap();
        aish_tools::ToolSource::definitions(&source).iter().map(|d| d.name.to_string()).collect()
    };
    assert_eq!(names(&Ports::default(), &["roll_dice", "calculator"]), ["calculator", "roll_dice"]);
    let all = names(&Ports::default(), &builtin::names().collect::<Vec<_>>());
    for lacking in ["search_memory", "remember", "read_file", "web_fetch"] {
        assert!(!all.iter().any(|name| name == lacking), "{lacking} without its port");
    }
    let error = Builtins::named(&["calculater"], &Ports::default()).err().unwrap();
    assert_eq!(error.to_string(), "there is no built-in tool 'calculater'; did you mean calculator?");
}

#[test]
fn only_remember_writes() {
    let ports = Ports { memory: Some(Arc::new(Notebook::default())), ..Ports::default() };
    for definition in aish_tools::ToolSource::definitions(&Builtins::all(&ports)) {
        assert!(definition.trusted);
        assert_eq!(definition.risk == Risk::Write, definition.name.as_str() == "remember");
    }
}
