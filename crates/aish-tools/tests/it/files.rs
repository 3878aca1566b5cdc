//! The file tools through the door: what is asked, what is written, what the model reads.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use aish_safety::{Answer, Approver, Mode, Question, Subject, Surroundings};
use aish_tools::builtin::{Builtins, FilePlaces, Files, Ports};
use aish_tools::registry::function_schema;
use aish_tools::{Door, Executor, Registry, ToolSource as _};
use aish_types::{Block, BoxFuture, ToolOutcome};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::door::{call, door};

struct Places(PathBuf);

impl FilePlaces for Places {
    fn tree(&self, folder: &Path) -> Option<PathBuf> {
        folder.starts_with(&self.0).then(|| self.0.clone())
    }

    fn is_hidden(&self, path: &Path) -> bool {
        path.ends_with("hidden.txt")
    }

    fn guarded(&self, _root: &Path, below: &Path, _old: &str, _new: &str) -> Option<&'static str> {
        below.starts_with("guarded").then_some("it is guarded")
    }
}

/// Says what it is told to, and keeps what it was asked.
struct Person {
    answer: Answer,
    mode: Mode,
    asked: Mutex<Vec<Question>>,
}

impl Approver for Person {
    fn mode(&self) -> Mode {
        self.mode
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.asked.lock().unwrap().push(question.clone());
        Box::pin(std::future::ready(self.answer.clone()))
    }
}

struct Place {
    _folder: tempfile::TempDir,
    root: PathBuf,
    door: Door,
    person: Person,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(folder.path()).unwrap();
        let registry = Arc::new(Registry::default());
        let files = Some(Arc::new(Files::new(Arc::new(Places(root.clone())))));
        registry.add(Arc::new(Builtins::all(&Ports { files, ..Ports::default() })));
        let person = Person { answer: Answer::Yes, mode: Mode::Interactive, asked: Mutex::default() };
        Self { _folder: folder, root, door: door(Executor::new(registry)), person }
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn holds(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.root.join(path)).ok()
    }

    async fn call(&self, name: &str, arguments: Value) -> ToolOutcome {
        let mut call = call(name, &arguments.to_string(), "me").unwrap();
        call.context.folder = Some(self.root.display().to_string());
        let around = Surroundings { folder: call.context.folder.clone(), ..Surroundings::default() };
        self.door.call(call, &around, &self.person, CancellationToken::new()).await.outcome()
    }

    fn asked(&self) -> Vec<Question> {
        std::mem::take(&mut *self.person.asked.lock().unwrap())
    }
}

#[tokio::test]
async fn reads_run_unasked_and_show_numbered_lines() {
    let place = Place::new();
    place.write("a.txt", "one\r\ntwo\nthree\n");
    place.write("empty", "");
    std::fs::write(place.root.join("b.bin"), b"\0\x01").unwrap();
    std::fs::write(place.root.join("i.png"), b"\x89PNG\r\n\x1a\n\0").unwrap();
    let text = |outcome: ToolOutcome| outcome.model_text();
    assert_eq!(text(place.call("read_file", json!({"path": "a.txt"})).await), "1\tone\n2\ttwo\n3\tthree\n");
    let part = place.call("read_file", json!({"path": "a.txt", "start_line": 2, "end_line": 2})).await;
    assert_eq!(part.text, "2\ttwo\n[lines 2 to 2 of 3]\n");
    assert_eq!(
        text(place.call("read_file", json!({"path": "a.txt", "start_line": 9})).await),
        "Error: the file has 3 lines"
    );
    assert_eq!(text(place.call("read_file", json!({"path": "empty"})).await), "(the file is empty)");
    assert_eq!(text(place.call("read_file", json!({"path": "b.bin"})).await), "Error: b.bin is binary (2 bytes)");
    let near = place.call("read_file", json!({"path": "a.tx"})).await;
    assert_eq!(near.model_text(), "Error: there is no a.tx; near: a.txt");
    let image = place.call("read_file", json!({"path": "i.png"})).await;
    assert!(matches!(image.blocks.as_slice(), [Block::Image { media_type, .. }] if media_type == "image/png"));
    assert!(place.call("read_file", json!({"path": "/etc/passwd"})).await.text.contains("outside"));
    assert!(place.call("search_files", json!({"pattern": "TWO|two"})).await.text.starts_with("a.txt\n2:two\n"));
    assert_eq!(place.call("find_files", json!({"pattern": "*.txt"})).await.text, "a.txt\n");
    assert_eq!(place.asked(), []);
}

#[tokio::test]
async fn long_files_are_read_in_parts() {
    let place = Place::new();
    place.write("long.txt", &(1..=5_000).map(|n| format!("line {n}\n")).collect::<String>());
    let first = place.call("read_file", json!({"path": "long.txt"})).await;
    assert!(
        first.truncated
            && first.text.ends_with("2000\tline 2000\n[lines 1 to 2000 of 5000; go on with start_line 2001]\n")
    );
    place.write("wide.txt", &"x".repeat(200_000));
    let wide = place.call("read_file", json!({"path": "wide.txt"})).await;
    assert!(wide.text.len() < 70_000, "{}", wide.text.len());
}

#[tokio::test]
async fn an_edit_is_asked_about_with_its_difference() {
    let mut place = Place::new();
    place.write("a.txt", "one\ntwo\nthree\n");
    let edit = json!({"path": "a.txt", "old": "two", "new": "2"});
    let unread = place.call("edit_file", edit.clone()).await;
    assert_eq!(unread.model_text(), "Error: a.txt has not been read yet; call read_file first");
    place.call("read_file", json!({"path": "a.txt"})).await;
    place.write("a.txt", "one\ntwo\nthree\nfour\n");
    let changed = place.call("edit_file", edit.clone()).await;
    assert_eq!(changed.model_text(), "Error: a.txt has changed since it was read; call read_file again");
    place.call("read_file", json!({"path": "a.txt"})).await;
    assert_eq!(place.asked(), [], "nothing is asked that could not be done");
    place.person.answer = Answer::No;
    assert!(!place.call("edit_file", edit.clone()).await.is_success());
    assert_eq!(place.holds("a.txt").unwrap(), "one\ntwo\nthree\nfour\n");
    let [question] = place.asked().try_into().unwrap();
    let Subject::Files { accesses, difference, concern: None } = question.subject else { panic!() };
    assert_eq!(difference, "--- a/a.txt\n+++ b/a.txt\n@@ -1,4 +1,4 @@\n one\n-two\n+2\n three\n four");
    assert_eq!(accesses.len(), 1);
    assert_eq!(question.always, Some(format!("edits below {}", place.root.display())));
    place.person.answer = Answer::Yes;
    let done = place.call("edit_file", edit).await;
    assert_eq!(done.model_text(), "changed a.txt, now:\n1\tone\n2\t2\n3\tthree\n4\tfour\n");
    assert_eq!(place.holds("a.txt").unwrap(), "one\n2\nthree\nfour\n");
    let again = place.call("edit_file", json!({"path": "a.txt", "old": "2", "new": "zwei"})).await;
    assert!(again.is_success(), "what it wrote itself it has read: {}", again.text);
}

#[tokio::test]
async fn white_space_that_differs_is_said() {
    let place = Place::new();
    place.write("a.py", "def f():\n    return 1\n");
    place.call("read_file", json!({"path": "a.py"})).await;
    let edit = json!({"path": "a.py", "old": "return 1\n", "new": "return 2\n"});
    assert!(place.call("edit_file", edit).await.text.starts_with("changed"), "a part of a line is exact");
    let edit = json!({"path": "a.py", "old": "def f():\n  return 2", "new": "def f():\n  return 3"});
    let done = place.call("edit_file", edit).await;
    assert!(done.text.starts_with("[the old text stands there with other white space"), "{}", done.text);
    assert_eq!(place.holds("a.py").unwrap(), "def f():\n    return 3\n");
}

#[tokio::test]
async fn files_are_written_whole() {
    let place = Place::new();
    let made = place.call("write_file", json!({"path": "new/a.txt", "content": "x\n"})).await;
    assert_eq!(made.model_text(), "made new/a.txt (1 line)\n");
    place.write("b.txt", "a\r\nb\r\n");
    let unread = place.call("write_file", json!({"path": "b.txt", "content": "c\n"})).await;
    assert!(unread.text.contains("has not been read yet"));
    place.call("read_file", json!({"path": "b.txt"})).await;
    assert!(place.call("write_file", json!({"path": "b.txt", "content": "c\nd\n"})).await.is_success());
    assert_eq!(place.holds("b.txt").unwrap(), "c\r\nd\r\n");
    assert!(place.call("write_file", json!({"path": ".", "content": ""})).await.text.contains("is a folder"));
}

#[tokio::test]
async fn a_patch_is_one_question_and_all_or_nothing() {
    let place = Place::new();
    place.write("a.txt", "one\ntwo\n");
    place.write("b.txt", "b\n");
    let patch = |text: &str| json!({"input": format!("*** Begin Patch\n{text}*** End Patch")});
    let text = "*** Update File: a.txt\n@@\n-two\n+2\n*** Add File: c.txt\n+c\n*** Update File: b.txt\n*** Move to: d.txt\n-b\n+d\n";
    let done = place.call("apply_patch", patch(text)).await;
    assert!(done.is_success(), "{}", done.text);
    let holds = ["a.txt", "b.txt", "c.txt", "d.txt"].map(|path| place.holds(path));
    assert_eq!(holds.map(|text| text.unwrap_or_default()), ["one\n2\n", "", "c\n", "d\n"]);
    assert_eq!(place.asked().len(), 1);
    let wrong =
        place.call("apply_patch", patch("*** Add File: e.txt\n+e\n*** Update File: a.txt\n-nothing\n+x\n")).await;
    assert!(wrong.text.contains("hunk 1 does not fit"), "{}", wrong.text);
    assert_eq!((place.holds("e.txt"), place.asked().len()), (None, 0));
    let script = place.root.join("run.sh");
    place.write("run.sh", "one\n");
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o750)).unwrap();
    let moved = patch("*** Update File: run.sh\n*** Move to: bin/run.sh\n-one\n+two\n");
    assert!(place.call("apply_patch", moved).await.is_success());
    let mode = std::fs::metadata(place.root.join("bin/run.sh")).unwrap();
    let mode = std::os::unix::fs::MetadataExt::mode(&mode) & 0o7777;
    assert_eq!((mode, place.holds("run.sh"), place.holds("bin/run.sh").as_deref()), (0o750, None, Some("two\n")));
    std::os::unix::fs::symlink("bin/run.sh", place.root.join("link")).unwrap();
    for change in ["*** Delete File: link\n", "*** Update File: link\n*** Move to: other\n-two\n+three\n"] {
        let refused = place.call("apply_patch", patch(change)).await;
        assert!(refused.text.contains("link is a link to bin/run.sh"), "{}", refused.text);
    }
    assert_eq!(place.holds("bin/run.sh").as_deref(), Some("two\n"));
    place.write("kept.txt", "kept\n");
    let kept = place.root.join("kept.txt");
    std::fs::set_permissions(&kept, std::os::unix::fs::PermissionsExt::from_mode(0o444)).unwrap();
    let half = patch("*** Update File: a.txt\n-one\n+1\n*** Update File: kept.txt\n*** Move to: gone.txt\n-kept\n+x\n");
    let refused = place.call("apply_patch", half).await;
    assert!(refused.text.contains("kept.txt is read-only"), "{}", refused.text);
    assert_eq!((place.holds("a.txt").as_deref(), place.holds("gone.txt")), (Some("one\n2\n"), None));
    place.asked();
    let twice = place.call("apply_patch", patch("*** Update File: a.txt\n-one\n+1\n*** Delete File: a.txt\n")).await;
    assert!(twice.text.contains("two sections"), "{}", twice.text);
}

#[tokio::test]
async fn a_byte_order_mark_is_not_doubled_and_a_name_begins_no_line_of_a_question() {
    let place = Place::new();
    place.write("marked.txt", "\u{feff}one\n");
    place.call("read_file", json!({"path": "marked.txt"})).await;
    let written = place.call("write_file", json!({"path": "marked.txt", "content": "\u{feff}two\n"})).await;
    assert!(written.is_success(), "{}", written.text);
    assert_eq!(place.holds("marked.txt").as_deref(), Some("\u{feff}two\n"));
    place.asked();
    place.call("write_file", json!({"path": "guarded/a\nundo: exact", "content": "x\n"})).await;
    let [question] = &place.asked()[..] else { panic!("one question") };
    let Subject::Files { concern, difference, .. } = &question.subject else { panic!("{question:?}") };
    for text in [concern.as_deref().unwrap_or_default(), difference] {
        assert!(text.contains("a\\nundo") && !text.contains("a\nundo"), "{text}");
    }
}

#[tokio::test]
async fn hidden_and_guarded_places_ask_in_any_case() {
    let mut place = Place::new();
    place.write("hidden.txt", "token\n");
    place.write(".env", "TOKEN=1\n");
    place.write("guarded/x", "x\n");
    for path in ["hidden.txt", ".env"] {
        place.call("read_file", json!({"path": path})).await;
        place.call("search_files", json!({"pattern": "token", "path": path})).await;
        assert_eq!(place.asked().len(), 2, "{path}");
    }
    let found = place.call("search_files", json!({"pattern": "token"})).await;
    assert!(found.text.contains("[not searched, because they may hold secrets: hidden.txt]"), "{}", found.text);
    let guess = place.call("search_files", json!({"pattern": "no such token"})).await;
    let left_out = "(no line matches)\n[not searched, because they may hold secrets: hidden.txt]\n";
    assert_eq!(guess.text, left_out, "whether a secret matches is a secret");
    place.write("plain.txt", "token\n");
    place.write("links/x", "");
    std::os::unix::fs::symlink("../plain.txt", place.root.join("links/hidden.txt")).unwrap();
    place.call("read_file", json!({"path": "links/hidden.txt"})).await;
    assert_eq!(place.asked().len(), 1, "a link's own name counts too");
    place.call("read_file", json!({"path": "guarded/x"})).await;
    assert_eq!(place.asked(), []);
    // A yes beforehand is none for these.
    place.person.mode = Mode::HeadlessYes;
    let edit = |path: &str| json!({"path": path, "old": "x", "new": "y"});
    let refused = place.call("edit_file", edit("guarded/x")).await;
    assert!(refused.text.contains("it is guarded"), "{}", refused.text);
    place.write("linked", "x\n");
    std::fs::hard_link(place.root.join("linked"), place.root.join("elsewhere")).unwrap();
    place.call("read_file", json!({"path": "linked"})).await;
    let refused = place.call("edit_file", edit("linked")).await;
    assert!(refused.text.contains("it has other names"), "{}", refused.text);
    assert_eq!(place.holds("elsewhere").unwrap(), "x\n");
    place.write("open/x", "x\n");
    place.call("read_file", json!({"path": "open/x"})).await;
    assert!(place.call("edit_file", edit("open/x")).await.is_success());
    assert_eq!(place.holds("guarded/x").unwrap(), "x\n");
    place.person.mode = Mode::Headless;
    assert!(!place.call("edit_file", json!({"path": "open/x", "old": "y", "new": "z"})).await.is_success());
}

#[tokio::test]
async fn what_changes_while_it_is_asked_about_is_not_written() {
    struct Meanwhile(PathBuf);
    impl Approver for Meanwhile {
        fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Answer> {
            std::fs::write(&self.0, "other\n").unwrap();
            Box::pin(std::future::ready(Answer::Yes))
        }
    }
    let place = Place::new();
    place.write("a.txt", "one\n");
    place.call("read_file", json!({"path": "a.txt"})).await;
    let arguments = json!({"path": "a.txt", "old": "one", "new": "1"}).to_string();
    let mut call = call("edit_file", &arguments, "me").unwrap();
    call.context.folder = Some(place.root.display().to_string());
    let person = Meanwhile(place.root.join("a.txt"));
    let passed = place.door.call(call, &Surroundings::default(), &person, CancellationToken::new()).await;
    assert!(passed.outcome().text.contains("has changed in the meantime"));
    assert_eq!(place.holds("a.txt").unwrap(), "other\n");
}

#[test]
fn definitions_are_short() {
    let files = Some(Arc::new(Files::new(Arc::new(Places(PathBuf::new())))));
    let builtins = Builtins::all(&Ports { files, ..Ports::default() });
    let sizes: Vec<(String, usize)> = builtins
        .definitions()
        .iter()
        .filter(|definition| definition.category == "files")
        .map(|definition| (definition.name.to_string(), function_schema(definition).to_string().len()))
        .collect();
    assert_eq!(sizes.len(), 6);
    assert!(sizes.iter().all(|(_, size)| *size <= 250), "{sizes:?}");
}
