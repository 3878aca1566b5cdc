//! Lines that nest and do not parse: the parser alone would be about them for longer than anyone waits.

use std::time::{Duration, Instant};

use aish_safety::{Surroundings, Verdict};

use crate::analysed::judge_command;

/// What opens and what closes.
const FORMS: &[(&str, &str)] = &[
    ("(", ")"),
    ("( ", " )"),
    ("((", "))"),
    ("(( a ", "))"),
    ("((a)) && ( ", ")"),
    ("a && ( ", " )"),
    ("a | ( ", " )"),
    ("a; ( ", " )"),
    ("f() ( ", " )"),
    ("f() { ", "; }"),
    ("{ ", "; }"),
    ("a || { ", "; }"),
    ("if ", "; then b; fi"),
    ("if a; then ", "; fi"),
    ("while ", "; do b; done"),
    ("for i in a; do ", "; done"),
    ("for ((i=0;i<1;i++)); do ", "; done"),
    ("select x in a; do ", "; done"),
    ("case x in x) ", " ;; esac"),
    ("case x in (x) ", " ;; esac"),
    ("[[ ( ", " ) ]]"),
    ("[[ a && ( ", " ) ]]"),
    ("$(", ")"),
    ("\"$(", ")\""),
    ("$((", "))"),
    ("${a:-", "}"),
    ("<(", ")"),
    ("a=(", ")"),
    ("@(", ")"),
    ("! ", ""),
];

/// What stands inside; most of it does not parse.
const INSIDE: &[&str] = &["a", "a b", "a;;", "a )", "a | ", "a <", "a &&& b", "1 + (2", "then", "a <<E"];

/// The ways to close: not at all, all, half, one too many, another one in between.
fn closings(close: &str, count: usize) -> [String; 5] {
    let half = close.repeat(count / 2);
    let rest = close.repeat(count - count / 2);
    [String::new(), close.repeat(count), half.clone(), close.repeat(count + 1), format!("{half}}}{rest}")]
}

#[test]
fn lines_that_nest_and_do_not_parse_are_judged_in_time() {
    let start = Instant::now();
    for (form, &(open, close)) in FORMS.iter().enumerate() {
        for (at, inside) in INSIDE.iter().enumerate() {
            for (count, filling) in [(12, 1), (30, 1), (7, 150)] {
                // The longer ones with two of the insides each, which go round.
                if count != 12 && at % 5 != form % 5 {
                    continue;
                }
                for closing in closings(close, count) {
                    let text = format!("{}{}{inside}{closing}", open.repeat(count), "a; ".repeat(filling - 1));
                    let took = Instant::now();
                    let _ = judge_command(&text, &Surroundings::default());
                    assert!(took.elapsed() < Duration::from_secs(10), "{:?} for {text:.80}", took.elapsed());
                    assert!(start.elapsed() < Duration::from_secs(300), "{text:.80}");
                }
            }
        }
    }
}

#[test]
fn what_nests_and_destroys_is_found_whether_it_parses_or_not() {
    for (open, close) in [("( ", " )"), ("(", " )"), ("case x in (x) ", " ;; esac")] {
        for count in [2, 8, 14, 30] {
            for closing in closings(close, count) {
                let text = format!("{}rm -rf /srv/data{closing}", open.repeat(count));
                assert_ne!(judge_command(&text, &Surroundings::default()).verdict, Verdict::Allow, "{text}");
            }
        }
    }
}

#[test]
fn brackets_compute_only_where_they_touch() {
    for (text, verdict) in [
        ("((rm -rf /srv/data ) )", Verdict::Halt),
        ("((rm -rf /srv/data) )", Verdict::Halt),
        ("(((rm -rf /srv/data) ) )", Verdict::Halt),
        ("( (rm -rf /srv/data))", Verdict::Halt),
        ("((rm -rf /srv/data); (ls))", Verdict::Halt),
        ("x() ((rm -rf /srv/data) ); x", Verdict::Halt),
        ("(( (1 + 2) * 3 ))", Verdict::Allow),
        ("i=0 a=1 b=2; ((i++)); (( (a) < ((b)) )) && echo yes", Verdict::Allow),
        ("for ((i = (1); i < ((3)); i++)); do echo $i; done", Verdict::Allow),
    ] {
        assert_eq!(judge_command(text, &Surroundings::default()).verdict, verdict, "{text}");
    }
}
