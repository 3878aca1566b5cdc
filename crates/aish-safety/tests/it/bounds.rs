//! Long and flat commands are judged, in time that grows with their length.

use std::time::{Duration, Instant};

use aish_safety::{Surroundings, Verdict};

use crate::analysed::judge_command;

#[test]
fn a_long_command_is_judged_whole() {
    let mut text = "echo one two three; ".repeat(3_000);
    assert_eq!(judge_command(&text, &Surroundings::default()).verdict, Verdict::Allow);
    text.push_str("rm -rf /srv/data");
    let start = Instant::now();
    assert_eq!(judge_command(&text, &Surroundings::default()).verdict, Verdict::Halt);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

/// Shapes of a line of 16 KiB that once took more than their share: each is judged in time that grows with its length.
#[test]
fn every_shape_of_a_long_line_is_judged_in_time() {
    let fill = |part: &str| part.repeat(16_000 / part.len());
    let numbered = |part: &str| (0..16_000 / (part.len() + 4)).map(|at| part.replace('#', &at.to_string())).collect();
    let shapes: [(&str, String); 31] = [
        ("unknown programs", numbered("p# a;")),
        ("one-letter programs", fill("a;")),
        ("programs that are patterns", fill("* ;")),
        ("paths that are patterns", fill("/b?n/l* ;")),
        ("many options", format!("curl {}", fill("-x a "))),
        ("many arguments", format!("tool {}", numbered("a# "))),
        ("names of programs as arguments", format!("tool {}", fill("rm "))),
        ("a chain of wrappers", format!("{} ls", fill("sudo "))),
        ("changes of folder", fill("cd a; ")),
        ("pipes", format!("ls {}", fill("| cat "))),
        ("here-documents", fill("cat <<X\nabc\nX\n")),
        ("assignments", numbered("a#=b ")),
        ("a chain of assignments", numbered("a#=$a; ")),
        ("quotes", format!("echo '{}'", fill("a b $x "))),
        ("substitutions", fill("echo $(echo $(ls)); ")),
        ("backslashes", format!("echo {}", fill("\\a"))),
        ("brace expansion", format!("echo {}", "{a,b}".repeat(3_000))),
        ("awk", format!("awk '{}'", fill("{print \"x\" | \"sh\"} "))),
        ("python", format!("python3 -c '{}'", fill("os.system(\"ls\"); "))),
        ("redirects", numbered("ls > a#; ")),
        ("functions", numbered("f#() { ls; }; ")),
        ("words after a bracket that does not close", format!("( {}", fill("rm x "))),
        ("a cluster of options", format!("sort -{}", fill("rn"))),
        ("a long pattern in an array", format!("w=(us*{}); ${{w[0]}} x", fill("delr"))),
        ("a program's name of stars", format!("redi/{} cli", fill("*"))),
        ("folders of variables", fill("~a ")),
        ("commands of a search", format!("find . {}", fill("-exec a \\; "))),
        ("open braces", fill("{")),
        ("lines that go on", fill("a\\\n")),
        ("comments that go on in brackets", format!("{}{}", "(".repeat(5_000), fill("\\\\ #\\\n"))),
        ("code in code", format!("perl -e 'eval {}'", fill("q{eval "))),
    ];
    for (name, mut text) in shapes {
        text.truncate(65_536);
        let start = Instant::now();
        let _ = judge_command(&text, &Surroundings::default());
        // Hung or done: without optimisation the slowest takes a second or two on an idle machine.
        assert!(start.elapsed() < Duration::from_secs(60), "{name}: {:?}", start.elapsed());
    }
}

#[test]
fn ordinary_scripts_are_judged_to_their_end() {
    let checks = "if [ -f \"$dir/one\" ] && [ -n \"$x\" ]; then echo found; fi\n".repeat(300);
    let functions =
        "f() { [ -d \"$1\" ] || return 1; echo \"$1\"; }\n".to_owned() + &"f \"$dir\" || exit 1\n".repeat(100);
    for script in [checks, functions] {
        let judgement = judge_command(&script, &Surroundings::default());
        assert!(judgement.verdict < Verdict::Halt, "{judgement:?}");
    }
}

#[test]
fn what_takes_the_parser_or_a_search_too_long_halts() {
    let hung = format!(" if {}", "x[\"".repeat(60));
    for line in
        [hung, format!("a{}]=x", "c[rins".repeat(2_700)), format!("(( i[f++ + -1 ? {}++", "x[IFS".repeat(3_200))]
    {
        let judgement = judge_command(&line, &Surroundings::default());
        assert_eq!((judgement.verdict, &*judgement.rule), (Verdict::Halt, "bounds.work"), "{line}");
    }
    for pattern in ["*".repeat(600), "[a".repeat(300)] {
        let judgement = judge_command(&format!("re{pattern} x"), &Surroundings::default());
        assert_eq!((judgement.verdict, &*judgement.rule), (Verdict::Halt, "bounds.work"), "{pattern}");
    }
}

#[test]
fn many_short_texts_are_paid_for_as_texts() {
    // Each string is a program of its own, and what programs may hold is looked for in each.
    let line = format!("perl -e 'eval q{{ system(\"a b\") {}'", "eval q{x} ".repeat(6_000));
    let judgement = judge_command(&line, &Surroundings::default());
    assert_eq!((judgement.verdict, &*judgement.rule), (Verdict::Halt, "bounds.work"));
}

#[test]
fn what_stands_behind_a_limit_is_never_allowed() {
    let many = |count: usize, part: &str| (0..count).map(|at| part.replace('#', &at.to_string())).collect::<String>();
    let allowed = |line: &str| judge_command(line, &Surroundings::default()).verdict == Verdict::Allow;
    // A line of so many parts, the last of which has an effect.
    let shapes: [fn(&str, usize) -> String; 8] = [
        |many, _| format!("find {{{many}-delete}}"),
        |_, count| format!("find {}a,-delete}}{}", "{".repeat(count), ",b}".repeat(count - 1)),
        |many, _| format!("echo {} -delete | xargs find", many.replace(',', " ")),
        |many, _| format!("for x in {} 'a[$(rm y)]'; do echo $((x)); done", many.replace('a', "").replace(',', " ")),
        |many, _| format!("find . {} -exec rm x \\;", many.replace(',', "x \\; ").replace('a', "-exec ls ")),
        |many, _| format!("tmux {} kill-server", many.replace(',', " \\; ").replace('a', "list-sessions -F ")),
        |_, count| format!("x='y{}'; y='a[$(rm z)]'; echo $((x))", "+1".repeat(count * 10)),
        |_, count| format!("sort {{{} ,-o}} f", "a".repeat(count)),
    ];
    for (at, shape) in shapes.iter().enumerate() {
        for count in [1, 2, 7, 8, 9, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 257, 500, 1_025] {
            let line = shape(&many(count, "a#,"), count);
            assert!(!allowed(&line), "shape {at} with {count} parts: {line}");
        }
    }
    // What is below the limits is judged whole.
    for line in [
        format!("ls {{{}b}}", many(60, "a#,")),
        format!("echo {} | xargs wc", many(60, "a# ")),
        format!("find . {}", many(60, "-exec wc a# {} \\; ")),
    ] {
        assert!(allowed(&line), "{line}");
    }
}
