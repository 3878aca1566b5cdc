//! Texts that bash parses as compound commands, and others.

use super::is_compound;

#[test]
fn compound_commands() {
    for text in [
        "time for i in 1 2; do echo $i; done",
        "( for f in *; do echo \"$f\"; done ) | sort",
        "(if true; then echo x; fi) > f",
        "(! true) | cat",
        "coproc cat",
        "coproc NAME { cat; }",
        "( umask 77 && mkdir -p \"` echo /tmp/a `\" && mkdir /tmp/b ) && sleep 0",
        "{ echo a; echo b; } 2>&1 | tee log",
        "ls | while read -r x; do echo $x; done",
        "f() { echo; }",
        "function f { echo; }; f",
        "case $x in (a|b) echo 1;; *) ;; esac",
        "for ((i = 0; i < 3; i++)); do echo; done",
        "[[ -f x && ( $y == a* || 1 -lt 2 ) ]] && echo",
        "((x++)) || true",
        "if cat <<E\nx\nE\nthen :; fi",
        "while :; do break; done &",
        "until x; do y; done < in > out",
        "! { false; }",
        "select x in a b; do break; done",
        "a=(1 2) ; { :; }",
        "if a; then { b; } fi",
        "echo x; (cd a && ls)",
        "for x; do :; done",
    ] {
        assert!(is_compound(text), "{text}");
    }
}

#[test]
fn other_texts() {
    for text in [
        "ls",
        "echo $(for i in 1; do :; done)",
        "if you see this, tell me",
        "while you are at it, fix the tests",
        "for each file, count the lines",
        "(see above) can you fix it?",
        "( )",
        "{ echo a",
        "for i in 1 2; do echo",
        "then do it; done",
        "case in point",
        "function of x",
        "time to go (home)",
        "what is f(x)?",
        "if a; then fi",
        "() { x; }",
        "a | | { b; }",
        "[[ a && ]]",
        "echo 'open; { x; }",
    ] {
        assert!(!is_compound(text), "{text}");
    }
}

#[test]
fn depth_and_length_are_bounded() {
    for open in ["(", "{ ", "$(", "\"$(", "${", "if ", "[[ (", "`", "((", "$((", "case x in a) "] {
        let _ = is_compound(&open.repeat(20_000));
        let _ = is_compound(&alloc::format!("echo {}", open.repeat(20_000)));
    }
}
