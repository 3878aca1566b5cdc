//! Whether the shell reads on: bash itself is the oracle.

use std::io::Write as _;
use std::process::{Command, Stdio};

use aish_syntax::is_unfinished;
use aish_testkit::shell_lines::ShellLines;

const OPEN: &[&str] = &[
    "echo \"open",
    "echo 'open",
    "for i in 1 2 3",
    "for i in 1 2; do",
    "for i in 1 2; do echo",
    "if true; then",
    "if true",
    "if true; then echo; else",
    "cat <<EOF",
    "cat <<EOF\nline",
    "cat <<A <<B\n1\nA\n2",
    "cat <<'E O'\nx",
    "cat <<\"E\"\nx",
    "cat <<-E\n\tx",
    "ls |",
    "ls &&",
    "ls ||",
    "ls | # more",
    "f() {",
    "f() { echo",
    "function f {",
    "function f { echo a;",
    "( cd /tmp",
    "case $x in",
    "case $x in a) echo;;",
    "case x in (a) echo",
    "while read l; do",
    "until false; do :;",
    "select x in a b; do",
    "echo $(ls",
    "echo $(ls | (cat)",
    "echo \"$(ls",
    "echo \"$(echo \"a)",
    "echo \"a $(echo 'b') c",
    "{ echo a;",
    "{ echo a",
    "echo `ls",
    "echo \"`ls",
    "echo ${x",
    "echo ${x:-\"a}",
    "echo $((1 + ",
    "((i = 1",
    "a=(1 2",
    "a=(1\n2",
    "echo $'it\\'s",
    "[[ -f x",
    "[[ a &&",
    "[[ a && b ||",
    "! {",
    "time {",
    "if [ -f x ]; then\n  for i in 1; do\n    echo $i\n  done",
    "while :; do case x in a) break;; esac",
    "f()",
    "diff <(ls a) <(ls",
    "if true; then { echo a; }",
    "echo a && (echo b",
    "cat <<E && {\nx\nE\n",
    "@(a|b",
    "echo @(a|b",
    "case $(case a in a) echo b;; esac) in",
    "coproc {",
    "echo \"${x:-'}\"",
    "echo \"${x:-$(ls}\"",
];

const CLOSED: &[&str] = &[
    "ls",
    "echo 'a' \"b\"",
    "for i in 1 2; do echo $i; done",
    "for ((i=0; i<3; i++)); do echo; done",
    "if true; then echo; fi",
    "if a; then b; elif c; then d; else e; fi",
    "cat <<EOF\nline\nEOF",
    "cat <<A <<B\n1\nA\n2\nB",
    "cat <<'E O'\nx\nE O",
    "cat <<\\E\n$(\nE",
    "cat <<-'E'\n\tx\n\tE\necho after",
    "cat <<E\n'\"`(\nE",
    "cat <<E | wc\nx\nE",
    "sleep 1 &",
    "ls &&\nls",
    "ls |\nwc",
    "echo if",
    "echo done",
    "echo for case while",
    "f() { echo; }",
    "f() { echo; }; f",
    "function f { echo; }",
    "function f() { echo; }",
    "f() (echo)",
    "(cd /tmp)",
    "case $x in a) echo;; esac",
    "case x in (a) echo;; b|c) ;& *) ;; esac",
    "cat <<< word",
    "cat <<< \"a b\"",
    "echo \\\\",
    "{ echo a; }",
    "# it's a comment",
    "ls # it's (a",
    "echo a#b 'x'",
    "echo $#",
    "echo ${#x}",
    "echo ${x#\"a\"}",
    "echo ${x:-'}'}",
    "echo $((1 + 2))",
    "echo $(( (1 + 2) * 3 ))",
    "((i++))",
    "((x = 1 << 2))",
    "echo $((1 << 2))",
    "a=(1 2 3)",
    "a=(1\n2)",
    "echo $'it\\'s'",
    "echo $\"x\"",
    "[[ -f x ]]",
    "[[ a && b ]]",
    "[[ a =~ (b|c) ]]",
    "! true",
    "time ls",
    "while read l; do echo $l; done < f",
    "echo `ls`",
    "echo \"`ls`\"",
    "echo \"$(echo \"a b\")\"",
    "echo \"$(echo \"$(echo \"x\")\")\"",
    "echo $(case a in a) echo b;; esac)",
    "diff <(ls a) <(ls b)",
    "echo {a,b}",
    "echo {",
    "echo }",
    "ls *.{a,b}",
    "echo @(a|b)",
    "ls !(x)",
    "echo ?(a) *(b) +(c)",
    "x=1",
    "echo \"a\nb\"",
    "echo 'a\nb'",
    "echo a \\\n b",
    "echo \"it's\"",
    "echo 'say \"x\"'",
    "[ -f x ] && { echo a; }",
    "until false; do break; done",
    "select x in a; do break; done",
    "coproc cat",
    "echo a;",
    "ls 2>&1",
    "ls >f 2>&1 &",
    "echo \"\\\"\"",
    "echo \\'",
    "echo \\\"",
    "find . -exec rm {} \\;",
    "echo \"$(cat <<E\nx\nE\n)\"",
    "if true; then\n  echo a\nfi",
    "for i\ndo\necho\ndone",
    "case a in\n  a)\n    echo\n    ;;\nesac",
    "echo ${a[@]}",
    "echo ${a[$((1+2))]}",
    "for f in *; do [ -f \"$f\" ] || continue; done",
    "echo $(echo ')')",
    "echo $(# it's\n)",
];

/// Asks bash whether a text ends too early: its complaint names the end of the file.
fn bash_reads_on(text: &str) -> bool {
    let mut child = Command::new("bash")
        .args(["--norc", "-n", "-O", "extglob"])
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(format!("{text}\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    ["unexpected end of file", "unexpected EOF", "delimited by end-of-file", "unexpected token `EOF'"]
        .iter()
        .any(|end| complaint.contains(end))
}

#[test]
fn bash_agrees() {
    let mut wrong = Vec::new();
    for (texts, expected) in [(OPEN, true), (CLOSED, false)] {
        for text in texts {
            let (ours, bash) = (is_unfinished(text), bash_reads_on(text));
            if ours != bash || bash != expected {
                wrong.push(format!("{text:?}: ours {ours}, bash {bash}, table {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_line_that_ends_in_a_backslash_reads_on() {
    for (text, expected) in
        [("echo \\", true), ("echo a\\", true), ("echo \\\\", false), ("echo \\\\\\", true), ("# x \\", false)]
    {
        assert_eq!(is_unfinished(text), expected, "{text:?}");
    }
}

/// Cut anywhere and changed anywhere: what bash waits for more of is unfinished, and nothing else.
#[test]
fn bash_agrees_on_generated_lines() {
    let (mut lines, mut wrong, mut open) = (ShellLines::new(17), Vec::new(), 0);
    for round in 0..900 {
        let text = if round % 3 == 0 { lines.broken() } else { lines.cut() };
        let (ours, bash) = (is_unfinished(&text), bash_reads_on(&text) || text.ends_with('\\'));
        open += usize::from(bash);
        if ours != bash {
            wrong.push(format!("{text:?}: ours {ours}, bash {bash}"));
        }
    }
    assert!(open > 300, "{open} are open");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
