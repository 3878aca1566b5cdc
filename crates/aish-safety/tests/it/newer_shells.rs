//! Lines that mean more to zsh, or to a bash newer than 5.2, than to the parser.

use std::path::Path;
use std::process::Command;

use aish_safety::{Surroundings, Verdict};

use crate::analysed::{check, judge_command};

#[test]
fn commands_in_curly_brackets_are_judged() {
    for command in [
        "echo ${ rm -rf /srv; }",
        "echo \"${ rm -rf /srv; }\"",
        "${ rm -rf /srv; }",
        "${\trm -rf /srv; }",
        "${\nrm -rf /srv\n}",
        "x=${| rm -rf /srv; }",
        "echo ${|rm -rf /srv; REPLY=x; }",
        "ls ${x:-${ rm -rf /srv; }}",
        "cat <<E\n${ rm -rf /srv; }\nE",
        "[[ -n ${ rm -rf /srv; } ]]",
        "echo $(( ${ rm -rf /srv; } ))",
        "${ echo rm; } -rf /srv",
        "${| REPLY=rm; } -rf /srv",
        "${ x=rm; }; $x -rf /srv",
        "echo ${ (rm -rf /srv) }",
        "echo ${ ls; ${ rm -rf /srv; }; }",
        "ls > ${ rm -rf /srv; echo x; }",
    ] {
        check(command, Verdict::Halt);
    }
    for command in ["echo ${ touch x; }", "x=${| touch x; }", "ls ${ make; }"] {
        check(command, Verdict::Ask);
    }
    for command in [
        "echo ${x:-a b} ${x/a b/c} ${x+a b} ${x% *}",
        "x=abc i=1; echo ${#x} ${!i} ${x@U} ${x:i:1} ${x^^} ${-} ${?} ${x%%.*} ${#} ${#x[@]} ${x[1]} ${!x@} ${!x*}",
        "echo '${ rm -rf /srv; }'",
        "ls ${ pwd; }",
    ] {
        check(command, Verdict::Allow);
    }
}

#[test]
fn code_in_patterns_of_zsh_is_judged() {
    for command in [
        "ls *(e:'rm -rf /srv':)",
        "ls *(e:\"rm -rf /srv\":)",
        "ls *(.e{'rm -rf /srv'})",
        "ls *(om[1]De+'rm -rf /srv'+)",
        "ls **/*(#qe:'rm -rf /srv':)",
        "ls foo(e:'rm -rf /srv':)",
        "x=(*(e:'rm -rf /srv':))",
        "for f in *(e:'rm -rf /srv':); do ls; done",
        "ls > *(e:'rm -rf /srv':)",
        "[[ -n *(e:'rm -rf /srv':) ]]",
    ] {
        check(command, Verdict::Halt);
    }
    // Fish runs what stands in the brackets of the last ones.
    for command in ["ls *(+f)", "ls *(.+f)", "ls *(e:'touch x':)", "ls *(e:f:)", "ls *(a|b)", "ls !(*.txt)"] {
        check(command, Verdict::Ask);
    }
    for command in ["ls *(.)", "ls *(om[1])", "echo $((1+2)) $( (ls) )", "grep -E '(a|e:b:)' x"] {
        check(command, Verdict::Allow);
    }
}

#[test]
fn short_forms_and_names_of_zsh_are_judged() {
    for command in [
        "=rm -rf /srv",
        "zf_rm -rf /srv",
        "cat =(rm -rf /srv)",
        "for i (a b) rm -rf /srv",
        "repeat 3 rm -rf /srv",
        "if (true) { rm -rf /srv }",
        "while (true) { rm -rf /srv }",
        "foreach i (a b); rm -rf /srv; end",
        "() { rm -rf /srv }",
        "{ true } always { rm -rf /srv }",
        "noglob rm -rf /srv",
        "nocorrect rm -rf /srv",
        "- rm -rf /srv",
        "alias -g X='rm -rf /srv'",
        "TRAPEXIT() { rm -rf /srv; }",
        "x='$(rm -rf /srv)'; echo ${(e)x}",
        "mapfile[/etc/passwd]=x",
    ] {
        check(command, Verdict::Halt);
    }
    for command in [
        "echo ${(e)x}",
        "echo ${(P)x} ${(s:,:)y}",
        "echo ${~x}",
        "echo ${x::=v}",
        "mapfile[notes]=x",
        "hash -d q=/",
        "ls &!",
        "setopt nullglob",
    ] {
        check(command, Verdict::Ask);
    }
}

/// Runs a line in a folder with two files; says whether it made another.
fn makes_a_file(line: &str, folder: &Path) -> bool {
    let canary = folder.join("canary");
    let _ = std::fs::remove_file(&canary);
    let run = Command::new("zsh").args(["-f", "-c", line]).current_dir(folder).output();
    run.expect("zsh is installed where the tests run");
    canary.exists()
}

#[test]
fn what_zsh_runs_is_never_allowed() {
    if aish_testkit::is_missing("what_zsh_runs_is_never_allowed", "zsh") {
        return;
    }
    let folder = std::env::temp_dir().join(format!("aish-safety-zsh-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a.txt"), "a").unwrap();
    let mut run = 0;
    for line in [
        "ls *(e:'touch canary':)",
        "ls *(e:\"touch canary\":)",
        "ls *(.e{'touch canary'})",
        "ls *(om[1]De+'touch canary'+)",
        "setopt extendedglob; ls *(#qe:'touch canary':)",
        "f() { touch canary }; ls *(+f)",
        "x='$(touch canary)'; echo ${(e)x}",
        "cat =(touch canary)",
        "for i (a) touch canary",
        "repeat 1 touch canary",
        "() { touch canary }",
        "=touch canary",
        "zmodload zsh/mapfile; mapfile[canary]=x",
        "aliases[x]='touch canary'; eval x",
        "functions[x]='touch canary'; x",
        "alias -g X='; touch canary'; eval 'ls X'",
        "ls <(touch canary)",
        "echo ${x:-$(touch canary)}",
    ] {
        if makes_a_file(line, &folder) {
            run += 1;
            let judgement = judge_command(line, &Surroundings::default());
            assert_ne!(judgement.verdict, Verdict::Allow, "{line}");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(run >= 15, "zsh ran {run} of these");
}
