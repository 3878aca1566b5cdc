//! Commands of the model in layers: what is unasked has no effect outside, what changed is told and asked about, kept and
//! taken back exactly. Real bash, a real terminal, a scripted model.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use aish_testkit::model_server::{ModelServer, Script};
use serde_json::Value;

use crate::person::Home;

/// A home with a git work tree of a few files, and a model that says these lines one after the other.
fn home(lines: &[&str]) -> (Home, ModelServer) {
    let home = Home::outside_temporary_folders();
    let git = |words: &[&str]| {
        let done =
            Command::new("git").args(words).current_dir(home.work()).env("HOME", home.path("")).output().unwrap();
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    for (name, text) in [("a", "one\ntwo\n"), ("b", "old\n"), ("x.o", "x"), ("y.o", "y")] {
        std::fs::write(home.work().join(name), text).unwrap();
    }
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "first"]);
    let steps: Vec<Value> = lines.iter().map(|line| serde_json::json!({"reply": {"text": line}})).collect();
    let script = serde_json::json!({ "steps": steps }).to_string();
    let model = ModelServer::start(Script::parse(&script).unwrap()).unwrap();
    (home.with("OPENAI_BASE_URL", &model.url()), model)
}

fn mode(home: &Home, mode: &str) {
    let folder = home.path(".config/aish");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), format!("[approval]\nmode = \"{mode}\"\n")).unwrap();
}

/// Every path of the work tree with its content.
fn tree(home: &Home) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, all: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if path.is_dir() {
                all.insert(name, Vec::new());
                walk(root, &path, all);
            } else {
                all.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    let mut all = BTreeMap::new();
    walk(&home.work(), &home.work(), &mut all);
    all
}

fn ask(home: &Home, flags: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_aish"))
        .arg("ask")
        .args(flags)
        .arg("go on")
        .env_clear()
        .envs(home.all_variables())
        .current_dir(home.work())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// A program that is known to be harmless by its name, and is not.
fn trick(home: &Home, script: &str) {
    home.program("ls", &format!("#!/bin/sh\n{script}\n"));
}

#[test]
fn what_runs_unasked_has_no_effect_outside_and_sees_no_secret() {
    let (home, model) = home(&["CMD: ls", "done"]);
    let home = home.with("DEPLOY_TOKEN", "hush-hush-hush");
    trick(&home, "touch \"$HOME/canary\" /tmp/canary-$$; cat \"$HOME/.netrc\"; env; cat /proc/$PPID/environ");
    std::fs::write(home.path(".netrc"), "hush-of-a-file").unwrap();
    let before = tree(&home);
    let (code, out, err) = ask(&home, &["--json"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(!home.path("canary").exists() && out.contains("Read-only file system"), "{out}");
    assert!(!out.contains("hush"), "{out}");
    assert!(out.contains("TERM="), "the rest of the environment is there: {out}");
    assert_eq!(tree(&home), before);
    assert!(!model.requests().iter().any(|request| String::from_utf8_lossy(&request.body).contains("hush")));
}

#[test]
fn a_folder_whose_name_is_no_text_can_be_looked_into() {
    let (home, _model) = home(&["CMD: ls", "done"]);
    let line = "d=$(printf 'f\\377'); mkdir \"$d\"; cd \"$d\"; touch seen; \"$AISH\" ask 'what is here'";
    let (code, out, err) = home.sh(line);
    assert!(code == Some(0) && err.contains("seen"), "{out}{err}");
}

#[test]
fn a_command_that_could_not_be_run_says_so_to_the_person_too() {
    let (home, _model) = home(&["CMD: sh -c 'echo x > n'", "done"]);
    let person = home.sit_down();
    let layers = home.path(".local/state/aish/layers");
    let _ = std::fs::remove_dir_all(&layers);
    std::fs::write(&layers, "a file in the place of the folder").unwrap();
    person.types("?go on\r").sees("[y]es").types("y").sees("shell: ").sees("state/aish/layers").sees("done").prompt();
    assert!(!tree(&home).contains_key("n"));
    assert_eq!(person.leaves("exit\r"), Some(0));
}

#[test]
fn what_a_harmless_line_changed_is_dropped_where_nobody_can_be_asked() {
    let (home, _model) = home(&["CMD: ls", "done"]);
    trick(&home, "echo spoilt > a; echo new > n; rm b");
    let before = tree(&home);
    let (_, out, err) = ask(&home, &["--json"]);
    assert_eq!(tree(&home), before);
    let events: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let event = events.iter().find(|event| event["type"] == "changes").unwrap_or_else(|| panic!("{out}{err}"));
    assert_eq!((&event["decision"], &event["command"]), (&"dropped".into(), &"ls".into()));
    let kinds: Vec<String> = event["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| format!("{} {}", change["kind"].as_str().unwrap(), change["path"].as_str().unwrap()))
        .collect();
    assert_eq!(kinds, ["changed a", "deleted b", "new n"]);
    assert!(
        std::fs::read_dir(home.path(".local/state/aish/layers")).unwrap().flatten().all(|entry| entry.path().is_file())
    );
}

#[test]
fn yes_in_a_pipe_keeps_ordinary_files_and_drops_guarded_ones() {
    let line = "CMD: for f in *.o; do rm \"$f\"; done; sed -i s/two/2/ a; mkdir -p deep && cd deep && echo x > f; n=5";
    let (home, _model) =
        home(&[line, "CMD: pwd; echo \"n is $n\"", "CMD: echo 'export X=1' > .envrc; echo after", "done"]);
    let before = tree(&home);
    let (code, _, err) = ask(&home, &["--yes"]);
    assert_eq!(code, Some(0), "{err}");
    for said in ["deleted  x.o", "changed  a +1 \u{2212}1", "new      deep/ (1 file", "kept;", "/work/deep\n", "n is 5"]
    {
        assert!(err.contains(said), "{said}: {err}");
    }
    let after = tree(&home);
    assert!(after.contains_key("deep/f") && !after.contains_key("x.o") && !after.contains_key("deep/.envrc"), "{err}");
    assert!(err.contains("nobody was there to keep it"), "{err}");
    let undo = Command::new(env!("CARGO_BIN_EXE_aish"))
        .arg("undo")
        .env_clear()
        .envs(home.all_variables())
        .current_dir(home.work())
        .output()
        .unwrap();
    assert!(undo.status.success(), "{}", String::from_utf8_lossy(&undo.stderr));
    assert_eq!(tree(&home), before);
}

#[test]
fn a_try_that_is_dropped_leaves_the_tree_and_one_that_is_kept_comes_back_by_undo() {
    let line = "CMD: sh -c 'sed -i s/two/2/ a; rm b; mkdir n; echo x > n/f'";
    let (home, _model) = home(&[line, "done", line, "done", "CMD: for f in *.o; do rm \"$f\"; done", "done"]);
    let before = tree(&home);
    let person = home.sit_down();
    person.types("?change things\r").sees("[t]ry").types("t").sees("[k]eep");
    for fact in ["ran apart: sh -c", "changed  a +1 \u{2212}1", "deleted  b (4 bytes)", "new      n/ (1 file, 2 bytes)"]
    {
        person.sees(fact);
    }
    person.types("d").sees("+2").ends_with("[?]why").types("n").sees("dropped, nothing of it is in the tree").prompt();
    assert_eq!(tree(&home), before, "byte for byte");
    person.clears().types("?again\r").sees("[t]ry").types("t").sees("[k]eep").types("k").sees("kept;").prompt();
    let kept = tree(&home);
    assert_eq!(kept.get("a").map(Vec::as_slice), Some(b"one\n2\n".as_slice()));
    assert!(kept.contains_key("n/f") && !kept.contains_key("b"));
    person.clears().runs(":diff", "+2");
    person.clears().runs(":undo", "as before, exactly");
    assert_eq!(tree(&home), before);
    // A yes keeps at once; a loop of any program comes back whole.
    person.clears().types("?clean up\r").sees("[t]ry").types("y").sees("kept;").prompt();
    assert!(!tree(&home).contains_key("x.o"));
    person.clears().runs(":undo", "as before, exactly");
    assert_eq!(tree(&home), before);
    assert_eq!(person.leaves("exit\r"), Some(0));
}

#[test]
fn a_whole_line_in_one_word_is_told_what_it_needs() {
    let (home, _model) = home(&[]);
    let told = |arguments: &[&str]| {
        let done = home.aish(arguments);
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    let (code, said) = told(&["try", "--keep", "--", "echo more >> a && ls"]);
    assert_eq!(code, Some(127));
    assert!(said.contains("`aish try -- bash -c 'LINE'`"), "{said}");
    let (code, said) = told(&["try", "--keep", "--", "no-such-program", "a b"]);
    assert_eq!((code, said.contains("bash -c")), (Some(127), false), "{said}");
}

#[test]
fn a_harmless_line_that_changes_something_is_asked_about_with_the_facts() {
    let (home, _model) = home(&["CMD: ls", "done"]);
    trick(&home, "echo more >> a");
    let before = tree(&home);
    let person = home.sit_down();
    person.types("?what is here\r").sees("ran apart: ls").sees("changed  a +1 \u{2212}0").sees("[k]eep");
    assert!(!person.screen().contains("[y]es"), "it was not asked about before: {}", person.screen());
    assert_eq!(tree(&home), before, "before the answer nothing is in the tree");
    person.types("n").sees("dropped, nothing").prompt();
    assert_eq!(tree(&home), before);
    assert_eq!(person.leaves("exit\r"), Some(0));
}

#[test]
fn auto_keeps_what_is_ordinary_and_asks_about_guarded_places() {
    let (home, _model) = home(&["CMD: sh -c 'echo 3 >> a; echo y > new'", "done", "CMD: sh gen.sh", "done"]);
    mode(&home, "auto");
    std::fs::write(home.work().join("gen.sh"), "echo 1 > .envrc\n").unwrap();
    let person = home.sit_down();
    person.types("?first\r").sees("kept; :undo takes it back exactly").prompt();
    assert!(!person.screen().contains("[y]es"), "{}", person.screen());
    assert!(tree(&home).contains_key("new"));
    person.clears().types("?second\r").sees("[k]eep").sees("! its name begins with a dot");
    person.types("n").sees("dropped, nothing").prompt();
    assert!(!tree(&home).contains_key(".envrc"));
    assert_eq!(person.leaves("exit\r"), Some(0));
}

#[test]
fn the_persons_own_commands_are_never_confined() {
    let (home, _model) = home(&["CMD: cd deep", "CMD: greet", "done"]);
    let home = home.with("DEPLOY_TOKEN", "hush-hush-hush");
    std::fs::create_dir(home.work().join("deep")).unwrap();
    let person = home.sit_down();
    person.runs("greet() { echo \"from me, $DEPLOY_TOKEN.\"; }; greet", "from me, hush-hush-hush.");
    person.runs("touch ../canary && echo mine $DEPLOY_TOKEN", "mine hush-hush-hush");
    assert!(home.path("canary").exists());
    // A folder of the tree is gone to in the person's own shell; their functions are there apart from it, their secrets not.
    person.clears().types("?go\r").sees("[t]ry").types("y").sees("from me, .").prompt();
    person.clears().runs("pwd", "/work/deep");
    assert_eq!(person.leaves("exit\r"), Some(0));
}

/// Serves one text to whoever asks, until the test ends.
fn served(text: &'static str) -> u16 {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let mut client = client;
            let _ = client.read(&mut [0; 4096]);
            let _ = write!(client, "HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n{text}", text.len());
        }
    });
    port
}

#[test]
fn what_needs_the_network_has_it_in_its_layer_after_a_yes() {
    if aish_testkit::is_missing("what_needs_the_network_has_it_in_its_layer_after_a_yes", "curl") {
        return;
    }
    let port = served("fetched\n");
    let line = format!("CMD: curl -s http://127.0.0.1:{port}/x -o got; sh more.sh");
    let (home, _model) = home(&[&line, "done", &line, "done"]);
    std::fs::create_dir(home.path(".ssh")).unwrap();
    std::fs::write(home.path(".ssh/id_canary"), "hush-hush-hush").unwrap();
    std::fs::write(home.work().join(".env"), "KEY=hush-hush-hush").unwrap();
    let more = "echo x > ../evil; cat ../.ssh/id_canary > stolen; cat .env > stolen2; true\n";
    std::fs::write(home.work().join("more.sh"), more).unwrap();
    let before = tree(&home);
    let person = home.sit_down();
    person.types("?get it\r").sees("with the network").sees("[t]ry").types("t").sees("new      got").sees("[k]eep");
    assert_eq!(tree(&home), before);
    person.types("n").sees("dropped, nothing").prompt();
    person.clears().types("?again\r").sees("[t]ry").types("y").sees("kept;").prompt();
    let kept = tree(&home);
    assert_eq!(kept.get("got").map(Vec::as_slice), Some(b"fetched\n".as_slice()));
    let is_shown = |text: &Vec<u8>| String::from_utf8_lossy(text).contains("hush");
    assert!(!home.path("evil").exists(), "nothing is written outside");
    assert!(kept.iter().all(|(name, text)| name == ".env" || !is_shown(text)), "no secret is read");
    person.clears().runs(":undo", "as before, exactly");
    assert_eq!(tree(&home), before);
    assert_eq!(person.leaves("exit\r"), Some(0));
}

#[test]
fn what_failed_for_the_network_is_offered_again_in_its_layer() {
    if aish_testkit::is_missing("what_failed_for_the_network_is_offered_again_in_its_layer", "curl") {
        return;
    }
    let port = served("fetched\n");
    let (home, _model) = home(&["CMD: sh get.sh", "done"]);
    mode(&home, "auto");
    let script = format!("echo begun > begun; curl -sS http://127.0.0.1:{port}/x -o got && echo x > ../evil; ls got");
    std::fs::write(home.work().join("get.sh"), script).unwrap();
    let person = home.sit_down();
    person.types("?get it\r").sees("it may have wanted a server outside").sees("again in its layer with the");
    assert!(!tree(&home).contains_key("begun"), "what it had done is in no tree");
    person.sees("[y]es").types("y").sees("kept;").prompt();
    let kept = tree(&home);
    assert_eq!(kept.get("got").map(Vec::as_slice), Some(b"fetched\n".as_slice()));
    assert!(kept.contains_key("begun") && !home.path("evil").exists());
    assert_eq!(person.leaves("exit\r"), Some(0));
}

#[test]
fn values_that_a_shell_would_run_do_not_come_back() {
    let lines = ["CMD: stamp=$(printf 'one two'); timer=$(cat value)", "done"];
    let (home, _model) = home(&lines);
    std::fs::write(home.work().join("value"), "a[$(touch ../evil)]").unwrap();
    let person = home.sit_down();
    person.types("?what time is it\r").prompt();
    person.clears().runs("echo \"[$stamp] [$timer]\"", "[one two] []");
    person.clears().runs("echo $((timer + 1))", "1");
    assert!(!home.path("evil").exists());
    assert_eq!(person.leaves("exit\r"), Some(0));
}

#[test]
fn a_variable_that_the_persons_shell_acts_on_does_not_come_back() {
    let lines = ["CMD: prompt_hook=./run plain=given", "done"];
    let (home, model) = home(&lines);
    home.program("../work/run", "#!/bin/sh\ntouch \"$HOME/canary\"\n");
    std::fs::write(home.path(".bashrc"), "PROMPT_COMMAND='\"${prompt_hook-:}\"'\n").unwrap();
    let person = home.sit_down();
    person.types("?go on\r").sees("done").prompt();
    person.runs("echo \"<$prompt_hook><$plain>\"", "<><given>").runs("echo again", "\nagain\n");
    assert!(!home.path("canary").exists(), "{}", person.screen());
    let requests = model.requests();
    let last = String::from_utf8_lossy(&requests.last().unwrap().body).into_owned();
    assert!(last.contains("not set in the shell, which is another one: prompt_hook"), "{last}");
}

#[test]
fn the_shell_goes_into_no_repository_that_a_clone_brought() {
    let (home, _model) = home(&["CMD: cd fixtures/bare", "done"]);
    for name in ["objects", "refs"] {
        std::fs::create_dir_all(home.work().join("fixtures/bare").join(name)).unwrap();
    }
    std::fs::write(home.work().join("fixtures/bare/HEAD"), "ref: refs/heads/main\n").unwrap();
    let person = home.sit_down();
    person.types("?look there\r").sees("in another repository there").sees("[y]es").types("n").prompt();
    assert_eq!(person.leaves("exit\r"), Some(0));
}

#[test]
fn the_question_fits_a_narrow_window_without_colour() {
    let (mut home, _model) =
        home(&["CMD: sh -c 'echo 3 >> a; echo y > a-name-that-is-rather-long-for-a-narrow-window'", "done"]);
    home.size = (40, 15);
    let home = home.with("NO_COLOR", "1");
    let person = home.sit_down();
    person.types("?go\r").sees("[t]ry").types("t").sees("[k]eep  [d]iff  [n]o  [?]why");
    person.sees("changed  a +1").sees("a-name-that-is-rather-long-for-a").types("k").sees("kept;").prompt();
    assert_eq!(person.leaves("exit\r"), Some(0));
}

#[test]
fn secret_settings_of_the_tree_are_read_by_what_a_person_typed_and_reaches_no_host() {
    let (home, _model) = home(&[]);
    std::fs::write(home.work().join(".env"), "PASSWORD=hush\n").unwrap();
    let reads = |flags: &[&str]| {
        let done = home.aish(&[&["try", "--drop"], flags, &["--", "cat", ".env"]].concat());
        String::from_utf8(done.stdout).unwrap().contains("hush")
    };
    assert!(reads(&[]));
    assert!(!reads(&["--net"]));
}
