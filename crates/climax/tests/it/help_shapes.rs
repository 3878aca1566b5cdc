//! Shapes of help texts that programs have: lists of sub-commands, options, usages; and programs that are asked for theirs.

use std::os::unix::fs::PermissionsExt;

use climax::config;
use climax::import::Help;

use crate::client::file;

pub(crate) fn commands(text: &str, words: &[&str]) -> Vec<String> {
    let help = Help::read(text, words);
    let line = |command: &climax::import::Subcommand| {
        let positionals: Vec<String> = command.shown.positionals.iter().map(positional).collect();
        let words = [command.name.as_str()].into_iter().chain(positionals.iter().map(String::as_str));
        format!("{} - {}", words.collect::<Vec<_>>().join(" "), command.shown.about)
    };
    help.commands.iter().map(line).collect()
}

fn positional(positional: &climax::import::Positional) -> String {
    if positional.required { positional.name.clone() } else { format!("[{}]", positional.name) }
}

/// Writes the arguments of a text as `flag=value{choice,choice}`, a required one with `!`, then the positionals.
pub(crate) fn arguments(text: &str, words: &[&str]) -> String {
    let help = Help::read(text, words);
    assert_eq!(help.unread, Vec::<String>::new());
    let options = help.options.iter().map(|option| {
        let value = option.value.as_ref().map(|value| format!(" {value}")).unwrap_or_default();
        let choices =
            if option.choices.is_empty() { String::new() } else { format!("{{{}}}", option.choices.join(",")) };
        format!("{}{value}{choices}{}", option.flag, if option.required { "!" } else { "" })
    });
    options.chain(help.positionals.iter().map(positional)).collect::<Vec<_>>().join("; ")
}

#[test]
fn lists_of_sub_commands_are_read_in_every_shape() {
    let grouped = "usage: vcs [-v | --version] [-C <path>]\n           <command> [<args>]\n\nThese are used often:\n\nstart something (see also: vcs help intro)\n   clone     Copy a store\n   init      Make a store\n\nlook at history\n   log       Show what happened\n\n'vcs help -a' lists more.\n";
    assert_eq!(
        commands(grouped, &["vcs"]),
        ["clone - Copy a store", "init - Make a store", "log - Show what happened"]
    );

    let sections = "unitctl [OPTIONS...] COMMAND ...\n\nControl the manager.\n\nUnit Commands:\n  list-units [PATTERN...]             List units in\n                                      memory\n  cat PATTERN...                      Show files\n  set-property UNIT PROPERTY=VALUE... Set properties\n  bind UNIT PATH [PATH]               Mount\nJob Commands:\n  cancel [JOB...]                     Cancel jobs\n\nOptions:\n  -h --help              Show this help\n  -t --type=TYPE         Only this type\n";
    assert_eq!(
        commands(sections, &["unitctl"]),
        [
            "list-units [pattern] - List units in memory",
            "cat pattern - Show files",
            "set-property unit property_value - Set properties",
            "bind unit path - Mount",
            "cancel [job] - Cancel jobs",
        ]
    );
    assert_eq!(Help::read(sections, &["unitctl"]).about, "Control the manager.");

    let dashes = "pkg 2.6.1 (amd64)\nUsage: pkg [options] command\n\npkg installs and\nremoves. It is good.\n\nMost used commands:\n  list - list packages by name\n  full-upgrade - upgrade with removals\n\nSee pkg(8).\n";
    assert_eq!(commands(dashes, &["pkg"]), ["list - list packages by name", "full-upgrade - upgrade with removals"]);
    assert_eq!(Help::read(dashes, &["pkg"]).about, "pkg installs and removes.");

    let words = "nm <command>\n\nUsage:\n\nnm install        install everything\nnm install <foo>  add foo\nnm help <term>    search\n\nAll commands:\n\n    access, audit,\n    cache, ci, completion, find-dupes,\n    whoami\n\nMore: nm help config\n";
    let names = ["access - ", "audit - ", "cache - ", "ci - ", "find-dupes - ", "whoami - "];
    assert_eq!(commands(words, &["nm"]), names);

    let groups = "Runs boxes.\n\nUsage:  box [OPTIONS] COMMAND\n\nCommon Commands:\n  run         Run a box\n\nManagement Commands:\n  buildx*     Build with plugins\n\nBasic Commands (Beginner):\n  create      Create one\n\nGlobal Options:\n      --config string      Where the config is\n";
    assert_eq!(commands(groups, &["box"]), ["run - Run a box", "buildx - Build with plugins", "create - Create one"]);

    let capitals = "Work with the hub.\n\nUSAGE\n  hub <command> <subcommand> [flags]\n\nCORE COMMANDS\n  auth:          Log in\n  pr:            Manage requests\n\nFLAGS\n  --version   Show version\n";
    assert_eq!(commands(capitals, &["hub"]), ["auth - Log in", "pr - Manage requests"]);

    let yargs = "prog <command>\n\nCommands:\n  prog serve [port]  start the server\n  prog stop <name>   stop it\n\nOptions:\n  --version  Show version number  [boolean]\n  --env      which one  [string] [required] [choices: \"dev\", \"prod\"]\n";
    assert_eq!(commands(yargs, &["prog"]), ["serve [port] - start the server", "stop name - stop it"]);
    assert_eq!(arguments(yargs, &["prog"]), "--env string{dev,prod}!");

    let short = "Usage: make [OPTIONS] [COMMAND]\n\nCommands:\n    build, b    Compile it\n    help        Print this\n    ...         See all\n";
    assert_eq!(commands(short, &["make"]), ["build - Compile it"]);
    let braces = "usage: t [-h] {add,remove} ...\n\noptions:\n  -h, --help  show this\n";
    assert_eq!(commands(braces, &["t"]), ["add - ", "remove - "]);
}

#[test]
fn forms_of_a_usage_are_sub_commands_where_a_word_tells_them_apart() {
    let stash = "usage: vcs stash list [<log-options>]\n   or: vcs stash drop [-q | --quiet] [<stash>]\n   or: vcs stash branch <name> [<stash>]\n   or: vcs stash [push [-m <message>]]\n   or: vcs show [<object>]\n";
    let help = Help::read(stash, &["vcs", "stash"]);
    assert_eq!(commands(stash, &["vcs", "stash"]), ["list - ", "drop [stash] - ", "branch name [stash] - "]);
    assert!(help.alone, "it does something by itself");
    assert_eq!(help.commands[1].shown.options[0].flag, "--quiet");
    assert!(Help::read("usage: vcs log [<path>]\n", &["vcs", "stash", "list"]).of_another);
    assert!(!Help::read("Usage: python -m pip install <x>\n", &["pip", "install"]).of_another);
}

#[test]
fn what_a_form_shows_behind_a_flag_is_its_value() {
    let keys = "usage: kg [-q] [-f keyfile]\n       kg -D lib\n       kg -F hostname [-lv] [-f hosts_file]\n       kg -M make [-O option] output\n       kg -Y sign -f key_file file ...\n";
    let help = Help::read(keys, &["kg"]);
    let flags: Vec<String> = help
        .options
        .iter()
        .map(|option| format!("{} {}", option.flag, option.value.as_deref().unwrap_or("-")))
        .collect();
    assert_eq!(flags, ["-q -", "-f keyfile", "-D lib", "-F hostname", "-lv -", "-M make", "-O option", "-Y sign"]);
    assert!(help.commands.is_empty(), "{:?}", help.commands.iter().map(|command| &command.name).collect::<Vec<_>>());
    let names: Vec<&str> = help.positionals.iter().map(|positional| positional.name.as_str()).collect();
    assert_eq!(names, ["output", "file"]);
}

#[test]
fn options_are_read_in_every_shape() {
    for (text, words, expected) in [
        (
            "usage: vcs log [<options>] [<range>] [[--] <path>...]\n\n    -q, --[no-]quiet      say less\n    --[no-]decorate[=...] decorate\n    -L <range:file>       one\n    --color[=(always|never|auto)]\n                          when\n",
            &["vcs", "log"][..],
            "--quiet; --decorate; -L range_file; --color= always_never_auto{always,never,auto}; [range]; [path]",
        ),
        (
            "Usage: arc [OPTION...] [FILE]...\n\n Main mode:\n  -A, --catenate, --concatenate   append\n  -g, --incremental=FILE     handle\n      --exclude-caches-under exclude all\n                             of them\n      --version=MAJOR[.MINOR]\n                             set it\n",
            &["arc"],
            "--catenate; --incremental= file; --exclude-caches-under; [file]",
        ),
        (
            "unknown option -- -\nusage: sh2 [-46AaC] [-b bind_address] [-L address]\n           destination [command [argument ...]]\n",
            &["sh2"],
            "-4; -6; -A; -a; -C; -b bind_address; -L address; destination; [command]; [argument]",
        ),
        (
            "Install a package\n\nUsage:\nnm install [<package-spec> ...]\n\nOptions:\n[-E|--save-exact] [--omit <dev|peer> [--omit <dev|peer> ...]]\n\n  -E|--save-exact\n    Save exactly\n\n  --omit\n    What to leave out\n",
            &["nm", "install"],
            "--save-exact; --omit dev_peer; [package_spec]",
        ),
        (
            "Usage:\n  kube get (TYPE | TYPE/NAME) [flags] [options]\n\nOptions:\n    -A, --all-namespaces=false:\n\tAll of them.\n\n    -f, --filename=[]:\n\tWhich file.\n\n    --timeout='0s':\n\tHow long.\n",
            &["kube", "get"],
            "--all-namespaces; --filename= value; --timeout= 0s; [type]; [type_name]",
        ),
        (
            "Usage of serve:\n  -addr string\n    \tlisten address (default \":80\")\n  -v\tverbose\n",
            &["serve"],
            "-addr string; -v",
        ),
        (
            "usage: p [-h] [-o FILE] --mode {fast,slow} SRC [SRC ...]\n\npositional arguments:\n  SRC                   what\n\noptions:\n  -o FILE, --out FILE   where\n  --mode {fast,slow}    how\n",
            &["p"],
            "--out file; --mode fast_slow{fast,slow}; src",
        ),
        (
            "Usage:   \n  pp install [options] <requirement specifier> [package-index-options] ...\n  pp install [options] -r <requirements file> ...\n\nDescription:\n  Install things.\n\nInstall Options:\n  -r, --requirement <file>    From a file.\n\nGeneral Options:\n  --proxy <proxy>             Through a proxy.\n",
            &["pp", "install"],
            "--requirement file; [requirement_specifier]",
        ),
    ] {
        assert_eq!(arguments(text, words), expected, "{text}");
    }
    let go = Help::read("Usage of serve:\n  -addr string\n    \tlisten address\n", &["serve"]);
    assert_eq!(go.options[0].description, "listen address");
}

const PROGRAM: &str = r#"#!/bin/sh
case "$*" in
--help) printf 'Usage: tool [OPTIONS] COMMAND\n\nKeeps things.\n\nCommands:\n  add    Add a thing\n  manual A page\n  same NAME  Shows this text\n  log    What was\n  nested More\n';;
"add --help") printf 'Usage: tool add [OPTIONS] <NAME>\n\nOptions:\n  -f, --force  Even so\n';;
"manual --help") printf 'TOOL-MANUAL(1)      Manual      TOOL-MANUAL(1)\n\nNAME\n     manual\n';;
"manual -h") printf 'usage: tool manual [-n <count>] [<path>]\n\n    -n <count>   how many\n';;
"same --help") exec "$0" --help;;
"log --help"|"log -h") echo 'fatal: no such thing' >&2; exit 1;;
"nested --help") printf 'Usage: tool nested COMMAND\n\nCommands:\n  delete-all  Delete all\n';;
"nested delete-all --help") printf 'Usage: tool nested delete-all\n\nDeletes all.\n';;
*) exit 9;;
esac
"#;

#[test]
fn a_program_with_sub_commands_is_asked_for_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let program = file(&folder, "tool", PROGRAM);
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let output = folder.path().join("tool.yaml");
    let climax = env!("CARGO_BIN_EXE_climax");
    let ran = std::process::Command::new(climax).args(["import", &program, "--output"]).arg(&output).output().unwrap();
    let told = String::from_utf8(ran.stderr).unwrap();
    assert!(ran.status.success() && told.contains("5 tools."), "{told}");
    let (config, faults) = config::read("tool", &std::fs::read_to_string(&output).unwrap());
    assert_eq!(faults, []);
    let config = config.unwrap();
    let shown: Vec<String> = config
        .tools
        .iter()
        .map(|tool| {
            let args: Vec<&str> = tool.args.iter().map(|arg| arg.name.as_str()).collect();
            format!("{} [{:?}] {}: {}", tool.name, tool.risk, args.join(","), tool.description)
        })
        .collect();
    assert_eq!(
        shown,
        [
            "tool_add [Write] force,name: Add a thing",
            "tool_manual [Write] n,path: A page",
            "tool_same [Write] name: Shows this text",
            "tool_log [Write] : What was",
            "tool_nested_delete_all [Destructive] : Delete all",
        ]
    );
    let nothing = std::process::Command::new(climax).args(["import", "/no/such/program"]).output().unwrap();
    assert_eq!(nothing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&nothing.stderr).contains("error: /no/such/program: command not found"));
}

#[test]
fn headings_between_dashes_are_no_options() {
    let text = "usage: tree [-acd] [<directory list>]\n  ------- Listing options -------\n  -a            All files are listed.\n  \
                -d            List directories only.\n  ------- XML/HTML/JSON options -------\n  -X            Prints out an XML \
                representation of the tree.\n";
    let help = Help::read(text, &["tree"]);
    let flags: Vec<&str> = help.options.iter().map(|option| option.flag.as_str()).collect();
    assert!(["-a", "-d", "-X"].iter().all(|flag| flags.contains(flag)), "{flags:?}");
    assert!(flags.iter().all(|flag| !flag.starts_with("---")) && help.unread.is_empty(), "{help:?}");
}

#[test]
fn an_option_of_two_values_is_told_and_not_made_one_of_one() {
    let text = "Usage: jq [OPTIONS] FILTER\n\nOptions:\n      --arg name value      set $name to the string value;\n      \
                --indent n            use n spaces for indentation;\n      --slurpfile name file set $name to an array\n";
    let help = Help::read(text, &["jq"]);
    let flags: Vec<&str> = help.options.iter().map(|option| option.flag.as_str()).collect();
    assert_eq!(flags, ["--indent"], "{help:?}");
    assert_eq!(help.unread.len(), 2, "{:?}", help.unread);
}

#[test]
fn a_program_whose_help_says_nothing_has_a_description_all_the_same() {
    let mut draft = climax::import::Draft::new("git", &Help::default());
    draft.add(&[], &Help::default());
    assert!(draft.yaml().contains("description: \"Runs git\""), "{}", draft.yaml());
}

#[test]
fn a_description_one_blank_behind_its_option_is_read() {
    let text = "Usage: curl [options...] <url>\n -a, --append       Append to target file\n -b, --cookie <data|filename> Send cookies from string/file\n     \
                --connect-timeout <fractional seconds> Maximum time allowed for connection\n     \
                --data-urlencode <data> HTTP POST data URL encoded\n     \
                --http2-prior-knowledge Use HTTP 2 without HTTP/1.1 Upgrade\n     --range FIRST LAST\n";
    let help = Help::read(text, &["curl"]);
    let read: Vec<_> = help
        .options
        .iter()
        .map(|option| (option.flag.as_str(), option.value.is_some(), option.description.as_str()))
        .collect();
    assert_eq!(
        read,
        [
            ("--append", false, "Append to target file"),
            ("--cookie", true, "Send cookies from string/file"),
            ("--connect-timeout", true, "Maximum time allowed for connection"),
            ("--data-urlencode", true, "HTTP POST data URL encoded"),
            ("--http2-prior-knowledge", false, "Use HTTP 2 without HTTP/1.1 Upgrade"),
        ]
    );
    assert_eq!(help.unread, ["--range FIRST LAST"]);
}
