//! What a person sees of the live shell beside their own commands: its folder at the start, the model's commands, jobs,
//! completion, and lines that are to be forgotten.

use aish_testkit::model_server::{End, Expect, ModelServer, OpenAiStream, Script};

use crate::person::{Home, Person};

/// A person whose model gives these answers, in order.
fn with_model(answers: &[&str]) -> (ModelServer, Home) {
    let script = answers.iter().fold(Script::new(), |script, answer| script.chat(OpenAiStream::answer(answer)));
    let server = ModelServer::start(script).unwrap();
    let home = Home::new().with("OPENAI_BASE_URL", &server.url()).with("OPENAI_MODEL", "scripted");
    std::fs::create_dir_all(home.path(".config/aish")).unwrap();
    std::fs::write(home.path(".config/aish/config.toml"), "[memory]\nauto = false\n").unwrap();
    (server, home)
}

fn leaves(person: Person) {
    assert_eq!(person.leaves(":quit\r"), Some(0));
}

#[test]
fn the_first_prompt_shows_where_the_start_up_files_went() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("elsewhere/.git")).unwrap();
    std::fs::write(home.path("elsewhere/.git/HEAD"), "ref: refs/heads/side\n").unwrap();
    std::fs::write(home.path(".bashrc"), "cd ~/elsewhere\n").unwrap();
    let person = home.start();
    person
        .types("pw")
        .ends_with("~/elsewhere side ❯ pw")
        .types("d\r")
        .sees_line(&home.path("elsewhere").display().to_string());
    person.prompt();
    leaves(person);
}

#[test]
fn the_last_line_of_a_models_command_stays_on_the_screen() {
    let (server, home) = with_model(&["CMD: printf 42", "Seen it."]);
    let person = home.sit_down();
    person.types("?go\r").sees_line("Seen it.").prompt();
    person.sees_line("42");
    leaves(person);
    server.finish();
}

#[test]
fn an_exit_of_the_model_is_told() {
    let (server, home) = with_model(&["CMD: exit 3", "Gone."]);
    std::fs::write(home.path(".bashrc"), "alias hi='echo hello'\n").unwrap();
    let person = home.sit_down();
    person.runs("export KEPT=kept", "KEPT").types("?go\r").sees("[y]es").types("y").sees_line("Gone.").prompt();
    person.sees("the shell ended with code 3; a new shell was started").runs("echo still-$KEPT", "still-kept");
    leaves(person);
    server.finish();
}

#[test]
fn an_alias_that_tells_a_secret_leaves_the_others_to_the_model() {
    let (server, home) = with_model(&["CMD: type hi zz db", "Seen it."]);
    let rc = "alias hi='echo hello' db='mysql --password=hunter22' zz='ls -l'\n";
    std::fs::write(home.path(".bashrc"), rc).unwrap();
    let person = home.sit_down();
    person.types("?go\r").sees_line("Seen it.").prompt();
    leaves(person);
    let sent = server.finish();
    let told = String::from_utf8_lossy(&sent.last().unwrap().body).into_owned();
    assert!(told.contains("echo hello") && told.contains("ls -l") && !told.contains("hunter22"), "{told}");
}

/// To assign what the shell exports changes it for programs, whoever exported it: the start-up files, or the person since.
#[test]
fn a_variable_that_the_shell_exports_is_asked_about() {
    let rc = "export SITE_ROOT=/srv\nSITE_PLAIN=x\n";
    for (name, typed, is_asked) in [
        ("SITE_PLAIN", "echo first", false),
        ("SITE_ROOT", "echo first", true),
        ("SITE_LATER", "export SITE_LATER=1; echo first", true),
    ] {
        let line = format!("CMD: {name}=/tmp/x; printf '%s\\n' it-ran");
        let answers = if is_asked { &[&*line][..] } else { &[&*line, "Seen it."] };
        let (server, home) = with_model(answers);
        std::fs::write(home.path(".bashrc"), rc).unwrap();
        let person = home.sit_down();
        person.runs(typed, "first").types("?go\r");
        if is_asked {
            person.sees("[y]es").types("n").prompt();
        } else {
            person.sees_line("it-ran").sees_line("Seen it.").prompt();
        }
        leaves(person);
        server.finish();
    }
}

#[test]
fn the_end_of_a_job_is_told_before_the_next_prompt() {
    let home = Home::new();
    let person = home.sit_down();
    person.types("sleep 0.5 &\r").ends_with("1 job ❯");
    std::thread::sleep(std::time::Duration::from_secs(1));
    person.types("\r").sees("[1]+  Done").waits("a prompt without jobs", |screen| {
        let last = screen.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        last.contains('❯') && !last.contains("job")
    });
    leaves(person);
}

#[test]
fn ctrl_z_stops_nothing_where_nobody_would_go_on() {
    let reply = OpenAiStream::new("scripted").role().text("Once upon a time").reply().end(End::Hang);
    let server = ModelServer::start(Script::new().always(Expect::chat(), reply)).unwrap();
    let home = Home::new().with("OPENAI_BASE_URL", &server.url()).with("OPENAI_MODEL", "scripted");
    // No job control: all are in one process group, whose parents are in other sessions.
    let person = home.start_below(&["-c", "sh -c '\"$AISH\"; echo ended'; echo over"]);
    person.prompt();
    person.types("?go\r").sees("Once upon").types("\u{1a}").types("\u{3}").sees("interrupted").prompt();
    person.runs("echo alive-$((1+1))", "alive-2");
    // The Ctrl-C went to the shells above it as well.
    assert!(person.leaves(":quit\r").is_some());
}

#[test]
fn what_names_have_in_common_ends_in_no_half_escape() {
    let home = Home::new();
    for name in ["a b.txt", "a&b;c"] {
        std::fs::write(home.work().join(name), "").unwrap();
    }
    std::fs::write(home.work().join("Makefile"), "all:\nclean-all:\n\ttrue\n").unwrap();
    let person = home.sit_down();
    person.runs("echo up-$((1+1))", "up-2");
    person.types("cat a\t").sees("a&b;c").waits("no backslash", |screen| {
        screen.lines().any(|line| line.trim_end().ends_with("❯ cat a") || line.contains("❯ cat a  "))
    });
    person.types("\u{3}").prompt();
    person.types("make cl\t").ends_with("make clean-all").types("\u{3}").prompt();
    leaves(person);
}

#[test]
fn lines_are_deleted_from_the_history() {
    let home = Home::new();
    let person = home.sit_down();
    person.runs("echo first-$((1+1))", "first-2").runs("echo second-$((1+1))", "second-2");
    person.runs(":memory add my password is hunter2hunter2", "looks like a secret");
    person.runs(":history delete last", "deleted: echo second").clears();
    person.runs(":history", "echo first").types("\u{1b}[A").ends_with("❯ :history");
    // The line before it is a prompt with one word, and so is what stands there until the key is taken.
    let is_empty = |screen: &str| screen.trim_end().lines().last().is_some_and(|line| !line.contains(":history"));
    person.types("\u{15}").waits("an empty line", is_empty);
    assert!(!person.screen().contains("echo second") && !person.screen().contains("hunter2"), "{}", person.screen());
    person.runs("history -d 1", "history -d").clears().runs(":history 9", "❯ :history 9");
    assert!(!person.screen().contains("echo first"), "{}", person.screen());
    person.types("history -c\r").sees("[y]es").types("y").sees("deleted").prompt();
    leaves(person);
    let kept = std::fs::read(home.path(".local/state/aish/aish.db")).unwrap();
    for text in ["first-$", "hunter2"] {
        assert!(!kept.windows(text.len()).any(|window| window == text.as_bytes()), "{text}");
    }
}
