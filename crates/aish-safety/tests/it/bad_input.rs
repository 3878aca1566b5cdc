//! What no person would type: a verdict in bounded time, never a panic, never `allow`.

use std::time::{Duration, Instant};

use aish_safety::{Surroundings, Verdict};

use crate::analysed::{judge_argv, judge_command};

fn check(name: &str, command: &str) {
    let start = Instant::now();
    let judgement = judge_command(command, &Surroundings::default());
    assert_ne!(judgement.verdict, Verdict::Allow, "{name}");
    // Hung or done: an unoptimised build takes well under a second for the worst of these.
    assert!(start.elapsed() < Duration::from_secs(20), "{name} took {:?}", start.elapsed());
}

#[test]
fn bad_input_is_never_allowed() {
    check("empty", "");
    check("blanks", "   \t  ");
    check("nul", "ls\0rm");
    check("ten megabytes", &"ls; ".repeat(2_500_000));
    check("over the bound", &"a".repeat(65_537));
    for open in [
        "'",
        "\"",
        "`",
        "$(",
        "${",
        "$((",
        "<(",
        "(",
        "((",
        "<<X\n",
        "f() {",
        "$'",
        "; if",
        "; case x in",
        "; while",
        "; {",
        "; [[",
    ] {
        check(open, &format!("ls {open}"));
        check(open, open);
    }
    for redirection in ["<f", ">f", ">&1", "<<<x"] {
        check("a descriptor too large", &format!("ls {}{redirection}", "3".repeat(40)));
    }
    for line in
        ["cat <<$(  ", "cat << $(  x", "cat <<-`  ", "t <<\r  ", " ]t <<\r |<X s  ", "cat <<$(  \n1'+ )<$(( 1 '"]
    {
        check("a mark that holds a substitution", line);
    }
    for line in
        ["if (<< | a \"`b x`\" c\n) d\ne", "(<< | a)\nb", "while (<<- & a `b`\n) c", "$(''(<< |\"``\"\"\")", "x <<"]
    {
        check("a here-document without a mark", line);
    }
    check("replacement", "\u{fffd}\u{fffd}");
    check("right to left", "ls \u{202e} ; rm -rf /srv");
}

#[test]
fn deep_nesting_is_refused_and_halts() {
    for (open, close) in [
        ("(", ")"),
        ("$(", ")"),
        ("{ ", "; }"),
        ("\"$(", ")\""),
        ("${a:-", "}"),
        ("if x; then ", "; fi"),
        ("[[ ( ", " ) ]]"),
        ("while x; do ", "; done"),
        ("case x in a) ", ";; esac"),
        ("f() { ", "; }"),
        ("`", "`"),
        ("$((", "))"),
        ("<(", ")"),
    ] {
        for unclosed in [false, true] {
            let mut text = open.repeat(5_000);
            text.push('x');
            if !unclosed {
                text.push_str(&close.repeat(5_000));
            }
            if text.len() <= 65_536 {
                check(open, &text);
            }
        }
    }
    let nested = format!("{}ls{}", "(".repeat(5_000), ")".repeat(5_000));
    assert_eq!(judge_command(&nested, &Surroundings::default()).verdict, Verdict::Halt);
    for chain in ["! ", "time ", "coproc ", "{a,", "${x:-", "&& ", "<<a "] {
        let text = chain.repeat(60_000 / chain.len());
        check(chain, &text);
    }
}

#[test]
fn doubling_is_bounded() {
    let mut text = String::from("a=xxxxxxxxxx;");
    for _ in 0..60 {
        text.push_str("a=$a$a;");
    }
    text.push_str("echo $a | sh");
    check("doubling variable", &text);
    let mut calls = String::from("f0() { true; };");
    for at in 1..40 {
        calls.push_str(&format!("f{at}() {{ f{0}; f{0}; }};", at - 1));
    }
    calls.push_str("f39");
    check("doubling functions", &calls);
    check("braces", &"{a,b}".repeat(200));
    check("recursion", "f() { f; }; f; unknown-tool");
}

#[test]
fn argument_vectors_are_judged_without_a_shell() {
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_string()).collect::<Vec<_>>();
    let around = Surroundings::default();
    assert_eq!(judge_argv(&words(&["rm", "-rf", "/srv"]), &around).verdict, Verdict::Halt);
    assert_eq!(judge_argv(&words(&["echo", "$(rm -rf /srv)"]), &around).verdict, Verdict::Allow);
    assert_eq!(judge_argv(&words(&["bash", "-c", "rm -rf /srv"]), &around).verdict, Verdict::Halt);
    assert_eq!(judge_argv(&[], &around).verdict, Verdict::Ask);
    assert_eq!(judge_argv(&words(&["ls\0"]), &around).verdict, Verdict::Halt);
}
