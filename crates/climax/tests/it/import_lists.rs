//! Arguments of help texts that take several values.

use climax::argv;
use climax::config::{self, Config, ListStyle, Place};
use climax::import::{Draft, Help};
use serde_json::{Value, json};

fn imported(text: &str, words: &[&str]) -> Config {
    let draft = Draft::new(words[0], &Help::read(text, words));
    let (config, faults) = config::read("d", &draft.yaml());
    assert_eq!(faults, [], "{}", draft.yaml());
    config.unwrap()
}

/// Writes the lists of a text as `name flag`, with `once` where the flag stands once and with the type of the items.
fn lists(text: &str, words: &[&str]) -> String {
    let tool = imported(text, words).tools.get(0).unwrap();
    let shown = tool.args.iter().filter_map(|arg| {
        let list = arg.list.as_ref()?;
        let mut shown = arg.name.clone();
        if let Place::Flag(flag) = &arg.place {
            shown = format!("{shown} {flag}");
        }
        if list.style != ListStyle::Repeat {
            shown.push_str(" once");
        }
        if list.items != config::ArgKind::String {
            shown = format!("{shown} {}", list.items);
        }
        Some(shown)
    });
    shown.collect::<Vec<_>>().join("; ")
}

/// Help texts, the words that they are of, and their lists.
const TEXTS: &[(&str, &[&str], &str)] = &[
    // clap
    (
        "Usage: pack [OPTIONS] <FILES>...\n\nArguments:\n  <FILES>...  What to pack\n\nOptions:\n  -e, --exclude <GLOB>   Skip these; may be given \
         multiple times\n      --with <NAMES>...  Which\n  -l, --level <N>  How hard\n",
        &["pack"],
        "exclude --exclude; with --with once; files",
    ),
    // argparse
    (
        "usage: prog [-h] [--files [FILES ...]] [--only ONLY [ONLY ...]] [-D KEY=VALUE] src [src ...]\n\npositional arguments:\n  src                   \
         what\n\noptions:\n  -h, --help            show this help message and exit\n  --files [FILES ...]   which\n  --only ONLY [ONLY ...]\n                        \
         these\n  -D KEY=VALUE          a definition (can be repeated)\n",
        &["prog"],
        "files --files once; only --only once; d -D; src",
    ),
    // click
    (
        "Usage: lint [OPTIONS] [PATHS]...\n\n  Lints.\n\nOptions:\n  --rule TEXT  A rule, which can be used multiple times\n  --help       Show this message and exit.\n",
        &["lint"],
        "rule --rule; paths",
    ),
    // cobra
    (
        "Removes.\n\nUsage:\n  box rm [flags] NAME [NAME...]\n\nFlags:\n      --label stringArray   labels\n      --set stringSlice     values\n      --port ints           ports\n  -e, --env list            variables\n  -f, --force               even so\n",
        &["box", "rm"],
        "label --label; set --set; port --port integer; env --env; name",
    ),
    // yargs
    (
        "mo [spec..]\n\nPositionals:\n  spec  Files to run  [array] [default: []]\n\nOptions:\n  --require  Load it first  [array]\n  --bail     Stop early  [boolean]\n",
        &["mo"],
        "require --require; spec",
    ),
    // commander
    (
        "Usage: mv2 [options] <files...>\n\nOptions:\n  -i, --include <globs...>  which\n  -h, --help                display help\n",
        &["mv2"],
        "include --include=; files",
    ),
    // kubectl
    (
        "Usage:\n  kube apply [flags]\n\nOptions:\n    -f, --filename=[]:\n\tWhich file.\n",
        &["kube", "apply"],
        "filename --filename=",
    ),
    // GNU
    (
        "Usage: sum [OPTION]... [FILE]...\nPrint sums.\n\n  -a, --all             all\n      --exclude=GLOB...  none of these\n",
        &["sum"],
        "exclude --exclude=; file",
    ),
    // npm
    (
        "Install a package\n\nUsage:\nnm install [<package-spec> ...]\n\nOptions:\n[-E|--save-exact] [--omit <dev|peer> [--omit <dev|peer> ...]]\n\n  -E|--save-exact\n    Save exactly\n\n  --omit\n    What to leave out\n",
        &["nm", "install"],
        "omit --omit; package_spec",
    ),
    // pip
    (
        "Usage:   \n  pp install [options] <requirement specifier> [package-index-options] ...\n\nInstall Options:\n  -r, --requirement <file>    From a file. This option can be used multiple times.\n",
        &["pp", "install"],
        "requirement --requirement; requirement_specifier",
    ),
    // pytest
    ("usage: pt [options] [file_or_dir] [file_or_dir] [...]\n\noptions:\n  -x  stop\n", &["pt"], "file_or_dir"),
    // docopt
    (
        "Naval.\n\nUsage:\n  fate move <ship>... [--via=<place>...]\n\nOptions:\n  --via=<place>...  On the way.\n",
        &["fate", "move"],
        "via --via=; ship",
    ),
    // Only one positional may take all that is left, but for what stands behind `--`.
    ("Usage: cp2 [OPTION]... SOURCE... DIRECTORY\n", &["cp2"], "source"),
    ("Usage: two [FILES...] [DIRS...]\n", &["two"], "dirs"),
    ("Runs.\n\nUsage:\n  kc exec POD [FILES...] -- COMMAND [args...]\n", &["kc", "exec"], "files; args"),
    // Logs hide one word behind such a flag.
    (
        "usage: p [--password PASSWORD [PASSWORD ...]]\n\noptions:\n  --password PASSWORD [PASSWORD ...]  which\n",
        &["p"],
        "password --password",
    ),
    // Lists of no one.
    (
        "usage: q [-v]... {add,list} [--seed N]\n\noptions:\n  -v           may be given multiple times\n  --seed N     for repeatable runs\n  --cols A,B,...  columns\n",
        &["q"],
        "",
    ),
];

#[test]
fn lists_of_every_style_are_read() {
    for (text, words, expected) in TEXTS {
        assert_eq!(lists(text, words), *expected, "{text}");
    }
}

#[test]
fn an_imported_list_is_written_as_its_program_reads_it() {
    let text = "usage: prog [-h] [--files [FILES ...]] [-D KEY=VALUE] src [src ...]\n\npositional arguments:\n  src                   what\n\n\
                options:\n  --files [FILES ...]   which\n  -D KEY=VALUE          a definition (can be repeated)\n";
    let config = imported(text, &["prog"]);
    let arguments = json!({"files": ["a", "b"], "d": ["x=1", "y=2"], "src": ["s", "t"]});
    let Value::Object(arguments) = arguments else { panic!("an object") };
    let built = argv::build(&config, &config.tools.get(0).unwrap(), &arguments, &|_: &str| None).unwrap();
    assert_eq!(built.words.join(" "), "prog -D x=1 -D y=2 s t --files a b");
}

#[test]
fn lists_of_a_specification_of_fig_are_read() {
    let line = r#"{"name":"demo","about":"Shows","commands":[],"options":[
        {"flags":["-e"],"about":"","value":"v","equals":false,"required":false,"repeats":true},
        {"flags":["--all"],"about":"","value":"v","equals":false,"required":false,"variadic":true},
        {"flags":["-v"],"about":"","value":null,"equals":false,"required":false,"repeats":true}],
        "arguments":[{"name":"file","about":"","required":true,"variadic":true}]}"#;
    let draft = climax::import::fig::draft(&line.replace('\n', "")).unwrap();
    let (config, faults) = config::read("fig", &draft.yaml());
    assert_eq!(faults, [], "{}", draft.yaml());
    let tool = config.unwrap().tools.get(0).unwrap();
    let styles: Vec<_> = tool.args.iter().map(|arg| arg.list.as_ref().map(|list| list.style.clone())).collect();
    assert_eq!(
        styles,
        [Some(ListStyle::Repeat), Some(ListStyle::Once { allow_dash: false }), None, Some(ListStyle::Repeat)]
    );
}
