//! Lines that start a program by what looks like a name, a setting or an entry of a table.

use aish_safety::{Surroundings, Verdict};

use crate::analysed::{check, judge_command};

#[test]
fn a_name_that_is_a_pipe_is_a_command() {
    for command in [
        "strace -o '|rm -rf /srv' ls",
        "strace -o '!rm -rf /srv' ls",
        "strace --output='|rm -rf /srv' ls",
        "ltrace -o '| rm -rf /srv' ls",
        "convert '|rm -rf /srv' x.png",
        "convert x.png '|rm -rf /srv'",
        "convert 'png:|rm -rf /srv' x.png",
        "identify '|rm -rf /srv'",
        "sometool --to='|rm -rf /srv'",
        "sometool -o'|rm -rf /srv'",
        "perl -pe 1 'rm -rf /srv|'",
        "ruby -e 'IO.read(\"|rm -rf /srv\")'",
        "gnuplot -e \"set output '|rm -rf /srv'\"",
        "gnuplot -e \"plot '< rm -rf /srv'\"",
        "ed '!rm -rf /srv'",
        "fetchmail --mda 'rm -rf /srv'",
    ] {
        check(command, Verdict::Halt);
    }
    for command in ["grep '| rm -rf /srv' x", "echo '| rm -rf /srv'", "rg '!rm -rf /srv' src", "cut -d '|' -f 1 x"] {
        check(command, Verdict::Allow);
    }
}

#[test]
fn commands_of_database_shells_start_programs() {
    for command in [
        "psql -c \"\\copy t from program 'rm -rf /srv'\"",
        "psql -c \"\\copy t to program 'rm -rf /srv'\"",
        "psql -c '\\copy t from program $$rm -rf /srv$$'",
        "echo '\\copy t from program $$rm -rf /srv$$' | psql",
        "psql -c 'select 1 \\g |rm -rf /srv'",
        "psql -c '\\o |rm -rf /srv'",
        "psql -o '|rm -rf /srv' -c 'select 1'",
        "sqlite3 x.db '.output |rm -rf /srv'",
        "sqlite3 x.db \".output '|rm -rf /srv'\"",
        "sqlite3 x.db '.once |rm -rf /srv'",
        "sqlite3 x.db '.import \"|rm -rf /srv\" t'",
        "sqlite3 x.db '.log |rm -rf /srv'",
        "sqlite3 x.db \"select edit('x','rm -rf /srv')\"",
        "echo '.output |rm -rf /srv' | sqlite3 x.db",
        "mysql --pager='rm -rf /srv' -e 'select 1'",
        "mysql -e 'pager rm -rf /srv; select 1'",
    ] {
        check(command, Verdict::Halt);
    }
    check("sqlite3 -readonly x.db .tables", Verdict::Allow);
    check("sqlite3 x.db .tables", Verdict::Ask);
    check("psql -c '\\d users'", Verdict::Allow);
}

#[test]
fn tables_of_aliases_and_the_history_are_followed() {
    for command in [
        "shopt -s expand_aliases; BASH_ALIASES[x]='rm -rf /srv'; x",
        "BASH_ALIASES[ls]='rm -rf /srv'",
        "declare -A BASH_ALIASES=([x]='rm -rf /srv'); x",
        "BASH_ALIASES+=([x]='rm -rf /srv')",
        "aliases[x]='rm -rf /srv'; x",
        "functions[x]='rm -rf /srv'; x",
        "BASH_ALIASES[x]='rm -rf'; x /srv",
        "history -s 'rm -rf /srv'; fc -s rm",
        "history -s rm -rf /srv; fc -s",
        "history -s 'echo -rf /srv'; fc -s echo=rm",
        "print -s 'rm -rf /srv'; r",
        "print -z 'rm -rf /srv'",
    ] {
        check(command, Verdict::Halt);
    }
    for command in ["BASH_ALIASES[ll]='ls -l'", "history -s 'ls -l'", "fc -s ls", "fc -e vi 1 5"] {
        check(command, Verdict::Ask);
    }
    for command in ["history", "fc -l", "print hello"] {
        assert!(judge_command(command, &Surroundings::default()).verdict < Verdict::Halt, "{command}");
    }
}

#[test]
fn settings_that_run_are_judged() {
    for command in [
        "GIT_CONFIG_PARAMETERS=\"'core.fsmonitor'='rm -rf /srv'\" git status",
        "GIT_CONFIG_PARAMETERS=\"'alias.x=!rm -rf /srv'\" git x",
        "GIT_CONFIG_PARAMETERS=\"'core.pager=rm -rf /srv'\" git log",
        "X='rm -rf /srv' git --config-env=core.fsmonitor=X status",
        "export X='rm -rf /srv'; git --config-env=core.pager=X log",
        "cmake -E remove_directory /srv",
        "cmake -E rm -rf /srv",
        "cmake -E time cmake -E rm -rf /srv",
    ] {
        check(command, Verdict::Halt);
    }
    check("GIT_CONFIG_PARAMETERS=\"'core.pager=x'\" git log", Verdict::Ask);
    check("cmake -E remove_directory build", Verdict::Ask);
}
