//! Appending, the torn tail, and what cannot be written.

use std::os::unix::fs::PermissionsExt;

use aish_journal::lines::BadLine;
use aish_journal::{Durability, LineFile, remove_others, replace, replace_others};
use serde_json::{Value, json};

fn file(folder: &tempfile::TempDir) -> LineFile {
    LineFile::new(folder.path().join("a/b/log.jsonl"), Durability::System)
}

#[test]
fn a_missing_file_holds_nothing_and_is_made_private() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder);
    assert!(file.load::<Value>().unwrap().records.is_empty());
    assert!(!file.path().exists());
    file.append(&json!({"n": 1})).unwrap();
    file.append(&json!({"n": "line\nbreak"})).unwrap();
    assert_eq!(file.load::<Value>().unwrap().records, [json!({"n": 1}), json!({"n": "line\nbreak"})]);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(file.path()), mode(file.path().parent().unwrap())), (0o600, 0o700));
}

#[test]
fn a_torn_tail_is_set_aside() {
    for tail in ["{\"n\": 2", "\0\0\0\0", "12", "\u{fffd}{"] {
        for first in ["append", "load"] {
            let folder = tempfile::tempdir().unwrap();
            let file = file(&folder);
            file.append(&json!({"n": 1})).unwrap();
            let mut bytes = std::fs::read(file.path()).unwrap();
            bytes.extend_from_slice(tail.as_bytes());
            std::fs::write(file.path(), &bytes).unwrap();
            let torn = match first {
                "append" => file.append(&json!({"n": 3})).unwrap(),
                _ => {
                    let torn = file.load::<Value>().unwrap().torn;
                    file.append(&json!({"n": 3})).unwrap();
                    torn
                }
            };
            let torn = torn.expect("reported");
            assert_eq!(torn.bytes, tail.len() as u64);
            assert_eq!(std::fs::read(torn.kept_in).unwrap(), format!("{tail}\n").as_bytes());
            let loaded = file.load::<Value>().unwrap();
            assert_eq!((loaded.records, loaded.torn), (vec![json!({"n": 1}), json!({"n": 3})], None));
        }
    }
}

#[test]
fn a_whole_last_line_without_its_end_stays() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder);
    file.append(&json!({"n": 1})).unwrap();
    std::fs::write(file.path(), "{\"n\":1}\n{\"n\":2}").unwrap();
    assert_eq!(file.append(&json!({"n": 3})).unwrap(), None);
    assert_eq!(file.load::<Value>().unwrap().records.len(), 3);
}

#[test]
fn a_bad_line_is_reported_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder);
    file.append(&json!({"n": 1})).unwrap();
    let text = "{\"n\":1}\nnonsense\n\n{\"n\":3}\n";
    std::fs::write(file.path(), text).unwrap();
    let loaded = file.load::<Value>().unwrap();
    assert_eq!(loaded.records.len(), 2);
    assert!(matches!(&loaded.bad[..], [BadLine { number: 2, .. }]));
    assert_eq!(std::fs::read_to_string(file.path()).unwrap(), text);
}

#[test]
fn a_file_that_was_replaced_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder);
    file.append(&json!(1)).unwrap();
    std::fs::rename(file.path(), folder.path().join("old")).unwrap();
    file.append(&json!(2)).unwrap();
    assert_eq!(file.load::<Value>().unwrap().records, [json!(2)]);
}

#[test]
fn what_cannot_be_written_is_an_error() {
    for path in ["/proc/aish/log.jsonl", "/dev/null/log.jsonl"] {
        let file = LineFile::new(path, Durability::Disk);
        let error = file.append(&json!(1)).unwrap_err();
        assert_eq!(error.to_string(), format!("{path} cannot be written"));
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(LineFile::new(folder.path(), Durability::Disk).load::<Value>().is_err(), "a folder is no log");
}

#[test]
fn a_replacement_is_whole_and_keeps_links() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    replace(&real, b"one").unwrap();
    assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    std::os::unix::fs::symlink(&real, &link).unwrap();
    replace(&link, b"two").unwrap();
    assert_eq!(std::fs::read(&real).unwrap(), b"two");
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(replace("/proc/aish".as_ref(), b"x").is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left over");
}

#[test]
fn a_file_of_others_is_replaced_and_removed_behind_its_links_and_never_where_nobody_may_write() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // Links of which the last leads to nothing yet, as a manager of dotfiles leaves them.
    std::os::unix::fs::symlink("second", at("first")).unwrap();
    std::os::unix::fs::symlink("kept/real", at("second")).unwrap();
    replace_others(&at("first"), b"one").unwrap();
    assert_eq!(std::fs::read(at("kept/real")).unwrap(), b"one");
    replace_others(&at("first"), b"two").unwrap();
    assert_eq!(std::fs::read(at("kept/real")).unwrap(), b"two");
    let refused = |result: Result<(), aish_journal::ReplaceError>| result.unwrap_err().source.to_string();
    std::fs::set_permissions(at("kept/real"), std::fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(refused(replace_others(&at("first"), b"three")), "it is read-only");
    assert_eq!(refused(remove_others(&at("first"))), "it is read-only");
    assert_eq!(std::fs::read(at("kept/real")).unwrap(), b"two");
    std::fs::set_permissions(at("kept/real"), std::fs::Permissions::from_mode(0o640)).unwrap();
    replace_others(&at("first"), b"three").unwrap();
    assert_eq!(std::fs::metadata(at("kept/real")).unwrap().permissions().mode() & 0o777, 0o640);
    remove_others(&at("first")).unwrap();
    assert!(!at("kept/real").exists());
    for link in ["first", "second"] {
        assert!(std::fs::symlink_metadata(at(link)).unwrap().is_symlink(), "{link}");
    }
    // Links in a circle lead nowhere, and nothing is made of them.
    std::os::unix::fs::symlink("round", at("round")).unwrap();
    assert!(remove_others(&at("round")).is_err());
}

#[test]
fn what_is_appended_while_lines_are_left_out_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder).path().to_owned();
    let open = || LineFile::new(&path, Durability::System);
    open().append(&json!({"n": "first"})).unwrap();
    std::fs::write(&path, [std::fs::read(&path).unwrap(), b"no record\n".to_vec()].concat()).unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            scope.spawn(move || {
                let file = open();
                (0..200).for_each(|n| drop(file.append(&json!({"n": n, "writer": writer})).unwrap()));
            });
        }
        scope.spawn(|| {
            let file = open();
            let odd = |record: &Value| record["n"].as_i64().is_none_or(|n| n % 2 == 1);
            (0..50).for_each(|_| file.retain(|all: &[Value]| all.iter().map(odd).collect()).unwrap());
        });
    });
    let loaded = open().load::<Value>().unwrap();
    let odd = loaded.records.iter().filter(|record| record["n"].as_i64().is_some_and(|n| n % 2 == 1)).count();
    assert_eq!((odd, loaded.bad.len(), &loaded.records[0]), (400, 1, &json!({"n": "first"})));
}
