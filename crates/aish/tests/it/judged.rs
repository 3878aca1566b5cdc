//! `aish check` and what no command should be: bytes, sizes and depths past every bound. A verdict comes, and never `allow`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::person::Home;

/// Longer than any of these takes: what runs on is hung.
const HUNG: Duration = Duration::from_secs(60);

fn check(arguments: &[&str], input: Option<&[u8]>) -> Output {
    let home = Home::new();
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_aish"))
        .arg("check")
        .args(arguments)
        .env_clear()
        .envs(home.all_variables())
        .current_dir(home.work())
        .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    if let Some(input) = input {
        child.stdin.take().unwrap().write_all(input).unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert!(started.elapsed() < HUNG, "{:?}", started.elapsed());
    output
}

#[test]
fn a_line_is_answered_before_the_next_one_is_waited_for() {
    let home = Home::new();
    for (command, answer) in [("check", "allow\tread."), ("route", "shell\t")] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_aish"))
            .arg(command)
            .env_clear()
            .envs(home.all_variables())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        for _ in 0..2 {
            input.write_all(b"ls -la\n").unwrap();
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            assert!(line.starts_with(answer), "{command}: {line}");
        }
        drop(input);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn of_a_line_without_end_no_more_is_kept_than_a_command_may_have() {
    let mut input = vec![b'a'; 3 << 20];
    input.extend_from_slice(b"\nls\n");
    let output = check(&["--json"], Some(&input));
    assert!(output.stdout.len() < 2 << 20, "{}", output.stdout.len());
    let text = String::from_utf8(output.stdout).unwrap();
    let verdicts: Vec<_> = text.lines().map(|line| line.get(..18).unwrap()).collect();
    assert_eq!(verdicts, [r#"{"verdict":"halt","#, r#"{"verdict":"allow""#]);
}

#[test]
fn bad_lines_are_never_allowed() {
    let deep = |open: &str, close: &str| format!("{}x{}", open.repeat(5_000), close.repeat(5_000)).into_bytes();
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("a NUL", b"ls\0 -la".to_vec(), "halt"),
        ("10 MB", vec![b'a'; 10_000_000], "halt"),
        ("10 MB of commands", b"ls; ".repeat(2_500_000), "halt"),
        ("invalid UTF-8", b"ls \xff\xfe\x80".to_vec(), "ask"),
        ("a quote that does not close", b"ls 'a".to_vec(), "ask"),
        ("a double quote that does not close", b"echo \"$(ls".to_vec(), "ask"),
        ("what the parser panics on", b"echo ${$(<< )".to_vec(), "ask"),
        ("only blanks", b"   \t  ".to_vec(), "ask"),
        ("subshells 5,000 deep", deep("(", ")"), "halt"),
        ("substitutions 5,000 deep", deep("$(", ")"), "halt"),
        ("parameters 5,000 deep", deep("${a:-", "}"), "halt"),
        ("groups 5,000 deep", deep("{ ", "; }"), "halt"),
        ("branches 5,000 deep", deep("if x; then ", "; fi"), "halt"),
        ("quotes in quotes 5,000 deep", deep("\"$(echo ", ")\""), "halt"),
        ("brackets that do not close", b"( ".repeat(5_000), "halt"),
        ("here-documents without an end", b"cat <<A ".repeat(5_000), "ask"),
    ];
    for (what, line, least) in &cases {
        let output = check(&[], Some(line));
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let verdict = stdout.split('\t').next().unwrap();
        let enough = verdict == "halt" || *least == "ask" && verdict == "ask";
        assert!(enough, "{what}: {verdict:?}, {}", stdout.chars().take(200).collect::<String>());
        let code = if verdict == "halt" { 2 } else { 1 };
        assert!(
            !stderr.contains("panicked") && output.status.code() == Some(code),
            "{what}: {:?} {stderr}",
            output.status
        );
    }
}

#[test]
fn the_strictest_of_several_lines_is_the_exit_code() {
    for (lines, code) in [("ls\npwd\n", 0), ("ls\nmv a b\npwd\n", 1), ("rm -rf /\nls\nmv a b\n", 2), ("", 0)] {
        assert_eq!(check(&[], Some(lines.as_bytes())).status.code(), Some(code), "{lines}");
    }
}

#[test]
fn bad_arguments_are_never_allowed() {
    let deep = format!("{}x{}", "(".repeat(5_000), ")".repeat(5_000));
    let flat = "ls; ".repeat(20_000);
    for (command, code) in [("", 1), ("   ", 1), ("ls 'a", 1), ("echo \"$(ls", 1), (&*deep, 2), (&*flat, 2)] {
        for arguments in [&[command][..], &["--explain", command], &["--json", command]] {
            let output = check(arguments, None);
            assert_eq!(
                output.status.code(),
                Some(code),
                "{arguments:.60?} {}",
                String::from_utf8_lossy(&output.stdout)
            );
            assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{arguments:.60?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_no_text_is_no_yes() {
    use std::os::unix::ffi::OsStrExt as _;

    let home = Home::new();
    let output = Command::new(env!("CARGO_BIN_EXE_aish"))
        .arg("check")
        .arg(std::ffi::OsStr::from_bytes(b"ls \xff"))
        .env_clear()
        .envs(home.all_variables())
        .current_dir(home.work())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_ne!(output.status.code(), Some(0), "{output:?}");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{output:?}");
}

#[test]
fn the_tree_shows_each_part_with_its_effect() {
    let output = check(&["--explain", "sudo sh -c 'ls && rm -rf /srv/data' | tee out.txt"], None);
    let tree = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(2), "{tree}");
    for part in ["sudo sh -c", "ls", "rm -rf /srv/data", "tee out.txt", "files.delete-recursive", "runs inside sh"] {
        assert!(tree.contains(part), "{part} is missing\n{tree}");
    }
}
