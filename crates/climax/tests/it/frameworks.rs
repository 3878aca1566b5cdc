//! Help texts as the frameworks of many languages write them, and what becomes of them.

use climax::config::{self, Place};
use climax::import::{Draft, Help};

use crate::help_shapes::{arguments, commands};

/// Tables of a text, the words that it is of, and its arguments.
fn check(cases: &[(&str, &[&str], &str)]) {
    for (text, words, expected) in cases {
        assert_eq!(arguments(text, words), *expected, "{text}");
    }
}

#[test]
fn a_usage_ends_where_it_ends() {
    check(&[
        // Options of one blank right below it.
        (
            "Usage: grab [options...] <url>\n     --alt-name <file name> Enable it with this cache file\n -a, --append             Append to target file\n",
            &["grab"],
            "--alt-name file_name; --append; url",
        ),
        // Prose and examples among the arguments.
        (
            "usage:\n    ask [METHOD] URL [ITEM ...]\n\nA client.\n\npositional arguments:\n\n  These come after any flags.\n  Only URL is required.\n\n  \
             METHOD\n      The method to be used.\n\n      It can be left out if there\n      is some data to be sent, otherwise GET:\n\n          \
             $ ask example.org            # => GET\n          $ ask example.org hello=a    # => POST\n\n  URL\n      The URL.\n\n  ITEM\n      \
             Pairs. For instance:\n\n          awesome:=true  amount:=42\n",
            &["ask"],
            "[method]; url; [item]",
        ),
        // oclif's prompt, and a usage of several lines.
        (
            "Pack it\n\nUSAGE\n  $ gen pack deb -r <value> [-t <value>]\n    [--compress gzip|xz]\n\nFLAGS\n  -r, --root=<value>  (required) [default: .] path\n",
            &["gen", "pack", "deb"],
            "--root= value!; -t value; --compress gzip_xz",
        ),
        // Another program runs it; a sentence in quotes is one word.
        (
            "Shares lists.\n\nUsage:\n  npx lists\n  npx lists \"QUERIES\"\n  npx lists --json \"QUERIES\"\n  npx lists --env=\"environment name defined in config\"\n",
            &["lists"],
            "--json; --env= environment; [queries]",
        ),
        (
            "  hand - Static files\n\n  USAGE\n\n    $ hand --help\n    $ hand folder_name\n    $ hand [-l uri [-l ...]] [directory]\n\n  OPTIONS\n\n    -d, --debug    Show more\n",
            &["hand"],
            "--debug; -l uri; [folder_name]; [directory]",
        ),
        // What stands in brackets and is a sentence.
        (
            "Usage: jv [options] <mainclass> [args...]\n           (to execute a class)\n   or  jv [options] -jar <jarfile> [args...]\n           (to execute a jar file)\n",
            &["jv"],
            "-jar jarfile; [mainclass]; [args]",
        ),
    ]);
    assert_eq!(Help::read("  hand - Static files\n\n  USAGE\n\n    $ hand x\n", &["hand"]).about, "Static files");
}

#[test]
fn the_usage_says_which_positionals_may_be_left_out() {
    check(&[
        (
            "usage: own [-h] [-v] src [dst] [rest ...]\n\npositional arguments:\n  src            from\n  dst            to\n  rest\n\noptions:\n  -h, --help     show this help message and exit\n  -v             say more\n",
            &["own"],
            "-v; src; [dst]; [rest]",
        ),
        (
            "usage: pc run [-h] [--color {auto,always}]\n              [-c CONFIG] [--files [FILES ...]]\n              [hook]\n\npositional arguments:\n  hook                  A single hook-id to run\n\noptions:\n  --color {auto,always}\n                        Whether to use color.\n  -c CONFIG, --config CONFIG\n                        Path to a file\n  --files [FILES ...]   Names\n",
            &["pc", "run"],
            "--color auto_always{auto,always}; --config config; --files files; [hook]",
        ),
        // A sentence may begin with the program's name, and a long flag may stand behind a gap.
        (
            "Usage: jr [OPTION...] [files]\njr creates an archive for classes and can change it.\n\n  -b,  --back             go there\n  -c  --text    treat it as text\n  -d, --directory=DIR   where\n       --directory        list it\n",
            &["jr"],
            "--back; --text; --directory= dir; [files]",
        ),
        // argparse's choices are values where nothing follows them.
        (
            "usage: kr [-h] [{get,set}] [service]\n\npositional arguments:\n  {get,set}\n  service\n\noptions:\n  -h, --help  show this help message and exit\n",
            &["kr"],
            "[get_set]; [service]",
        ),
        // picocli lists them below the usage.
        (
            "Usage: sum [-hV] [-a=<algorithm>] <file>\nPrints the checksum of a file.\n      <file>      The file whose checksum is wanted.\n  -a, --algorithm=<algorithm>\n                  MD5, SHA-1\n",
            &["sum"],
            "--algorithm= algorithm; -V; file",
        ),
        // What needs no value by its own list does not take the next word.
        (
            "Usage:\tjp [options] <filter> [file...]\n\tjp [options] --args <filter> [strings...]\n\nSome of the options:\n  --args    remaining arguments are strings\n",
            &["jp"],
            "--args; filter; [file]; [strings]",
        ),
    ]);
}

#[test]
fn two_dashes_are_written_where_the_program_takes_them() {
    for (text, words, expected) in [
        (
            "Runs.\n\nUsage:\n  kc exec (POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...] [options]\n",
            &["kc", "exec"][..],
            "pod type_name command-- args--",
        ),
        ("usage: vc log [<options>] [<range>] [[--] <path>...]\n", &["vc", "log"], "range path--"),
        ("Usage: box run [OPTIONS] IMAGE [COMMAND] [ARG...]\n", &["box", "run"], "image command arg"),
        ("Usage: npx run-script <command> [-- <args>]\n", &["npx", "run-script"], "command args--"),
    ] {
        let help = Help::read(text, words);
        let shown: Vec<String> =
            help.positionals.iter().map(|p| format!("{}{}", p.name, if p.dashes { "--" } else { "" })).collect();
        assert_eq!(shown.join(" "), expected, "{text}");
    }
    let draft = Draft::new("vc", &Help::read("usage: vc [<options>] [<range>] [[--] <path>...]\n", &["vc"]));
    let config = config::read("d", &draft.yaml()).0.unwrap();
    assert!(config.options_first, "{}", draft.yaml());
    let tool = config.tools.get(0).unwrap();
    assert_eq!(tool.arg("path").unwrap().place, Place::Positional { allow_dash: false, dashes: true });
}

#[test]
fn options_that_differ_in_case_alone_keep_names_of_their_own() {
    let text = "Usage: jp [options]\n\n  -R   raw input\n  -r   raw output\n  -C   with color\n  -c   compact\n  -M   no color\n  --in-dir X  a\n  --in_dir Y  b\n";
    let draft = Draft::new("jp", &Help::read(text, &["jp"]));
    let (config, faults) = config::read("d", &draft.yaml());
    assert_eq!(faults, [], "{}", draft.yaml());
    let names: Vec<String> = config.unwrap().tools.get(0).unwrap().args.iter().map(|arg| arg.name.clone()).collect();
    assert_eq!(names.join(" "), "r_upper r c_upper c m in_dir in_dir_2");
}

#[test]
fn options_of_click_and_typer_are_read() {
    check(&[
        (
            "Usage: web [OPTIONS] APP\n\nOptions:\n  --reload / --no-reload         Enable the reloader.\n  --fast / --safe                By default, it checks. [default:\n                                 --safe]\n  \
             -a, --args JSON ARRAY          Positional arguments.\n  -W, --workers INTEGER RANGE    How many  [1<=x<=9]\n  --max-incomplete-event-size INTEGER\n                                 The size\n  \
             -V, --very-long-option-name-of INTEGER\n  --help                         Show this message and exit.\n",
            &["web"],
            "--no-reload; --reload; --safe; --fast; --args json_array; --workers integer_range; --max-incomplete-event-size integer; --very-long-option-name-of integer; app",
        ),
        (
            "\n Usage: fm [OPTIONS] NAME [OTHER]\n\n Greets.\n\n╭─ Arguments ──────────────────────────────────────────────╮\n\
             │ *    name       TEXT     The name [default: None] [required] │\n│      other      [OTHER]  Another, which goes on           │\n\
             │                          in the next line                 │\n╰──────────────────────────────────────────────────────────╯\n\
             ╭─ Options ────────────────────────────────────────────────╮\n│ *  --count   -c      INTEGER  How often [required]        │\n\
             │    --formal  --no-formal      Politely                    │\n│    --style           [a|b]    Which one                   │\n\
             │    --help                     Show this message and exit. │\n╰──────────────────────────────────────────────────────────╯\n",
            &["fm"],
            "--count integer!; --no-formal; --formal; --style a_b{a,b}; name; [other]",
        ),
    ]);
    let cyclopts = "Usage: fast COMMAND\n\nThe framework.\n\n╭─ Commands ─────────────────────╮\n│ dev        Run with inspector  │\n\
                    │ --help -h  Display this        │\n╰────────────────────────────────╯\n";
    assert_eq!(commands(cyclopts, &["fast"]), ["dev - Run with inspector"]);
    let parameters = "Usage: fast run [ARGS] [OPTIONS]\n\nRuns.\n\n╭─ Parameters ───────────────────────────╮\n│ *  FILE --file      The file [required] │\n\
                      │    --port -p        The port            │\n╰─────────────────────────────────────────╯\n";
    let help = Help::read(parameters, &["fast", "run"]);
    assert_eq!((help.options[0].flag.as_str(), help.options[0].required), ("--file", true), "{help:?}");
}

#[test]
fn options_of_javascript_are_read() {
    check(&[
        (
            "Usage: sv [options] <version> [<version> [...]]\n\nOptions:\n-r --range <range>\n        Print versions that match.\n\n-l --loose\n        Interpret them loosely\n        --like this\n",
            &["sv"],
            "--range range; --loose; version",
        ),
        (
            "COMMON COMMANDS\n\n  tc\n  Compiles the current project\n\nCOMMAND LINE FLAGS\n\n--help, -h\nPrint this message.\n\n--all\nShow all options.\n\n--outDir\nSpecify an output folder for all emitted files.\n\n--pretty\nEnable color.\ntype: boolean\ndefault: true\n\n--target, -t\nSet the version.\none of: es5, es2016\ndefault: es5\n",
            &["tc"],
            "--all; --outDir value; --pretty; --target value{es5,es2016}",
        ),
        // yargs marks its switches.
        (
            "js [options] <source>\n\nOptions:\n  -c, --config   Path to a file                   [default: \"a.json\"]\n  -p, --port     Set port                              [default: 3000]\n  -w, --watch    Watch files                                [boolean]\n  -d, --delay    Add delay to responses\n  -q, --quiet    Suppress messages                          [boolean]\n",
            &["js"],
            "--config value; --port value; --watch; --delay value; --quiet; source",
        ),
        (
            "usage: hs [path] [options]\n\noptions:\n  -p --port    Port to use. [8080]\n  -d           Show listings [true]\n  -c           Cache time in seconds [3600], e.g. -c10\n  -C --cert    Path to the file (default: cert.pem)\n  -s --silent  Say nothing\n",
            &["hs"],
            "--port value; -d; -c value; --cert value; --silent; [path]",
        ),
        (
            "Usage:\n  eb [options] [entry points]\n\nSimple options:\n  --bundle      Bundle all\n  --platform=...  Which (browser | node)\n",
            &["eb"],
            "--bundle; --platform= value; [entry]; [points]",
        ),
        // npm says in a line of its own what takes a value.
        (
            "Publishes\n\nUsage:\nnm publish <package-spec>\n\nOptions:\n[--tag <tag>] [--dry-run] [--otp <otp>]\n\n  --tag\n    The tag\n\n  --dry-run\n    Only say it\n\n  --otp\n    The code\n",
            &["nm", "publish"],
            "--tag tag; --dry-run; --otp otp; package_spec",
        ),
    ]);
    let unread =
        Help::read("Usage: eb\n\nOptions:\n  --define:K=V   Substitute K with V\n  --minify       Less\n", &["eb"]);
    assert_eq!((unread.unread.len(), unread.options.len()), (1, 1), "{unread:?}");
}

#[test]
fn a_dash_in_a_sentence_begins_no_option() {
    check(&[(
        "Usage: hf [OPTIONS] <command>...\n\nOPTIONS:\n    -S, --shell <SHELL>\n            Set the shell. Use 'bash\n            --norc\" to leave settings out.\n            \n              \
         -P is shown here\n\n    -N\n            No shell\n",
        &["hf"],
        "--shell shell; -N; command",
    )]);
}

#[test]
fn a_program_with_sub_commands_may_do_something_by_itself() {
    for (text, words, alone) in [
        (
            "Usage: mo [spec..]\n       mo init <path>\n\nCommands:\n  init <path>  create it\n\nOptions:\n  --bail  Stop early\n",
            &["mo"][..],
            true,
        ),
        (
            "mo [spec..]\n\nRun tests\n\nCommands\n  mo init <path>  create it\n\nRules & Behavior\n  --bail  Stop early\n",
            &["mo"],
            true,
        ),
        (
            "Runs.\n\nUsage:\n  kc [flags]\n  kc [command]\n\nAvailable Commands:\n  get  Shows\n\nFlags:\n  -v, --verbose  more\n",
            &["kc"],
            true,
        ),
        (
            "Runs.\n\nUsage:\n  kc [command]\n\nAvailable Commands:\n  get  Shows\n\nFlags:\n  -v, --verbose  more\n",
            &["kc"],
            false,
        ),
        (
            "Usage: cg [OPTIONS] [COMMAND]\n\nCommands:\n  build  Compile\n\nOptions:\n  --list  List all\n",
            &["cg"],
            true,
        ),
        (
            "Usage: cg [OPTIONS] <COMMAND>\n\nCommands:\n  build  Compile\n\nOptions:\n  --list  List all\n",
            &["cg"],
            false,
        ),
        (
            "vt/1.2.3\n\nUsage:\n  $ vt [root]\n\nCommands:\n  [root]        serve it\n  build [root]  build it\n\nOptions:\n  --host [host]  where\n",
            &["vt"],
            true,
        ),
        ("usage: t [-h] {add,remove} ...\n\noptions:\n  -x  more\n", &["t"], false),
    ] {
        let help = Help::read(text, words);
        assert_eq!(help.alone, alone, "{text}{help:?}");
        assert!(!help.commands.is_empty(), "{text}");
    }
    let yargs = Help::read(
        "Usage: mo [spec..]\n       mo init <path>\n\nCommands:\n  init <path>  create it\n\nOptions:\n  --bail  Stop early\n",
        &["mo"],
    );
    let config = config::read("d", &Draft::new("mo", &yargs).yaml()).0.unwrap();
    let own = config.tool("mo").unwrap();
    assert_eq!(own.args.iter().map(|arg| arg.name.as_str()).collect::<Vec<_>>(), ["bail", "spec"]);
}

#[test]
fn lists_of_other_frameworks_are_read() {
    let oclif = "gen\n\nVERSION\n  gen/4.1.0 linux-x64\n\nUSAGE\n  $ gen [COMMAND]\n\nTOPICS\n  pack    package it\n\nCOMMANDS\n  init  set it up\n  help  Display help.\n";
    assert_eq!(commands(oclif, &["gen"]), ["pack - package it", "init - set it up"]);
    let metavar = "usage: ag [-h] [-v] TYPE ...\n\nRoles.\n\npositional arguments:\n  TYPE\n    collection   Manage a collection.\n    role         Manage a\n                 role.\n\noptions:\n  -v   more\n";
    assert_eq!(commands(metavar, &["ag"]), ["collection - Manage a collection.", "role - Manage a role."]);
    assert!(!Help::read(metavar, &["ag"]).alone);
    let docopt = "Naval Fate.\n\nUsage:\n  fate ship new <name>...\n  fate ship shoot <x> <y>\n  fate mine set <x> [--moored]\n  fate -h | --help\n\nOptions:\n  --moored  Anchored.\n";
    assert_eq!(commands(docopt, &["fate"]), ["ship new name - ", "ship shoot x y - ", "mine set x - "]);
    assert!(!Help::read(docopt, &["fate"]).alone);
    let org = "Usage:\nnm org set orgname username [developer|admin]\nnm org rm orgname username\nnm org ls orgname [<username>]\n";
    assert_eq!(
        commands(org, &["nm", "org"]),
        ["set orgname username [developer] [admin] - ", "rm orgname username - ", "ls orgname [username] - "]
    );
    let urfave = "NAME:\n   greet - says hello\n\nUSAGE:\n   greet [global options] command [command options]\n\nCOMMANDS:\n   add, a   adds one\n   help, h  Shows a list\n\nGLOBAL OPTIONS:\n   --lang value, -l value  language (default: \"english\") [$LANG]\n";
    assert_eq!(commands(urfave, &["greet"]), ["add - adds one"]);
    assert_eq!(Help::read(urfave, &["greet"]).about, "says hello");
    let kingpin = "usage: chat [<flags>] <command> [<args> ...]\n\nA chat.\n\nFlags:\n  --[no-]debug        Enable debug mode.\n  --server=127.0.0.1  Server address.\n\nCommands:\nhelp [<command>...]\n    Show help.\n\n  register [<flags>] <nick> <name>\n    Register a new user.\n\n  post [<flags>] <channel> [<text>...]\n    Post a message.\n";
    assert_eq!(
        commands(kingpin, &["chat"]),
        ["register nick name - Register a new user.", "post channel [text] - Post a message."]
    );
    let fire = "NAME\n    calc - A calculator.\n\nSYNOPSIS\n    calc COMMAND\n\nDESCRIPTION\n    A calculator.\n\nCOMMANDS\n    COMMAND is one of the following:\n\n     double\n       Doubles a number.\n";
    assert_eq!(commands(fire, &["calc"]), ["double - Doubles a number."]);
    let busybox = "BusyBox v1.35.0 multi-call binary.\n\nUsage: bb [function [arguments]...]\n\nCurrently defined functions:\n\t[, [[, cat, head,\n\ttail, wc\n";
    assert_eq!(commands(busybox, &["bb"]), ["cat - ", "head - ", "tail - ", "wc - "]);
    check(&[
        (
            "NAME\n    calc double - Doubles a number.\n\nSYNOPSIS\n    calc double NUMBER <flags>\n\nPOSITIONAL ARGUMENTS\n    NUMBER\n        the number\n\nFLAGS\n    -t, --times=TIMES\n        Default: 1\n",
            &["calc", "double"],
            "--times= times; number",
        ),
        (
            "Usage:\n    sample [options] [file ...]\n\nOptions:\n    --help  Print a brief help message and exits.\n    --man   Prints the manual page and exits.\n",
            &["sample"],
            "--man; [file]",
        ),
        (
            "Usage: head2 [-c N | -n N] [FILE]...\n\nPrint first lines of FILEs\n\n\t-n N[bkm]\tPrint first N lines\n\t-q\t\tNever print headers\n",
            &["head2"],
            "-n n_bkm; -q; -c n; [file]",
        ),
        (
            "Usage:\n    pb copy [SWITCHES] [template_src] dest\n\nSwitches:\n    -r, --vcs-ref VALUE:str             Git reference\n    --form VALUE:{plain, json}          How to print\n",
            &["pb", "copy"],
            "--vcs-ref value_str; --form value_plain_json{plain,json}; [template_src]; dest",
        ),
    ]);
}
