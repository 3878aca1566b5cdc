use std::time::Duration;

use aish_shell::{CommandResult, Ending, Options, Shell, Surroundings};

pub(crate) async fn run(shell: &Shell, command: &str) -> CommandResult {
    tokio::time::timeout(Duration::from_secs(20), shell.run(command, Surroundings::unwatched()))
        .await
        .unwrap_or_else(|_| panic!("no end of {command:?}"))
        .unwrap()
}

#[tokio::test]
async fn state_lasts_from_command_to_command() {
    let shell = Shell::start(Options::headless());
    for (command, output, status) in [
        ("echo hi", "hi\n", 0),
        ("false", "", 1),
        ("echo $?", "1\n", 0),
        ("cd /usr; X=5; f() { echo \"f $1 $X\"; }", "", 0),
        ("f a; pwd", "f a 5\n/usr\n", 0),
        ("cat <<EOF\n$X\nEOF", "5\n", 0),
        ("sh -c 'exit 7'", "", 7),
    ] {
        let result = run(&shell, command).await;
        assert_eq!((result.output.clean_text().as_str(), result.status), (output, status), "{command}");
        assert_eq!(result.ending, Ending::Completed);
    }
    let result = run(&shell, "export A=1; unset HOME").await;
    assert_eq!(result.cwd, std::path::Path::new("/usr"));
    assert!(result.changed.contains(&("A".into(), Some("1".into()))), "{:?}", result.changed);
    assert!(result.changed.contains(&("HOME".into(), None)), "{:?}", result.changed);
    shell.stop().await;
}
