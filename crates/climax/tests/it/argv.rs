//! Words, standard input and folder of a call.

use climax::argv::{Invocation, build};
use climax::config::{self, Config};
use serde_json::{Map, Value, json};

fn world(name: &str) -> Option<String> {
    (name == "HOME").then(|| "/home/ann".to_owned())
}

pub(crate) fn config(args: &str, more: &str) -> Config {
    let text = format!(
        "command: prog\n{more}\ntools:\n  - name: t\n    description: d\n    command: sub cmd\n    args:\n{}\n",
        args.lines().map(|line| format!("      - {{{}}}\n", line.trim())).collect::<String>()
    );
    config::read("t", &text).0.unwrap()
}

pub(crate) fn call(config: &Config, arguments: Value) -> Result<Invocation, String> {
    let Value::Object(arguments) = arguments else { panic!("an object") };
    build(config, &config.tools.get(0).unwrap(), &arguments, &world).map_err(|refused| refused.to_string())
}

const ARGS: &str = "name: s
name: n, type: integer, default: 10, flag: -n
name: b, type: boolean, flag: --b
name: p, positional: true, default: .
name: in, stdin: true
name: w, cwd: true
name: fo_o
name: eq, flag: 'k='
name: num, type: number";

#[test]
fn words_stand_in_their_order() {
    let config = config(
        ARGS,
        "global_args:\n  - {name: vault, flag: 'vault=', default: $NOPE}\n  - {name: h, default: $HOME}\n  - {name: g, type: boolean, default: true}",
    );
    for (arguments, expected) in [
        (json!({}), "prog sub cmd . -n 10 --h /home/ann --g"),
        (json!({"s": "v", "p": "x"}), "prog sub cmd x --s v -n 10 --h /home/ann --g"),
        (
            json!({"b": true, "n": 3, "eq": "q", "fo_o": "z", "num": 1.5}),
            "prog sub cmd . -n 3 --b --fo-o z k=q --num 1.5 --h /home/ann --g",
        ),
        (json!({"b": false, "s": null}), "prog sub cmd . -n 10 --h /home/ann --g"),
    ] {
        assert_eq!(call(&config, arguments.clone()).unwrap().words.join(" "), expected, "{arguments}");
    }
    let empty = call(&config, json!({"s": ""})).unwrap();
    assert_eq!(empty.words[4..6], ["--s", ""], "an empty text is not absent");
    let piped = call(&config, json!({"in": "text", "w": "~/x"})).unwrap();
    assert_eq!((piped.stdin.as_deref(), piped.folder.as_deref()), (Some("text"), Some("/home/ann/x")));
}

#[test]
fn a_caller_is_told_no_variable() {
    let config = config("name: w, cwd: true, default: $HOME/notes", "");
    for (given, expected) in [
        (json!({}), "/home/ann/notes"),
        (json!({"w": "~/x"}), "/home/ann/x"),
        (json!({"w": "$HOME"}), "$HOME"),
        (json!({"w": "/tmp/${HOME}/x"}), "/tmp/${HOME}/x"),
        (json!({"w": "~/$HOME"}), "/home/ann/$HOME"),
    ] {
        assert_eq!(call(&config, given).unwrap().folder.as_deref(), Some(expected));
    }
}

#[test]
fn options_stand_first_where_the_file_says_so() {
    let args = "name: image, positional: true, required: true
name: command, positional: true
name: detach, type: boolean, flag: --detach
name: env, flag: --env";
    let arguments = json!({"image": "alpine", "command": "ls", "detach": true, "env": "A=1"});
    let first = config(args, "options_first: true\nglobal_args: [{name: h, default: $HOME}]");
    assert_eq!(
        call(&first, arguments.clone()).unwrap().words.join(" "),
        "prog sub cmd --detach --env A=1 --h /home/ann alpine ls"
    );
    assert_eq!(
        call(&config(args, ""), arguments).unwrap().words.join(" "),
        "prog sub cmd alpine ls --detach --env A=1"
    );
}

#[test]
fn dashes_stand_before_the_argument_that_wants_them() {
    let args = "name: pod, positional: true, required: true
name: command, positional: true, dashes: true
name: arg, positional: true
name: stdin, type: boolean, flag: --stdin";
    for more in ["options_first: true", ""] {
        let config = config(args, more);
        let words = |arguments| call(&config, arguments).map(|built| built.words.join(" "));
        let options = if more.is_empty() { "p --stdin" } else { "--stdin p" };
        assert_eq!(
            words(json!({"pod": "p", "command": "ls", "arg": "-l", "stdin": true})).unwrap(),
            format!("prog sub cmd {options} -- ls -l")
        );
        assert_eq!(words(json!({"pod": "p"})).unwrap(), "prog sub cmd p");
        assert!(words(json!({"pod": "-p", "command": "ls"})).unwrap_err().contains("begins with '-'"));
    }
    let (_, faults) =
        config::read("t", "command: x\ntools: [{name: t, description: d, args: [{name: a, dashes: true}]}]");
    assert!(faults[0].to_string().contains("'dashes' of 'a' means nothing"), "{faults:?}");
}

#[test]
fn global_arguments_are_not_for_the_caller() {
    let config = config("name: s", "global_args:\n  - {name: token, flag: --token, default: fixed}");
    let words = call(&config, json!({"token": "stolen"})).unwrap().words;
    assert_eq!(words, ["prog", "sub", "cmd", "--token", "fixed"]);
}

#[test]
fn a_text_that_would_be_an_option_is_refused() {
    let dashed = "name: p, positional: true\nname: n, type: integer, positional: true\nname: free, positional: true, allow_dash: true\nname: e, positional: true, enum: ['-x', y]";
    let config = config(dashed, "");
    assert_eq!(
        call(&config, json!({"p": "--help"})),
        Err("Argument 'p': '--help' begins with '-' and would be read as an option".into())
    );
    for fine in [json!({"p": "-"}), json!({"n": -3}), json!({"free": "-x"}), json!({"e": "-x"}), json!({"p": "a-b"})] {
        assert!(call(&config, fine.clone()).is_ok(), "{fine}");
    }
    let guarded = config::read(
        "t",
        "command: prog\ntools: [{name: t, description: d, command: 'rm --', args: [{name: p, positional: true}]}]",
    );
    let words = call(&guarded.0.unwrap(), json!({"p": "-x"})).unwrap().words;
    assert_eq!(words, ["prog", "rm", "--", "-x"]);
}

#[test]
fn a_command_line_that_is_too_long_says_so() {
    let config = config("name: s\nname: in, stdin: true", "");
    assert!(call(&config, json!({"s": "x".repeat(60_000)})).is_ok());
    assert!(call(&config, json!({"in": "x".repeat(80_000)})).is_ok(), "the standard input is no part of it");
    let refused = call(&config, json!({"s": "x".repeat(70_000)})).unwrap_err();
    assert!(refused.contains("65536 are the most") && refused.contains("'stdin'"), "{refused}");
}

#[test]
fn nul_is_refused_and_faults_come_together() {
    let config = config("name: p, positional: true\nname: s", "");
    let refused = call(&config, json!({"p": "-x", "s": "a\u{0}b"})).unwrap_err();
    assert!(refused.contains("'p'") && refused.contains("'s' contains a NUL"), "{refused}");
    assert!(build(&config, &config.tools.get(0).unwrap(), &Map::new(), &world).is_ok());
}

#[test]
fn a_pattern_is_what_the_whole_of_each_text_matches() {
    let config = config("name: a, pattern: 'x+|y'\nname: l, type: array, flag: -l, pattern: '[^@].*'", "");
    let schema = climax::schema::input_schema(&config.tools.get(0).unwrap(), climax::schema::Flags::Hidden);
    let schema = aish_tools::schema::Schema::compile(&schema).unwrap();
    for (arguments, is_good) in [
        (json!({"a": "xx", "l": ["a", "b@"]}), true),
        (json!({"a": "y"}), true),
        (json!({"a": "xxy"}), false),
        (json!({"a": "ay"}), false),
        (json!({"a": "y\n"}), false),
        (json!({"l": ["a", "@file"]}), false),
        (json!({"l": ["a\n@file"]}), false),
    ] {
        assert_eq!(schema.validate(&arguments).is_ok(), is_good, "{arguments}");
    }
    for (arg, fault) in [
        ("pattern: '(x'", "no regular expression"),
        ("type: integer, pattern: x", "is for texts"),
        ("pattern: 'x)(y'", "no regular"),
    ] {
        let text = format!("command: a\ntools: [{{name: t, description: d, args: [{{name: a, {arg}}}]}}]");
        let faults = config::read("t", &text).1;
        assert!(faults.iter().any(|found| found.to_string().contains(fault)), "{arg}: {faults:?}");
    }
}

/// What reads and runs unasked stays that, whatever is given.
#[test]
fn bundled_tools_that_only_read_take_nothing_that_does_more() {
    for (file, tool, arguments, is_good) in [
        ("curl", "curl_get", json!({"url": "HTTPS://a.example/x", "header": ["Accept: a", "X: @b"]}), true),
        ("curl", "curl_get", json!({"url": "file:///etc/hostname"}), false),
        ("curl", "curl_get", json!({"url": "@urls"}), false),
        ("curl", "curl_head", json!({"url": "http://a.example", "header": ["@notes.txt"]}), false),
        ("curl", "curl_status", json!({"url": "dict://a.example"}), false),
        ("gh", "gh_api_get", json!({"endpoint": "x", "jq": ".environments[].env, .a"}), true),
        ("gh", "gh_api_get", json!({"endpoint": "x", "jq": "env"}), false),
        ("gh", "gh_api_get", json!({"endpoint": "x", "jq": ".a\n| (env.HOME)"}), false),
        ("gh", "gh_api_get", json!({"endpoint": "x", "jq": "$ENV.HOME"}), false),
        ("aws", "aws_dynamodb_get_item", json!({"table_name": "t", "key": "{\"id\": {\"S\": \"file://\"}}"}), true),
        ("aws", "aws_dynamodb_get_item", json!({"table_name": "t", "key": "file:///etc/hostname"}), false),
        ("aws", "aws_ec2_describe_instances", json!({"query": "fileb://notes.txt"}), false),
        ("tar", "tar_list", json!({"file": "/a:b/c.tar"}), true),
        ("tar", "tar_list", json!({"file": "-oProxyCommand=id:x"}), false),
    ] {
        let config = config::read(file, climax::bundled::find(file).unwrap().text).0.unwrap();
        let schema = climax::schema::input_schema(&config.tool(tool).unwrap(), climax::schema::Flags::Hidden);
        let schema = aish_tools::schema::Schema::compile(&schema).unwrap();
        assert_eq!(schema.validate(&arguments).is_ok(), is_good, "{tool} {arguments}");
    }
    let cargo = config::read("cargo", climax::bundled::find("cargo").unwrap().text).0.unwrap();
    for tool in ["cargo_check", "cargo_clippy", "cargo_build"] {
        assert_eq!(cargo.tool(tool).unwrap().risk, aish_types::Risk::Write, "{tool}");
    }
    for (file, tools) in [
        ("coreutils", &["cat", "base64", "printenv"][..]),
        ("git", &["git_show", "git_diff", "git_grep", "git_blame", "git_remote_list", "git_config_list", "git_reflog"]),
        ("systemctl", &["systemctl_cat"]),
    ] {
        let config = config::read(file, climax::bundled::find(file).unwrap().text).0.unwrap();
        for tool in tools {
            assert!(config.tool(tool).unwrap().judged, "{tool}");
        }
    }
}
