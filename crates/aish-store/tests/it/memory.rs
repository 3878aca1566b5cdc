//! Memory: ranked, owned, scoped.

use aish_store::{Scope, Store};
use aish_tools::{MemoryStore, NewMemory, Owner};

use crate::ticking::clock;

fn owner(user: &str, folder: &str) -> Owner {
    Owner { user: user.into(), channel: None, folder: Some(folder.into()) }
}

fn fact(content: &str, importance: u8) -> NewMemory {
    NewMemory { content: content.into(), category: "fact".into(), importance, source: "person".into() }
}

fn found(store: &Store, owner: &Owner, query: &str) -> Vec<String> {
    store.recall(owner, query, 10).unwrap().into_iter().map(|found| found.memory.content).collect()
}

#[test]
fn the_best_comes_first() {
    let store = Store::in_memory(clock());
    let me = owner("me", "/home/me");
    for (content, importance) in [
        ("The staging server is called heron", 3),
        ("Deployments go to staging before production", 3),
        ("I prefer tabs over spaces", 3),
        ("The cat is called Tabitha", 1),
        ("データベースは毎晩保存される", 3),
    ] {
        store.remember(&me, &fact(content, importance), &Scope::User).unwrap();
    }
    for (query, first) in [
        ("what is the staging server called?", "The staging server is called heron"),
        ("production stage", "Deployments go to staging before production"),
        ("deploying", "Deployments go to staging before production"),
        ("tab preference", "I prefer tabs over spaces"),
        ("データベース", "データベースは毎晩保存される"),
        ("毎晩", "データベースは毎晩保存される"),
        ("HERON", "The staging server is called heron"),
    ] {
        assert_eq!(found(&store, &me, query).first().map(String::as_str), Some(first), "{query}");
    }
    for query in ["", "   ", "\"", "AND OR NOT", "NEAR(a b)", "x*", "content:staging'", "zebra", "(", "-"] {
        let _ = found(&store, &me, query);
    }
    assert!(found(&store, &me, "zebra").is_empty());
}

#[test]
fn importance_breaks_near_ties() {
    let store = Store::in_memory(clock());
    let me = owner("me", "/");
    store.remember(&me, &fact("the port of alpha is 80", 1), &Scope::User).unwrap();
    store.remember(&me, &fact("the port of omega is 81", 5), &Scope::User).unwrap();
    assert_eq!(found(&store, &me, "port")[0], "the port of omega is 81");
}

#[test]
fn a_fact_belongs_to_its_owner_and_scope() {
    let store = Store::in_memory(clock());
    let (me, you) = (owner("me", "/home/me/project/sub"), owner("you", "/home/me/project/sub"));
    let project = Scope::Project("/home/me/project/".into());
    let mine = store.remember(&me, &fact("blue everywhere", 3), &Scope::User).unwrap();
    store.remember(&me, &fact("blue in the project", 3), &project).unwrap();
    assert_eq!(found(&store, &me, "blue").len(), 2);
    assert_eq!(found(&store, &owner("me", "/home/me/project"), "blue").len(), 2);
    assert_eq!(found(&store, &owner("me", "/home/me/project2"), "blue"), ["blue everywhere"]);
    assert_eq!(found(&store, &Owner { folder: None, ..me.clone() }, "blue"), ["blue everywhere"]);
    assert!(found(&store, &you, "blue").is_empty());
    assert!(found(&store, &Owner { channel: Some("#a".into()), ..me.clone() }, "blue").is_empty());
    assert!(!store.forget(&you, &mine).unwrap());
    assert!(!store.forget(&me, "no number").unwrap());
    assert!(store.forget(&me, &mine).unwrap());
    assert_eq!(found(&store, &me, "blue"), ["blue in the project"]);
    assert_eq!(store.memories(&me, 10).unwrap()[0].scope, Scope::Project("/home/me/project".into()));
}

#[test]
fn the_same_fact_is_kept_once() {
    let store = Store::in_memory(clock());
    let me = owner("me", "/");
    let first = store.remember(&me, &fact("I like  tea", 2), &Scope::User).unwrap();
    let again = store.remember(&me, &fact("i like tea ", 4), &Scope::User).unwrap();
    assert_eq!(first, again);
    let all = store.memories(&me, 10).unwrap();
    assert_eq!((all.len(), all[0].memory.importance), (1, 4));
    assert_eq!(found(&store, &me, "tea").len(), 1);
}

#[tokio::test]
async fn it_is_the_memory_of_the_tools() {
    let store = Store::in_memory(clock());
    let me = owner("me", "/");
    let id = store.add(&me, fact("the sky is blue", 9)).await.unwrap();
    let found = store.search(&me, "sky", 5).await.unwrap();
    assert_eq!((found.len(), &found[0].id, found[0].importance), (1, &id, 5));
}

#[test]
fn only_what_fits_a_question_is_found_for_it() {
    let store = Store::in_memory(clock());
    let me = owner("me", "/");
    for content in [
        "Deployments go through scripts/ship.sh",
        "The cat is called Tabitha",
        "Tests run with cargo nextest",
        "My server is named heron and listens on port 8080",
        "Der Chef heißt Müller",
        "デプロイは ship.sh を使う",
    ] {
        store.remember(&me, &fact(content, 3), &Scope::User).unwrap();
    }
    let check = |question: &str, expected: &[&str]| {
        let found: Vec<String> =
            store.fitting(&me, question, 8).unwrap().into_iter().map(|found| found.memory.content).collect();
        assert_eq!(found, expected, "{question}");
    };
    check("how do I deploy this?", &["Deployments go through scripts/ship.sh"]);
    check("what is the name of my cat?", &["The cat is called Tabitha"]);
    check("which port does the server use", &["My server is named heron and listens on port 8080"]);
    check("wie heißt mein Chef?", &["Der Chef heißt Müller"]);
    check("デプロイの方法は?", &["デプロイは ship.sh を使う"]);
    check("what is the capital of France?", &[]);
    check("how do I make it run with the other one?", &[]);
    check("write a long haiku about a small port town in the autumn rain", &[]);
    for odd in ["", "?", "\"", "AND OR NOT NEAR", "x* (", "天", "' OR 1=1 --"] {
        check(odd, &[]);
    }
    assert!(store.fitting(&owner("you", "/"), "how do I deploy this?", 8).unwrap().is_empty());
}
