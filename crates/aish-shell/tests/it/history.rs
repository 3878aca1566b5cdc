//! What the shell keeps of the commands that it is given.

use aish_shell::{Options, Rc, Shell};

use crate::headless::run;
use crate::start_up::watched;

#[tokio::test]
async fn the_history_and_its_file_hold_what_bash_would_keep() {
    let folder = tempfile::tempdir().unwrap();
    let (rc, file) = (folder.path().join("rc"), folder.path().join("history"));
    std::fs::write(&rc, "HISTCONTROL=ignoreboth; HISTIGNORE='pwd:ls *'\n").unwrap();
    std::fs::write(&file, "from before\n").unwrap();
    let mut options = Options { rc: Rc::File(rc), history: true, ..watched() };
    options.environment.set("HISTFILE", &file);
    let shell = Shell::start(options);
    for (command, kept) in [
        ("echo one", true),
        (" echo hidden", false),
        ("\techo hidden", false),
        ("pwd", false),
        ("ls -d .", false),
        ("ls", true),
        ("echo  two  words", true),
        ("echo three\necho four", true),
        // It stands there already.
        ("echo three\necho four", true),
        ("A='1 2'; history | tail -n 2 >/dev/null", true),
    ] {
        assert_eq!(run(&shell, command).await.kept, kept, "{command:?}");
        let kept = std::fs::read_to_string(&file).unwrap();
        assert!(!kept.contains("hidden") && !kept.contains("pwd"), "{kept}");
    }
    let shown = run(&shell, "history | head -n 3 | cut -c8-").await.output.clean_text();
    assert_eq!(shown, "from before\necho one\nls\n");
    shell.stop().await;
    let kept = std::fs::read_to_string(&file).unwrap();
    let expected = "from before\necho one\nls\necho  two  words\necho three\necho four\nA=";
    assert!(kept.starts_with(expected), "{kept}");
}

/// What is expected is what bash's manual says; the events are those of bash's own list.
#[tokio::test]
async fn what_a_line_says_of_the_history_is_expanded() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history");
    std::fs::write(&file, "from before\n").unwrap();
    let mut options = Options { rc: Rc::Skip, history: true, ..watched() };
    options.environment.set("HISTFILE", &file);
    let shell = Shell::start(options);
    for command in ["true 'a b' /x/y.tar", "a=(1 2)", " echo hidden", "echo \"it's here\" c\\ d"] {
        run(&shell, command).await;
    }
    for (line, expected) in [
        ("rm !$", Some("rm c\\ d")),
        ("ls !:1", Some("ls \"it's here\"")),
        ("ls !*", Some("ls \"it's here\" c\\ d")),
        ("ls !true:$:h !true:$:t:r", Some("ls /x y")),
        ("!1; !-2", Some("from before; a=(1 2)")),
        ("^c\\ d^e^", Some("echo \"it's here\" e")),
        ("echo '!!' \\!! a!=b \"ok!\" ${!x} $!", Some("echo '!!' \\!! a!=b \"ok!\" ${!x} $!")),
        ("!?tar?:s/tar/zip/", Some("true 'a b' /x/y.zip")),
        ("it's !1's", Some("it's !1's")),
        ("!nothing", None),
        ("!!:9", None),
        ("^nothing^x^", None),
    ] {
        assert_eq!(shell.expand_history(line).await.unwrap().as_deref(), expected, "{line}");
    }
    // Nothing of it changed the list.
    assert_eq!(shell.history_list().await.unwrap().len(), 4);
    run(&shell, "mine=$'a b\\n'; declare -i n=7").await;
    for (name, expected) in [("mine", Some("a b\n")), ("n", Some("7")), ("none", None), ("x[$(id)]", None), ("", None)]
    {
        assert_eq!(shell.value_of(name).await.unwrap().as_deref(), expected, "{name}");
    }
    run(&shell, "set +o histexpand").await;
    assert_eq!(shell.expand_history("!!").await.unwrap().as_deref(), Some("!!"));
    shell.stop().await;
}

#[tokio::test]
async fn a_blank_hides_a_command_without_any_setting() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history");
    let mut options = Options { rc: Rc::Skip, history: true, ..watched() };
    options.environment.set("HISTFILE", &file);
    let shell = Shell::start(options);
    assert!(!run(&shell, " echo hidden").await.kept);
    assert!(run(&shell, "echo shown").await.kept);
    shell.stop().await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "echo shown\n");
}

#[tokio::test]
async fn a_shell_that_nobody_watches_leaves_the_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history");
    std::fs::write(&file, "mine\n").unwrap();
    let mut options = Options::headless();
    options.environment.set("HISTFILE", &file);
    let shell = Shell::start(options);
    run(&shell, "echo of the model").await;
    shell.stop().await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine\n");
}

#[tokio::test]
async fn jobs_are_counted() {
    let shell = Shell::start(watched());
    assert_eq!(run(&shell, "sleep 100 & sleep 100 & true").await.jobs, 2);
    assert_eq!(run(&shell, "kill %1 %2; wait; true").await.jobs, 0);
    shell.stop().await;
}

#[tokio::test]
async fn exports_and_folder_outlive_a_shell_that_ended() {
    let shell = Shell::start(watched());
    run(&shell, "export MINE='a b'; cd /usr").await;
    run(&shell, "set -e; false").await;
    assert_eq!(run(&shell, "echo $MINE $PWD").await.output.clean_text(), "a b /usr\n");
    shell.stop().await;
}

#[tokio::test]
async fn the_persons_prompt_is_expanded() {
    let folder = tempfile::tempdir().unwrap();
    let rc = folder.path().join("rc");
    std::fs::write(&rc, "PS1='\\[\\e[32m\\]\\W\\[\\e[0m\\] $? $(echo sub) \\j> '\n").unwrap();
    let shell = Shell::start(Options { rc: Rc::File(rc), ..watched() });
    run(&shell, "cd /usr; false").await;
    let shown = shell.prompt(1).await.unwrap();
    assert_eq!(shown.replace(['\u{1}', '\u{2}'], ""), "\u{1b}[32musr\u{1b}[0m 1 sub 0> ");
    run(&shell, "PS1='new $ '").await;
    assert_eq!(shell.prompt(0).await.unwrap(), "new $ ");
    shell.stop().await;
}
