//! Words of which a part is not known before the line runs: harmless where they stay one word that no option can be.

use aish_safety::Verdict;

use crate::analysed::check;

#[test]
fn a_quoted_value_of_a_harmless_option_stays_a_value() {
    for command in [
        "find . -type f -newer \"$ref\"",
        "find . -name \"*.$ext\"",
        "find . -mtime \"+$days\"",
        "find . -newer \"$(cat newest)\"",
        "date -d \"$then\" +%s",
        "date -d \"@$then\"",
        "git log --max-count=\"$n\" --oneline",
        "git log --author=\"$who\"",
        "ps -p \"$pid\" -o comm=",
        "ps -p $$",
        "awk -v n=\"$n\" 'NR==n' x",
        "pgrep -f \"$name\"",
        "id \"$user\"",
    ] {
        check(command, Verdict::Allow);
    }
}

#[test]
fn what_a_shell_may_split_or_take_for_an_option_is_asked_about() {
    for command in [
        "find . -newer $ref",
        "find . -newer \"${all[@]}\"",
        "find . -newer \"$all[@]\"",
        "find . -newer \"${!ref}\"",
        "find . -newer $(cat newest)",
        "declare -n n='all[@]'; find . -newer \"$n\"",
        "find \"$folder\" -name x",
        "sort \"$file\"",
        "sort -o \"$file\" x",
        "ls | xargs -I{} sort {}",
        "IFS=1; find . -newer $$",
    ] {
        check(command, Verdict::Ask);
    }
}

#[test]
fn a_path_and_what_stands_behind_two_dashes_is_no_option() {
    for command in [
        "for f in src/*.rs; do sed -n 1,5p \"$f\"; done",
        "for f in src/*.rs; do git log -1 --format=%cr -- \"$f\"; done",
        "find \"src/$name\" -type f",
        "sort \"./$file\"",
        "ls | xargs -I{} sed -n 1p ./{}",
    ] {
        check(command, Verdict::Allow);
    }
    for command in
        ["for f in src/*.rs; do sed -n 1,5p $f; done", "for f in *.rs; do sed -n 1,5p \"$f\"; done", "sort ./$file"]
    {
        check(command, Verdict::Ask);
    }
}

#[test]
fn a_value_that_decides_what_is_shown_has_to_be_known() {
    for command in [
        "ps -o \"$columns\"",
        "ps --format=\"$columns\"",
        "ps -- \"$letters\"",
        "docker inspect -f \"$template\" web",
        "systemctl show -p \"$name\" web",
        "git log --format=\"$format\"",
    ] {
        check(command, Verdict::Ask);
    }
}

#[test]
fn code_has_to_be_known_whatever_it_begins_with() {
    for command in [
        "sed \"s/$x/y/\" f",
        "sed -n -- \"/$x/p\" f",
        "sed -e \"s/$x/y/\" f",
        "awk \"/$x/ {print}\" f",
        "awk -- \"/$x/\" f",
        "sqlite3 -readonly x.db \"select/$x\"",
        "jq \"a/$x\" f",
    ] {
        check(command, Verdict::Ask);
    }
    for command in ["tail -n +2 \"$f\"", "tac \"$f\"", "awk '{print $1}' \"$f\""] {
        check(command, Verdict::Allow);
    }
}

#[test]
fn a_pattern_of_names_may_be_a_value_and_more() {
    for command in ["find . -newer *", "find . -name *e", "sort -k * x", "date -r *", "sort -t ?* x"] {
        check(command, Verdict::Ask);
    }
    for command in ["find . -name *.txt", "find . -name *foo*", "sort -k 1 src/*"] {
        check(command, Verdict::Allow);
    }
}

#[test]
fn settings_before_a_sub_command_are_allowed_by_name_and_value() {
    for command in
        ["git -c color.ui=always status", "git -c core.pager=cat log -3", "git -c core.quotepath=off ls-files"]
    {
        check(command, Verdict::Allow);
    }
    for command in [
        "git -c core.pager=less log",
        "git -c core.fsmonitor=./x status",
        "git -c color.ui=\"$x\" status",
        "git branch --list -c color.old",
    ] {
        check(command, Verdict::Ask);
    }
}
