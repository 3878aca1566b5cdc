//! Help texts of five styles.

use climax::config;
use climax::import::{Draft, Help};

const CLAP: &str = "\
Packs things

Usage: pack [OPTIONS] <INPUT> [OUTPUT]

Arguments:
  <INPUT>   What to pack
  [OUTPUT]  Where to

Options:
  -l, --level <LEVEL>    How hard [default: 3]
      --format <FORMAT>  Which form [possible values: zip, tar]
  -q, --quiet            Say nothing
  -h, --help             Print help
";
const ARGPARSE: &str = "\
usage: prog [-h] [-v] [--out FILE] {add,list} ...

Keeps things

positional arguments:
  {add,list}
    add                 add a thing
    list                list things

options:
  -h, --help            show this help message and exit
  -o FILE, --out FILE   where to write
  -v, --verbose         say more
";
const COBRA: &str = "\
Kube does things

Usage:
  kube [command]

Available Commands:
  apply       Apply a file
  completion  Generate a script
  get         Show things

Flags:
      --context string   the context to use
  -n, --replicas int     how many
  -h, --help             help for kube
";
const CLICK: &str = "\
Usage: deploy [OPTIONS] TARGET

  Deploys a target.

Options:
  -e, --env [dev|prod]  Where to  [required]
  --dry-run             Only say what would be done.
  --help                Show this message and exit.
";
const GNU: &str = "\
Usage: sum [OPTION]... [FILE]...
Print sums of files.

  -a, --all            all of them
      --block-size=SIZE  scale sizes by SIZE
      --help     display this help and exit
";

fn flags(help: &Help) -> Vec<(&str, bool)> {
    help.options.iter().map(|option| (option.flag.as_str(), option.value.is_some())).collect()
}

#[test]
fn five_styles_are_read() {
    let clap = Help::read(CLAP);
    assert_eq!(clap.about, "Packs things");
    assert_eq!(flags(&clap), [("--level", true), ("--format", true), ("--quiet", false)]);
    assert_eq!(clap.options[1].choices, ["zip", "tar"]);
    let names: Vec<(&str, bool)> = clap.positionals.iter().map(|p| (p.name.as_str(), p.required)).collect();
    assert_eq!(names, [("input", true), ("output", false)]);

    let argparse = Help::read(ARGPARSE);
    assert_eq!(argparse.about, "Keeps things");
    assert_eq!(argparse.commands.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["add", "list"]);
    assert_eq!(flags(&argparse), [("--out", true), ("--verbose", false)]);

    let cobra = Help::read(COBRA);
    assert_eq!(cobra.commands, [("apply".into(), "Apply a file".into()), ("get".into(), "Show things".into())]);
    assert_eq!(flags(&cobra), [("--context", true), ("--replicas", true)]);

    let click = Help::read(CLICK);
    assert_eq!(click.about, "Deploys a target.");
    assert_eq!(flags(&click), [("--env", true), ("--dry-run", false)]);
    assert!(click.options[0].required);
    assert_eq!(click.positionals[0].name, "target");

    let gnu = Help::read(GNU);
    assert_eq!(gnu.about, "Print sums of files.");
    assert_eq!(flags(&gnu), [("--all", false), ("--block-size=", true)]);
    assert_eq!((gnu.positionals[0].name.as_str(), gnu.positionals[0].required), ("file", false));
}

#[test]
fn a_draft_is_a_valid_config() {
    let mut draft = Draft::new("/opt/my tools/kube", &Help::read(COBRA));
    draft.add(&["delete-all".into()], &Help::read(CLAP));
    draft.add(&["get".into()], &Help::read(GNU));
    draft.add(&["apply".into()], &Help::read(CLICK));
    let (config, faults) = config::read("draft", &draft.yaml());
    assert_eq!(faults, [], "{}", draft.yaml());
    let config = config.unwrap();
    let risks: Vec<(&str, aish_types::Risk)> =
        config.tools.iter().map(|tool| (tool.name.as_str(), tool.risk)).collect();
    assert_eq!(
        risks,
        [
            ("kube_delete_all", aish_types::Risk::Destructive),
            ("kube_get", aish_types::Risk::Read),
            ("kube_apply", aish_types::Risk::Write),
        ]
    );
    assert_eq!(climax::expand::command(&config.command, &|_: &str| None), ["/opt/my tools/kube"]);
    assert_eq!(config.tools[0].arg("format").unwrap().choices.len(), 2);
}
