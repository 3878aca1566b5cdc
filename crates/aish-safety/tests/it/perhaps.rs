//! Variables, arguments and functions that a line sets perhaps, or in a later round of a loop.

use aish_safety::Verdict;

use crate::analysed::check;

#[test]
fn what_is_set_for_sure_is_known() {
    for command in [
        "x=.; find $x -name y",
        "true && x=. && find $x -name y",
        "if true; then x=.; find $x -name y; fi",
        "for d in a b; do x=$d/src; find $x -name y; done",
        "for d in a b; do if true; then x=$d/src; find $x -name y; fi; done",
        "for d in a b; do for e in c d; do x=$d/$e; find $x -name y; done; done",
        "while read -r l; do x=src; find $x -name y; done < f",
        "f() { local x; x=.; find $x -name y; }; f",
        "f() { local x=src; find $x -name y; }; f; f",
        "f() { [ -n \"$1\" ] || return; x=src; find $x -name y; }; f a",
        "true && x=f || x=g; cat $x; ls > /dev/null",
        "if true; then x=f; else x=g; fi; echo $x; [ $x = f ]",
        "case a in a) n=1;; *) n=2;; esac; echo $((n + 1))",
        "if true; then n=1; else n=2; fi; echo $((n + 1))",
        "true && n=1 || n=2; echo $((n + 1))",
        "x=f; { x=g; } > /dev/null; cat $x",
        "{ x=f; cat $x; }; x=g; cat $x",
        "{ x=f; y=g; }; cat $x \"$y\"",
        "f() { x=src; }; f; find $x -name y",
        "false || { echo no; ls; }; cat f",
        "until [ -f f ]; do x=src; find $x -name y; done",
        "function g { ls; }; g; g",
        "for i in 1 2; do g() { ls; }; g; done",
    ] {
        check(command, Verdict::Allow);
    }
}

#[test]
fn loops_that_change_only_numbers_and_texts_are_allowed() {
    for command in [
        "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i + 1)); done",
        "i=0; while ((i < 3)); do echo $i; ((i++)); done",
        "for ((i = 0; i < 3; i++)); do echo $i; done",
        "n=0; for i in 1 2; do n=$((n + i)); done; echo $n",
        "s=; for f in *.md; do s=\"$s $f\"; done; echo \"$s\"",
        "set -- a b c; while [ $# -gt 0 ]; do cat \"$1\"; shift; done",
        "for f in *.md; do n=$(wc -l < \"$f\"); echo \"$f $n\"; done",
        "ls | while read -r f; do n=$(wc -l < \"$f\"); echo \"$f $n\"; done",
        "x=f; for i in 1 2; do cat $x; x=g; done",
        "x=/dev/null; for i in 1 2; do ls > $x; done",
        "x=1; for i in 1 2; do echo $((x)); x=2; done",
    ] {
        check(command, Verdict::Allow);
    }
}

#[test]
fn what_other_shells_read_alike_stays_allowed() {
    for command in [
        "ls {a,b}",
        "wc -l {a,b}.txt",
        "echo {1..5} {a..e}",
        "[[ a < b ]]",
        "((1 < 2))",
        "echo $((2 > 1)) $((UID + 1)) $RANDOM $# $?",
        "[ $# -eq 0 ] && ls",
        "ps -p $$",
        "cat .gitignore *.md",
        "ls .* ~/.*",
        "cat .github/*.yml",
        "ls [!a]*",
        "echo ${!x@} $((2 - 1))",
        "kill -0 42",
        "cd src; ls",
        "echo $'a\\tb'",
    ] {
        check(command, Verdict::Allow);
    }
}

#[test]
fn what_is_read_and_searched_elsewhere_stays_allowed() {
    for command in [
        "while read -r f; do cat \"$f\"; done <<< src",
        "printf '%s\\n' a b | while read -r x; do cat \"$x\"; done",
        "IFS=: read -r user rest <<< \"a:b\"; echo \"$user\"",
        "while IFS= read -r line; do echo \"$line\"; done < f",
        "[[ $x =~ ([0-9]+) ]]; echo ${BASH_REMATCH[1]}",
        "x=v1.2; [[ $x =~ ([0-9.]+) ]] && echo ${BASH_REMATCH[1]}",
        "cd src; cd ..; cat $OLDPWD/main.rs",
        "cd /tmp && ls && cd - && cat README.md",
        "find . -name '*.json' -exec cat {} +",
        "find src -execdir wc -l main.rs \\;",
        "find ~/projects -name '*.json' | xargs wc -l",
        "find ~ -name '*.md' -exec wc -l {} +",
        "find ~ -not -path '*/.*' -name '*.json' -exec cat {} +",
        "grep -r x ~/projects/.docker ~/.cargo/registry/src",
        "ls | xargs wc -l",
        "declare -A m=([a]=1 [b]=2); for k in \"${!m[@]}\"; do echo \"$k\"; done",
        "a=(x y); a[2]=z; echo ${a[@]}",
        "echo ${x:+set} ${x:-unset}",
        "f() { echo \"$0 $FUNCNAME\"; }; f",
        "time { ls; }",
    ] {
        check(command, Verdict::Allow);
    }
}
